package plugin_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// This example reads and compiles a model, and runs one inference with an input that is set by name.
func Example() {
	ctx := context.Background()
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(ctx, model, plugin.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer compiled.Close()
	nodes, err := ir.TensorOf(ir.F32, ir.Shape{5, 2}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	if err != nil {
		log.Fatal(err)
	}
	request := compiled.NewInferRequest()
	if err := request.SetInputByName("nodes", nodes); err != nil {
		log.Fatal(err)
	}
	if err := request.Infer(ctx); err != nil {
		log.Fatal(err)
	}
	sum, err := request.OutputByName("sum")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ir.Data[float32](sum))
	// Output: [18 22 2 4 6 8 6 7 14 16]
}

// This example runs several inferences of one CompiledModel at the same time. Each needs its own
// InferRequest.
func ExampleInferRequest_StartAsync() {
	ctx := context.Background()
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(ctx, model, plugin.CompileOptions{
		PerformanceHint: plugin.PerformanceHintThroughput,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer compiled.Close()
	var requests []*plugin.InferRequest
	for i := range 3 {
		nodes, err := ir.NewTensor(ir.F32, 5, 2)
		if err != nil {
			log.Fatal(err)
		}
		ir.Data[float32](nodes)[0] = float32(i)
		request := compiled.NewInferRequest()
		if err := request.SetInput(0, nodes); err != nil {
			log.Fatal(err)
		}
		if err := request.StartAsync(ctx); err != nil {
			log.Fatal(err)
		}
		requests = append(requests, request)
	}
	for _, request := range requests {
		if err := request.Wait(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println(ir.Data[float32](request.Output(0))[:4])
	}
	// Output:
	// [0 0 0 0]
	// [1 0 1 0]
	// [2 0 2 0]
}
