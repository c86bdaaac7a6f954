package rnn

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// prepare returns the kernel. It multiplies the X of all steps by W at once, and then, for each
// direction and each part of the batch, goes through the steps:
//
//	gates = X·Wᵀ + B for all steps
//	for each step: gates[step] += H·Rᵀ; H, C = cell(gates[step], H, C)
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	q, err := newProblem(p)
	if err != nil {
		return nil, err
	}
	if q.elementType == ir.F64 {
		return plainKernel(p, q)
	}
	return kernelOf(p, q)
}

// problem is what all element types have in common. A cell is a sequence of one step and one
// direction.
type problem struct {
	*attributes
	elementType                    ir.ElementType
	batch, steps, input, size, dir int   // N, T, I, S and D
	port                           ports // of the layer, for the positions of inputs
	positions                      positions
}

// positions are the input numbers; -1 for an input that the layer does not have.
// scale is that of a compressed layer, whose x are its gates.
type positions struct{ x, h, c, lengths, w, r, b, scale int }

func newProblem(p *ops.Preparation) (*problem, error) {
	at := p.Attributes.(*attributes)
	q := &problem{attributes: at, elementType: p.Inputs[0].Type, port: portsOf(at, p.Inputs), steps: 1, dir: 1}
	q.positions = positions{h: 1, c: -1, lengths: -1, b: -1, scale: -1}
	next := 2
	take := func(to *int) { *to, next = next, next+1 }
	if at.states == 2 {
		take(&q.positions.c)
	}
	if at.sequence {
		take(&q.positions.lengths)
	}
	take(&q.positions.w)
	take(&q.positions.r)
	if q.port.b != nil {
		take(&q.positions.b)
	}
	if q.compressed {
		q.positions.w, q.positions.r, q.positions.scale = -1, q.positions.w, q.positions.r
	}
	for i := range next {
		if t := p.Inputs[i].Type; i != q.positions.lengths && (i != q.positions.r || !q.compressed) && t != q.elementType {
			return nil, faults.Errorf("input %d is %v, X is %v", i, t, q.elementType)
		}
	}
	x, h := p.InputShape(q.positions.x), p.InputShape(q.positions.h)
	q.batch, q.input, q.size = x[0], x[len(x)-1], h[len(h)-1]
	if at.sequence {
		q.steps, q.dir = x[1], h[1]
		if !q.port.lengths.Type.IsInteger() {
			return nil, faults.Errorf("sequence_lengths are %v, which is no integer type", q.port.lengths.Type)
		}
	}
	return q, q.checkShapes(p)
}

// checkShapes checks what the shape rule leaves open: each input must have the lengths that X and
// the states give it.
func (q *problem) checkShapes(p *ops.Preparation) error {
	columns := q.gates * q.size
	want := map[int][]int{
		q.positions.x: {q.batch, q.steps, q.input}, q.positions.h: {q.batch, q.dir, q.size}, q.positions.c: {q.batch, q.dir, q.size},
		q.positions.w: {q.dir, columns, q.input}, q.positions.r: {q.dir, columns, q.size}, q.positions.b: {q.dir, q.biases() * q.size},
		q.positions.lengths: {q.batch}, q.positions.scale: {q.dir * columns},
	}
	if q.compressed {
		want[q.positions.x] = []int{q.batch, q.steps, q.dir * columns}
	}
	for i := range p.Inputs {
		lengths, ok := want[i]
		if !ok {
			continue // P
		}
		if !q.sequence && i != q.positions.scale { // a cell has no axis for steps or directions
			axis := 0
			if i < 1+q.states {
				axis = 1
			}
			lengths = slices.Delete(lengths, axis, axis+1)
		}
		if !slices.Equal(p.InputShape(i), lengths) {
			return faults.Errorf("input %d has shape %v, X %v and the states need %v", i, p.Inputs[i].Shape, q.port.x.Shape, ir.Shape(lengths))
		}
	}
	return nil
}

// biases returns the number of groups of S values in B.
func (q *problem) biases() int {
	if q.linearBeforeReset {
		return q.gates + 1
	}
	return q.gates
}

func (q *problem) flops() float64 {
	return 2 * float64(q.batch) * float64(q.steps) * float64(q.dir) * float64(q.gates) * float64(q.size) * (float64(q.input) + float64(q.size) + 4)
}

// readLengths sets lengths to the sequence lengths, each of which must be from 0 to the number of
// steps.
func (q *problem) readLengths(r *ops.Run, lengths []int64) error {
	if q.positions.lengths < 0 {
		for i := range lengths {
			lengths[i] = int64(q.steps)
		}
		return nil
	}
	gatherscatter.Widen(r.Stop, lengths, r.Inputs[q.positions.lengths])
	for i, n := range lengths {
		if n < 0 || n > int64(q.steps) {
			return faults.Errorf("sequence_lengths[%d] is %d, X has %d steps", i, n, q.steps)
		}
	}
	return r.Stop.Err()
}
