package irxml_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// smallXML is a model of four layers: x and a Constant of f32[2,3], their sum, and a Result.
// smallBin is its .bin. The tests change parts of it.
const smallXML = `<?xml version="1.0"?>
<net name="small" version="11">
	<layers>
		<layer id="0" name="x" type="Parameter" version="opset1">
			<data shape="?,3" element_type="f32" />
			<output>
				<port id="0" precision="FP32" names="in">
					<dim>-1</dim>
					<dim>3</dim>
				</port>
			</output>
		</layer>
		<layer id="1" name="weights" type="Const" version="opset1">
			<data element_type="f32" shape="2, 3" offset="0" size="24" />
			<output>
				<port id="0" precision="FP32">
					<dim>2</dim>
					<dim>3</dim>
				</port>
			</output>
		</layer>
		<layer id="2" name="sum" type="Add" version="opset1">
			<data auto_broadcast="numpy" />
			<rt_info>
				<attribute name="fused_names" version="0" value="sum" />
			</rt_info>
			<input>
				<port id="0" precision="FP32">
					<dim>-1</dim>
					<dim>3</dim>
				</port>
				<port id="1" precision="FP32">
					<dim>2</dim>
					<dim>3</dim>
				</port>
			</input>
			<output>
				<port id="2" precision="FP32" names="out,a\,b">
					<dim>2</dim>
					<dim>3</dim>
				</port>
			</output>
		</layer>
		<layer id="3" name="y" type="Result" version="opset1">
			<input>
				<port id="0" precision="FP32" />
			</input>
		</layer>
	</layers>
	<edges>
		<edge from-layer="0" from-port="0" to-layer="2" to-port="0" />
		<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />
		<edge from-layer="2" from-port="2" to-layer="3" to-port="0" />
	</edges>
	<rt_info>
		<Runtime_version value="2026" />
	</rt_info>
</net>
`

var smallBin = []byte("\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40\x00\x00\xc0\x40")

// smallWith returns smallXML with the first occurrence of each old text replaced. Old and new
// texts alternate.
func smallWith(t testing.TB, oldNew ...string) []byte {
	s := smallXML
	for i := 0; i < len(oldNew); i += 2 {
		require.Contains(t, s, oldNew[i])
		s = strings.Replace(s, oldNew[i], oldNew[i+1], 1)
	}
	return []byte(s)
}

