package irxml_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
)

// written returns the document and the .bin of m.
func written(m *ir.Model, opts irxml.WriteOptions) (xml, bin []byte, err error) {
	var document, weights bytes.Buffer
	err = irxml.Write(context.Background(), &document, &weights, m, opts)
	return document.Bytes(), weights.Bytes(), err
}

// writeCounts counts what was compared.
type writeCounts struct{ models, layers, constants, bodies int }

// comparison compares models with what was read after they were written.
type comparison struct {
	t testing.TB
	writeCounts
}

// roundTrip writes m, reads that, and compares. It returns what was written.
func (c *comparison) roundTrip(m *ir.Model) (xml, bin []byte) {
	t := c.t
	xml, bin, err := written(m, irxml.WriteOptions{})
	require.NoError(t, err)
	again, err := irxml.Read(xml, bin, irxml.ReadOptions{})
	require.NoError(t, err, "%s", xml)
	c.graphs(m, again)
	twiceXML, twiceBin, err := written(again, irxml.WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, string(xml), string(twiceXML), "what was written is written again")
	require.True(t, bytes.Equal(bin, twiceBin))
	return xml, bin
}

// graphs compares two graphs from their ends on. Their layers have different ids and positions.
func (c *comparison) graphs(a, b *ir.Model) {
	require.Equal(c.t, [...]any{a.Name, a.Version, tree(a.RTInfo)}, [...]any{b.Name, b.Version, tree(b.RTInfo)})
	partner := make(map[*ir.Layer]*ir.Layer, len(a.Order))
	var stack []*ir.Layer
	pair := func(x, y *ir.Layer) {
		if partner[x] == nil {
			partner[x] = y
			stack = append(stack, x)
		}
		require.Same(c.t, y, partner[x], "%v is another layer", x)
	}
	for _, lists := range [][2][]*ir.Layer{{a.Parameters, b.Parameters}, {a.Results, b.Results}, {assigns(a), assigns(b)}} {
		require.Len(c.t, lists[1], len(lists[0]))
		for i := range lists[0] {
			pair(lists[0][i], lists[1][i])
		}
	}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		y := partner[x]
		stack = stack[:len(stack)-1]
		c.layer(x, y)
		for i := range x.Inputs {
			in, out := &x.Inputs[i], &y.Inputs[i]
			require.Equal(c.t, in.SourceIndex, out.SourceIndex, "input %d of %v", i, x)
			pair(in.Source, out.Source)
		}
	}
	require.Len(c.t, partner, len(a.Order))
	require.Len(c.t, b.Order, len(a.Order))
	if a.Version == 11 {
		require.Len(c.t, b.Layers, len(b.Order), "nothing else is written")
	}
}

func assigns(m *ir.Model) []*ir.Layer {
	return slices.DeleteFunc(slices.Clone(m.Sinks), func(l *ir.Layer) bool { return l.Type != "Assign" })
}

