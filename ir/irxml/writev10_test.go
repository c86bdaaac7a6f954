package irxml_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// oneLayer returns a model of one layer with the given attributes. Its first input is of the given
// shape, and of f32, or of i64 for scatters; the others are Constants of i64, each
// "shape:elements". There is a Result for each of the first read of its outputs. The .bin follows.
func oneLayer(layerType, opset, data, shape string, outputs, read int, constants ...string) (xml, bin []byte) {
	var layers, edges strings.Builder
	elementType := "f32"
	if strings.HasPrefix(layerType, "Scatter") {
		elementType = "i64"
	}
	fmt.Fprintf(&layers, `<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="%s" shape="%s"/><output><port id="0" precision="FP32"/></output></layer>`, elementType, shape)
	inputs := `<port id="0"/>`
	edges.WriteString(`<edge from-layer="0" from-port="0" to-layer="99" to-port="0"/>`)
	for i, c := range constants {
		dims, list, _ := strings.Cut(c, ":")
		from := len(bin)
		for text := range strings.FieldsSeq(list) {
			var v int64
			_, _ = fmt.Sscan(text, &v)
			bin = binary.LittleEndian.AppendUint64(bin, uint64(v))
		}
		fmt.Fprintf(&layers, `<layer id="%d" name="c%[1]d" type="Const" version="opset1"><data element_type="i64" shape="%s" offset="%d" size="%d"/><output><port id="0" precision="I64"/></output></layer>`,
			i+1, dims, from, len(bin)-from)
		inputs += fmt.Sprintf(`<port id="%d"/>`, i+1)
		fmt.Fprintf(&edges, `<edge from-layer="%d" from-port="0" to-layer="99" to-port="%[1]d"/>`, i+1)
	}
	fmt.Fprintf(&layers, `<layer id="99" name="layer" type="%s" version="%s"><data %s/><input>%s</input><output>`, layerType, opset, data, inputs)
	for i := range outputs {
		fmt.Fprintf(&layers, `<port id="%d" precision="FP32"/>`, 50+i)
	}
	layers.WriteString(`</output></layer>`)
	for i := range read {
		fmt.Fprintf(&layers, `<layer id="%d" name="y%[1]d" type="Result" version="opset1"><input><port id="0"/></input></layer>`, 100+i)
		fmt.Fprintf(&edges, `<edge from-layer="99" from-port="%d" to-layer="%d" to-port="0"/>`, 50+i, 100+i)
	}
	return fmt.Appendf(nil, `<net name="m" version="11"><layers>%s</layers><edges>%s</edges></net>`, &layers, &edges), bin
}

// writtenV10 returns m as it is read after it was written in version 10.
func writtenV10(t *testing.T, m *ir.Model) (*ir.Model, error) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	shapes, err := infer.Propagate(t.Context(), m, registry, nil)
	require.NoError(t, err)
	xml, bin, err := written(m, irxml.WriteOptions{Version: 10, Shapes: shapes})
	if err != nil {
		return nil, err
	}
	again, err := irxml.Read(xml, bin, irxml.ReadOptions{})
	require.NoError(t, err, "%s", xml)
	assert.Equal(t, 10, again.Version)
	return again, nil
}

// outputsOf returns the elements of the outputs of m for an input 0, 1, 2...
func outputsOf(t *testing.T, m *ir.Model) (list [][]float64) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(t.Context(), m, plugin.CompileOptions{})
	require.NoError(t, err)
	defer compiled.Close()
	request := compiled.NewInferRequest()
	shape, err := compiled.Inputs()[0].Shape.Static()
	require.NoError(t, err)
	input, err := ir.NewTensor(compiled.Inputs()[0].Type, shape...)
	require.NoError(t, err)
	for i := range input.Len() {
		input.SetValue(i, float64(i))
	}
	require.NoError(t, request.SetInput(0, input))
	require.NoError(t, request.Infer(t.Context()))
	for i := range m.Results {
		output := request.Output(i)
		value := output.Values()
		numbers := []float64{}
		for k := range output.Len() {
			numbers = append(numbers, value(k))
		}
		list = append(list, numbers)
	}
	return list
}

