package dynamictimewarping

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// The steps that lead to an element.
const (
	both   = iota // from the row and the column before
	down          // from the row before
	across        // from the column before
)

// prepare returns a kernel that computes the costs row by row, and then goes the way back.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	if shape.Elements() == 0 || shape[0] > math.MaxInt32 || shape[1] > math.MaxInt32 {
		return nil, faults.Errorf("data has shape %v, expected at least one element, and rows and columns that i32 can count", shape)
	}
	var s ops.Scratch
	k := &kernel{rows: shape[0], columns: shape[1], known: p.Outputs[0].Shape.IsStatic()}
	k.costs, k.steps = ops.AreaOf[float32](&s, shape[1]), ops.AreaOf[uint8](&s, shape.Elements())
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: 4 * float64(shape.Elements())}, nil
}

type kernel struct {
	rows, columns int
	known         bool              // the number of steps was inferred
	costs         ops.Area[float32] // of a row
	steps         ops.Area[uint8]   // that lead to each element
}

func (k *kernel) run(r *ops.Run) error {
	costs, steps, data := k.costs.In(r), k.steps.In(r), ir.Data[float32](r.Inputs[0])
	meter := r.Stop.Meter()
	for i := range k.rows {
		if meter.Spent(4 * k.columns) {
			return parallel.ErrStopped
		}
		row := data[i*k.columns:][:k.columns]
		if i == 0 {
			firstRow(costs, row, steps)
		} else {
			nextRow(costs, row, steps[i*k.columns:])
		}
	}
	n := k.back(steps, nil)
	if !k.known {
		if err := r.SetShape(0, 2, n); err != nil {
			return err
		}
	}
	k.back(steps, ir.Data[int32](r.Outputs[0]))
	return nil
}

// firstRow sets costs to those of the first row, and the steps that lead to its elements.
func firstRow(costs, row []float32, steps []uint8) {
	sum := float32(0)
	for j, x := range row {
		sum += x
		costs[j], steps[j] = sum, across
	}
}

// nextRow replaces the costs of a row by those of the next one, and sets the steps that lead to its
// elements.
func nextRow(costs, row []float32, steps []uint8) {
	diagonal := costs[0] // of the row and the column before
	costs[0] += row[0]
	steps[0] = down
	for j := 1; j < len(row); j++ {
		above, before := costs[j], costs[j-1]
		cost, step := before, uint8(across)
		switch {
		case diagonal < above && diagonal < before:
			cost, step = diagonal, both
		case above < diagonal && above < before:
			cost, step = above, down
		}
		costs[j], steps[j] = row[j]+cost, step
		diagonal = above
	}
}

// back goes the way back, writes its rows and columns into out from the end, unless that is nil,
// and returns the number of its elements.
func (k *kernel) back(steps []uint8, out []int32) int {
	half := len(out) / 2
	i, j := k.rows-1, k.columns-1
	for n := 1; ; n++ {
		if out != nil {
			out[half-n], out[2*half-n] = int32(i), int32(j)
		}
		if i == 0 && j == 0 {
			return n
		}
		switch steps[i*k.columns+j] {
		case both:
			i, j = i-1, j-1
		case down:
			i--
		default:
			j--
		}
	}
}
