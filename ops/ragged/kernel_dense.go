package ragged

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// prepareDense returns a kernel that computes, for each row i and each j below target:
//
//	n = min(ends[i] - begins[i], target), at = target - n, or 0 if pad_right
//	dense[i, at+j] = data[begins[i]+j] if j < n; otherwise the default value
//	mask[i, at+j] = whether it is from data
//
// It works on bytes. An item is an element of the first axis of data.
func prepareDense(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(2)
	k := &denseKernel{dense: p.Attributes.(dense), rows: p.InputShape(0), inner: data[1:], elements: ir.Shape(data[1:]).Elements(), size: p.Inputs[2].Type.Bits() / 8}
	k.masked = len(p.Outputs) > 1 && !(p.Unread != nil && p.Unread[1])
	return &ops.Prepared{Kernel: k.run}, nil
}

type denseKernel struct {
	dense
	rows, inner    ir.Shape // the shape of begins, and that of an item
	elements, size int      // of an item, and in bytes of an element
	masked         bool
}

func (k *denseKernel) run(r *ops.Run) error {
	target, err := numberOf(r, 3, "target")
	if err != nil {
		return err
	}
	n := r.Inputs[2].Shape()[0]
	rows, err := decomposed.Rows(r, 0, n, "rows")
	if err != nil {
		return err
	}
	right := k.padRight
	if len(r.Inputs) > 5 {
		right = r.Inputs[5].Bytes()[0] != 0
	}
	for i := range r.Outputs {
		if i > 0 && !k.masked {
			continue
		}
		shape := r.Own(newShape).(*ir.Shape)
		*shape = append(append(append((*shape)[:0], k.rows...), target), k.inner...)
		if err := r.SetShape(i, *shape...); err != nil {
			return err
		}
	}
	item, mask := k.elements*k.size, []byte(nil)
	if k.masked {
		mask = r.Outputs[1].Bytes()
	}
	from, to, def := r.Inputs[2].Bytes(), r.Outputs[0].Bytes(), r.Inputs[4].Bytes()
	for i := range rows.Begins {
		begin, length, err := k.rowOf(rows, i, target, n)
		if err != nil {
			return err
		}
		before, after := target-length, 0
		if right {
			before, after = after, before
		}
		fill(r.Stop, to[:before*item], def)
		parallel.Copy(r.Stop, to[before*item:], from[begin*item:][:length*item])
		fill(r.Stop, to[(before+length)*item:][:after*item], def)
		to = to[target*item:]
		if mask != nil {
			parallel.Clear(r.Stop, mask[:target*k.elements])
			fill(r.Stop, mask[before*k.elements:][:length*k.elements], one)
			mask = mask[target*k.elements:]
		}
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
	}
	return nil
}

var one = []byte{1}

func newShape() any { return new(ir.Shape) }

// rowOf returns the first item of row i, and how many are copied.
func (k *denseKernel) rowOf(rows ragged.Rows, i, target, items int) (begin, length int, err error) {
	begin, length = int(rows.Begins[i]), int(rows.Ends[i]-rows.Begins[i])
	if !k.padMaxLength {
		return begin, min(length, target), nil
	}
	if target > items-begin {
		return 0, 0, faults.Errorf("row %d begins at %d and has %d items with m_pad_max_length, of %d items", i, begin, target, items)
	}
	return begin, target, nil
}

// filled is the number of bytes that are filled between two checks for a stop.
const filled = 1 << 20

// fill fills to with copies of value. It ends early if the work must stop.
func fill(stop parallel.Stop, to, value []byte) {
	n := copy(to, value)
	for n < len(to) {
		if n >= filled && stop.Requested() {
			return
		}
		n += copy(to[n:], to[:min(n, filled/len(value)*len(value))])
	}
}

// prepareSparse returns a kernel that writes, for each row i and each of its items j, the pair i,
// j.
func prepareSparse(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		// The items are not read, only counted.
		rows, err := decomposed.Rows(r, 0, 1<<31-1, "rows")
		if err != nil {
			return err
		}
		n, err := items(r.Stop, rows)
		if err != nil {
			return err
		}
		if err := r.SetShape(0, n, 2); err != nil {
			return err
		}
		pairs := ir.Data[int32](r.Outputs[0])
		meter := r.Stop.Meter()
		for i, begin := range rows.Begins {
			for j := range rows.Ends[i] - begin {
				if meter.Spent(1) {
					return parallel.ErrStopped
				}
				pairs[0], pairs[1] = int32(i), j
				pairs = pairs[2:]
			}
		}
		return nil
	}}, nil
}

// prepareRagged returns a kernel that finds the first and the last item of each row, from the row
// of each item. Items of rows beyond the number of rows are in none.
func prepareRagged(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		n, err := numberOf(r, 1, "the number of rows")
		if err != nil {
			return err
		}
		for i := range r.Outputs {
			if err := r.SetShape(i, n); err != nil {
				return err
			}
		}
		begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
		row, at, ids := 0, int32(0), ir.Data[int32](r.Inputs[0])
		meter := r.Stop.Meter()
		for i, id := range ids {
			if meter.Spent(1) {
				return parallel.ErrStopped
			}
			if id < 0 || i > 0 && id < ids[i-1] {
				return faults.Errorf("row ids are negative or descend: element %d is %d", i, id)
			}
			if int(id) >= n {
				break
			}
			// rows before that of the item end here
			for row < int(id)+1 {
				if meter.Spent(1) {
					return parallel.ErrStopped
				}
				begins[row], ends[row] = at, at
				row++
			}
			at++
			ends[id] = at
		}
		for ; row < n; row++ {
			if meter.Spent(1) {
				return parallel.ErrStopped
			}
			begins[row], ends[row] = at, at
		}
		return nil
	}}, nil
}