// layer compares two layers, without their sources.
func (c *comparison) layer(x, y *ir.Layer) {
	c.layers++
	require.Equal(c.t, [...]any{x.Name, x.Type, x.Opset, tree(x.RTInfo)}, [...]any{y.Name, y.Type, y.Opset, tree(y.RTInfo)})
	require.Equal(c.t, attributeTexts(x), attributeTexts(y), x)
	require.ElementsMatch(c.t, x.OutputNames, y.OutputNames, x)
	require.Equal(c.t, [...]int{len(x.Inputs), len(x.Outputs), len(x.Bodies)}, [...]int{len(y.Inputs), len(y.Outputs), len(y.Bodies)}, x)
	for i := range x.Inputs {
		in, out := &x.Inputs[i], &y.Inputs[i]
		if in.Declared.RankKnown() { // the reader has not added the layer
			require.Equal(c.t, in.DeclaredType, out.DeclaredType, "input %d of %v", i, x)
			require.Equal(c.t, in.Declared.String(), out.Declared.String(), "input %d of %v", i, x)
		}
		require.Equal(c.t, tree(in.RTInfo), tree(out.RTInfo), x)
	}
	for i := range x.Outputs {
		was, is := &x.Outputs[i], &y.Outputs[i]
		require.Equal(c.t, was.DeclaredType, is.DeclaredType, "output %d of %v", i, x)
		if was.Declared.RankKnown() {
			require.Equal(c.t, was.Declared.String(), is.Declared.String(), "output %d of %v", i, x)
		}
		require.ElementsMatch(c.t, was.Names, is.Names, "output %d of %v", i, x)
		require.Equal(c.t, tree(was.RTInfo), tree(is.RTInfo), x)
	}
	if v := x.Constant; v != nil {
		c.constants++
		require.Equal(c.t, [...]any{v.ElementType(), v.Shape().String(), v.Strings()},
			[...]any{y.Constant.ElementType(), y.Constant.Shape().String(), y.Constant.Strings()}, x)
		require.True(c.t, bytes.Equal(v.Bytes(), y.Constant.Bytes()), "the bytes of %v", x)
	}
	for i := range x.Bodies {
		c.bodies++
		c.body(&x.Bodies[i], &y.Bodies[i])
	}
}

// body compares two bodies with their ports.
func (c *comparison) body(x, y *ir.Body) {
	c.graphs(x.Model, y.Model)
	ports := func(b *ir.Body) (list []string) {
		place := func(layer *ir.Layer) string {
			return fmt.Sprint(layer.Type, slices.Index(b.Model.Parameters, layer), slices.Index(b.Model.Results, layer))
		}
		for _, side := range [][]ir.BodyPort{b.Inputs, b.Outputs} {
			for _, port := range side {
				inner := place(port.Internal)
				port.Internal = nil
				list = append(list, fmt.Sprintf("%s %+v", inner, port))
			}
		}
		for _, e := range b.BackEdges {
			list = append(list, place(e.From)+" to "+place(e.To))
		}
		return list
	}
	require.Equal(c.t, ports(x), ports(y))
}

// attributeTexts returns the attributes of a layer, without the place of a Constant.
func attributeTexts(layer *ir.Layer) (list []string) {
	for _, a := range layer.Data {
		if layer.Type != "Constant" || a.Name != "offset" && a.Name != "size" && a.Name != "value" {
			list = append(list, a.Name+"="+a.Value)
		}
	}
	return list
}

// tree returns the content of an element as text; "" if there is none.
func tree(e *etree.Element) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	text := ""
	for _, a := range e.Attr {
		fmt.Fprintf(&b, " %s=%q", a.FullKey(), a.Value)
	}
	for _, token := range e.Child {
		switch token := token.(type) {
		case *etree.CharData:
			text += token.Data
		case *etree.Element:
			fmt.Fprintf(&b, " <%s%s>", token.FullTag(), tree(token))
		}
	}
	if strings.TrimSpace(text) != "" {
		fmt.Fprintf(&b, " %q", text)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	xml, bin := (&comparison{t: t}).roundTrip(m)
	assert.Equal(t, smallXML, string(xml))
	assert.Equal(t, string(smallBin), string(bin))
}

// TestWrite_cases writes the models of all cases in the repository.
func TestWrite_cases(t *testing.T) {
	models, err := filepath.Glob(filepath.Join("..", "..", "testdata", "ir", "*", "*", "model.xml"))
	require.NoError(t, err)
	counts := writeAll(t, models)
	assert.Greater(t, counts.layers, 4*counts.models)
	assert.Positive(t, counts.constants)
	assert.Positive(t, counts.bodies)
}

// TestWriteCorpus writes the models of the corpus.
func TestWriteCorpus(t *testing.T) {
	for _, folder := range []string{"onnx", "ops", "zoo", "quant"} {
		writeAll(t, corpusFolders(t, folder))
	}
}

