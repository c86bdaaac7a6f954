package edit_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir/internal/test/exampletest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
)

// The rules come from a registry: plugin.NewRegistry(builtin.Ops()...).
func ExampleBuilder() {
	_, rules := exampletest.Reshape()
	b := edit.NewBuilder(context.Background(), rules, "small")
	x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.Dim(4)))
	weights := b.ConstantOf([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)
	y := b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "false"), x, weights)
	b.Name(y, "dense")
	top := b.Layer("TopK", 11, edit.Attributes("axis", "1", "mode", "max", "sort", "value", "index_element_type", "i64", "stable", "false"), y, b.ConstantOf(int64(1)))
	fmt.Println(b.Fact(y).Type, b.Fact(y).Shape, b.Fact(top.Out(1)).Type)
	b.Result("largest", top)
	b.Result("class", top.Out(1))
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Order)
	// Output:
	// f32 [?,2] i64
	// [layer 0 "x" (Parameter, opset1) layer 1 "Constant_1" (Constant, opset1) layer 2 "dense" (MatMul, opset1) layer 3 "Constant_3" (Constant, opset1) layer 4 "TopK_4" (TopK, opset11) layer 5 "largest/sink_port_0" (Result, opset1) layer 6 "class/sink_port_0" (Result, opset1)]
}

// Errors are kept: a program checks once, at the end or in between.
func ExampleBuilder_Err() {
	_, rules := exampletest.Reshape()
	b := edit.NewBuilder(context.Background(), rules, "wrong")
	x := b.Parameter("x", ir.F32, ir.StaticShape(2, 3))
	value, err := ir.TensorFrom([]float32{1, 2}, 2)
	if err != nil {
		log.Fatal(err)
	}
	sum := b.Layer("Add", 1, edit.Attributes("auto_broadcast", "numpy"), x, b.Constant(value))
	b.Result("y", b.Extension("Scale", "mine", nil, sum))
	fmt.Println(b.Err())
	// Output: layer 2 "Add_2" (Add, opset1): input 0 is [2,3], input 1 is [2], which do not broadcast
}

func ExampleBuilder_change() {
	m, rules := exampletest.Reshape()
	b := edit.Change(context.Background(), m, rules)
	for _, layer := range b.Layers() {
		fmt.Println(layer)
	}
	// The input gets a batch of 2, and its values are limited before anything reads them.
	b.SetInput(b.Find("image"), ir.F32, ir.StaticShape(2, 3, 4))
	b.InsertAfter(b.Find("image"), func(s edit.Source) edit.Source {
		return b.Name(b.Layer("Clamp", 1, edit.Attributes("min", "0", "max", "6"), s), "limit")
	})
	// The Reshape gets another target, and its output a name.
	b.Connect(b.Find("flat").Layer, 1, b.ConstantOf([]int64{0, -1}))
	b.NameTensor(b.Find("flat"), "features")
	fmt.Println(b.Fact(b.Find("features")).Shape)
	changed, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	for _, layer := range changed.Order {
		fmt.Println(layer)
	}
	// Output:
	// layer 0 "x" (Parameter, opset1)
	// layer 1 "target" (Constant, opset1)
	// layer 2 "flat" (Reshape, opset1)
	// layer 3 "y" (Result, opset1)
	// [2,12]
	// layer 0 "x" (Parameter, opset1)
	// layer 4 "limit" (Clamp, opset1)
	// layer 5 "Constant_5" (Constant, opset1)
	// layer 2 "flat" (Reshape, opset1)
	// layer 3 "y" (Result, opset1)
}

// A layer is replaced by another one, and a layer is left out.
func ExampleBuilder_Replace() {
	_, rules := exampletest.Reshape()
	b := edit.NewBuilder(context.Background(), rules, "activations")
	x := b.Parameter("x", ir.F32, ir.StaticShape(2))
	abs := b.Name(b.Layer("Abs", 1, nil, x), "abs")
	relu := b.Name(b.Layer("Relu", 1, nil, abs), "relu")
	b.Result("y", relu)

	b.Replace(relu, b.Name(b.Layer("HSwish", 4, nil, abs), "swish"))
	b.Remove(abs.Layer)
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Order, m.Results[0].OutputNames)
	// Output: [layer 0 "x" (Parameter, opset1) layer 4 "swish" (HSwish, opset4) layer 3 "y/sink_port_0" (Result, opset1)] [y]
}