// TestWrite_v10Opsets writes layers of opsets that version 10 does not have. They compute the same.
func TestWrite_v10Opsets(t *testing.T) {
	const pool = `auto_pad="explicit" kernel="2,2" strides="2,2" pads_begin="0,0" pads_end="0,0" `
	const resize = `antialias="false" coordinate_transformation_mode="half_pixel" cube_coeff="-0.75" nearest_mode="floor" pads_begin="0" pads_end="0" `
	for _, c := range []struct {
		layerType, opset, data, shape string
		outputs, read                 int
		constants                     []string
		// type, opset and attributes; "" if it cannot be written
		want string
	}{
		{"SoftMax", "opset8", `axis="-1"`, "2,3", 1, 1, nil, `Softmax opset1 axis=1`},
		{"SoftMax", "opset8", `axis="0"`, "2,3", 1, 1, nil, `Softmax opset1 axis=0`},
		{"SoftMax", "opset7", `axis="1"`, "2,3", 1, 1, nil, `Softmax opset7 axis=1`},
		{"Gather", "opset8", `batch_dims="0"`, "2,3", 1, 1, []string{"2:0 1", ":0"}, `Gather opset7 batch_dims=0`},
		{"Gather", "opset8", `batch_dims="0"`, "2,3", 1, 1, []string{"2,1:-1 -3", ":-1"}, `Gather opset7 batch_dims=0`},
		{"Gather", "opset8", `batch_dims="0"`, "2,3", 1, 1, []string{"2:0 -4", ":1"}, ""},
		{"GatherND", "opset8", `batch_dims="0"`, "2,3", 1, 1, []string{"1,2:1 2"}, `GatherND opset5 batch_dims=0`},
		{"GatherND", "opset8", `batch_dims="1"`, "2,3", 1, 1, []string{"2,1:1 2"}, ""},
		{"MaxPool", "opset8", pool + `dilations="1,1" rounding_type="floor" index_element_type="i64" axis="0"`, "1,1,4,5", 2, 1, nil, `MaxPool opset1 auto_pad=explicit kernel=2,2 strides=2,2 pads_begin=0,0 pads_end=0,0 rounding_type=floor`},
		{"MaxPool", "opset14", pool + `dilations="1,1" rounding_type="ceil_torch" index_element_type="i64" axis="0"`, "1,1,4,5", 2, 1, nil, `MaxPool opset1 auto_pad=explicit kernel=2,2 strides=2,2 pads_begin=0,0 pads_end=0,0 rounding_type=ceil`},
		{"MaxPool", "opset14", strings.Replace(pool, `strides="2,2" pads_begin="0,0" pads_end="0,0"`, `strides="3,3" pads_begin="0,0" pads_end="1,1"`, 1) + `dilations="1,1" rounding_type="ceil_torch" index_element_type="i64" axis="0"`, "1,1,3,3", 2, 1, nil, ""},
		{"MaxPool", "opset8", pool + `dilations="2,1" rounding_type="floor" index_element_type="i64" axis="0"`, "1,1,4,5", 2, 1, nil, ""},
		{"MaxPool", "opset8", pool + `dilations="1,1" rounding_type="floor" index_element_type="i64" axis="0"`, "1,1,4,5", 2, 2, nil, ""},
		{"AvgPool", "opset14", pool + `exclude-pad="true" rounding_type="ceil"`, "1,1,4,5", 1, 1, nil, `AvgPool opset1 auto_pad=explicit kernel=2,2 strides=2,2 pads_begin=0,0 pads_end=0,0 exclude-pad=true rounding_type=ceil`},
		{"AvgPool", "opset14", pool + `exclude-pad="true" rounding_type="ceil_torch"`, "1,1,4,5", 1, 1, nil, ""},
		{"Pad", "opset12", `pad_mode="reflect"`, "2,3", 1, 1, []string{"2:1 0", "2:0 2"}, `Pad opset1 pad_mode=reflect`},
		{"Pad", "opset12", `pad_mode="edge"`, "2,3", 1, 1, []string{"2:1 0", "2:0 -2"}, ""},
		{"TopK", "opset11", `axis="1" mode="max" sort="value" index_element_type="i64" stable="false"`, "2,3", 2, 2, []string{":2"}, `TopK opset3 axis=1 mode=max sort=value index_element_type=i64`},
		{"TopK", "opset11", `axis="1" mode="max" sort="value" index_element_type="i64" stable="true"`, "2,3", 2, 2, []string{":2"}, ""},
		{"Squeeze", "opset15", `allow_axis_skip="false"`, "2,1", 1, 1, []string{":1"}, `Squeeze opset1`},
		{"Squeeze", "opset15", `allow_axis_skip="true"`, "2,1", 1, 1, []string{":1"}, ""},
		{"Unsqueeze", "opset1", "", "2,3", 1, 1, []string{":-1"}, `Unsqueeze opset1`},
		{"Interpolate", "opset11", resize + `mode="nearest" shape_calculation_mode="sizes"`, "1,1,2,3", 1, 1, []string{"2:4 5", "2:2 3"}, `Interpolate opset4 ` + plain(resize) + `mode=nearest shape_calculation_mode=sizes`},
		{"Interpolate", "opset11", resize + `mode="linear_onnx" shape_calculation_mode="sizes"`, "2,3", 1, 1, []string{"2:4 5"}, `Interpolate opset4 ` + plain(resize) + `mode=linear_onnx shape_calculation_mode=sizes`},
		{"Interpolate", "opset11", resize + `mode="bilinear_pillow" shape_calculation_mode="sizes"`, "1,1,2,3", 1, 1, []string{"2:4 5", "2:2 3"}, ""},
		{"Slice", "opset8", "", "4,5", 1, 1, []string{"2:1 -9", "2:9223372036854775807 -1", "2:1 2", "2:1 0"}, `StridedSlice opset1 begin_mask=0, 0 end_mask=0, 0 new_axis_mask=0, 0 shrink_axis_mask=0, 0 ellipsis_mask=0, 0`},
		{"Slice", "opset8", "", "4,5", 1, 1, []string{"1:-2", "1:4", "1:1"}, `StridedSlice opset1 begin_mask=0, 0 end_mask=0, 0 new_axis_mask=0, 0 shrink_axis_mask=0, 0 ellipsis_mask=0, 0`},
		{"Slice", "opset8", "", "4,5", 1, 1, []string{"1:3", "1:0", "1:-1", "1:0"}, ""},
		{"ScatterElementsUpdate", "opset12", `reduction="none" use_init_val="true"`, "3", 1, 1, []string{"2:2 0", "2:7 8", ":0"}, `ScatterElementsUpdate opset3`},
		{"ScatterElementsUpdate", "opset12", `reduction="sum" use_init_val="true"`, "3", 1, 1, []string{"2:2 0", "2:7 8", ":0"}, ""},
		{"ScatterNDUpdate", "opset15", `reduction="none"`, "3", 1, 1, []string{"2,1:2 0", "2:7 8"}, `ScatterNDUpdate opset4`},
		{"ScatterNDUpdate", "opset15", `reduction="none"`, "3", 1, 1, []string{"2,1:-1 0", "2:7 8"}, ""},
		{"SoftSign", "opset9", "", "2,3", 1, 1, nil, ""},
	} {
		xml, bin := oneLayer(c.layerType, c.opset, c.data, c.shape, c.outputs, c.read, c.constants...)
		m, err := irxml.Read(xml, bin, irxml.ReadOptions{})
		require.NoError(t, err)
		again, err := writtenV10(t, m)
		if c.want == "" {
			assert.ErrorContains(t, err, `layer 99 "layer" (`)
			assert.ErrorContains(t, err, `, `+c.opset+`): the layer cannot be written in version 10, which has opset1 to opset7`)
			continue
		}
		require.NoError(t, err, "%s", xml)
		for _, layer := range again.Layers {
			if layer.Name == "layer" && layer.Opset != "ir10" {
				assert.Equal(t, c.want, strings.TrimSpace(layer.Type+" "+layer.Opset+" "+strings.Join(attributeTexts(layer), " ")))
			}
		}
		assert.Equal(t, outputsOf(t, m), outputsOf(t, again), c.want)
	}
}

