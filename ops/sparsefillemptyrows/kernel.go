package sparsefillemptyrows

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns the kernel. The values of dense_shape and indices are known.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, known := p.Inputs[densePort].Ints()
	if !known || len(shape) != 2 {
		return nil, errors.New("dense_shape is not known")
	}
	indices, known := p.Inputs[indicesPort].Ints()
	if !known {
		return nil, errors.New("indices is not known")
	}
	values := p.InputShape(valuesPort)
	k := &kernel{rows: int(shape[0]), columns: shape[1], elements: values[0]}
	switch {
	case shape[0] < 0 || shape[1] < 0:
		return nil, faults.Errorf("dense_shape is %v, which no matrix has", shape)
	case shape[0] > math.MaxInt-int64(len(indices)):
		return nil, faults.Errorf("dense_shape is %v, of more rows than fit an int", shape)
	case len(indices)/2 != k.elements:
		return nil, faults.Errorf("indices has %d rows, values has %d elements", len(indices)/2, k.elements)
	case k.columns == 0 && k.rows > 0:
		return nil, faults.Errorf("dense_shape is %v, without a column for the elements of empty rows", shape)
	}
	if memory.Size[int64](k.rows) > math.MaxInt-memory.Align {
		return nil, faults.Errorf("dense_shape is %v, whose rows need more memory than fits an int", shape)
	}
	var s ops.Scratch
	k.next = ops.AreaOf[int64](&s, k.rows)
	prepared := &ops.Prepared{ScratchBytes: s.Bytes()}
	switch t := p.Inputs[valuesPort].Type; {
	case t == ir.String:
		k.move = func(out *ir.Tensor, to int64, from *ir.Tensor, i int) { out.Strings()[to] = from.Strings()[i] }
	case t.Size() >= 1 && t.Size() <= 8:
		size := t.Size()
		k.move = func(out *ir.Tensor, to int64, from *ir.Tensor, i int) {
			copy(out.Bytes()[int(to)*size:][:size], from.Bytes()[i*size:])
		}
	default:
		return nil, faults.Errorf("values of type %v have no kernel", t)
	}
	if prepared.Kernel = kernelOf[int64](k); p.Inputs[indicesPort].Type == ir.I32 {
		prepared.Kernel = kernelOf[int32](k)
	}
	return prepared, nil
}

// kernel sorts the elements by rows, by counting. Elements of a row keep their order.
type kernel struct {
	rows     int
	columns  int64
	elements int
	next     ops.Area[int64] // where the next element of each row goes
	// move sets an element of out to element i of from.
	move func(out *ir.Tensor, to int64, from *ir.Tensor, i int)
}

// kernelOf returns the kernel for indices of type I.
func kernelOf[I int32 | int64](k *kernel) ops.Kernel {
	return func(r *ops.Run) error {
		indices := ir.Data[I](r.Inputs[indicesPort])
		next := k.next.In(r)
		total, err := place(r.Stop, k, indices, next)
		if err != nil {
			return err
		}
		if err := k.setShapes(r, total); err != nil {
			return err
		}
		outIndices, out, values := ir.Data[I](r.Outputs[0]), r.Outputs[1], r.Inputs[valuesPort]
		empty := ir.Data[uint8](r.Outputs[2])
		meter := r.Stop.Meter()
		for row, at := range next {
			end := int64(total)
			if row+1 < k.rows {
				end = next[row+1]
			}
			// Without elements, the row has the place of the element that is added to it.
			if empty[row] = 0; end == at+1 {
				empty[row] = 1
				outIndices[2*at], outIndices[2*at+1] = I(row), 0
				k.move(out, at, r.Inputs[defaultPort], 0)
			}
			if meter.Spent(4) {
				return parallel.ErrStopped
			}
		}
		for i := range k.elements {
			row := indices[2*i]
			at := next[row]
			next[row]++
			outIndices[2*at], outIndices[2*at+1] = row, indices[2*i+1]
			k.move(out, at, values, i)
			empty[row] = 0
			if meter.Spent(8) {
				return parallel.ErrStopped
			}
		}
		return nil
	}
}

// place sets next to the place of the first element of each row in the output, and returns the
// number of elements of the output.
func place[I int32 | int64](stop parallel.Stop, k *kernel, indices []I, next []int64) (int, error) {
	parallel.Clear(stop, next)
	meter := stop.Meter()
	for i := 0; i < len(indices); i += 2 {
		row, column := int64(indices[i]), int64(indices[i+1])
		if uint64(row) >= uint64(k.rows) || uint64(column) >= uint64(k.columns) {
			return 0, faults.Errorf("indices[%d] is [%d,%d], outside of dense_shape [%d,%d]", i/2, row, column, k.rows, k.columns)
		}
		if next[row]++; meter.Spent(4) {
			return 0, parallel.ErrStopped
		}
	}
	total := int64(0)
	for row, n := range next {
		next[row] = total
		if total += max(n, 1); meter.Spent(2) {
			return 0, parallel.ErrStopped
		}
	}
	return int(total), nil
}

// setShapes sets the shapes of the outputs for total elements.
func (k *kernel) setShapes(r *ops.Run, total int) error {
	if err := r.SetShape(0, total, 2); err != nil {
		return err
	}
	if err := r.SetShape(1, total); err != nil {
		return err
	}
	return r.SetShape(2, k.rows)
}
