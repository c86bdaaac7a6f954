package edit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/diff"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
)

// doubled returns a Builder of the model of testdata/preprocess.py: y = 2x.
func doubled(t *testing.T) *edit.Builder {
	b := newBuilder(t)
	x := b.Parameter("x", ir.F32, ir.StaticShape(1, 3, 4, 6))
	b.Result("y", b.Layer("Multiply", 1, numpy, x, b.ConstantOf(float32(2))))
	return b
}

// TestPreprocess compares the layers with those that OpenVINO's PrePostProcessor has added:
// testdata/preprocess.py has the same steps.
func TestPreprocess(t *testing.T) {
	resize := func(mode string) func(b *edit.Builder) {
		return func(b *edit.Builder) {
			b.Preprocess("x", edit.Preprocess{Layout: "NCHW", Size: []ir.Dimension{ir.Dim(8), ir.Dim(9)}, Steps: []edit.Step{edit.ResizeTo(mode, 4, 6)}})
		}
	}
	for name, steps := range map[string]func(b *edit.Builder){
		"picture": func(b *edit.Builder) {
			b.Preprocess("x", edit.Preprocess{
				Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW", Color: "BGR", Size: []ir.Dimension{ir.AnyDim, ir.AnyDim},
				Steps: []edit.Step{
					edit.ConvertType(ir.F32), edit.ConvertColor("RGB"), edit.Resize("linear"),
					edit.Mean(123.675, 116.28, 103.53), edit.Scale(58.395, 57.12, 57.375),
				},
			})
		},
		"implicit": func(b *edit.Builder) {
			b.Preprocess("x", edit.Preprocess{Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW"})
		},
		"one_number": func(b *edit.Builder) {
			b.Preprocess("x", edit.Preprocess{Steps: []edit.Step{edit.Mean(5), edit.Scale(3)}})
		},
		"reverse": func(b *edit.Builder) {
			b.Preprocess("x", edit.Preprocess{Layout: "NCHW", Steps: []edit.Step{edit.ReverseChannels()}})
		},
		"f16": func(b *edit.Builder) {
			b.Preprocess("x", edit.Preprocess{Type: ir.F16, Layout: "NCHW", Steps: []edit.Step{edit.Mean(1, 2, 3), edit.Scale(3, 5, 7)}})
		},
		"output": func(b *edit.Builder) {
			b.Postprocess("y", edit.Postprocess{Type: ir.F16, Layout: "NHWC", ModelLayout: "NCHW"})
		},
		"nearest":         resize("nearest"),
		"cubic":           resize("cubic"),
		"bilinear_pillow": resize("bilinear_pillow"),
		"bicubic_pillow":  resize("bicubic_pillow"),
	} {
		b := doubled(t)
		steps(b)
		got, err := b.Model()
		require.NoError(t, err, name)
		want, err := irxml.ReadFile("testdata/preprocess/"+name+".xml", irxml.ReadOptions{})
		require.NoError(t, err)
		report := diff.Models(got, want, diff.Options{})
		for _, d := range report.Differences {
			if name == "bicubic_pillow" && d.Attribute == "cube_coeff" {
				assert.Equal(t, `"-0.5"`, d.A, "the coefficient of Pillow")
				continue
			}
			assert.Equal(t, diff.Name, d.Kind, "%s: %v", name, &d)
		}
		assert.Equal(t, len(want.Order), report.Matched)
		assert.Equal(t, []string{"x"}, got.Parameters[0].Outputs[0].Names)
		assert.Equal(t, []string{"y"}, got.Results[0].OutputNames)
	}
}

// TestPreprocess_numbers runs a model with steps.
func TestPreprocess_numbers(t *testing.T) {
	b := newBuilder(t)
	b.Result("y", b.Layer("Relu", 1, nil, b.Parameter("x", ir.F32, ir.StaticShape(1, 3, 1, 2))))
	b.Preprocess("x", edit.Preprocess{
		Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW", Color: "RGB",
		Steps: []edit.Step{edit.ConvertType(ir.F32), edit.ConvertColor("BGR"), edit.Mean(1, 2, 3), edit.Scale(2)},
	})
	b.Postprocess("y", edit.Postprocess{Layout: "NHWC", ModelLayout: "NCHW"})
	m, err := b.Model()
	require.NoError(t, err)
	pixels, err := ir.TensorFrom([]uint8{10, 20, 30, 40, 50, 60}, 1, 1, 2, 3)
	require.NoError(t, err)
	y := run(t, m, pixels)[0]
	assert.Equal(t, ir.Shape{1, 1, 2, 3}, y.Shape())
	assert.Equal(t, []float32{14.5, 9, 3.5, 29.5, 24, 18.5}, ir.Data[float32](y))
}

func TestPreprocess_errors(t *testing.T) {
	one := func(p edit.Preprocess, steps ...edit.Step) func(b *edit.Builder) {
		p.Steps = steps
		return func(b *edit.Builder) { b.Preprocess("x", p) }
	}
	nchw := edit.Preprocess{Layout: "NCHW"}
	for want, call := range map[string]func(b *edit.Builder){
		`name "z": the model has no tensor and no layer of that name`:           func(b *edit.Builder) { b.Preprocess("z", nchw) },
		`it is no input of the model`:                                           func(b *edit.Builder) { b.Preprocess("y", nchw) },
		`layer 0 "x" (Parameter, opset1): layout "NCW" has 3 axes`:              one(edit.Preprocess{Layout: "NCW"}),
		`layout "nchw" is not made of different letters`:                        one(edit.Preprocess{Layout: "nchw"}),
		`layout "NCHH" is not made of different letters`:                        one(edit.Preprocess{ModelLayout: "NCHH"}),
		`layouts "NHWD" and "NCHW" have not the same axes`:                      one(edit.Preprocess{Layout: "NHWD", ModelLayout: "NCHW"}),
		`a size of 1 lengths`:                                                   one(edit.Preprocess{Layout: "NCHW", Size: []ir.Dimension{ir.AnyDim}}),
		`a size of 2 lengths with layout ""`:                                    one(edit.Preprocess{Size: []ir.Dimension{ir.AnyDim, ir.AnyDim}}),
		`layer 0 "x" (Parameter, opset1): pre-processing: mean: the type is u8`: one(edit.Preprocess{Type: ir.U8}, edit.Mean(1)),
		`mean: there are 2 values, and 3 channels in [1,3,4,6]`:                 one(nchw, edit.Mean(1, 2)),
		`scale: the layout "" has no C`:                                         one(edit.Preprocess{}, edit.Scale(1, 2, 3)),
		`scale: value 0 is 0, which is +Inf as f32`:                             one(nchw, edit.Scale(0)),
		`mean: value 0 is 1e+300, which is +Inf as f32`:                         one(nchw, edit.Mean(1e300)),
		`color "" is neither RGB nor BGR`:                                       one(nchw, edit.ConvertColor("RGB")),
		`color "YUV" is neither RGB nor BGR`:                                    one(edit.Preprocess{Color: "RGB"}, edit.ConvertColor("YUV")),
		`order of channels: the layout "" has no C`:                             one(edit.Preprocess{}, edit.ReverseChannels()),
		`resize: the layout "" of the model has no H and W`:                     one(edit.Preprocess{}, edit.Resize("linear")),
		`resize: the layout "ABCD" has no H and W`:                              one(edit.Preprocess{Layout: "ABCD"}, edit.ResizeTo("linear", 4, 6)),
		`resize: 0 x 6 has no pixels`:                                           one(nchw, edit.ResizeTo("linear", 0, 6)),
		`attribute mode: "round" is none of`:                                    one(nchw, edit.ResizeTo("round", 4, 6)),
		`pre-processing: the steps give [1,3,5,6], the model takes [1,3,4,6]`:   one(nchw, edit.ResizeTo("linear", 5, 6)),
		`layouts "NCHW" and "NC" have not the same axes`:                        one(nchw, edit.ConvertLayout("NC")),
		`output 0 is no output of the model`:                                    func(b *edit.Builder) { b.Postprocess("x", edit.Postprocess{}) },
		`layouts "NCHW" and "" have not the same axes`:                          func(b *edit.Builder) { b.Postprocess("y", edit.Postprocess{ModelLayout: "NCHW"}) },
	} {
		b := doubled(t)
		call(b)
		require.ErrorContains(t, b.Err(), want)
	}
}
