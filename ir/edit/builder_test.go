package edit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// rules returns the rules of all layer types.
var rules = sync.OnceValue(func() infer.Rules {
	_, rules := exampletest.Reshape()
	return rules
})

func newBuilder(t *testing.T) *edit.Builder {
	return edit.NewBuilder(t.Context(), rules(), "net")
}

var numpy = edit.Attributes("auto_broadcast", "numpy")

// dense returns x -> MatMul -> Add -> Relu -> y.
func dense(ctx context.Context) *edit.Builder {
	b := edit.NewBuilder(ctx, rules(), "dense")
	x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(2)))
	product := b.Name(b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "false"), x, b.ConstantOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3)), "product")
	sum := b.Name(b.Layer("Add", 1, numpy, product, b.ConstantOf([]float32{1, -100, 1}, 1, 3)), "sum")
	b.NameTensor(sum, "sum_tensor")
	b.Result("y", b.Name(b.Layer("Relu", 1, nil, sum), "relu"))
	return b
}

// shapesOf returns the names, types and shapes of the layers in order.
func shapesOf(m *ir.Model) []string {
	var list []string
	for _, layer := range m.Order {
		text := layer.Name
		for i := range layer.Outputs {
			text += fmt.Sprintf(" %v%v", layer.Outputs[i].DeclaredType, layer.Outputs[i].Declared)
		}
		list = append(list, text)
	}
	return list
}

func TestBuilder(t *testing.T) {
	b := dense(t.Context())
	m, err := b.Model()
	require.NoError(t, err)
	assert.Equal(t, []string{"x f32[?,2]", "Constant_1 f32[2,3]", "product f32[?,3]", "Constant_3 f32[1,3]", "sum f32[?,3]", "relu f32[?,3]", "y/sink_port_0"}, shapesOf(m))
	assert.Equal(t, []string{"y"}, m.Results[0].OutputNames)
	assert.Equal(t, []string{"x"}, m.Parameters[0].Outputs[0].Names)
	assert.Equal(t, ir.F32, m.Results[0].Inputs[0].DeclaredType)
	require.NoError(t, edit.Check(m))
	require.EqualError(t, b.Err(), "the Builder was used after Model")
	_, err = b.Model()
	require.Error(t, err)
}

func TestBuilder_outputs(t *testing.T) {
	b := newBuilder(t)
	x := b.Parameter("x", ir.F32, ir.StaticShape(2, 6))
	top := b.Layer("TopK", 11, edit.Attributes("axis", "1", "mode", "max", "sort", "value", "index_element_type", "i32", "stable", "false"), x, b.ConstantOf(int64(3)))
	parts := b.Layer("Split", 1, edit.Attributes("num_splits", "3"), x, b.ConstantOf(int64(1)))
	assert.Equal(t, ir.I32, b.Fact(top.Out(1)).Type)
	assert.Equal(t, "[2,2]", b.Fact(parts.Out(2)).Shape.String())
	b.Result("values", top)
	b.Result("indices", top.Out(1))
	b.Result("last", parts.Out(2))
	m, err := b.Model()
	require.NoError(t, err)
	assert.Len(t, parts.Layer.Outputs, 3)
	assert.Equal(t, []uint64{2, 3, 4}, []uint64{parts.Layer.Outputs[0].Port, parts.Layer.Outputs[1].Port, parts.Layer.Outputs[2].Port})
	assert.Len(t, m.Results, 3)
}

// TestBuilder_values tests that values of constants decide shapes at once.
func TestBuilder_values(t *testing.T) {
	b := newBuilder(t)
	x := b.Parameter("x", ir.F32, ir.StaticShape(2, 6))
	shape := b.Layer("ShapeOf", 3, edit.Attributes("output_type", "i64"), x)
	half := b.Layer("Divide", 1, edit.Attributes("auto_broadcast", "numpy", "m_pythondiv", "true"), shape, b.ConstantOf(int64(2)))
	zeros := b.Layer("Broadcast", 3, edit.Attributes("mode", "numpy"), b.ConstantOf(float32(0)), half)
	assert.Equal(t, "[1,3]", b.Fact(zeros).Shape.String())
	require.NoError(t, b.Err())
}