func readSmall(t testing.TB, oldNew ...string) *ir.Model {
	m, err := irxml.Read(smallWith(t, oldNew...), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	return m
}

// graphText returns the layers in order, each with its inputs.
func graphText(m *ir.Model) string {
	var b strings.Builder
	for _, layer := range m.Order {
		b.WriteString(layer.Name)
		for i, in := range layer.Inputs {
			fmt.Fprintf(&b, "%c%s", "(,"[min(i, 1)], in.Source.Name)
			if in.SourceIndex > 0 {
				fmt.Fprintf(&b, ":%d", in.SourceIndex)
			}
		}
		if len(layer.Inputs) > 0 {
			b.WriteByte(')')
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestRead(t *testing.T) {
	m := readSmall(t)
	assert.Equal(t, "small", m.Name)
	assert.Equal(t, 11, m.Version)
	assert.Equal(t, int64(24), m.BinSize)
	require.Len(t, m.Layers, 4)
	x, weights, sum, y := m.Layers[0], m.Layers[1], m.Layers[2], m.Layers[3]
	assert.Equal(t, []*ir.Layer{x}, m.Parameters)
	assert.Equal(t, []*ir.Layer{y}, m.Results)
	assert.Empty(t, m.Sinks)
	assert.Equal(t, []*ir.Layer{x, weights, sum, y}, m.Order)

	assert.Equal(t, []ir.Attribute{{Name: "shape", Value: "?,3"}, {Name: "element_type", Value: "f32"}}, x.Data)
	assert.Equal(t, []string{"in"}, x.Outputs[0].Names)
	assert.Equal(t, "[?,3]", x.Outputs[0].Declared.String())

	assert.Equal(t, "Constant", weights.Type)
	assert.Equal(t, "Const", weights.FileType)
	assert.Equal(t, ir.ConstRange{Offset: 0, Size: 24}, weights.Const)
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, ir.Data[float32](weights.Constant))
	assert.Equal(t, ir.Shape{2, 3}, weights.Constant.Shape())

	assert.Equal(t, uint64(2), sum.ID)
	assert.Equal(t, 2, sum.Index)
	assert.Equal(t, "opset1", sum.Opset)
	assert.Equal(t, 22, sum.Line)
	assert.Equal(t, "sum", sum.RTInfo.SelectElement("attribute").SelectAttrValue("value", ""))
	require.Len(t, sum.Inputs, 2)
	assert.Same(t, weights, sum.Inputs[1].Source)
	assert.Equal(t, "[2,3]", sum.Inputs[1].Declared.String())
	assert.Equal(t, ir.F32, sum.Outputs[0].DeclaredType)
	assert.Equal(t, uint64(2), sum.Outputs[0].Port)
	assert.Equal(t, []string{"out", "a,b"}, sum.Outputs[0].Names)
	assert.Equal(t, []string{"out", "a,b"}, y.OutputNames)
	assert.Equal(t, "2026", m.RTInfo.SelectElement("Runtime_version").SelectAttrValue("value", ""))
}

// TestReadAccepts has unusual documents that OpenVINO accepts.
func TestReadAccepts(t *testing.T) {
	const order = "x weights sum(x,weights) y(sum)"
	for name, c := range map[string]struct {
		oldNew []string
		order  string
		check  func(*testing.T, *ir.Model)
	}{
		"root in capitals": {oldNew: []string{"<net", "<NET", "</net", "</NET"}},
		"text behind":      {oldNew: []string{"</net>", "</net> garbage"}},
		"text before":      {oldNew: []string{`<?xml version="1.0"?>`, "garbage"}},
		"ids in any order": {oldNew: []string{
			`id="0" name="x"`, `id="77" name="x"`, `from-layer="0"`, `from-layer="77"`,
			`id="2" name`, `id="0" name`, `to-layer="2"`, `to-layer="0"`, `to-layer="2"`, `to-layer="0"`, `from-layer="2"`, `from-layer="0"`}},
		"plus and blanks before an id": {oldNew: []string{`id="2" name`, `id=" +02" name`}},
		"port ids are labels": {oldNew: []string{
			"<input>\n\t\t\t\t<port id=\"0\"", `<input><port id="9"`,
			`to-port="0"`, `to-port="9"`, `<port id="1" precision="FP32">`, `<port id="4" precision="FP32">`, `to-port="1"`, `to-port="4"`}},
		"inputs by port, not by edge": {order: "x weights sum(weights,x) y(sum)", oldNew: []string{
			`to-layer="2" to-port="0"`, `to-layer="2" to-port="one"`, `to-layer="2" to-port="1"`, `to-layer="2" to-port="0"`, `"one"`, `"1"`},
			check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "weights", m.Order[2].Inputs[0].Source.Name) }},
		"optional input": {order: "x sum(x) y(sum)", oldNew: []string{
			`<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />`, ""},
			check: func(t *testing.T, m *ir.Model) { assert.Len(t, m.Layers[2].Inputs, 1) }},
		"edge to nowhere":   {oldNew: []string{"</edges>", `<edge from-layer="0" from-port="0" to-layer="99" to-port="0" /></edges>`}},
		"no result":         {order: "x", oldNew: []string{`type="Result"`, `type="Relu"`}},
		"dangling layer":    {oldNew: []string{"</layers>", `<layer id="9" name="z" type="Nope" version="opset99"><input><port id="0"/></input></layer></layers>`, "</edges>", `<edge from-layer="55" from-port="0" to-layer="9" to-port="0" /></edges>`}},
		"dangling constant": {oldNew: []string{"</layers>", `<layer id="9" name="z" type="Const" version="opset1"/></layers>`}},
		"dangling cycle": {oldNew: []string{
			"</layers>", `<layer id="9" name="z" type="Relu" version="opset1"><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer></layers>`,
			"</edges>", `<edge from-layer="9" from-port="1" to-layer="9" to-port="0" /></edges>`}},
		"unknown type": {oldNew: []string{`type="Add"`, `type="AddUp"`}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "AddUp", m.Layers[2].Type) }},
		"elements of converters": {oldNew: []string{
			"<layers>", `<statistics><layer id="0"/></statistics><layers>`, `type="Add"`, `precision="FP16" type="Add"`,
			"</edges>", `</edges><meta_data><MO_version value="2020"/><cli_parameters/></meta_data>`}},
		"unknown elements":   {oldNew: []string{"<layers>", "<blobs><a/></blobs><layers>", "<data auto", "<foo/><data auto"}},
		"second layers":      {oldNew: []string{"</layers>", `</layers><layers><layer id="x"/></layers>`}},
		"second data":        {oldNew: []string{`<data auto_broadcast="numpy" />`, `<data auto_broadcast="none" /><data auto_broadcast="numpy" />`}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "none", m.Layers[2].Data[0].Value) }},
		"edges before":       {oldNew: []string{"<layers>", `<edges></edges><layers>`}, order: "x y"},
		"repeated attribute": {oldNew: []string{`name="sum"`, `name="sum" name="other"`}},
		"renamed types":      {oldNew: []string{`type="Add"`, `type="SOFTMAX"`}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "Softmax", m.Layers[2].Type) }},
		"precisions":         {oldNew: []string{`precision="FP32" names="out`, `precision="boolean" names="out`}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, ir.Boolean, m.Layers[2].Outputs[0].DeclaredType) }},
		"no input precision": {oldNew: []string{`<port id="1" precision="FP32">`, `<port id="1" precision="nonsense">`}},
		"dims":               {oldNew: []string{"<dim>2</dim>", "<dim> +3abc</dim>"}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "[3,3]", m.Layers[1].Outputs[0].Declared.String()) }},
		"dim behind a child": {oldNew: []string{"<dim>2</dim>", "<dim><a>7</a><!-- 5 --><![CDATA[2]]>8</dim>"}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "[2,3]", m.Layers[1].Outputs[0].Declared.String()) }},
		"dim of 2^63-1":      {oldNew: []string{"<dim>2</dim>", "<dim>9223372036854775807</dim>"}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, "[?,3]", m.Layers[1].Outputs[0].Declared.String()) }},
		"names": {oldNew: []string{`out,a\,b`, `a\\,b,c\,d,,e,e`}, check: func(t *testing.T, m *ir.Model) {
			assert.Equal(t, []string{`a\,b`, "c,d", "e"}, m.Layers[2].Outputs[0].Names)
		}},
		"output_names":       {oldNew: []string{`type="Result" version="opset1"`, `type="Result" version="opset1" output_names="out"`}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, []string{"out"}, m.Results[0].OutputNames) }},
		"empty output_names": {oldNew: []string{`type="Result" version="opset1"`, `type="Result" version="opset1" output_names=""`}, check: func(t *testing.T, m *ir.Model) { assert.Equal(t, []string{"out", "a,b"}, m.Results[0].OutputNames) }},
		"output_names beyond the port's": {oldNew: []string{`type="Result" version="opset1"`, `type="Result" version="opset1" output_names="z"`}, check: func(t *testing.T, m *ir.Model) {
			assert.Equal(t, []string{"z"}, m.Results[0].OutputNames)
			assert.Equal(t, []string{"out", "a,b", "z"}, m.Layers[2].Outputs[0].Names)
		}},
		"one name for two tensors": {oldNew: []string{`names="out,a\,b"`, `names="in,out"`}, check: func(t *testing.T, m *ir.Model) {
			assert.Equal(t, []string{"in"}, m.Layers[0].Outputs[0].Names)
			assert.Equal(t, []string{"in_1", "out"}, m.Results[0].OutputNames)
		}},
		"no attributes of net": {oldNew: []string{`name="small" `, ""}},
		"rt_info of a port": {oldNew: []string{`names="in">`, `names="in"><rt_info><attribute name="layout" version="0" layout="[N,C]"/></rt_info>`}, check: func(t *testing.T, m *ir.Model) {
			assert.Equal(t, "[N,C]", m.Layers[0].Outputs[0].RTInfo.SelectElement("attribute").SelectAttrValue("layout", ""))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := readSmall(t, c.oldNew...)
			if c.check != nil {
				c.check(t, m)
			}
			if c.order == "" {
				c.order = order
			}
			assert.Equal(t, c.order, graphText(m))
		})
	}
}

