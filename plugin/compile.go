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
	model, shapes, err := c.prepare(ctx, model, &options)
	if err != nil {
		return nil, err
	}
	optimized, err := c.optimize(ctx, model, shapes, &options)
	if err != nil {
		return nil, err
	}
	program, err := plan.New(ctx, optimized)
	if err != nil {
		return nil, err
	}
	compiled = &CompiledModel{env: optimized.Env, program: program, profiling: options.EnableProfiling}
	compiled.inputs, compiled.outputs = Ports(model, shapes)
	compiled.inputIndices, compiled.outputIndices = portIndices(compiled.inputs), portIndices(compiled.outputs)
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

// prepare returns model with the shapes of options, which must be a model that can run, and what is
// inferred of it. It replaces the zero values of options.
func (c *Core) prepare(ctx context.Context, model *ir.Model, options *CompileOptions) (_ *ir.Model, _ *infer.Shapes, err error) {
	if *options, err = options.withDefaults(); err != nil {
		return nil, nil, err
	}
	if len(options.Reshape) > 0 {
		if model, err = reshape.Inputs(ctx, model, c.registry, options.Reshape); err != nil {
			return nil, nil, err
		}
	}
	shapes, err := infer.Propagate(ctx, model, c.registry, nil)
	if shapes == nil {
		return nil, nil, err // that of ctx
	}
	if unsupported := c.QueryShapes(model, shapes); unsupported != nil {
		return nil, nil, unsupported
	}
	for layer := range model.AllLayers() {
		if layer.Type == "Constant" && layer.Constant == nil {
			return nil, nil, control.AtLayer(layer, errors.New("the value is not known: the model was read without its .bin"))
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, layer := range model.Parameters {
		if shapes.Outputs(layer)[0].Type == ir.Dynamic {
			return nil, nil, control.AtLayer(layer, errors.New("the element type of the input is not known"))
		}
	}
	return model, shapes, nil
}

// optimize returns the graph that the passes make of model, which has the given shapes.
func (c *Core) optimize(ctx context.Context, model *ir.Model, shapes *infer.Shapes, options *CompileOptions) (*graph.Program, error) {
	compiler := graph.Compiler{
		Env: &graph.Environment{
			Registry: c.registry, Exceeded: newMemoryError(c.options.MaxModelBytes), Threads: options.InferenceNumThreads / options.NumStreams,
			Fold: !options.disables(FoldConstants), Fuse: !options.disables(FuseStages),
			Accurate: options.ExecutionMode == ExecutionModeAccuracy,
			Group:    options.quantizationGroup(),
			Rounded:  options.roundedTo(),
			KVCache:  options.kvCachePrecision(model),
		},
		Limits: memory.Limits(c.options),
		Passes: slices.DeleteFunc(allPasses(), func(p graph.Pass) bool { return options.disables(Optimization(p.Name)) }),
		Pool:   parallel.NewWith(parallel.Options{Threads: options.InferenceNumThreads, IdleAtOnce: options.IdleAtOnce}),
		Check:  c.checkPass,
	}
	defer compiler.Pool.Close()
	return compiler.Compile(ctx, model, shapes)
}
