package irxml_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// v10 returns a model of IR version 10: a Parameter, a Split and two Results.
func v10(elementType, precision string, oldNew ...string) []byte {
	s := strings.NewReplacer("ELEMENT", elementType, "PRECISION", precision).Replace(`<net name="old" version="10"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4" element_type="ELEMENT"/><rt_info><attribute name="a" version="0"/></rt_info><output><port id="0" precision="PRECISION" names="t"/></output></layer>
<layer id="1" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/><output><port id="1" precision="I64"/></output></layer>
<layer id="2" name="sp" type="Split" version="opset1"><data num_splits="2"/><input><port id="0"/><port id="1"/></input><output><port id="2" precision="PRECISION" names="u"/><port id="3" precision="PRECISION"/></output></layer>
<layer id="3" name="r" type="ReLU" version="opset1"><input><port id="0"/></input><output><port id="1" precision="PRECISION"/></output></layer>
<layer id="4" name="y0" type="Result" version="opset1" output_names="ignored"><input><port id="0"/></input></layer>
<layer id="5" name="y1" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/><edge from-layer="2" from-port="3" to-layer="3" to-port="0"/>
<edge from-layer="3" from-port="1" to-layer="5" to-port="0"/></edges></net>`)
	return []byte(strings.NewReplacer(oldNew...).Replace(s))
}

