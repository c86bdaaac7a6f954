package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/gather"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/plugin"
)

// This example reads and compiles a model, and runs one inference with an input that is set by
// name.
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

// This example runs more inferences than there are processors. Submit waits while all requests are
// in use, and the results come in the order of the inputs.
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
	// waits for all inferences, and has the error of the first that failed
	if err := queue.Close(); err != nil {
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

// A Core compiles models with the layer types of a registry.
func ExampleCore() {
	ctx := context.Background()
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	core := plugin.NewCore(registry, plugin.Options{MaxTotalBytes: 1 << 20})
	unsupported, err := core.QueryModel(ctx, model)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(unsupported == nil)
	compiled, err := core.CompileModel(ctx, model, plugin.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer compiled.Close()
	fmt.Println(compiled.Inputs()[0].Name)
	// Output:
	// true
	// nodes
}

// QueryShapes saves inferring a model twice. The result lists what the registry lacks, and where it
// is.
func ExampleCore_QueryShapes() {
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(slices.Concat(constant.Ops, gather.Ops, parameter.Ops, result.Ops)...)
	if err != nil {
		log.Fatal(err)
	}
	// the error is that of the missing type
	shapes, _ := infer.Propagate(context.Background(), model, registry, nil)
	fmt.Println(plugin.NewCore(registry, plugin.Options{}).QueryShapes(model, shapes).Layers[0].Layer)
	// Output: layer 8 "sum" (ScatterElementsUpdate, opset12)
}

func ExampleUnsupportedError() {
	registry, err := plugin.NewRegistry()
	if err != nil {
		log.Fatal(err)
	}
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = plugin.NewCore(registry, plugin.Options{}).CompileModel(context.Background(), model, plugin.CompileOptions{})
	var unsupported *plugin.UnsupportedError
	if errors.As(err, &unsupported) {
		fmt.Println(len(unsupported.Layers))
	}
	// Output: 11
}

func ExampleUnsupportedLayerError() {
	registry, err := plugin.NewRegistry()
	if err != nil {
		log.Fatal(err)
	}
	_, err = registry.Op(&ir.Layer{Type: "Relu", Opset: "opset1"})
	var unsupported *plugin.UnsupportedLayerError
	if errors.As(err, &unsupported) {
		fmt.Println(unsupported.Type, unsupported.Unsupported())
	}
	fmt.Println(err)
	// Output:
	// Relu true
	// layer type Relu of opset1 is not supported: no such type is registered; it is in the Ops of github.com/vinoir/vinoir/ops/unary
}

// A registry of few families links only those.
func ExampleRegistry() {
	registry, err := plugin.NewRegistry(slices.Concat(constant.Ops, gather.Ops, parameter.Ops, result.Ops)...)
	if err != nil {
		log.Fatal(err)
	}
	for _, op := range registry.Ops() {
		fmt.Println(op.Type, op.Version)
	}
	layer := &ir.Layer{Type: "Gather", Opset: "opset7"}
	op, err := registry.Op(layer) // the newest revision that the opset has
	fmt.Println(op.Type, op.Version, err)
	rule, err := registry.Rule(layer)
	fmt.Println(rule.Inputs, err)
	// Output:
	// Constant 1
	// Gather 1
	// Gather 7
	// Gather 8
	// Parameter 1
	// Result 1
	// Gather 7 <nil>
	// 3 <nil>
}

// A CompiledModel describes itself.
func ExampleCompiledModel() {
	compiled := compileExample(plugin.CompileOptions{
		InferenceNumThreads: 2, PerformanceHint: plugin.PerformanceHintThroughput,
		Reshape: map[string]ir.PartialShape{"nodes": ir.StaticShape(5, 2)},
	})
	defer compiled.Close()
	for _, port := range slices.Concat(compiled.Inputs(), compiled.Outputs()) {
		fmt.Println(port.Name, port.Type, port.Shape)
	}
	fmt.Println(compiled.InputIndex("nodes"))
	fmt.Println(compiled.OutputIndex("max"))
	fmt.Println(compiled.Threads(), compiled.OptimalRequests())
	fmt.Println(compiled.LayerTypes())
	cost, ok := compiled.Cost() // of static shapes
	fmt.Println(cost.Bytes > 0, ok)
	memory, ok := compiled.Memory()
	fmt.Println(memory.Kept, memory.Arena == cost.Bytes, ok)
	queue, err := compiled.NewQueue(plugin.QueueOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(queue.Close(), compiled.NewInferRequest() != nil)
	// Output:
	// nodes f32 [5,2]
	// sum f32 [5,2]
	// max f32 [5,2]
	// 0 <nil>
	// 1 <nil>
	// 2 2
	// [Constant Gather Parameter Result ScatterElementsUpdate]
	// true true
	// 0 true true
	// <nil> true
}

// A request is set up and run in a loop without allocations.
func ExampleInferRequest() {
	ctx := context.Background()
	compiled := compileExample(plugin.CompileOptions{Reshape: map[string]ir.PartialShape{"nodes": ir.StaticShape(5, 2)}})
	defer compiled.Close()
	nodes, err := ir.NewTensor(ir.F32, 5, 2)
	if err != nil {
		log.Fatal(err)
	}
	sum, err := ir.NewTensor(ir.F32, 5, 2)
	if err != nil {
		log.Fatal(err)
	}
	request := compiled.NewInferRequest()
	fmt.Println(len(request.QueryState()), "variables")
	if err := request.SetInputByName("nodes", nodes); err != nil {
		log.Fatal(err)
	}
	if err := request.SetOutput(0, sum); err != nil { // memory of the caller
		log.Fatal(err)
	}
	for step := range 3 {
		ir.Data[float32](request.Input(0))[0] = float32(step)
		if err := request.Infer(ctx); err != nil {
			log.Fatal(err)
		}
		largest, err := request.OutputByName("max") // memory of the request
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ir.Data[float32](sum)[2], ir.Data[float32](largest)[2])
	}
	// Output:
	// 0 variables
	// 0 0
	// 1 1
	// 2 2
}

// This example keeps the outputs of an inference beyond the next one.
func ExampleInferRequest_CopyOutputs() {
	ctx := context.Background()
	compiled := compileExample(plugin.CompileOptions{})
	defer compiled.Close()
	request := compiled.NewInferRequest()
	outputs := make([][]*ir.Tensor, 2)
	for i := range outputs {
		nodes, err := ir.TensorOf(ir.F32, ir.Shape{5, 2}, slices.Repeat([]float32{float32(i)}, 10))
		if err != nil {
			log.Fatal(err)
		}
		if err := request.SetInputByName("nodes", nodes); err != nil {
			log.Fatal(err)
		}
		if err := request.Infer(ctx); err != nil {
			log.Fatal(err)
		}
		if outputs[i], err = request.CopyOutputs(ctx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(ir.Data[float32](outputs[0][0]), ir.Data[float32](outputs[1][0]))
	// Output: [0 0 0 0 0 0 0 0 0 0] [4 4 2 2 2 2 1 1 2 2]
}

// With EnableProfiling, a request knows which kernels ran, and how long they took.
func ExampleInferRequest_ProfilingInfo() {
	ctx := context.Background()
	compiled := compileExample(plugin.CompileOptions{EnableProfiling: true})
	defer compiled.Close()
	nodes, err := ir.NewTensor(ir.F32, 5, 2)
	if err != nil {
		log.Fatal(err)
	}
	request := compiled.NewInferRequest()
	if err := request.SetInput(0, nodes); err != nil {
		log.Fatal(err)
	}
	if err := request.Infer(ctx); err != nil {
		log.Fatal(err)
	}
	for _, info := range request.ProfilingInfo() {
		fmt.Println(info.NodeType, info.Outputs, info.Bytes, len(info.Fused))
	}
	// Output:
	// Gather [[6,2]] 152 0
	// ScatterElementsUpdate [[5,2]] 232 0
	// ScatterElementsUpdate [[5,2]] 232 0
}

// The variables of a model, such as the state of a recurrent network, can be kept, read and set.
func ExampleState() {
	ctx := context.Background()
	model, err := irxml.ReadFile("../testdata/ir/Assign-6/f32/model.xml", irxml.ReadOptions{})
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
	ones, err := ir.NewTensor(ir.F32, 4, 1, 3)
	if err != nil {
		log.Fatal(err)
	}
	for i := range ir.Data[float32](ones) {
		ir.Data[float32](ones)[i] = 1
	}
	request := compiled.NewInferRequest()
	for i := range compiled.Inputs() {
		if err := request.SetInput(i, ones); err != nil {
			log.Fatal(err)
		}
	}
	state := request.QueryState()[0]
	fmt.Println(state.Name(), state.Type(), state.Shape())
	_, err = state.Get()
	fmt.Println(errors.Is(err, plugin.ErrNoValue))
	for range 2 {
		if err := request.Infer(ctx); err != nil {
			log.Fatal(err)
		}
		value, err := state.Get()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ir.Data[float32](value)[0])
	}
	if err := state.Set(ones); err != nil {
		log.Fatal(err)
	}
	if err := state.Truncate(0, 4); err != nil { // keeps all 4 rows
		log.Fatal(err)
	}
	if err := state.Reset(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// v f32 [4,1,3]
	// true
	// 2
	// 3
}

// A port is found by each of its names.
func ExamplePort() {
	compiled := compileExample(plugin.CompileOptions{})
	defer compiled.Close()
	for _, port := range compiled.Outputs() {
		fmt.Println(port.AllNames(), port.Type, port.Shape)
	}
	// Output:
	// [sum Result_10] f32 [?,2]
	// [max Result_11] f32 [?,2]
}

// Ports are known without compiling.
func ExamplePorts() {
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{NoBin: true})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	shapes, err := infer.Propagate(context.Background(), model, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	inputs, outputs := plugin.Ports(model, shapes)
	fmt.Println(inputs[0].Name, inputs[0].Shape, len(outputs))
	// Output: nodes [?,2] 2
}

func ExampleParsePerformanceHint() {
	fmt.Println(plugin.ParsePerformanceHint("throughput"))
	fmt.Println(plugin.ParsePerformanceHint("fast"))
	// Output:
	// THROUGHPUT <nil>
	// LATENCY "fast" is not a performance hint; there are LATENCY, THROUGHPUT and CUMULATIVE_THROUGHPUT
}

func ExamplePerformanceHint() {
	compiled := compileExample(plugin.CompileOptions{PerformanceHint: plugin.PerformanceHintLatency, InferenceNumThreads: 2})
	defer compiled.Close()
	fmt.Println(plugin.PerformanceHintLatency, compiled.OptimalRequests())
	// Output: LATENCY 1
}

// BF16 is used where the processor has instructions for it.
func ExampleCompiledModel_InferencePrecision() {
	compiled := compileExample(plugin.CompileOptions{InferencePrecision: ir.F32})
	defer compiled.Close()
	fmt.Println(compiled.InferencePrecision())
	// Output: f32
}

// A model without attention to states has no keys and values to keep.
func ExampleCompiledModel_KVCachePrecision() {
	compiled := compileExample(plugin.CompileOptions{KVCachePrecision: ir.U8})
	defer compiled.Close()
	fmt.Println(compiled.KVCachePrecision())
	// Output: dynamic
}

func ExampleParseExecutionMode() {
	fmt.Println(plugin.ParseExecutionMode("accuracy"))
	// Output: ACCURACY <nil>
}

func ExampleExecutionMode() {
	compiled := compileExample(plugin.CompileOptions{ExecutionMode: plugin.ExecutionModeAccuracy})
	defer compiled.Close()
	fmt.Println(plugin.ExecutionModeAccuracy)
	// Output: ACCURACY
}

// To find which optimization changes a result, compile without each of them.
func ExampleOptimizations() {
	for _, optimization := range plugin.Optimizations()[:2] {
		compiled := compileExample(plugin.CompileOptions{Disable: []plugin.Optimization{optimization}})
		fmt.Println("without", optimization)
		compiled.Close()
	}
	// Output:
	// without ComputeInF32
	// without ConvertAfterGather
}

// This example gives a model three quarters of the memory of the machine or the container.
func ExampleSystemMemory() {
	var options plugin.Options
	if memory := plugin.SystemMemory(); memory > 0 {
		options.MaxModelBytes = memory / 4 * 3
	}
	fmt.Println(options.MaxModelBytes >= 0)
	// Output: true
}

// This example compiles a model for a board whose memory is too small for it.
func ExampleMemoryError() {
	model, err := irxml.ReadFS(os.DirFS("../examples/scatter"), "model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		log.Fatal(err)
	}
	options := plugin.CompileOptions{Reshape: map[string]ir.PartialShape{"nodes": ir.StaticShape(5, 2)}}
	_, err = plugin.NewCore(registry, plugin.Options{MaxModelBytes: 100}).CompileModel(context.Background(), model, options)
	if e, ok := errors.AsType[*plugin.MemoryError](err); ok {
		fmt.Println(e.Weights, "bytes for weights,", e.Arena, "for values")
	}
	// Output: 152 bytes for weights, 192 for values
}
