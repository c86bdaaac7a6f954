package plugin

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
	"github.com/vinoir/vinoir/plugin/internal/plan"
)

// CompileModel returns model ready to run. It does not change model; the CompiledModel shares its
// constants. The error is an *UnsupportedError, which lists all layers without a kernel, or it
// joins an *ir.LayerError for each layer that cannot be inferred.
func (c *Core) CompileModel(ctx context.Context, model *ir.Model, options CompileOptions) (compiled *CompiledModel, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // for constants that are mapped
	defer control.Guard(&err)
	optimized, inputs, outputs, err := c.optimized(ctx, model, &options)
	if err != nil {
		return nil, err
	}
	program, err := plan.New(ctx, optimized)
	if err != nil {
		return nil, err
	}
	compiled = &CompiledModel{
		env: optimized.Env, program: program, profiling: options.EnableProfiling,
		inputs: inputs, outputs: outputs, inputIndices: portIndices(inputs), outputIndices: portIndices(outputs),
	}
	for name := range optimized.Env.LayerTypes {
		compiled.layerTypes = append(compiled.layerTypes, name)
	}
	sort.Strings(compiled.layerTypes)
	for range options.NumStreams {
		compiled.pools = append(compiled.pools, parallel.NewWith(parallel.Options{
			Threads: optimized.Env.Threads, IdleAtOnce: options.IdleAtOnce, Simulate: options.SimulateThreads,
		}))
	}
	return compiled, nil
}

// optimized returns the graph that the passes make of model, and the inputs and outputs of model
// with the shapes of options. It replaces the zero values of options.
func (c *Core) optimized(ctx context.Context, model *ir.Model, options *CompileOptions) (_ *graph.Program, inputs, outputs []Port, err error) {
	if *options, err = options.withDefaults(); err != nil {
		return nil, nil, nil, err
	}
	if len(options.Reshape) > 0 {
		if model, err = reshape.Inputs(ctx, model, c.registry, options.Reshape); err != nil {
			return nil, nil, nil, err
		}
	}
	shapes, err := infer.Propagate(ctx, model, c.registry, nil)
	if shapes == nil {
		return nil, nil, nil, err // that of ctx
	}
	unsupported, unread := c.query(model, shapes)
	switch {
	case unsupported != nil:
		return nil, nil, nil, unsupported
	case unread != nil:
		return nil, nil, nil, control.AtLayer(unread, errors.New("the value is not known: the model was read without its .bin"))
	case err != nil:
		return nil, nil, nil, err
	}
	inputs, outputs = Ports(model, shapes)
	for i := range inputs {
		if inputs[i].Type == ir.Dynamic {
			return nil, nil, nil, control.AtLayer(model.Parameters[i], errors.New("the element type of the input is not known"))
		}
	}
	env := &graph.Environment{
		Registry: c.registry, Exceeded: newMemoryError(c.options.MaxModelBytes), Threads: options.InferenceNumThreads / options.NumStreams,
		Fold: !options.disables(FoldConstants), Fuse: !options.disables(FuseStages),
		Accurate: options.ExecutionMode == ExecutionModeAccuracy,
		Group:    options.quantizationGroup(),
		Rounded:  options.roundedTo(),
		KVCache:  options.kvCachePrecision(model),
	}
	model = model.Clone()
	if err := env.SetModel(model, shapes, memory.Limits(c.options)); err != nil {
		return nil, nil, nil, err
	}
	if options.ShareWeights != nil {
		env.ShareWeights(options.ShareWeights.env, model)
	}
	compiler := graph.Compiler{
		Env:    env,
		Passes: slices.DeleteFunc(c.registry.passes(), func(p graph.Pass) bool { return options.disables(Optimization(p.Name)) }),
		Pool:   parallel.NewWith(parallel.Options{Threads: options.InferenceNumThreads, IdleAtOnce: options.IdleAtOnce}),
		Check:  c.checkPass,
	}
	defer compiler.Pool.Close()
	program, err := compiler.Compile(ctx, model, shapes)
	return program, inputs, outputs, err
}