// TestWrite_v10Mutated writes models with mistakes. What is written can be read.
func TestWrite_v10Mutated(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	const pool = `auto_pad="explicit" kernel="2,2" strides="2,2" pads_begin="0,0" pads_end="0,0" dilations="1,1" rounding_type="ceil_torch"`
	seed := func(layerType, opset, data, shape string, outputs int, constants ...string) [2][]byte {
		xml, bin := oneLayer(layerType, opset, data, shape, outputs, 1, constants...)
		return [2][]byte{xml, bin}
	}
	total, wrote := 0, 0
	for _, files := range [][2][]byte{
		{[]byte(smallXML), smallBin},
		seed("SoftMax", "opset8", `axis="-1"`, "2,3", 1),
		seed("Gather", "opset8", `batch_dims="0"`, "2,3", 1, "2,1:-1 -3", ":-1"),
		seed("MaxPool", "opset14", pool, "1,1,4,5", 2),
		seed("Unsqueeze", "opset1", "", "2,3", 1, ":-1"),
		seed("Interpolate", "opset11", `mode="nearest" shape_calculation_mode="sizes"`, "1,1,2,3", 1, "2:4 5", "2:2 3"),
		seed("Slice", "opset8", "", "4,5", 1, "2:1 0", "2:4 5", "2:1 2", "2:1 0"),
	} {
		for range 200 {
			m, err := irxml.Read(irtest.Mutate(files[0], random), files[1], irxml.ReadOptions{Limits: fuzzLimits})
			if err != nil {
				continue
			}
			total++
			shapes, _ := infer.Propagate(t.Context(), m, registry, nil) // with the errors of layers
			xml, bin, err := written(m, irxml.WriteOptions{Version: 10, Shapes: shapes})
			var about *ir.LayerError
			if errors.As(err, &about) {
				continue
			}
			wrote++
			require.NoError(t, err)
			_, err = irxml.Read(xml, bin, irxml.ReadOptions{})
			require.NoError(t, err, "%s", xml)
		}
	}
	assert.Greater(t, wrote, total/4)
	assert.Less(t, wrote, total*9/10)
}

