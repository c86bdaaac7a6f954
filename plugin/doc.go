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
// does not allocate once the request has run with the same input shapes, unless shapes depend on values
// that change.
//
// The files, in the order of the data:
//
//	core.go            Core and its limits
//	registry.go        type and opset of a layer -> ops.Op
//	opsets.go          what OpenVINO's opsets relabel and leave out
//	unsupported.go     QueryModel: layers without a kernel
//
//	compile.go         CompileModel: Model -> CompiledModel
//	compileoptions.go  CompileOptions
//	optimization.go    all optimizations and passes, in their order
//	compiledmodel.go   CompiledModel, the immutable result
//	port.go            inputs and outputs of a model, and their indices by name
//
//	environment.go     what all plans share: registry, limits, threads, packed weights
//	optimized.go       Optimize: the graph after the passes as a Model
//	optimize.go        runs the passes of plugin/internal/passes on a graph
//	evaluate.go        constant folding: computes a layer at compile time
//	need.go            planning: limits the memory of a model and of a request together
//	program.go         a graph (the model or a body) after the passes, and its cache of plans
//
//	openlengths.go     lengths of inputs that plans leave unknown
//	planner.go         program + input shapes -> plan
//	fusion.go          planning: which elementwise layers run in the kernel before them
//	prepare.go         planning: prepares the kernels
//	sharing.go         planning: which values share memory
//	placement.go       planning: lifetimes and offsets of values
//	arena.go           planning: allocates ranges of one block
//	plan.go            plan, the immutable result: values and steps
//
//	inferrequest.go    InferRequest: inputs, outputs, sync and async inference
//	copyoutputs.go     copies of the outputs, within the budget
//	queue.go           Queue: many inferences at the same time
//	execution.go       runs a program in the memory of a request
//	bind.go            plan -> tensors in the memory of an execution
//	late.go            layers whose shapes are known only at run time
//	requestmemory.go   the memory of an execution, and the budget of a request
//	reserved.go        what kernels reserve at run time
//	state.go           variables, QueryState
//	stateappend.go     variables that grow where they are
//	profiling.go       ProfilingInfo
//
// Below it stand the packages of its stages, each of which imports only those before it: control has what ends
// work early, memory what a compiled model keeps and what counts it, graph
// what a pass works on, passes the passes themselves.
package plugin