func TestReadV10(t *testing.T) {
	bin := make([]byte, 8)
	m, err := irxml.Read(v10("f32", "FP32"), bin, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "x axis sp(x,axis) sp(sp) y0(sp) r(sp:1) r(r) y1(r)", graphText(m))
	assert.Equal(t, []string{"t", "x"}, m.Parameters[0].Outputs[0].Names)
	assert.Equal(t, []string{"u", "sp.0"}, m.Results[0].OutputNames)
	assert.Equal(t, []string{"r"}, m.Results[1].OutputNames)
	assert.Nil(t, m.Parameters[0].RTInfo)

	for _, result := range m.Results {
		convert := result.Inputs[0].Source
		assert.Equal(t, []string{"Convert", "ir10"}, []string{convert.Type, convert.Opset})
		assert.Contains(t, m.Order, convert)
		assert.Equal(t, convert.Origin, convert.Inputs[0].Source)
	}

	m, err = irxml.Read(v10("f16", "FP16"), bin, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Equal(t, "x x/convert(x) axis sp(x/convert,axis) sp(sp) y0(sp) r(sp:1) r(r) y1(r)", graphText(m))
	assert.Equal(t, "f32", ir.AttributesOf(m.Parameters[0]).String("element_type", ""))
	assert.Equal(t, ir.F32, m.Parameters[0].Outputs[0].DeclaredType)
	assert.Equal(t, "f16", ir.AttributesOf(m.Layers[6]).String("destination_type", ""))
}

// layerV10 is a layer of a model of IR version 10. Its inputs read output 0 of the layers from, and
// each of its outputs declares the precision.
type layerV10 struct {
	layerType, opset, data string
	from                   []int
	outputs                int
	precision, content     string
}

// xmlV10 returns a model of the layers, whose ids are their positions. Output i of the last layer
// is read by a Result of its own.
func xmlV10(layers []layerV10) []byte {
	var xml, edges strings.Builder
	last := len(layers) - 1
	for range layers[last].outputs {
		layers = append(layers, layerV10{layerType: "Result", opset: "opset1", from: []int{last}})
	}
	xml.WriteString(`<net name="m" version="10"><layers>`)
	for id, l := range layers {
		fmt.Fprintf(&xml, `<layer id="%d" name="n%d" type="%s" version="%s"><data %s/><input>`, id, id, l.layerType, l.opset, l.data)
		for i, from := range l.from {
			port := len(layers[from].from)
			if l.layerType == "Result" {
				port += id - last - 1
			}
			fmt.Fprintf(&xml, `<port id="%d"/>`, i)
			fmt.Fprintf(&edges, `<edge from-layer="%d" from-port="%d" to-layer="%d" to-port="%d"/>`, from, port, id, i)
		}
		xml.WriteString("</input><output>")
		for i := range l.outputs {
			fmt.Fprintf(&xml, `<port id="%d" precision="%s"/>`, len(l.from)+i, l.precision)
		}
		xml.WriteString("</output>" + l.content + "</layer>")
	}
	return []byte(xml.String() + "</layers><edges>" + edges.String() + "</edges></net>")
}

func parameterV10(elementType, shape string) layerV10 {
	return layerV10{"Parameter", "opset1", `element_type="` + elementType + `" shape="` + shape + `"`, nil, 1, "FP32", ""}
}

// binV10 is the .bin of the models of TestReadV10_types: three integers.
var binV10 = append([]byte{2}, make([]byte, 23)...)

// TestReadV10_types checks the element types of inputs and outputs. All are those of OpenVINO
// 2026.4.1, which ignores the precision of ports.
func TestReadV10_types(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	check := func(layers []layerV10, inputs, outputs string) {
		t.Helper()
		xml := xmlV10(layers)
		m, err := irxml.Read(xml, binV10, irxml.ReadOptions{})
		require.NoError(t, err)
		shapes, err := infer.Propagate(t.Context(), m, registry, nil)
		require.NoError(t, err)
		var in, out []string
		for _, p := range m.Parameters {
			in = append(in, shapes.Outputs(p)[0].Type.String())
		}
		for _, r := range m.Results {
			out = append(out, shapes.Outputs(r)[0].Type.String())
		}
		assert.Equal(t, []string{inputs, outputs}, []string{strings.Join(in, " "), strings.Join(out, " ")}, "%s", xml)
	}
	precisions := []string{"FP32", "FP16", "I64", "BOOL", "U8", "UNSPECIFIED"}

	for name, c := range map[string][2]string{
		"boolean": {"boolean", "f32"}, "u1": {"u1", "f32"}, "u4": {"u4", "f32"}, "i4": {"i4", "f32"}, "nf4": {"nf4", "f32"},
		"f8e4m3": {"f8e4m3", "f32"}, "i8": {"i8", "f32"}, "u8": {"u8", "f32"}, "i16": {"i16", "f32"}, "u16": {"u16", "f32"},
		"i32": {"i32", "i32"}, "u32": {"u32", "i32"}, "i64": {"i64", "i32"}, "u64": {"u64", "i32"}, "f16": {"f32", "f32"},
		"bf16": {"bf16", "f32"}, "f32": {"f32", "f32"}, "f64": {"f64", "f32"}, "string": {"string", "f32"}, "dynamic": {"dynamic", "dynamic"},
	} {
		for _, precision := range precisions {
			p := parameterV10(name, "2,3")
			p.precision = precision
			check([]layerV10{p}, c[0], c[1])
			reshape := layerV10{"Reshape", "opset1", `special_zero="false"`, []int{0, 1}, 1, precision, ""}
			check([]layerV10{p, parameterV10("i64", "2"), reshape}, c[0]+" i64", c[1])
		}
	}

	const k = `element_type="i64" shape="" offset="0" size="8"`
	constant := layerV10{"Const", "opset1", k, nil, 1, "I64", ""}
	data, boxes, scores := parameterV10("f32", "2,3"), parameterV10("f32", "1,4,4"), parameterV10("f32", "1,2,4")
	for _, precision := range precisions {
		for _, c := range []struct {
			layerType, opset, data string
			before                 []layerV10
			outputs                int
			in, out                string
		}{
			{"Greater", "opset1", "", []layerV10{data, data}, 1, "f32 f32", "f32"},
			{"Equal", "opset1", "", []layerV10{parameterV10("i64", "2"), parameterV10("i64", "2")}, 1, "i64 i64", "f32"},
			{"Const", "opset1", k, nil, 1, "", "i32"},
			{"Convert", "opset1", `destination_type="i64"`, []layerV10{data}, 1, "f32", "i32"},
			{"Convert", "opset1", `destination_type="f16"`, []layerV10{data}, 1, "f32", "f32"},
			{"Convert", "opset1", `destination_type="boolean"`, []layerV10{data}, 1, "f32", "f32"},
			{"ConvertLike", "opset1", "", []layerV10{data, parameterV10("u64", "1")}, 1, "f32 u64", "i32"},
			{"ShapeOf", "opset1", "", []layerV10{data}, 1, "f32", "i32"},
			{"ShapeOf", "opset3", `output_type="i64"`, []layerV10{data}, 1, "f32", "i32"},
			{"NonZero", "opset3", `output_type="i64"`, []layerV10{data}, 1, "f32", "i32"},
			{"TopK", "opset1", `axis="1" mode="max" sort="value"`, []layerV10{data, constant}, 2, "f32", "f32 i32"},
			{"TopK", "opset3", `axis="1" mode="max" sort="value" index_element_type="i64"`, []layerV10{parameterV10("f16", "2,3"), constant}, 2, "f32", "f32 i32"},
			{"NonMaxSuppression", "opset3", `output_type="i64"`, []layerV10{boxes, scores}, 1, "f32 f32", "i32"},
			{"NonMaxSuppression", "opset5", `output_type="i64"`, []layerV10{boxes, scores}, 3, "f32 f32", "i32 f32 i32"},
			{"NonMaxSuppression", "opset5", `output_type="i64"`, []layerV10{parameterV10("f16", "1,4,4"), parameterV10("f16", "1,2,4")}, 3, "f32 f32", "i32 f32 i32"},
			{"LogicalNot", "opset1", "", []layerV10{parameterV10("boolean", "2")}, 1, "boolean", "f32"},
			{"Split", "opset1", `num_splits="3"`, []layerV10{parameterV10("i64", "3"), {"Const", "opset1", strings.Replace(k, `"0"`, `"8"`, 1), nil, 1, "I64", ""}}, 3, "i64", "i32 i32 i32"},
			{"If", "opset8", "", []layerV10{parameterV10("boolean", ""), parameterV10("f16", "2")}, 1, "boolean f32", "f32"},
		} {
			layer := layerV10{c.layerType, c.opset, c.data, nil, c.outputs, precision, ""}
			for i := range c.before {
				layer.from = append(layer.from, i)
			}
			if c.layerType == "If" { // in a body, f16 stays f16
				const body = `<layers><layer id="0" name="p" type="Parameter" version="opset1"><data element_type="f16" shape="2"/><output><port id="0" precision="FP16"/></output></layer>` +
					`<layer id="1" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer></layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>`
				for _, branch := range []string{"then", "else"} {
					layer.content += `<` + branch + `_port_map><input external_port_id="1" internal_layer_id="0"/><output external_port_id="0" internal_layer_id="1"/></` + branch + `_port_map><` +
						branch + `_body>` + body + `</` + branch + `_body>`
				}
			}
			check(append(slices.Clone(c.before), layer), c.in, c.out)
		}
	}
}

func TestReadV10Collisions(t *testing.T) {
	bin := make([]byte, 8)
	_, err := irxml.Read(v10("f32", "FP32", `names="t"`, `names="r"`), bin, irxml.ReadOptions{})
	assert.EqualError(t, err, `line 5: layer 3 "r" (Relu, opset1): layer name "r" is the name of another input's or output's tensor as well`)
	_, err = irxml.Read(v10("f32", "FP32", `names="u"`, `names="x"`), bin, irxml.ReadOptions{})
	assert.ErrorContains(t, err, `layer name "x" is the name of another`)
}

func TestReadMetaData(t *testing.T) {
	const rtInfo = "<rt_info>\n\t\t<Runtime_version value=\"2026\" />\n\t</rt_info>"
	const meta = `<meta_data><MO_version value="2"/><cli_parameters><a value="1"/></cli_parameters></meta_data><quantization_parameters><x value="3"/></quantization_parameters>`
	m := readSmall(t, rtInfo, meta)
	require.Len(t, m.RTInfo.ChildElements(), 3)
	assert.Equal(t, "rt_info", m.RTInfo.Tag)
	assert.Equal(t, "2", m.RTInfo.SelectElement("MO_version").SelectAttrValue("value", ""))
	assert.NotNil(t, m.RTInfo.FindElement("conversion_parameters/a"))
	assert.NotNil(t, m.RTInfo.FindElement("optimization/x"))

	m = readSmall(t, rtInfo, "<rt_info/>"+meta)
	assert.Empty(t, m.RTInfo.ChildElements(), "an rt_info element, even empty, goes first")
	m = readSmall(t, rtInfo, "")
	assert.Nil(t, m.RTInfo)
}

// preProcessed returns smallXML with a static input of the given shape and a pre-process
// element.
func preProcessed(t *testing.T, elementType, shape, content string) []byte {
	return smallWith(t, `shape="?,3" element_type="f32"`, `shape="`+shape+`" element_type="`+elementType+`"`,
		"</edges>", "</edges>"+content)
}

func means(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString("<channel><mean " + text + "/></channel>")
	}
	return `<pre-process reference-layer-name=" x " mean-precision="FP32">` + b.String() + "</pre-process>"
}

