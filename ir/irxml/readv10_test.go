package irxml_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
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
	assert.Equal(t, "x axis sp(x,axis) y0(sp) r(sp:1) y1(r)", graphText(m))
	assert.Equal(t, []string{"t", "x"}, m.Parameters[0].Outputs[0].Names)
	assert.Equal(t, []string{"u", "sp.0"}, m.Results[0].OutputNames)
	assert.Equal(t, []string{"r"}, m.Results[1].OutputNames)
	assert.Nil(t, m.Parameters[0].RTInfo)

	for _, c := range []struct{ elementType, precision, parameter, result string }{
		{"f16", "FP16", "f32", "f32"},
		{"i64", "I64", "i64", "i32"},
		{"u32", "U32", "u32", "i32"},
		{"u8", "U8", "u8", "f32"},
		{"boolean", "BOOL", "boolean", "f32"},
		{"i32", "I32", "i32", "i32"},
	} {
		m, err := irxml.Read(v10(c.elementType, c.precision), bin, irxml.ReadOptions{})
		require.NoError(t, err)
		assert.Equal(t, c.parameter, ir.AttributesOf(m.Parameters[0]).String("element_type", ""), c.elementType)
		assert.Equal(t, c.parameter, m.Parameters[0].Outputs[0].DeclaredType.String())
		source := m.Results[0].Inputs[0].Source
		if c.result == c.elementType {
			assert.Equal(t, "Split", source.Type)
			continue
		}
		assert.Equal(t, "Convert", source.Type, c.elementType)
		assert.Equal(t, c.result, ir.AttributesOf(source).String("destination_type", ""), c.elementType)
		assert.Contains(t, m.Order, source)
		assert.Equal(t, m.Results[0].Inputs[0].Source.Origin, source.Inputs[0].Source)
		if c.elementType == "f16" {
			assert.Equal(t, "x x/convert(x) axis sp(x/convert,axis) sp(sp) y0(sp) r(sp:1) r(r) y1(r)", graphText(m))
			assert.Equal(t, "f16", ir.AttributesOf(m.Layers[6]).String("destination_type", ""))
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