func TestBuilder_errors(t *testing.T) {
	other := newBuilder(t).Parameter("x", ir.F32, ir.StaticShape(2))
	for want, build := range map[string]func(b *edit.Builder, x edit.Source){
		`layer 1 "Relux_1" (Relux, opset1): layer type Relux of opset1 is not supported: no such type is registered`: func(b *edit.Builder, x edit.Source) { b.Layer("Relux", 1, nil, x) },
		`layer 1 "Relu_1" (Relu, opset99): layer type Relu of opset99`:                                               func(b *edit.Builder, x edit.Source) { b.Layer("Relu", 99, nil, x) },
		`(Relu, mine): layer type Relu of mine`:                                                                      func(b *edit.Builder, x edit.Source) { b.Extension("Relu", "mine", nil, x) },
		`"Relu_1" (Relu, opset1): 2 inputs are connected, expected 1`:                                                func(b *edit.Builder, x edit.Source) { b.Layer("Relu", 1, nil, x, x) },
		`attribute auto_brodcast: Add has none of that name`: func(b *edit.Builder, x edit.Source) {
			b.Layer("Add", 1, edit.Attributes("auto_brodcast", "numpy"), x, x)
		},
		`attribute num_splits: "two" is not a 64-bit whole number`: func(b *edit.Builder, x edit.Source) {
			b.Layer("Split", 1, edit.Attributes("num_splits", "two"), x, b.ConstantOf(int64(0)))
		},
		`"Add_2" (Add, opset1): input 0 is [2,3], input 1 is [2], which do not broadcast`: func(b *edit.Builder, x edit.Source) {
			b.Layer("Add", 1, numpy, x, b.Parameter("z", ir.F32, ir.StaticShape(2)))
		},
		`"If_1" (If, opset8)`:                                                 func(b *edit.Builder, x edit.Source) { b.Layer("If", 8, nil, x) },
		`input 0: the source has no layer`:                                    func(b *edit.Builder, x edit.Source) { b.Layer("Relu", 1, nil, edit.Source{}) },
		`input 0: layer 0 "x" (Parameter, opset1) is not in the model`:        func(b *edit.Builder, x edit.Source) { b.Layer("Relu", 1, nil, other) },
		`layer 0 "x" (Parameter, opset1) has no output 1, it has 1`:           func(b *edit.Builder, x edit.Source) { b.Layer("Relu", 1, nil, x.Out(1)) },
		`"y/sink_port_0" (Result, opset1) has no output that can be read`:     func(b *edit.Builder, x edit.Source) { b.Layer("Relu", 1, nil, b.Result("y", x)) },
		`layer 1 "x" (Parameter, opset1): the model has a layer of that name`: func(b *edit.Builder, x edit.Source) { b.Parameter("x", ir.F32, ir.StaticShape(2)) },
		`the new name "x" is that of another layer`:                           func(b *edit.Builder, x edit.Source) { b.Name(b.Layer("Relu", 1, nil, x), "x") },
		`the tensor name "x" is that of output 0 of layer 0 "x"`:              func(b *edit.Builder, x edit.Source) { b.NameTensor(b.Layer("Relu", 1, nil, x), "x") },
		`tensor name 1 is empty`:                                              func(b *edit.Builder, x edit.Source) { b.NameTensor(x, "a", "") },
		`the new name is empty`:                                               func(b *edit.Builder, x edit.Source) { b.Name(x, "") },
		`the value of a Constant is nil`:                                      func(b *edit.Builder, x edit.Source) { b.Constant(nil) },
		`name "q": the model has no tensor and no layer of that name`:         func(b *edit.Builder, x edit.Source) { b.Find("q") },
		`the model has no Result`:                                             func(b *edit.Builder, x edit.Source) {},
		`it cannot be removed: it has 1 outputs and 0 inputs, and 1 inputs`:   func(b *edit.Builder, x edit.Source) { b.Result("y", x); b.Remove(x.Layer) },
		`it has no input 1, it has 1`:                                         func(b *edit.Builder, x edit.Source) { b.Connect(b.Layer("Relu", 1, nil, x).Layer, 1, x) },
		`input 0 cannot read layer 2 "Relu_2" (Relu, opset1), which depends on the layer`: func(b *edit.Builder, x edit.Source) {
			r := b.Layer("Relu", 1, nil, x)
			b.Connect(r.Layer, 0, b.Layer("Relu", 1, nil, r))
		},
		`it cannot replace output 0 of layer 0 "x" (Parameter, opset1), which it depends on`: func(b *edit.Builder, x edit.Source) { b.Replace(x, b.Layer("Relu", 1, nil, x)) },
		`it cannot be inserted after layer 0 "x" (Parameter, opset1): it depends on a layer that reads it`: func(b *edit.Builder, x edit.Source) {
			r := b.Layer("Relu", 1, nil, x)
			b.InsertAfter(x, func(edit.Source) edit.Source { return b.Layer("Abs", 1, nil, r) })
		},
		`input 0 cannot read layer 3 "Abs_3" (Abs, opset1), which depends on the layer`: func(b *edit.Builder, x edit.Source) {
			parts := b.Layer("Split", 1, edit.Attributes("num_splits", "3"), x, b.ConstantOf(int64(1)))
			b.Connect(parts.Layer, 0, b.Layer("Abs", 1, nil, parts.Out(2)))
		},
		`it is no Parameter`: func(b *edit.Builder, x edit.Source) {
			b.SetInput(b.Layer("Relu", 1, nil, x), ir.F32, ir.StaticShape(1))
		},
	} {
		b := newBuilder(t)
		build(b, b.Parameter("x", ir.F32, ir.StaticShape(2, 3)))
		m, err := b.Model()
		assert.Nil(t, m)
		require.ErrorContains(t, err, want)
		assert.Equal(t, edit.Source{}, b.Parameter("late", ir.F32, ir.PartialShape{}), "nothing happens after an error")
	}
}