func TestReadPreProcess(t *testing.T) {
	values := means(`value="1"`, `value="2"`, `value="3.5"`)
	for _, c := range []struct{ elementType, shape, content, mean string }{
		{"f32", "1,3,2,2", values, "[3,1,1]"},
		{"f32", "2,3", values, "[3]"},
		{"f32", "3,2,2", values, "[3,1,1]"},
		{"f32", "1,3,2,2,2", values, "[3,1,1,1]"},
		{"f16", "1,3", values, "[3]"},
		{"bf16", "1,3", values, "[3]"},
		{"f64", "1,3", values, "[3]"},
		{"u8", "1,3", values, "[3]"},
		{"f32", "1,3", strings.Replace(values, `reference-layer-name=" x "`, "", 1), "[3]"},
		{"f32", "1,3,1,2", means(`offset="0" size="8"`, `offset="8" size="8"`, `offset="16" size="8"`), "[3,1,2]"},
	} {
		m, err := irxml.Read(preProcessed(t, c.elementType, c.shape, c.content), smallBin, irxml.ReadOptions{})
		require.NoError(t, err, c.content)
		assert.Equal(t, "x x/mean x/subtract_mean(x,x/mean) weights sum(x/subtract_mean,weights) y(sum)", graphText(m))
		mean := m.Layers[4].Constant
		assert.Equal(t, c.mean, mean.Shape().String())
		assert.Equal(t, c.mean[1:len(c.mean)-1], ir.AttributesOf(m.Layers[4]).String("shape", ""))
		assert.Equal(t, c.elementType, mean.ElementType().String())
		switch c.elementType {
		case "f32":
			if mean.Len() == 3 {
				assert.Equal(t, []float32{1, 2, 3.5}, ir.Data[float32](mean))
			} else {
				assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, ir.Data[float32](mean))
			}
		case "f16":
			assert.Equal(t, []uint16{0x3c00, 0x4000, 0x4300}, ir.Data[uint16](mean))
		case "bf16":
			assert.Equal(t, []uint16{0x3f80, 0x4000, 0x4060}, ir.Data[uint16](mean))
		case "f64":
			assert.Equal(t, []float64{1, 2, 3.5}, ir.Data[float64](mean))
		case "u8":
			assert.Equal(t, []byte{1, 2, 3}, mean.Bytes())
		}
	}
	m, err := irxml.Read(preProcessed(t, "f32", "1,3", `<pre-process reference-layer-name="x"/>`), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	assert.Len(t, m.Layers, 4, "no channels, nothing to subtract")
	m, err = irxml.Read(preProcessed(t, "f32", "1,3,1,2", means(`offset="0" size="8"`, `offset="8" size="8"`, `offset="16" size="8"`)), nil, irxml.ReadOptions{NoBin: true})
	require.NoError(t, err)
	assert.Nil(t, m.Layers[4].Constant)
}

