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

// compileExample returns the model of examples/scatter, whose input "nodes" is f32[?,2].
func compileExample(options plugin.CompileOptions) *plugin.CompiledModel {
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(context.Background(), model, options)
	if err != nil {
		log.Fatal(err)
	}
	return compiled
}

// This example runs more inferences than there are processors. Submit waits while all requests are in
// use, and the results come in the order of the inputs.
func ExampleQueue() {
	ctx := context.Background()
	compiled := compileExample(plugin.CompileOptions{PerformanceHint: plugin.PerformanceHintThroughput})
	defer compiled.Close()
	queue, err := compiled.NewQueue(plugin.QueueOptions{Ordered: true})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 5 {
		nodes, err := ir.NewTensor(ir.F32, 5, 2)
		if err != nil {
			log.Fatal(err)
		}
		ir.Data[float32](nodes)[0] = float32(i)
		err = queue.Submit(ctx, []*ir.Tensor{nodes}, func(request *plugin.InferRequest, err error) {
			if err == nil {
				fmt.Println(i, ir.Data[float32](request.Output(0))[:4])
			}
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := queue.Close(); err != nil { // waits for all inferences, and has the error of the first that failed
		log.Fatal(err)
	}
	// Output:
	// 0 [0 0 0 0]
	// 1 [1 0 1 0]
	// 2 [2 0 2 0]
	// 3 [3 0 3 0]
	// 4 [4 0 4 0]
}

// This example stops the inferences of a queue when one fails.
func ExampleQueue_Wait() {
	compiled := compileExample(plugin.CompileOptions{PerformanceHint: plugin.PerformanceHintThroughput})
	defer compiled.Close()
	queue, err := compiled.NewQueue(plugin.QueueOptions{Requests: compiled.OptimalRequests() + 1})
	if err != nil {
		log.Fatal(err)
	}
	defer queue.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	nodes, err := ir.NewTensor(ir.F32, 1, 2) // too few for the edges in the model
	if err != nil {
		log.Fatal(err)
	}
	err = queue.Submit(ctx, []*ir.Tensor{nodes}, func(_ *plugin.InferRequest, err error) {
		if err != nil {
			cancel()
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(queue.Wait(context.Background()))
	// Output: inference 0: layer 8 "sum" (ScatterElementsUpdate, opset12): index 1 at position [0 0] is outside [-1,0]
}