func TestChange_Replace(t *testing.T) {
	original, err := dense(t.Context()).Model()
	require.NoError(t, err)
	b := edit.Change(t.Context(), original, rules())
	relu := b.Find("relu")
	b.Replace(relu, b.Layer("Abs", 1, nil, b.Find("sum_tensor")))
	m, err := b.Model()
	require.NoError(t, err)
	assert.Equal(t, "x Constant_1 product Constant_3 sum Abs_7 y/sink_port_0", names(m), "the Relu is gone")
	assert.Equal(t, []string{"y"}, m.Results[0].OutputNames)
	assert.Equal(t, []string{"y"}, m.Results[0].Inputs[0].Source.Outputs[0].Names)
	assert.Equal(t, "x Constant_1 product Constant_3 sum relu y/sink_port_0", names(original))
	require.NoError(t, edit.Check(original))
}

// TestBuilder_Replace tests that Model infers a layer again whose input is a constant now.
func TestBuilder_Replace(t *testing.T) {
	b := edit.NewBuilder(t.Context(), rules(), "")
	x := b.Parameter("x", ir.F32, ir.Shape{6}.Partial())
	lengths := b.Parameter("lengths", ir.I64, ir.Shape{2}.Partial())
	y := b.Layer("Reshape", 1, edit.Attributes("special_zero", "false"), x, lengths)
	b.Result("y", y)
	b.Replace(lengths, b.ConstantOf([]int64{2, 3}, 2))
	m, err := b.Model()
	require.NoError(t, err)
	assert.Equal(t, "[2,3]", m.Results[0].Inputs[0].Declared.String())
	checkBuilt(t, m)
}

func TestChange_Remove(t *testing.T) {
	original, err := dense(t.Context()).Model()
	require.NoError(t, err)
	b := edit.Change(t.Context(), original, rules())
	b.Remove(b.Find("sum").Layer)
	b.Name(b.Find("relu"), "sum")
	m, err := b.Model()
	require.NoError(t, err)
	assert.Equal(t, "x Constant_1 product sum y/sink_port_0", names(m))
	assert.Equal(t, []string{"sum_tensor"}, m.Layers[2].Outputs[0].Names)

	b = edit.Change(t.Context(), original, rules())
	b.Result("z", b.Find("sum"))
	b.Remove(b.Find("relu").Layer)
	for _, layer := range b.Layers() {
		if layer.Name == "y/sink_port_0" {
			b.Remove(layer)
		}
	}
	m, err = b.Model()
	require.NoError(t, err)
	assert.Equal(t, "x Constant_1 product Constant_3 sum z/sink_port_0", names(m))
	assert.Equal(t, []string{"sum_tensor", "z", "y"}, m.Results[0].OutputNames, "the names of the Relu's tensor are those of its input")
}

