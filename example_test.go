package vinoir_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// Inputs and outputs go by the names that the framework gave them, or those of their layers.
func Example() {
	model, err := vinoir.Open("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	nodes, err := ir.TensorFrom([][]float32{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}})
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := model.Infer(context.Background(), vinoir.Tensors{"nodes": nodes})
	if err != nil {
		log.Fatal(err)
	}
	sum, err := ir.DataOf[float32](outputs["sum"])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum)
	// Output: [18 22 2 4 6 8 6 7 14 16]
}

// A program embeds its model, and opens it from an embed.FS.
func ExampleOpenFS() {
	model, err := vinoir.OpenFS(os.DirFS("examples/scatter"), "model.xml")
	if err != nil {
		log.Fatal(err)
	}
	for _, port := range model.Inputs() {
		fmt.Printf("input %s %v%v\n", port.Name, port.Type, port.Shape)
	}
	for _, port := range model.Outputs() {
		fmt.Printf("output %s %v%v\n", port.Names[0], port.Type, port.Shape)
	}
	// Output:
	// input nodes f32[?,2]
	// output sum f32[?,2]
	// output max f32[?,2]
}

// A program builds a model and runs it: examples/build is a longer one.
func ExampleCompile() {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	b := edit.NewBuilder(context.Background(), registry, "squares")
	x := b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim))
	b.Result("y", b.Layer("Multiply", 1, edit.Attributes("auto_broadcast", "numpy"), x, x))
	built, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	model, err := vinoir.Compile(built)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	input, err := ir.TensorFrom([]float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := model.Infer(context.Background(), vinoir.Tensors{"x": input})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ir.Data[float32](outputs["y"]))
	// Output: [1 4 9]
}

// The part of a network up to a layer computes features.
func ExampleOptions_Compile() {
	ctx := context.Background()
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	whole, err := irxml.ReadFile("examples/classify/model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	part, err := edit.Extract(ctx, whole, registry, nil, []string{"ReduceMean_4"})
	if err != nil {
		log.Fatal(err)
	}
	model, err := vinoir.Options{CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1}}.Compile(part)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fmt.Println(model.Outputs()[0].Name, model.Outputs()[0].Shape)
	// Output: ReduceMean_4 [1,3]
}

// A model compiled for one number of nodes plans all of its memory before the first inference.
func ExampleOptions() {
	options := vinoir.Options{CompileOptions: plugin.CompileOptions{
		InferenceNumThreads: 1,
		Reshape:             map[string]ir.PartialShape{"nodes": ir.ShapeOf(ir.Dim(5), ir.Dim(2))},
	}}
	model, err := options.Open("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Inputs()[0].Shape)
	// Output: [5,2]
}

// The error of an unknown name lists the names there are.
func ExampleTensors_Get() {
	model, err := vinoir.Open("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	nodes, err := ir.NewTensor(ir.F32, 5, 2)
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := model.Infer(context.Background(), vinoir.Tensors{"nodes": nodes})
	if err != nil {
		log.Fatal(err)
	}
	_, err = outputs.Get("mean")
	fmt.Println(err)
	_, err = model.Infer(context.Background(), vinoir.Tensors{"edges": nodes})
	fmt.Println(err)
	// Output:
	// tensor "mean": the model has no tensor of that name, it has "Result_10", "Result_11", "max", "sum"
	// input "edges": the model has no input of that name, it has "nodes"
}

// A Model is safe for concurrent use, and describes its inputs and outputs.
func ExampleModel() {
	model, err := vinoir.Open("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	fmt.Println(model.Inputs()[0].Name, len(model.Outputs()))
	nodes, err := ir.NewTensor(ir.F32, 5, 2)
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := model.Infer(context.Background(), vinoir.Tensors{"nodes": nodes})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outputs["sum"].Shape())

	// The compiled model gives control of requests, memory and states.
	request := model.Compiled().NewInferRequest()
	fmt.Println(len(request.QueryState()))
	// Output:
	// nodes 2
	// [5,2]
	// 0
}

func ExampleOpen() {
	model, err := vinoir.Open("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Inputs()[0].Shape)
	// Output: [?,2]
}

// The two files of a model can come from anywhere, such as a database.
func ExampleRead() {
	xml, err := os.ReadFile("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	bin, err := os.ReadFile("examples/scatter/model.bin")
	if err != nil {
		log.Fatal(err)
	}
	model, err := vinoir.Read(xml, bin)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Inputs()[0].Shape)
	// Output: [?,2]
}

// A service that runs models of strangers limits what they can ask for.
func ExampleOptions_Read() {
	xml, err := os.ReadFile("examples/scatter/model.xml")
	if err != nil {
		log.Fatal(err)
	}
	options := vinoir.Options{
		Limits:  plugin.Options{MaxTotalBytes: 64 << 20, MaxTensorBytes: 16 << 20},
		Reading: irxml.ReadOptions{Limits: irxml.Limits{XMLBytes: 100}},
	}
	_, err = options.Read(xml, nil)
	fmt.Println(err)
	// Output: the XML is longer than the limit of 100 bytes
}

// A service that answers many requests at the same time gives each of them one thread.
func ExampleOptions_OpenFS() {
	options := vinoir.Options{CompileOptions: plugin.CompileOptions{
		InferenceNumThreads: 2,
		PerformanceHint:     plugin.PerformanceHintThroughput,
		ExecutionMode:       plugin.ExecutionModeAccuracy,
	}}
	model, err := options.OpenFS(os.DirFS("examples/scatter"), "model.xml")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(model.Compiled().OptimalRequests())
	// Output: 2
}
