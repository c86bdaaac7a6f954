package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
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
		if model, err = model.Reshape(c.registry, options.Reshape); err != nil {
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
	shapes, err := ir.Propagate(model, c.registry, nil)
	if err != nil {
		return nil, err
	}
	for _, layer := range model.Parameters {
		if shapes.Outputs(layer)[0].Type == ir.Dynamic {
			return nil, atLayer(layer, errors.New("the element type of the input is not known"))
		}
	}
	compiled = newCompiledModel(c, model, shapes, options)
	if compiled.model, err = c.rewrite(ctx, model, shapes, compiled.inputFacts(), options); err != nil {
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

// rewrite runs the passes on a copy of model.
func (c *Core) rewrite(ctx context.Context, model *ir.Model, shapes *ir.Shapes, inputs []ir.Fact, options CompileOptions) (*ir.Model, error) {
	if len(options.Passes) == 0 {
		return model, nil
	}
	e := evaluator{core: c, left: c.options.MaxTotalBytes, pool: parallel.New(options.InferenceNumThreads)}
	defer e.pool.Close()
	model = model.Clone()
	for _, pass := range options.Passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !pass.Run(&passes.Graph{Model: model, Shapes: shapes, Evaluate: e.evaluate}) {
			continue
		}
		parameters := make(map[*ir.Layer]ir.Fact, len(inputs))
		for i, layer := range model.Parameters {
			parameters[layer] = inputs[i]
		}
		var err error
		if shapes, err = ir.Propagate(model, c.registry, parameters); err != nil {
			return nil, fmt.Errorf("BUG: pass %s: %w", pass.Name, err)
		}
	}
	return model, nil
}

// evaluator computes layers at compile time.
type evaluator struct {
	core *Core
	left int64 // bytes that may still be computed
	pool *parallel.Pool
}

// maxGrownBytes is the size up to which a constant is computed that is more than
// maxGrowth times as large as what it is computed from: larger ones are cheaper
// to compute in each Infer than to keep.
const (
	maxGrownBytes = 64 << 20
	maxGrowth     = 8
)

// evaluate computes layer from constant inputs.
func (e *evaluator) evaluate(layer *ir.Layer, inputs []ir.Fact) (outputs []*ir.Tensor, err error) {
	defer guard(&err)
	op, err := e.core.registry.Op(layer)
	if err != nil {
		return nil, err
	}
	if op.Stateful || len(layer.Bodies) > 0 {
		return nil, errors.New("the layer is no function of its inputs alone")
	}
	in := &ir.Inference{Layer: layer, Inputs: inputs, Outputs: make([]ir.Fact, max(len(layer.Outputs), 1))}
	if op.Attributes != nil {
		if in.Attributes, err = op.Attributes(ir.AttributesOf(layer)); err != nil {
			return nil, err
		}
	}
	if err := op.Infer(in); err != nil {
		return nil, err
	}
	if outputs, err = e.allocate(in); err != nil {
		return nil, err
	}
	p := ops.Preparation{Attributes: in.Attributes, Layer: layer, Inputs: inputs, Outputs: in.Outputs, Threads: e.pool.Threads()}
	kernel, scratch, err := e.core.prepare(op, &p)
	if err != nil {
		return nil, err
	}
	run := ops.Run{Outputs: outputs, Scratch: ir.AlignedBytes(scratch), Pool: e.pool}
	run.Resize = func(output int, shape ir.Shape) error { return checkResize(outputs[output], shape) }
	for i := range inputs {
		run.Inputs = append(run.Inputs, inputs[i].Tensor)
	}
	return outputs, kernel(&run)
}

// allocate makes tensors for the outputs if they are small enough.
func (e *evaluator) allocate(in *ir.Inference) ([]*ir.Tensor, error) {
	from := 0
	for i := range in.Inputs {
		from += len(in.Inputs[i].Tensor.Bytes())
	}
	outputs := make([]*ir.Tensor, len(in.Outputs))
	for i, fact := range in.Outputs {
		shape, err := fact.Shape.Static()
		if err != nil {
			return nil, err
		}
		size, err := e.core.sizeOf(fact.Type, shape)
		if err != nil {
			return nil, err
		}
		if size > maxGrownBytes && size/maxGrowth > from || int64(size) > e.left {
			return nil, errors.New("the outputs are too large to be kept")
		}
		e.left -= int64(size)
		if outputs[i], err = ir.NewTensor(fact.Type, shape...); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// checkResize compares a shape that a kernel has found with the inferred one.
func checkResize(t *ir.Tensor, shape ir.Shape) error {
	if !slices.Equal(t.Shape(), shape) {
		return fmt.Errorf("BUG: the kernel's output shape is %v, inference found %v", slices.Clone(shape), t.Shape())
	}
	return nil
}