func TestChange_InsertAfter(t *testing.T) {
	original, err := dense(t.Context()).Model()
	require.NoError(t, err)
	b := edit.Change(t.Context(), original, rules())
	clamped := b.InsertAfter(b.Find("y"), func(s edit.Source) edit.Source {
		return b.Name(b.Layer("Clamp", 1, edit.Attributes("min", "0", "max", "6"), s), "clamp")
	})
	b.InsertAfter(b.Find("x"), func(s edit.Source) edit.Source {
		return b.Layer("Multiply", 1, numpy, b.Layer("Abs", 1, nil, s), b.ConstantOf(float32(2)))
	})
	m, err := b.Model()
	require.NoError(t, err)
	assert.Equal(t, "x Abs_8 Constant_9 Multiply_10 Constant_1 product Constant_3 sum relu clamp y/sink_port_0", names(m))
	assert.Equal(t, []string{"y"}, clamped.Layer.Outputs[0].Names)
	assert.Empty(t, clamped.Layer.Inputs[0].Source.Outputs[0].Names)
	assert.Equal(t, []string{"x"}, m.Parameters[0].Outputs[0].Names, "an input keeps its name")
}

// TestChange_shapes tests that layers after a change are inferred from the new shapes.
func TestChange_shapes(t *testing.T) {
	original, err := dense(t.Context()).Model()
	require.NoError(t, err)
	b := edit.Change(t.Context(), original, rules())
	b.SetInput(b.Find("x"), ir.F32, ir.StaticShape(7, 2))
	assert.Equal(t, "[7,3]", b.Fact(b.Find("y")).Shape.String())
	b.InsertAfter(b.Find("x"), func(s edit.Source) edit.Source {
		return b.Layer("Tile", 1, nil, s, b.ConstantOf([]int64{2, 1}))
	})
	assert.Equal(t, "[14,3]", b.Fact(b.Find("y")).Shape.String())
	b.Connect(b.Find("sum").Layer, 1, b.ConstantOf([]float32{1}, 1))
	m, err := b.Model()
	require.NoError(t, err)
	assert.Equal(t, "[14,3]", m.Results[0].Inputs[0].Declared.String())
	assert.Equal(t, ir.Attribute{Name: "shape", Value: "?,2"}, original.Parameters[0].Data[0], "the model that was changed is another")

	b = edit.Change(t.Context(), original, rules())
	b.SetInput(b.Find("x"), ir.F32, ir.StaticShape(7, 5))
	_, err = b.Model()
	require.ErrorContains(t, err, `layer 2 "product" (MatMul, opset1)`)
}

func TestFind(t *testing.T) {
	m, err := dense(t.Context()).Model()
	require.NoError(t, err)
	m.Layers[1].Name, m.Layers[3].Name = "twice", "twice"
	for name, want := range map[string]string{
		"x": "x", "sum_tensor": "sum", "product": "product", "product:0": "product", "y/sink_port_0": "relu",
		"product:1": `error layer 2 "product" (MatMul, opset1) has no output 1, it has 1`,
		"twice":     `error name "twice": it is that of layer 1 "twice" (Constant, opset1) and of layer 3 "twice" (Constant, opset1)`,
		"twice:0":   `error name "twice": it is that of layer 1 "twice" (Constant, opset1) and of layer 3 "twice" (Constant, opset1)`,
		"a:b":       `error name "a:b": the model has no tensor and no layer of that name`,
		"":          `error name "": the model has no tensor and no layer of that name`,
	} {
		s, err := edit.Find(m, name)
		if err != nil {
			assert.Equal(t, want, "error "+err.Error())
			continue
		}
		assert.Equal(t, want, s.Layer.Name, name)
	}
	split := m.Layers[2]
	split.Outputs = append(split.Outputs, ir.Output{})
	_, err = edit.Find(m, "product")
	require.EqualError(t, err, `name "product": layer 2 "product" (MatMul, opset1) has 2 outputs: write "product":0 for the first`)
}