// TestReadOrdersResults checks that outputs are in document order, not ordered by id or name.
func TestReadOrdersResults(t *testing.T) {
	m := readSmall(t, `<layer id="3" name="y"`, `<layer id="8" name="z" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="7" name="a" type="Result" version="opset1"><input><port id="0"/></input></layer>
<layer id="3" name="y"`,
		"</edges>", `<edge from-layer="0" from-port="0" to-layer="7" to-port="0"/><edge from-layer="2" from-port="2" to-layer="8" to-port="0"/></edges>`)
	var names []string
	for _, result := range m.Results {
		names = append(names, result.Name)
	}
	assert.Equal(t, []string{"z", "a", "y"}, names)
}

// TestReadDecodesAttributes checks that attributes are decoded as in pugixml: a line end
// becomes a space, a reference to a line end stays.
func TestReadDecodesAttributes(t *testing.T) {
	m := readSmall(t, `name="sum"`, "name=\"a&lt;b>c\nd&#10;e&#01;&foo;\"")
	assert.Equal(t, "a<b>c d\ne\x01&foo;", m.Layers[2].Name)
}

// TestReadRefuses has documents that OpenVINO rejects or crashes on.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		oldNew  []string
		message string
	}{
		"root":                   {[]string{"<net", "<model", "</net", "</model"}, "line 2: the root element is <model>, that of an IR is <net>"},
		"cached blob":            {[]string{"<net name", "<compiled_blob ie_version", "</net", "</compiled_blob"}, "line 2: the file is a compiled model of OpenVINO's cache, not an IR"},
		"version 7":              {[]string{`version="11"`, `version="7"`}, "line 2: IR version 7; versions 10 and 11 are supported"},
		"version 12":             {[]string{`version="11"`, `version="12"`}, "line 2: IR version 12; versions 10 and 11 are supported"},
		"version word":           {[]string{`version="11"`, `version="eleven"`}, `line 2: version of <net>: "eleven" is not a number from 0 to 2^63-1`},
		"version 11.0":           {[]string{`version="11"`, `version="11.0"`}, `"11.0" is not a number`},
		"no version":             {[]string{` version="11"`, ``}, "line 2: <net> has no version: not an IR; versions 10 and 11 are supported"},
		"two roots":              {[]string{"</net>", "</net>\n<net/>"}, "line 59: the document has a second root element <net>"},
		"nested net":             {[]string{"<net", "<root><net", "</net>", "</net></root>"}, "the root element is <root>"},
		"cut":                    {[]string{"</layers>", "<!--"}, "line 49: comment does not end"},
		"wrong end tag":          {[]string{"</edges>", "</edge>"}, "line 54: end tag does not match start tag <edges>"},
		"layer without id":       {[]string{`id="2" name`, `name`}, `line 22: layer 0 "sum" (Add, opset1): attribute id is missing`},
		"layer id negative":      {[]string{`id="2" name`, `id="-2" name`}, `line 22: layer 0 "sum" (Add, opset1): attribute id: "-2" is not a number from 0 to 2^63-1`},
		"layer id beyond":        {[]string{`id="2" name`, `id="9223372036854775808" name`}, "is not a number from 0 to 2^63-1"},
		"layer without name":     {[]string{`name="sum" `, ``}, `line 22: layer 2 "" (Add, opset1): attribute name is missing`},
		"layer without type":     {[]string{`type="Add" `, ``}, `attribute type is missing`},
		"execution graph":        {[]string{`type="Add" version="opset1"`, `type="Add"`}, "attribute version is missing, as in execution graphs"},
		"repeated id":            {[]string{`id="3" name`, `id="1" name`}, `line 44: layer 1 "y" (Result, opset1): the id is that of layer "weights" in line 13 as well`},
		"repeated id in order":   {[]string{`id="1" name`, `id="0" name`}, `line 13: layer 0 "weights" (Constant, opset1): the id is that of layer "x" in line 4 as well`},
		"no data of a Parameter": {[]string{`<data shape="?,3" element_type="f32" />`, ``}, `line 4: layer 0 "x" (Parameter, opset1): the Parameter has no data element`},
		"port without id":        {[]string{`<port id="1" precision`, `<port precision`}, `line 32: layer 2 "sum" (Add, opset1): <port> has no attribute id`},
		"port id":                {[]string{`<port id="1"`, `<port id="one"`}, `attribute id of <port>: "one" is not a number`},
		"no precision":           {[]string{`precision="FP32" names="in"`, ``}, `line 7: layer 0 "x" (Parameter, opset1): output port 0 has no precision`},
		"precision":              {[]string{`precision="FP32" names="in"`, `precision="Fp32"`}, `output port 0: "Fp32" is not a port precision`},
		"dim word":               {[]string{"<dim>2</dim>", "<dim>two</dim>"}, `line 17: layer 1 "weights" (Constant, opset1): dim "two" is not a number from -1 on`},
		"dim empty":              {[]string{"<dim>2</dim>", "<dim/>"}, `dim "" is not a number from -1 on`},
		"dim -2":                 {[]string{"<dim>2</dim>", "<dim>-2</dim>"}, `dim "-2" is not a number from -1 on`},
		"dim beyond":             {[]string{"<dim>2</dim>", "<dim>9223372036854775808</dim>"}, `is beyond 2^63-1`},
		"edge without attribute": {[]string{`from-layer="1" `, ``}, "line 52: <edge> has no attribute from-layer"},
		"edge attribute":         {[]string{`from-layer="1"`, `from-layer="1abc"`}, `line 52: attribute from-layer of <edge>: "1abc" is not a number`},
		"edge from nowhere":      {[]string{`from-layer="1"`, `from-layer="8"`}, `line 52: layer 2 "sum" (Add, opset1): an edge comes from layer 8, which does not exist`},
		"edge to no port":        {[]string{`to-port="1"`, `to-port="7"`}, `line 52: layer 2 "sum" (Add, opset1): an edge leads to input port 7, which does not exist`},
		"edge from no port":      {[]string{`from-layer="1" from-port="0"`, `from-layer="1" from-port="7"`}, `an edge comes from output port 7 of layer 1 "weights", which does not exist`},
		"two edges to a port":    {[]string{`to-port="1"`, `to-port="0"`}, `line 52: layer 2 "sum" (Add, opset1): two edges lead to input port 0`},
		"repeated port id":       {[]string{`<port id="1" precision`, `<port id="0" precision`}, `an edge leads to input port 1, which does not exist`},
		"a gap in the inputs":    {[]string{`<edge from-layer="0" from-port="0" to-layer="2" to-port="0" />`, ``}, `input port 1 is input 1, but an input before it has no edge`},
		"cycle":                  {[]string{`from-layer="1" from-port="0"`, `from-layer="2" from-port="2"`}, `line 22: layer 2 "sum" (Add, opset1): the layer depends on its own output: the graph has a cycle`},
		"Assign alone":           {[]string{`type="Result" version="opset1">`, `type="Assign" version="opset6"><data variable_id="v"/>`}, `line 44: layer 3 "y" (Assign, opset6): no ReadValue has the variable_id "v"`},
		"meta_data":              {[]string{"<rt_info>\n\t\t<Runtime_version value=\"2026\" />\n\t</rt_info>", "<meta_data><foo/></meta_data>"}, "meta_data: <foo> has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := irxml.Read(smallWith(t, c.oldNew...), smallBin, irxml.ReadOptions{})
			require.Error(t, err)
			var format *ir.FormatError
			require.ErrorAs(t, err, &format)
			assert.Contains(t, err.Error(), c.message)
		})
	}
}