func TestReadPreProcessRefuses(t *testing.T) {
	for _, c := range []struct{ elementType, shape, content, message string }{
		{"f32", "1,3", means(`value="1"`, `value="2"`), `2 channels have a mean, Parameter "x" has 3 (shape [1,3])`},
		{"f32", "?,3", means(`value="1"`, `value="2"`, `value="3"`), `the Parameter "x": shape [?,3] is not static`},
		{"f32", "3", means(`value="1"`, `value="2"`, `value="3"`), `the Parameter "x" has shape [3], expected rank 2 to 5`},
		{"f32", "1,3", strings.Replace(means(`value="1"`, `value="2"`, `value="3"`), " x ", "z", 1), `there is no Parameter "z"`},
		{"f32", "1,3", means(`value="1"`, `value="2"`, `scale="3"`), "<mean> of channel 2 has neither value nor size"},
		{"f32", "1,3", means(`value="1"`, `value="2"`, `value="x"`), `<mean> of channel 2: value "x" is not a number`},
		{"f32", "1,3", strings.Replace(means(`value="1"`, `value="2"`, `value="3"`), "<channel>", `<channel id="9">`, 1), `channel 9 is out of range, Parameter "x" has 3`},
		{"f32", "1,3", means(`value="1"`, `value="2"`, `offset="0" size="4"`), "some channels have a mean value, others a range of the .bin"},
		{"f32", "1,3", means(`offset="0" size="8"`, `offset="0" size="4"`, `offset="4" size="4"`), "the mean of channel 0 has 8 bytes, expected 4"},
		{"f32", "1,3", means(`offset="0" size="4"`, `offset="9223372036854775807" size="4"`, `offset="4" size="4"`), "the mean of channel 1 is at offset 9223372036854775807, size 4: outside of the .bin, which has 24 bytes"},
		{"string", "1,3", means(`value="1"`, `value="2"`, `value="3"`), "element type string is not an integer of whole bytes"},
	} {
		_, err := irxml.Read(preProcessed(t, c.elementType, c.shape, c.content), smallBin, irxml.ReadOptions{})
		assert.ErrorContains(t, err, "pre-process: "+c.message)
	}
	const noPort = `<net version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,3" element_type="f32"/></layer></layers>`
	_, err := irxml.Read([]byte(noPort+means(`value="1"`, `value="2"`, `value="3"`)+"</net>"), nil, irxml.ReadOptions{})
	assert.ErrorContains(t, err, `pre-process: the Parameter "x" has no output port`)
	_, err = irxml.Read([]byte(strings.Replace(noPort, "11", "10", 1)+"</net>"), nil, irxml.ReadOptions{})
	assert.EqualError(t, err, `line 1: layer 0 "x" (Parameter, opset1): the Parameter has no output port`)
}
