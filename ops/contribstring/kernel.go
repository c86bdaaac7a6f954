package contribstring

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepareJoin returns a kernel that writes, for each position outside of axis, the strings along
// axis with the separator between them.
func prepareJoin(p *ops.Preparation) (*ops.Prepared, error) {
	k := &joinKernel{shape: p.InputShape(0)}
	return &ops.Prepared{Kernel: k.run}, nil
}

type joinKernel struct{ shape ir.Shape }

// join is a run of joinKernel: the strings of output i are the input's strings i/inner*outer +
// i%inner + j*inner, for j below length.
type join struct {
	in            ragged.Strings
	separator     []byte
	length, inner int
	outputs       int
}

func (k *joinKernel) run(r *ops.Run) error {
	in, err := decomposed.Strings(r, 0, "strings")
	if err != nil {
		return err
	}
	j := join{in: in, separator: r.Inputs[3].Bytes(), length: 1, inner: 1}
	out := r.Own(newShape).(*ir.Shape)
	if *out = append((*out)[:0], k.shape...); len(k.shape) > 0 {
		axis, err := k.axis(r.Inputs[4])
		if err != nil {
			return err
		}
		j.length, j.inner = k.shape[axis], k.shape[axis+1:].Elements()
		*out = append((*out)[:axis], k.shape[axis+1:]...)
	}
	j.outputs = out.Elements()
	for output := range 2 {
		if err := r.SetShape(output, *out...); err != nil {
			return err
		}
	}
	total, err := j.lengths(r)
	if err != nil {
		return err
	}
	if err := r.SetShape(2, total); err != nil {
		return err
	}
	return j.write(r)
}

func newShape() any { return new(ir.Shape) }

// axis returns the axis, from the front.
func (k *joinKernel) axis(t *ir.Tensor) (int, error) {
	axis := int64(0)
	if t.ElementType() == ir.I64 {
		axis = ir.Data[int64](t)[0]
	} else {
		axis = int64(ir.Data[int32](t)[0])
	}
	rank := int64(len(k.shape))
	if axis < -rank || axis >= rank {
		return 0, faults.Errorf("axis %d is out of range for rank %d", axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return int(axis), nil
}

// lengths sets begins and ends and returns the number of bytes.
func (j *join) lengths(r *ops.Run) (int, error) {
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	total := int64(0)
	meter := r.Stop.Meter()
	for i := range j.outputs {
		if begins[i] = int32(total); meter.Spent(1) {
			return 0, parallel.ErrStopped
		}
		for at := range j.length {
			if meter.Spent(1) {
				return 0, parallel.ErrStopped
			}
			if at > 0 {
				total += int64(len(j.separator))
			}
			total += int64(len(j.at(i, at)))
			if total > math.MaxInt32 {
				return 0, faults.Errorf("string %d ends beyond byte %d, more than an i32 counts", i, math.MaxInt32)
			}
		}
		ends[i] = int32(total)
	}
	return int(total), nil
}

// at returns string number `at` of output i.
func (j *join) at(i, at int) []byte {
	return j.in.At(i/j.inner*j.inner*j.length + at*j.inner + i%j.inner)
}

// write writes the bytes.
func (j *join) write(r *ops.Run) error {
	to := r.Outputs[2].Bytes()[:0]
	meter := r.Stop.Meter()
	for i := range j.outputs {
		for at := range j.length {
			text := j.at(i, at)
			if meter.Spent(1 + (len(text)+len(j.separator))/16) {
				return parallel.ErrStopped
			}
			if at > 0 {
				to = append(to, j.separator...)
			}
			to = append(to, text...)
		}
	}
	return nil
}