func TestReadManyNames(t *testing.T) {
	var list, want []string
	for i := range 40 {
		want = append(want, fmt.Sprintf("n%d", i))
		list = append(list, want[i], want[i/2])
	}
	m := readSmall(t, `names="in"`, `names="`+strings.Join(list, ",")+`"`)
	assert.Equal(t, want, m.Parameters[0].Outputs[0].Names)
}

func TestReadOtherFiles(t *testing.T) {
	for name, data := range map[string]string{
		"blanks": " \n",
		"bin":    string(smallBin),
	} {
		_, err := irxml.Read([]byte(data), nil, irxml.ReadOptions{})
		assert.EqualError(t, err, "not an XML file: a model is read by its .xml", name)
	}
}

func TestFormatErrorFields(t *testing.T) {
	_, err := irxml.Read(smallWith(t, `offset="0" size="24"`, `offset="8" size="24"`), smallBin, irxml.ReadOptions{})
	var format *ir.FormatError
	require.ErrorAs(t, err, &format)
	assert.Equal(t, 13, format.Line)
	assert.Equal(t, "weights", format.Layer.Name)
	assert.Equal(t, uint64(1), format.Layer.ID)
	assert.EqualError(t, format.Err, "the Constant is at offset 8, size 24: outside of the .bin, which has 24 bytes; it was cut off or belongs to another model")
	assert.EqualError(t, err, `line 13: layer 1 "weights" (Constant, opset1): `+format.Err.Error())
	assert.Equal(t, format.Err, errors.Unwrap(format))
}

