package graph

import (
	"context"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// note adds the types of the layers of m, without those in bodies.
func (o *optimizer) note(m *ir.Model) {
	for _, layer := range m.Order {
		o.env.LayerTypes[layer.Type] = true
	}
}

// optimize runs the passes on the model of p and returns the shapes of the result.
func (o *optimizer) optimize(ctx context.Context, p *Program, shapes *infer.Shapes) (*infer.Shapes, error) {
	if err := o.deferUnaligned(p.Model); err != nil {
		return nil, err
	}
	o.note(p.Model)
	for _, pass := range o.Passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var before *snapshot
		if pass.Folds && p.body {
			before = snapshotOf(p.Model)
		}
		if !pass.Run(&ops.Graph{Model: p.Model, Shapes: shapes, Op: o.env.Registry.Op, Evaluate: o.evaluate, Accurate: o.env.Accurate, KVCache: o.env.KVCache, Rounded: o.env.Rounded, Note: o.env.note}) {
			continue
		}
		o.note(p.Model)
		if o.Check != nil {
			o.Check(pass.Name, p.Model)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := infer.Propagate(ctx, p.Model, o.env.Registry, p.Parameters(p.Inputs))
		switch {
		case err == nil:
			shapes = found
		case found == nil:
			return nil, err // that of ctx
		case before != nil:
			// see below; the body may never run
			before.restore(p.Model)
		case pass.Folds:
			// values that inference does not compute, such as a long Range, show a fault of the
			// model
			return nil, err
		default:
			return nil, faults.Errorf("BUG: pass %s: %w", pass.Name, err)
		}
	}
	return shapes, nil
}

// snapshot has the edges of a model, and its lists of layers.
type snapshot struct {
	lists  [5][]*ir.Layer
	inputs [][]ir.Input // of each layer
}

// snapshotOf returns what restore needs to undo FoldConstants.
func snapshotOf(m *ir.Model) *snapshot {
	s := &snapshot{inputs: make([][]ir.Input, len(m.Layers))}
	for i, list := range listsOf(m) {
		s.lists[i] = slices.Clone(*list)
	}
	for i, layer := range m.Layers {
		s.inputs[i] = slices.Clone(layer.Inputs)
	}
	return s
}

// restore makes m what it was.
func (s *snapshot) restore(m *ir.Model) {
	for i, list := range listsOf(m) {
		*list = s.lists[i]
	}
	for i, layer := range m.Layers {
		layer.Index, layer.Inputs = i, s.inputs[i]
	}
}

func listsOf(m *ir.Model) [5]*[]*ir.Layer {
	return [5]*[]*ir.Layer{&m.Layers, &m.Parameters, &m.Results, &m.Sinks, &m.Order}
}
