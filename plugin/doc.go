// Package plugin compiles a Model for the CPU and runs it.
//
//	registry, err := plugin.NewRegistry(builtin.Ops()...)
//	core := plugin.NewCore(registry, plugin.Options{})
//	compiled, err := core.CompileModel(ctx, model, plugin.CompileOptions{})
//	request := compiled.NewInferRequest()
//	err = request.SetInput(0, tensor)
//	err = request.Infer(ctx)
//	output := request.Output(0)
//
// A CompiledModel can be used by any number of goroutines, each with its own InferRequest. Infer
// does not allocate once the request has run with the same input shapes, unless shapes depend on
// values, or on lengths that plans leave open, and these change.
//
// The files, in the order of the data:
//
//	core.go            Core, its limits, and the error for a model that needs more memory
//	registry.go        type and opset of a layer -> ops.Op, what OpenVINO's opsets relabel and leave out
//	unsupported.go     QueryModel: layers without a kernel
//	compileoptions.go  CompileOptions
//	optimization.go    all optimizations and passes, in their order
//	compile.go         CompileModel: Model -> CompiledModel
//	optimized.go       Optimize: the graph after the passes as a Model
//	compiledmodel.go   CompiledModel, the immutable result
//	port.go            inputs and outputs of a model, and their indices by name
//	inferrequest.go    InferRequest: inputs, outputs, sync and async inference
//	overlap.go         outputs of the caller that share memory with inputs
//	copyoutputs.go     copies of the outputs, within the budget
//	queue.go           Queue: many inferences at the same time
//	state.go           State: the variables of a request
//	profiling.go       ProfilingInfo
//
// The stages below, each of which imports only those before it:
//
//	internal/control   what ends work early: contexts, locks, panics
//	internal/memory    what a compiled model keeps, and the ledgers that count it
//	internal/graph     a model and its bodies -> programs: runs passes, folds constants
//	internal/passes    the passes that every program has; families list others, see ops.Pass
//	internal/plan      program + input shapes -> plan: steps, memory, prepared kernels
//	internal/run       plan + memory of a request -> results
package plugin
