package vinoir_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
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

// A model compiled for one number of nodes plans all of its memory before the first inference.
func ExampleOptions() {
	options := vinoir.Options{
		Threads: 1,
		Shapes:  map[string]ir.PartialShape{"nodes": ir.ShapeOf(ir.Dim(5), ir.Dim(2))},
	}
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