// TestReadBadCases reads the broken models that the reader must reject.
func TestReadBadCases(t *testing.T) {
	for name, message := range map[string]string{
		"bin_empty": "which has 0 bytes", "bin_missing": "the Constant needs the .bin", "bin_truncated_one": "which has 23 bytes",
		"cdata_open": "CDATA section does not end", "comment_open": "comment does not end",
		"const_no_offset": "attribute offset is missing", "const_offset_beyond": "offset 4096, size 24",
		"const_offset_negative": `"-8" is not a number`, "const_offset_overflow": `"18446744073709551600" is not a number`,
		"const_shape_larger": "needs 2400 bytes, the Constant has 24", "const_size_small": "needs 24 bytes, the Constant has 20",
		"const_string_bad": "the header has 1065353216 strings", "cycle": "the graph has a cycle",
		"dims_overflow": `layer 1 "const1" (Constant, opset1)`, "dims_overflow_zero": `layer 1 "const1" (Constant, opset1)`,
		"edge_self": "the graph has a cycle", "edge_twice": "two edges lead to input port 0",
		"layer_dup_id": `the id is that of layer "parameter0"`, "layer_id_negative": `attribute id: "-1"`,
		"port_dup": "input port 1, which does not exist", "precision_unknown": `"FP31" is not a port precision`,
		"root_onnx": "this is an ONNX model", "version_9": "IR version 9", "version_none": "<net> has no version",
		"xml_binary": "not an XML file", "xml_cut": "attribute precisi has no value", "xml_deep_open": "elements nest deeper than 256 levels",
		"xml_empty": "this is an empty file", "xml_two_roots": "a second root element",
	} {
		path := filepath.Join("..", "..", "testdata", "ir", "bad", name, "model.xml")
		require.FileExists(t, path)
		_, err := irxml.ReadFile(path, irxml.ReadOptions{})
		require.Error(t, err, name)
		var format *ir.FormatError
		assert.ErrorAs(t, err, &format, name)
		assert.Contains(t, err.Error(), message, name)
		assert.True(t, strings.HasPrefix(err.Error(), path), err)
	}
	for _, name := range []string{"dangling_layer", "dtd_bomb", "dtd_external", "edge_to_no_layer", "no_result", "xml_trailing", "xml_utf16"} {
		_, err := irxml.ReadFile(filepath.Join("..", "..", "testdata", "ir", "bad", name, "model.xml"), irxml.ReadOptions{})
		assert.NoError(t, err, name)
	}
}

// TestReadMaxRank has a port and a Constant with more axes than a tensor can have.
func TestReadMaxRank(t *testing.T) {
	dims := func(n int) string { return "<dim>3</dim>" + strings.Repeat("<dim>1</dim>", n-1) }
	xml := strings.Replace(smallXML, "<dim>3</dim>", dims(63), 1)
	_, err := irxml.Read([]byte(xml), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	for _, xml := range []string{
		strings.Replace(smallXML, "<dim>3</dim>", dims(64), 1),
		strings.Replace(smallXML, `shape="2, 3"`, `shape="2, 3`+strings.Repeat(", 1", 63)+`"`, 1),
	} {
		_, err := irxml.Read([]byte(xml), smallBin, irxml.ReadOptions{})
		var format *ir.FormatError
		require.ErrorAs(t, err, &format)
		assert.NotNil(t, format.Layer)
		assert.NotZero(t, format.Line)
		assert.ErrorContains(t, err, "65 axes are more than the limit of 64")
	}
}
