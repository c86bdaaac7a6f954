package plugin

import (
	"context"
	"errors"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
	"github.com/vinoir/vinoir/plugin/passes"
)

// CompileModel makes model ready to run. It does not change model, whose
// constants the CompiledModel shares. The error is an *UnsupportedError that lists
// every layer without a kernel, or joins an *ir.LayerError for each layer at fault.
func (c *Core) CompileModel(ctx context.Context, model *ir.Model, options CompileOptions) (compiled *CompiledModel, err error) {
	defer guard(&err)
	if options, err = options.withDefaults(); err != nil {
		return nil, err
	}
	if len(options.Reshape) > 0 {
		if model, err = reshape.Inputs(model, c.registry, options.Reshape); err != nil {
			return nil, err
		}
	}
	if unsupported := c.QueryModel(model); unsupported != nil {
		return nil, unsupported
	}
	for _, layer := range model.Order {
		if layer.Type == "Constant" && layer.Constant == nil {
			return nil, atLayer(layer, errors.New("the value is not known: the model was read without its .bin"))
		}
	}
	shapes, err := infer.Propagate(model, c.registry, nil)
	if err != nil {
		return nil, err
	}
	for _, layer := range model.Parameters {
		if shapes.Outputs(layer)[0].Type == ir.Dynamic {
			return nil, atLayer(layer, errors.New("the element type of the input is not known"))
		}
	}
	compiled = newCompiledModel(c, model, shapes, options)
	if compiled.model, err = compiled.rewrite(ctx, model, shapes); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	compiled.fold, compiled.fuse = options.has(passes.FoldConstants), options.has(passes.FuseStages)
	compiled.isResult = make([]bool, len(compiled.model.Layers))
	for _, layer := range compiled.model.Results {
		compiled.isResult[layer.Index] = true
	}
	if facts := compiled.inputFacts(); allStatic(facts) {
		if compiled.static, err = newPlan(compiled, facts); err != nil {
			return nil, err
		}
	}
	return compiled, nil
}

func allStatic(facts []ir.Fact) bool {
	return !slices.ContainsFunc(facts, func(f ir.Fact) bool { return !f.Shape.IsStatic() })
}