// writeAll writes and compares the models that can be read.
func writeAll(t *testing.T, models []string) writeCounts {
	c := comparison{t: t}
	for _, path := range models {
		m, err := irxml.ReadFile(path, irxml.ReadOptions{})
		if err != nil {
			continue // the case is about that
		}
		c.models++
		c.roundTrip(m)
		require.False(t, t.Failed(), path)
	}
	assert.Greater(t, c.models, len(models)/2)
	return c.writeCounts
}

// TestWrite_order writes graphs whose layers are in another order.
func TestWrite_order(t *testing.T) {
	layer := func(id int, name, layerType, data string, inputs, outputs int) string {
		text := fmt.Sprintf(`<layer id="%d" name=%q type=%q version="opset6"><data %s/><input>`, id, name, layerType, data)
		for i := range inputs {
			text += fmt.Sprintf(`<port id="%d"/>`, i)
		}
		text += "</input><output>"
		for i := range outputs {
			text += fmt.Sprintf(`<port id="%d" precision="FP32"/>`, 9+i)
		}
		return text + "</output></layer>"
	}
	edge := func(from, to, port int) string {
		return fmt.Sprintf(`<edge from-layer="%d" from-port="9" to-layer="%d" to-port="%d"/>`, from, to, port)
	}
	const variable = `variable_id="v" variable_type="f32" variable_shape="2"`
	xml := `<net name="n" version="11"><layers>` + layer(7, "y", "Result", "", 1, 0) + layer(3, "unused", "Relu", "", 1, 1) +
		layer(8, "last", "Assign", `variable_id="v"`, 1, 1) + layer(2, "relu", "ReLU", "", 1, 1) +
		layer(9, "first", "Assign", `variable_id="v"`, 1, 1) + layer(4, "after", "Relu", "", 1, 1) +
		layer(5, "x", "Parameter", `element_type="f32" shape="2"`, 0, 1) + layer(6, "z", "Result", "", 1, 0) +
		layer(1, "read", "ReadValue", variable, 1, 1) +
		"</layers><edges>" + edge(5, 1, 0) + edge(1, 2, 0) + edge(2, 7, 0) + edge(5, 3, 0) + edge(2, 8, 0) + edge(5, 9, 0) + edge(9, 4, 0) +
		edge(4, 6, 0) + "</edges></net>"
	m, err := irxml.Read([]byte(xml), nil, irxml.ReadOptions{})
	require.NoError(t, err)
	written, _ := (&comparison{t: t}).roundTrip(m)
	again, err := irxml.Read(written, nil, irxml.ReadOptions{})
	require.NoError(t, err)
	var names []string
	for i, layer := range again.Layers {
		assert.Equal(t, uint64(i), layer.ID)
		names = append(names, layer.Name)
	}
	assert.Equal(t, "x read relu last first after y z", strings.Join(names, " "))
}