// plain returns attributes without quotes.
func plain(attributes string) string { return strings.ReplaceAll(attributes, `"`, "") }

// TestWrite_v10 writes a model of version 11 in version 10.
func TestWrite_v10(t *testing.T) {
	const layout = `<rt_info><attribute name="layout" version="0" layout="[N]"/></rt_info>`
	m, err := irxml.Read(smallWith(t, `shape="?,3"`, `shape="2,3"`, `<port id="0" precision="FP32" names="in">`, `<port id="0" precision="FP32" names="in">`+layout,
		`type="Result" version="opset1"`, `type="Result" version="opset1" output_names="q"`), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	require.NotNil(t, m.Parameters[0].Outputs[0].RTInfo)
	before := m.Clone()
	again, err := writtenV10(t, m)
	require.NoError(t, err)
	(&comparison{t: t}).graphs(before, m) // it has not changed
	assert.Equal(t, tree(m.RTInfo), tree(again.RTInfo))
	assert.Equal(t, outputsOf(t, m), outputsOf(t, again))
	for _, layer := range again.Layers {
		assert.Nil(t, layer.RTInfo)
	}

	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	shapes, err := infer.Propagate(t.Context(), again, registry, nil)
	require.NoError(t, err)
	xml, bin, err := written(again, irxml.WriteOptions{Version: 10, Shapes: shapes})
	require.NoError(t, err)
	same, sameBin, err := written(again, irxml.WriteOptions{Shapes: shapes})
	require.NoError(t, err)
	assert.Equal(t, string(same), string(xml), "it was of version 10")
	assert.Equal(t, sameBin, bin)
	assert.NotContains(t, string(xml), "output_names")
	_, _, err = written(m, irxml.WriteOptions{Version: 10})
	assert.EqualError(t, err, "the inferred shapes are needed for version 10: what ports declare can be wrong")
	_, _, err = written(again, irxml.WriteOptions{Version: 11})
	assert.EqualError(t, err, "a model of IR version 10 cannot be written as version 11")
}

func TestWrite_v10Refused(t *testing.T) {
	for want, xml := range map[string]string{
		`layer 0 "x" (Parameter, opset1): output 0 has shape [?,3], and version 10 has no dynamic shapes: set the shapes of the inputs`: copyOf("f32", "?,3", "t"),
		`layer 0 "x" (Parameter, opset1): shape [0,3] cannot be written in version 10, in which inputs and outputs have elements`:       copyOf("f32", "0,3", "t"),
		`layer 0 "x" (Parameter, opset1): element type string cannot be written in version 10, which does not have it`:                  copyOf("string", "2", "t"),
		`layer 0 "x" (Parameter, opset1): element type nf4 cannot be written in version 10, which does not have it`:                     copyOf("nf4", "2", "t"),
		`layer 1 "copy" (Convert, opset1): layer name "copy" is the name of another input's or output's tensor as well`:                 copyOf("f32", "2", "copy"),
		`layer 2 "y" (Result, opset1): the output is input "x", and version 10 cannot have one name for both`:                           strings.Replace(copyOf("f32", "2", "t"), `from-layer="1" from-port="1"`, `from-layer="0" from-port="0"`, 1),
		`layer 3 "z" (Result, opset1): the output is that of Result "y" too, and version 10 cannot have one name for both`: strings.NewReplacer(
			`</layers>`, `<layer id="3" name="z" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>`,
			`</edges>`, `<edge from-layer="1" from-port="1" to-layer="3" to-port="0"/></edges>`).Replace(copyOf("f32", "2", "t")),
	} {
		m, err := irxml.Read([]byte(xml), nil, irxml.ReadOptions{})
		require.NoError(t, err)
		_, err = writtenV10(t, m)
		assert.EqualError(t, err, want)
		var about *ir.LayerError
		assert.ErrorAs(t, err, &about)
	}
}

// copyOf returns a model with an input of the given type, shape and name, and its copy as f32.
func copyOf(elementType, shape, name string) string {
	convert := `type="Convert" version="opset1"><data destination_type="f32"/>`
	if elementType == "string" {
		convert = `type="Concat" version="opset1"><data axis="0"/>`
	}
	return fmt.Sprintf(`<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="%s" shape="%s"/><output><port id="0" precision="FP32" names="%s"/></output></layer>
<layer id="1" name="copy" %s<input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`, elementType, shape, name, convert)
}