// randomEdits makes a few random edits of b.
func randomEdits(b *edit.Builder, random *rand.Rand) {
	for range 1 + random.IntN(3) {
		layers := b.Layers()
		anyOutput := func() edit.Source {
			for {
				layer := layers[random.IntN(len(layers))]
				if layer.Type != "Result" {
					return edit.Source{Layer: layer, Output: random.IntN(len(layer.Outputs))}
				}
			}
		}
		number := strconv.Itoa(random.IntN(30))
		switch random.IntN(15) {
		case 0, 1:
			b.Layer([]string{"Relu", "Abs", "Exp"}[random.IntN(3)], 1, nil, anyOutput())
		case 2:
			b.Result("sum"+number, b.Layer("Add", 1, numpy, anyOutput(), anyOutput()))
		case 3:
			parts := b.Layer("Split", 1, edit.Attributes("num_splits", "2"), anyOutput(), b.ConstantOf(int64(-1)))
			b.Result("half"+number, parts.Out(1))
		case 4:
			b.Replace(anyOutput(), anyOutput())
		case 5:
			b.InsertAfter(anyOutput(), func(s edit.Source) edit.Source { return b.Layer("Sigmoid", 1, nil, s) })
		case 6:
			b.Remove(layers[random.IntN(len(layers))])
		case 7:
			b.Name(anyOutput(), "layer"+number)
		case 8:
			b.NameTensor(anyOutput(), "tensor"+number, "other"+number)
		case 9:
			b.Result("result"+number, anyOutput())
		case 10:
			b.Connect(layers[random.IntN(len(layers))], random.IntN(2), anyOutput())
		case 11:
			b.SetInput(b.Find("x"), ir.F32, ir.StaticShape(1+random.IntN(3), 2))
		case 12:
			b.Parameter("input"+number, ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(2)))
		case 13:
			b.Preprocess("x", edit.Preprocess{
				Type: []ir.ElementType{ir.F32, ir.U8, ir.F16}[random.IntN(3)], Layout: []string{"CN", "NC"}[random.IntN(2)], ModelLayout: "NC",
				Steps: []edit.Step{edit.ConvertType(ir.F32), edit.Mean(1, 2), edit.ReverseChannels(), edit.Scale(3)}[:random.IntN(5)],
			})
		case 14:
			b.Postprocess("y", edit.Postprocess{Type: ir.I32, Layout: []string{"CN", "NC"}[random.IntN(2)], ModelLayout: "NC"})
		}
	}
}

// FuzzBuilder changes a model at random, again and again. A Builder must not panic, what it returns
// must keep the promises of ir.Model and be inferred as it says, and it must not change what it
// started with. The same holds for parts of the model.
func FuzzBuilder(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(8*seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, rounds uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		m, err := dense(t.Context()).Model()
		require.NoError(t, err)
		checkBuilt(t, m)
		for range rounds {
			before := fmt.Sprint(m.Order, shapesOf(m))
			b := edit.Change(t.Context(), m, rules())
			randomEdits(b, random)
			changed, err := b.Model()
			require.Equal(t, before, fmt.Sprint(m.Order, shapesOf(m)))
			if err != nil {
				require.NotContains(t, err.Error(), "BUG")
				continue
			}
			m = changed
			checkBuilt(t, m)
			name := func() string { return m.Layers[random.IntN(len(m.Layers))].Name + []string{"", ":1"}[random.IntN(2)] }
			if part, err := edit.Extract(t.Context(), m, rules(), []string{name()}, []string{name()}); err == nil {
				checkBuilt(t, part)
			} else {
				require.NotContains(t, err.Error(), "BUG")
			}
			if len(m.Layers) > 100 {
				return
			}
		}
	})
}

// checkBuilt checks a model that a Builder has returned.
func checkBuilt(t *testing.T, m *ir.Model) {
	require.NoError(t, edit.Check(m))
	require.Len(t, m.Order, len(m.Layers))
	shapes, err := infer.Propagate(t.Context(), m, rules(), nil)
	require.NoError(t, err)
	tensors := make(map[string]bool)
	for _, layer := range m.Layers {
		for i := range layer.Outputs {
			out := &layer.Outputs[i]
			require.Equal(t, shapes.Outputs(layer)[i].Shape.String(), out.Declared.String())
			for _, name := range out.Names {
				require.False(t, tensors[name], "two tensors have the name %s", name)
				tensors[name] = true
			}
		}
	}
	for _, r := range m.Results {
		names := r.Inputs[0].Source.Outputs[r.Inputs[0].SourceIndex].Names
		require.Equal(t, len(names) > 0, len(r.OutputNames) > 0)
		require.Subset(t, names, r.OutputNames)
	}
}
