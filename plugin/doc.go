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
// The stages, each in a file of its own:
//
//	registry.go       Type and opset of a layer -> ops.Op
//	compile.go        model -> CompiledModel: support, shapes, passes
//	plan.go           how a model runs for one set of input shapes
//	planner.go        input shapes -> plan, with prepared kernels
//	memory.go         which values share memory, and where they lie in the arena
//	compiledmodel.go  the immutable CompiledModel and its cache of plans
//	bind.go           plan -> tensors in the memory of one InferRequest
//	late.go           layers whose shapes are known only when they run
//	inferrequest.go   inputs, outputs, sync and async inference
//	run.go            the loop over the steps
//	profiling.go      what each layer did, and how long it took
//
// A CompiledModel may be used by any number of goroutines, each with an
// InferRequest of its own. Infer allocates nothing once the request has seen a
// set of input shapes.
package plugin