// TestWrite_text writes names, attributes and rt_info with characters that XML does not keep as
// they are.
func TestWrite_text(t *testing.T) {
	m, err := irxml.Read(smallWith(t, `names="in"`, `names="b,a\,b,c\" unknown="dropped"`, `auto_broadcast="numpy"`, `auto_broadcast="numpy" other="&#9;&lt;&amp;&quot;'&gt;&#10;&#1;é"`,
		`name="sum" type`, `name="&#13;&#31; &apos;" type`,
		`<Runtime_version value="2026" />`, `<a:b x="&#10;"> kept &lt;&amp;&gt;"&#7; <c/>&#13;</a:b><d><e>1</e><f/></d>`), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	xml, _ := (&comparison{t: t}).roundTrip(m)
	for _, want := range []string{
		`names="b,a\,b,c\"`, `other="&#09;&lt;&amp;&quot;'>&#10;&#01;é"`, `name="&#13;&#31; '"`,
		"\t\t<a:b x=\"&#10;\"> kept &lt;&amp;&gt;\"&#07; <c />&#13;</a:b>\n\t\t<d>\n\t\t\t<e>1</e>\n\t\t\t<f />\n\t\t</d>\n",
	} {
		assert.Contains(t, string(xml), want)
	}
	assert.NotContains(t, string(xml), "dropped")
}

func TestWrite_outputNames(t *testing.T) {
	m, err := irxml.Read(smallWith(t, `type="Result" version="opset1"`, `type="Result" version="opset1" output_names="q,out"`), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	xml, _ := (&comparison{t: t}).roundTrip(m)
	assert.Contains(t, string(xml), `output_names="q,out">`)
	assert.Contains(t, string(xml), `names="out,a\,b,q"`)
	clone := m.Clone()
	clone.Results[0].OutputNames = []string{"q"}
	xml, _, err = written(clone, irxml.WriteOptions{})
	require.NoError(t, err)
	assert.Contains(t, string(xml), `output_names="q">`)
}

// TestWrite_bodies writes port maps and back edges.
func TestWrite_bodies(t *testing.T) {
	c := comparison{t: t}
	for _, xml := range [][]byte{
		withBody("TensorIterator", "<port_map>"+slicedMap+"</port_map><body>"+bodyLayers+"</body>"),
		withBody("Loop", `<port_map>
<input external_port_id="-1" internal_layer_id="5" purpose="current_iteration"/>
<input external_port_id="0" internal_layer_id="0" start="3"/>
<output external_port_id="-1" internal_layer_id="6" purpose="execution_condition"/>
<output external_port_id="3" internal_layer_id="2"/></port_map>
<back_edges><edge from-layer="2" to-layer="0"/></back_edges><body>`+bodyLayers+"</body>"),
		withBody("If", "<then_body>"+bodyLayers+"</then_body><else_body>"+bodyLayers+`</else_body>
<then_port_map><input external_port_id="0" internal_layer_id="5"/><output external_port_id="1" internal_layer_id="6"/></then_port_map>`),
		nestedBodies(5),
	} {
		m, err := irxml.Read(xml, nil, irxml.ReadOptions{})
		require.NoError(t, err)
		c.roundTrip(m)
	}
	assert.Equal(t, 4, c.bodies)
}

// TestWrite_constants writes Constants of all kinds, and equal ones once.
func TestWrite_constants(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789"), 1000)
	for _, c := range []struct {
		data  []string
		bin   string
		align bool
		want  string // the .bin
		at    string // the ranges in it
	}{
		{data: []string{`element_type="u8" shape="2" offset="1" size="2"`}, bin: "xaby", want: "ab", at: "0+2"},
		{data: []string{`element_type="u8" shape="2" offset="0" size="3" kept="1"`}, bin: "abc", want: "ab", at: "0+2"},
		{data: []string{`element_type="u8" shape="2" value="wxyz"`}, want: "wx", at: "0+2"},
		{data: []string{`element_type="u4" shape="3" offset="0" size="2"`}, bin: "ab", want: "ab", at: "0+2"},
		{data: []string{`element_type="u3" shape="1" offset="0" size="3"`}, bin: "abc", want: "abc", at: "0+3"},
		{data: []string{`element_type="string" shape="2" offset="0" size="21"`}, bin: string(packStrings("é", "abc")), want: string(packStrings("é", "abc")), at: "0+21"},
		{data: []string{`element_type="f32" shape="0" offset="0" size="1"`}, bin: "x", want: "\x00", at: "0+1"},
		{data: []string{`element_type="f32" shape="0" offset="0" size="0"`}, bin: "", want: "", at: "0+0"},
		{data: []string{`element_type="boolean" shape="1" offset="0" size="1"`, `element_type="u16" shape="2" offset="1" size="4"`}, bin: "\x07abcd", want: "\x01abcd", at: "0+1 1+4"},
		{data: []string{`element_type="u8" shape="1" offset="0" size="1"`, `element_type="u16" shape="2" offset="1" size="4"`}, bin: "xabcd", align: true, want: "x\x00abcd", at: "0+1 2+4"},
		{
			data: []string{`element_type="u8" shape="2" offset="0" size="2"`, `element_type="u8" shape="2" offset="2" size="2"`, `element_type="u8" shape="2" offset="4" size="2"`, `element_type="u16" shape="" offset="0" size="2"`},
			bin:  "ababcd", want: "abcd", at: "0+2 0+2 2+2 0+2",
		},
		{
			data: []string{
				`element_type="u8" shape="10000" offset="0" size="10000"`, `element_type="u8" shape="10000" offset="10000" size="10000"`, `element_type="u8" shape="10000" offset="20000" size="10000"`,
				`element_type="u8" shape="10000" offset="0" size="10000"`, `element_type="u8" shape="10000" offset="20000" size="10000"`,
			},
			bin:  string(long) + string(long[:5000]) + "x" + string(long[5001:]) + string(long),
			want: string(long) + string(long[:5000]) + "x" + string(long[5001:]), at: "0+10000 10000+10000 0+10000 0+10000 0+10000",
		},
	} {
		m, err := irxml.Read(manyConstants(c.data), []byte(c.bin), irxml.ReadOptions{})
		require.NoError(t, err, c.data)
		(&comparison{t: t}).roundTrip(m)
		xml, bin, err := written(m, irxml.WriteOptions{Align: c.align})
		require.NoError(t, err)
		assert.Equal(t, c.want, string(bin), c.data)
		again, err := irxml.Read(xml, bin, irxml.ReadOptions{})
		require.NoError(t, err)
		var ranges []string
		for _, layer := range again.Layers {
			if layer.Type == "Constant" {
				ranges = append(ranges, fmt.Sprintf("%d+%d", layer.Const.Offset, layer.Const.Size))
			}
		}
		assert.Equal(t, c.at, strings.Join(ranges, " "), c.data)
		assert.Equal(t, strings.Contains(c.data[0], "kept"), strings.Contains(string(xml), `kept="1"`))
	}
}

// manyConstants returns a model of Constants with the given attributes, each with a Result.
func manyConstants(data []string) []byte {
	var layers, edges bytes.Buffer
	for i, text := range data {
		fmt.Fprintf(&layers, `<layer id="%d" name="c" type="Const" version="opset1"><data %s/><output><port id="0" precision="FP32"/></output></layer>
<layer id="%d" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>`, 2*i, text, 2*i+1)
		fmt.Fprintf(&edges, `<edge from-layer="%d" from-port="0" to-layer="%d" to-port="0"/>`, 2*i, 2*i+1)
	}
	return fmt.Appendf(nil, `<net name="c" version="11"><layers>%s</layers><edges>%s</edges></net>`, &layers, &edges)
}

// TestWrite_changed writes a Constant whose value is not that of its attributes any more.
func TestWrite_changed(t *testing.T) {
	m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	value, err := ir.TensorOf(ir.I32, ir.Shape{1, 2}, []int32{5, 6})
	require.NoError(t, err)
	m.Layers[1].Constant = value
	xml, _, err := written(m, irxml.WriteOptions{})
	require.NoError(t, err)
	assert.Contains(t, string(xml), `<data element_type="i32" shape="1, 2" offset="0" size="8" />`)
}

// TestWrite_pieces writes a Constant in several pieces, and stops after the first one.
func TestWrite_pieces(t *testing.T) {
	bin := bytes.Repeat([]byte("abcdefg"), 3<<20)
	data := fmt.Sprintf(`element_type="u8" shape="%d" offset="0" size="%[1]d"`, len(bin))
	m, err := irxml.Read(manyConstants([]string{data}), bin, irxml.ReadOptions{})
	require.NoError(t, err)
	_, got, err := written(m, irxml.WriteOptions{})
	require.NoError(t, err)
	assert.True(t, bytes.Equal(bin, got))

	ctx, cancel := context.WithCancel(context.Background())
	stop := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	assert.ErrorIs(t, irxml.Write(ctx, io.Discard, stop, m, irxml.WriteOptions{}), context.Canceled)

	full := writerFunc(func([]byte) (int, error) { return 0, errFull })
	assert.ErrorIs(t, irxml.Write(context.Background(), io.Discard, full, m, irxml.WriteOptions{}), errFull)
	assert.ErrorIs(t, irxml.Write(context.Background(), full, io.Discard, m, irxml.WriteOptions{}), errFull)
}

var errFull = errors.New("the disk is full")

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestWrite_refused(t *testing.T) {
	for want, spoil := range map[string]func(m *ir.Model){
		`the model has IR version 9; versions 10 and 11 are supported`:                                func(m *ir.Model) { m.Version = 9 },
		`layer 1 "weights" (Constant, opset1): the Constant has no value: the model was read without`: func(m *ir.Model) { m.Layers[1].Constant = nil },
		`layer 2 "sum" (Add, opset1): attribute "a b" cannot be written: not an XML name`:             func(m *ir.Model) { m.Layers[2].SetAttribute("a b", "1") },
		`"a\x00b" cannot be written: it has a zero byte, where readers end a text`:                    func(m *ir.Model) { m.Layers[2].Name = "a\x00b" },
		`tensor names "a\\" and "b\\" cannot both be written, as both end in a backslash`:             func(m *ir.Model) { m.Layers[2].Outputs[0].Names = []string{"a\\", "b\\"} },
		`element type complex64 cannot be written: the format does not have it`:                       func(m *ir.Model) { m.Layers[2].Outputs[0].DeclaredType = ir.Complex64 },
		`element "1" cannot be written: not an XML name`:                                              func(m *ir.Model) { m.RTInfo.CreateElement("1") },
		`layer 2 "sum" (Add, opset1): element "" cannot be written: not an XML name`:                  func(m *ir.Model) { m.Layers[2].RTInfo.CreateElement(":") },
	} {
		m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
		require.NoError(t, err)
		spoil(m)
		_, _, err = written(m, irxml.WriteOptions{})
		assert.ErrorContains(t, err, want)
	}
	m, err := irxml.Read([]byte(smallXML), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	err = irxml.Write(context.Background(), io.Discard, nil, m, irxml.WriteOptions{})
	assert.EqualError(t, err, `layer 1 "weights" (Constant, opset1): the Constant needs a .bin, and none is written`)
}

// TestWrite_overlapping has Constants whose ranges overlap: they are written one after the other,
// up to a limit.
func TestWrite_overlapping(t *testing.T) {
	var constants []string
	for i := range 20 {
		constants = append(constants, fmt.Sprintf(`element_type="u8" shape="1000" offset="%d" size="1000"`, i))
	}
	bin := make([]byte, 1019)
	for i := range bin {
		bin[i] = byte(i * i)
	}
	m, err := irxml.Read(manyConstants(constants), bin, irxml.ReadOptions{})
	require.NoError(t, err)
	_, got, err := written(m, irxml.WriteOptions{MaxBinBytes: 20000})
	require.NoError(t, err)
	assert.Len(t, got, 20000)
	_, _, err = written(m, irxml.WriteOptions{MaxBinBytes: 5000})
	assert.ErrorContains(t, err, "(Constant, opset1): the .bin would have 6000 bytes or more, the limit is 5000 (MaxBinBytes)")
}

// TestWrite_shapes declares what is inferred. The small model declares no dims of its output.
func TestWrite_shapes(t *testing.T) {
	m, rules := exampletest.Reshape()
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	require.NoError(t, err)
	xml, _, err := written(m, irxml.WriteOptions{Shapes: shapes})
	require.NoError(t, err)
	assert.NotContains(t, string(xml), "<dim>5</dim>")
	assert.Equal(t, 2, strings.Count(string(xml), "<dim>12</dim>"))
	assert.Equal(t, 4, strings.Count(string(xml), `precision="FP32"`), "inputs too")
}
