package attention

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	t, err := inferType(in, at.causal)
	if err != nil {
		return err
	}
	p := problem{
		batch: ir.UnknownRank,
		l:     ir.AnyDim, s: ir.AnyDim, e: ir.AnyDim, ev: ir.AnyDim,
	}
	if err := p.matrices(in.Inputs); err != nil {
		return err
	}
	if len(in.Inputs) > mask && !at.causal {
		if err := p.mask(in.Inputs[mask].Shape); err != nil {
			return err
		}
	}
	// OpenVINO ignores the shape of a scale that a sink follows.
	if len(in.Inputs) == scale+1 {
		if err := check.OneElement("scale", in.Inputs[scale].Shape); err != nil {
			return err
		}
	}
	if len(in.Inputs) > sink {
		if err := checkSink(in.Inputs[sink].Shape, in.Inputs[query].Shape); err != nil {
			return err
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, ir.UnknownRank
	if p.batch.RankKnown() {
		rank := p.batch.Rank()
		in.Outputs[0].Shape = ir.ShapeOf(append(p.batch.Dims()[:rank:rank], p.l, p.ev)...)
	}
	return nil
}

// inferType returns the element type that all inputs share, except a mask that is boolean or
// unused.
func inferType(in *ops.Inference, causal bool) (ir.ElementType, error) {
	t := ir.Dynamic
	for i := range in.Inputs {
		input := in.Inputs[i].Type
		if i == mask && (causal || input == ir.Boolean) {
			continue
		}
		both, ok := ir.MergeElementTypes(t, input)
		if !ok {
			return t, faults.Errorf("input %d is %v, the inputs before it are %v", i, input, t)
		}
		t = both
	}
	return t, check.Real("query", t)
}

// problem holds what is known of the lengths: the batch axes, and L, S, E and Ev.
type problem struct {
	batch       ir.PartialShape
	l, s, e, ev ir.Dimension
}

// matrices adds the lengths of query, key and value.
func (p *problem) matrices(inputs []ir.Fact) error {
	for i, name := range []string{"query", "key", "value"} {
		shape := inputs[i].Shape
		if !shape.RankKnown() {
			continue
		}
		if shape.Rank() < 3 {
			return faults.Errorf("%s has shape %v, expected at least rank 3", name, shape)
		}
		batch, rows, columns := matrix(shape)
		ok := true
		switch i {
		case query:
			p.batch, p.l, p.e = batch, rows, columns
			continue
		case key:
			p.s = rows
			p.e, ok = p.e.Merge(columns)
		case value:
			p.ev = columns
			p.s, ok = p.s.Merge(rows)
		}
		if !ok || !p.broadcastBatch(batch) {
			before := fmt.Sprintf("query of shape %v", inputs[query].Shape)
			if i == value {
				before += fmt.Sprintf(" and key of shape %v", inputs[key].Shape)
			}
			return faults.Errorf("%s has shape %v, which does not fit %s", name, shape, before)
		}
	}
	return nil
}

// mask adds the lengths of the mask. A scalar has none.
func (p *problem) mask(shape ir.PartialShape) error {
	if shape.Rank() < 1 {
		return nil
	}
	batches, l, s := p.batch, p.l, p.s
	ok := shape.Rank() > 1
	if ok {
		batch, rows, columns := matrix(shape)
		var okL, okS bool
		p.l, okL = p.l.Broadcast(rows)
		p.s, okS = p.s.Broadcast(columns)
		ok = okL && okS && p.broadcastBatch(batch)
	}
	if !ok {
		return faults.Errorf("attention_mask has shape %v, which does not fit matrices of %v by %v in batches %v", shape, l, s, batches)
	}
	return nil
}

// broadcastBatch broadcasts the batch axes of another input with those so far.
func (p *problem) broadcastBatch(batch ir.PartialShape) (ok bool) {
	p.batch, ok = p.batch.Broadcast(batch)
	return ok
}

// matrix divides a shape into its batch axes and the lengths of its matrices.
func matrix(s ir.PartialShape) (batch ir.PartialShape, rows, columns ir.Dimension) {
	n := s.Rank() - 2
	return ir.ShapeOf(s.Dims()[:n:n]...), s.At(n), s.At(n + 1)
}

// checkSink returns an error unless the shape of sink fits that of query.
func checkSink(sink, query ir.PartialShape) error {
	if !sink.RankKnown() || !query.RankKnown() {
		return nil
	}
	last := query.Rank() - 1
	ok := sink.Rank() == query.Rank() && sink.At(last).Contains(1)
	if ok {
		_, ok = ir.ShapeOf(query.Dims()[:last]...).Broadcast(ir.ShapeOf(sink.Dims()[:last]...))
	}
	if !ok {
		return faults.Errorf("sink has shape %v, which does not fit query of shape %v", sink, query)
	}
	return nil
}