// The model takes the pixels of pictures as they are decoded, of any size. The steps are those of
// OpenVINO's PrePostProcessor.
func ExampleBuilder_Preprocess() {
	_, rules := exampletest.Reshape()
	b := edit.NewBuilder(context.Background(), rules, "picture")
	image := b.Parameter("image", ir.F32, ir.StaticShape(1, 3, 224, 224))
	b.Result("mean", b.Layer("ReduceMean", 1, edit.Attributes("keep_dims", "false"), image, b.ConstantOf([]int64{2, 3})))

	b.Preprocess("image", edit.Preprocess{
		Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW", Color: "BGR", Size: []ir.Dimension{ir.AnyDim, ir.AnyDim},
		Steps: []edit.Step{
			edit.ConvertType(ir.F32), edit.ConvertColor("RGB"), edit.Resize("linear"),
			edit.Mean(123.675, 116.28, 103.53), edit.Scale(58.395, 57.12, 57.375),
		},
	})
	b.Postprocess("mean", edit.Postprocess{Type: ir.F16})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Parameters[0].Outputs[0].DeclaredType, m.Parameters[0].Outputs[0].Declared)
	for _, layer := range m.Order {
		if layer.Type != "Constant" {
			fmt.Print(layer.Type, " ")
		}
	}
	// Output:
	// u8 [1,?,?,3]
	// Parameter Convert Gather Interpolate Subtract Multiply Transpose ReduceMean Convert Result
}

// The steps are functions, which run in the order in which they are listed.
func ExampleStep() {
	_, rules := exampletest.Reshape()
	b := edit.NewBuilder(context.Background(), rules, "picture")
	b.Result("y", b.Parameter("image", ir.F32, ir.StaticShape(1, 3, 32, 32)))
	b.Preprocess("image", edit.Preprocess{
		Type: ir.U8, Layout: "NHWC", ModelLayout: "NCHW", Color: "RGB", Size: []ir.Dimension{ir.Dim(480), ir.Dim(640)},
		Steps: []edit.Step{
			edit.ReverseChannels(), edit.ConvertColor("BGR"), // both: they stay as they are
			edit.ConvertType(ir.F32), edit.ConvertLayout("NCHW"),
			edit.ResizeTo("bilinear_pillow", 64, 64), edit.Resize("linear"), // to 32 x 32
			edit.Mean(127.5), edit.Scale(127.5),
		},
	})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Parameters[0].Outputs[0].Declared, m.Results[0].Inputs[0].Declared)
	// Output: [1,480,640,3] [1,3,32,32]
}

// A Source is an output of a layer. Methods of a Builder return the first one.
func ExampleSource() {
	_, rules := exampletest.Reshape()
	b := edit.NewBuilder(context.Background(), rules, "halves")
	x := b.Parameter("x", ir.F32, ir.StaticShape(2, 6))
	halves := b.Layer("Split", 1, edit.Attributes("num_splits", "2"), x, b.ConstantOf(int64(1)))
	second := halves.Out(1)
	fmt.Println(second.Output, b.Fact(second).Shape, second.Input().SourceIndex)
	// Output: 1 [2,3] 1
}

// A tool that leaves layers unused tidies up.
func ExampleEditor_Replace() {
	m, rules := exampletest.Reshape()
	e := edit.New(m)
	relu := e.Insert(m.Layers[2], "relu", "Relu", "opset1", nil, edit.First(m.Layers[0]))
	e.Replace(edit.First(m.Layers[2]), edit.First(relu))
	fmt.Println(e.Changed(), e.Finish(), len(m.Order), len(m.Layers))
	edit.Prune(m)
	shapes, err := infer.Propagate(context.Background(), m, rules, nil)
	if err != nil {
		log.Fatal(err)
	}
	edit.Declare(m, shapes)
	fmt.Println(len(m.Layers), m.Results[0].Inputs[0].Declared)
	// Output:
	// true <nil> 3 5
	// 3 [1,3,4]
}

