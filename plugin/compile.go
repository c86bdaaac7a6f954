package plugin

import (
	"context"
	"errors"
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
	defer control.Guard(&err)
	if options, err = options.withDefaults(); err != nil {
		return nil, err
	}
	model, shapes, err := c.prepare(ctx, model, &options)
	if err != nil {
		return nil, err
	}
	inputs, outputs := Ports(model, shapes)
	model = model.Clone() // the passes change it
	env, err := c.newEnvironment(model, shapes, &options)
	if err != nil {
		return nil, err
	}
	o := c.newOptimizer(ctx, env, &options)
	defer o.Close()
	optimized, err := graph.Compile(ctx, o, model, shapes)
	if err != nil {
		return nil, err
	}
	main, err := plan.New(ctx, optimized)
	if err != nil {
		return nil, err
	}
	compiled = &CompiledModel{
		env: env, program: main, inputs: inputs, outputs: outputs,
		inputIndices: portIndices(inputs), outputIndices: portIndices(outputs), profiling: options.EnableProfiling,
	}
	for name := range o.Types {
		compiled.layerTypes = append(compiled.layerTypes, name)
	}
	sort.Strings(compiled.layerTypes)
	for range options.NumStreams {
		compiled.pools = append(compiled.pools, parallel.NewWith(parallel.Options{
			Threads: env.Threads, IdleAtOnce: options.IdleAtOnce, Measure: options.EnableProfiling, Simulate: options.SimulateThreads,
		}))
	}
	return compiled, nil
}

// prepare returns model with the shapes of options, which must be a model that can run, and what is
// inferred of it.
func (c *Core) prepare(ctx context.Context, model *ir.Model, options *CompileOptions) (*ir.Model, *infer.Shapes, error) {
	if len(options.Reshape) > 0 {
		var err error
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
	if err := checkConstants(model); err != nil {
		return nil, nil, err
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

// checkConstants returns an error if a Constant of model or of a body in it has no value.
func checkConstants(model *ir.Model) error {
	for layer := range model.AllLayers() {
		if layer.Type == "Constant" && layer.Constant == nil {
			return control.AtLayer(layer, errors.New("the value is not known: the model was read without its .bin"))
		}
	}
	return nil
}

// newEnvironment returns the environment for model, which has the given shapes.
func (c *Core) newEnvironment(model *ir.Model, shapes *infer.Shapes, options *CompileOptions) (*graph.Environment, error) {
	variables, index, err := graph.FindVariables(c.registry, model, shapes)
	if err != nil {
		return nil, err
	}
	e := &graph.Environment{
		Registry: c.registry, Exceeded: newMemoryError(c.options.MaxModelBytes), Threads: options.InferenceNumThreads / options.NumStreams,
		Fold: !options.disables(FoldConstants), Fuse: !options.disables(FuseStages),
		Accurate:  options.ExecutionMode == ExecutionModeAccuracy,
		Group:     options.quantizationGroup(),
		Rounded:   options.roundedTo(),
		KVCache:   options.kvCachePrecision(model),
		Variables: variables, VariableIndex: index,
		Memory: memory.NewCompiled(model, memory.Limits(c.options)),
	}
	return e, nil
}

// newOptimizer returns an optimizer with the passes that options leave. The caller closes it.
func (c *Core) newOptimizer(ctx context.Context, env *graph.Environment, options *CompileOptions) *graph.Optimizer {
	passes := slices.DeleteFunc(allPasses(), func(p graph.Pass) bool { return options.disables(Optimization(p.Name)) })
	pool := parallel.NewWith(parallel.Options{Threads: options.InferenceNumThreads, IdleAtOnce: options.IdleAtOnce})
	return graph.NewOptimizer(ctx, env, passes, pool, c.checkPass)
}
