package ragged

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepareCombine returns a kernel that writes, for each row, the items of all segments:
//
//	for each row i: begins[i] = n
//	    for each segment s, for each item x of its row i: data[n], segments[n] = x, ids[s]; n++
//	ends[i] = n
//
// A segment of one row has it as each row. The outputs of begins and ends are the same twice.
func prepareCombine(p *ops.Preparation) (*ops.Prepared, error) {
	k := &combineKernel{size: p.Inputs[2].Type.Bits() / 8}
	n := len(p.Inputs) / 3
	k.idSize = p.Inputs[3*n].Type.Bits() / 8
	// The shape rule has checked that segments of other shapes are scalars, so one row each.
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	k.rows = shape.Elements()
	return &ops.Prepared{Kernel: k.run}, nil
}

type combineKernel struct {
	size, idSize int // of an item and of an id, in bytes
	rows         int
}

// segments are the rows of each segment of a run.
type segments struct{ rows []ragged.Rows }

func newSegments() any { return new(segments) }

func (k *combineKernel) run(r *ops.Run) error {
	s := r.Own(newSegments).(*segments)
	s.rows = s.rows[:0]
	total := int64(0)
	for i := 0; i < len(r.Inputs)-1; i += 3 {
		rows, err := decomposed.Rows(r, i, r.Inputs[i+2].Len(), "rows")
		if err != nil {
			return faults.Errorf("segment %d: %w", i/3, err)
		}
		n, err := items(r.Stop, rows)
		if err != nil {
			return err
		}
		if rows.Len() == 1 {
			total += int64(n) * int64(k.rows)
		} else {
			total += int64(n)
		}
		s.rows = append(s.rows, rows)
	}
	n, err := countable(total)
	if err != nil {
		return err
	}
	for _, output := range []int{2, 5} {
		if err := r.SetShape(output, n); err != nil {
			return err
		}
	}
	return k.combine(r, s.rows)
}

// combine writes the outputs.
func (k *combineKernel) combine(r *ops.Run, segments []ragged.Rows) error {
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	data, to, ids := r.Outputs[2].Bytes(), r.Outputs[5].Bytes(), r.Inputs[len(r.Inputs)-1].Bytes()
	n := int32(0)
	meter := r.Stop.Meter()
	for row := range begins {
		begins[row] = n
		for i, rows := range segments {
			if meter.Spent(2) {
				return parallel.ErrStopped
			}
			at := row
			if rows.Len() == 1 {
				at = 0
			}
			from, length := int(rows.Begins[at]), int(rows.Ends[at]-rows.Begins[at])
			parallel.Copy(r.Stop, data, r.Inputs[3*i+2].Bytes()[from*k.size:][:length*k.size])
			fill(r.Stop, to[:length*k.idSize], ids[i*k.idSize:][:k.idSize])
			data, to = data[length*k.size:], to[length*k.idSize:]
			n += int32(length)
		}
		ends[row] = n
	}
	r.Copy(r.Outputs[3], r.Outputs[0])
	r.Copy(r.Outputs[4], r.Outputs[1])
	return nil
}