// A pass adds Constants on behalf of the layers that it changes.
func ExampleEditor_SetInputs() {
	m, _ := exampletest.Reshape()
	flat := m.Layers[2]
	e := edit.New(m)
	e.SetInputs(flat, edit.First(m.Parameters[0]), e.Ints(flat, "target", ir.I64, ir.Shape{2}, 0, -1))
	two, err := ir.TensorFrom(float32(2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Constant(flat, "two", two))
	if err := e.Finish(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Order[1])
	// Output:
	// layer 5 "flat/two" (Constant, opset1), added for layer 2 "flat" (Reshape, opset1)
	// layer 4 "flat/target" (Constant, opset1), added for layer 2 "flat" (Reshape, opset1)
}

func ExampleFind() {
	m, _ := exampletest.Reshape()
	for _, name := range []string{"image", "flat", "flat:0", "flat:1"} {
		s, err := edit.Find(m, name)
		fmt.Println(s.Layer, err)
	}
	// Output:
	// layer 0 "x" (Parameter, opset1) <nil>
	// layer 2 "flat" (Reshape, opset1) <nil>
	// layer 2 "flat" (Reshape, opset1) <nil>
	// <nil> layer 2 "flat" (Reshape, opset1) has no output 1, it has 1
}

// The part between two tensors is a model of its own.
func ExampleExtract() {
	m, err := irxml.ReadFS(os.DirFS("../../examples/classify"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	_, rules := exampletest.Reshape()
	part, err := edit.Extract(context.Background(), m, rules, []string{"image"}, []string{"ReduceMean_4"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(m.Layers), len(part.Layers), part.Results[0].OutputNames, part.Results[0].Inputs[0].Declared)
	// Output: 5 4 [ReduceMean_4] [1,3]
}

// A pass changes a model in place.
func ExampleEditor() {
	m, _ := exampletest.Reshape()
	flat := m.Layers[2]
	e := edit.New(m)
	fmt.Println(e.ReaderCount(edit.First(flat)))
	relu := e.Insert(flat, "relu", "Relu", "opset1", nil, edit.First(flat))
	for _, in := range e.Readers(edit.First(flat)) {
		if in != &relu.Inputs[0] {
			e.Connect(in, edit.First(relu))
		}
	}
	if err := e.Finish(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Order[3], edit.Check(m))
	// Output:
	// 1
	// layer 4 "flat/relu" (Relu, opset1), added for layer 2 "flat" (Reshape, opset1) <nil>
}

// The branches of an If are models that other Builders return. Their ports say which input of the
// layer feeds which Parameter, and which Result gives which output.
func ExampleBuilder_LayerWithBodies() {
	_, rules := exampletest.Reshape()
	branch := func(layerType string) ir.Body {
		b := edit.NewBuilder(context.Background(), rules, layerType)
		x := b.Parameter("x", ir.F32, ir.UnknownRank)
		result := b.Result("y", b.Layer(layerType, 1, nil, x))
		m, err := b.Model()
		if err != nil {
			log.Fatal(err)
		}
		return ir.Body{
			Model: m, Inputs: []ir.BodyPort{{External: 1, Internal: x.Layer}}, Outputs: []ir.BodyPort{{External: 0, Internal: result.Layer}},
		}
	}
	b := edit.NewBuilder(context.Background(), rules, "either")
	condition := b.Parameter("condition", ir.Boolean, ir.ShapeOf())
	x := b.Parameter("x", ir.F32, ir.StaticShape(2, 3))
	y := b.LayerWithBodies("If", 8, nil, []ir.Body{branch("Relu"), branch("Abs")}, 1, condition, x)
	fmt.Println(b.Fact(y).Type, b.Fact(y).Shape)
	b.Result("y", y)
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Order[2])
	// Output:
	// f32 [2,3]
	// layer 2 "If_2" (If, opset8)
}
