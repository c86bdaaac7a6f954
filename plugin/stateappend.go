package plugin

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// room is where the value of a storedTensor that can grow ends: its tensor is longer along the axis than
// the value.
type room struct {
	grows        bool // if it is false, the value is the whole tensor
	axis, length int
}

// minRoom is the smallest number of rows that a value that grows has room for. A larger one has room for a
// quarter of its rows.
const minRoom = 16

// Shape implements ops.Variable.
func (v *variableValue) Shape() ir.Shape {
	if !v.value.set {
		return nil
	}
	v.shape = append(v.shape[:0], v.value.tensor.Shape()...)
	if v.value.room.grows {
		v.shape[v.value.room.axis] = v.value.room.length
	}
	return v.shape
}

// compact returns the value of s, without the room: its tensor, or a copy.
func (s *storedTensor) compact(stop parallel.Stop) (*ir.Tensor, error) {
	if !s.room.grows {
		return &s.tensor, nil
	}
	shape := slices.Clone(s.tensor.Shape())
	shape[s.room.axis] = s.room.length
	t, err := ir.NewTensor(s.tensor.ElementType(), shape...)
	if err != nil {
		return nil, err
	}
	copyRows(stop, rowsOf(t, s.room.axis), rowsOf(&s.tensor, s.room.axis), 0, s.room.length, nil)
	return t, nil
}

// Append implements ops.Variable. The rows that it writes lie behind the value, which stays as it is until
// the Infer has succeeded.
func (v *variableValue) Append(stop parallel.Stop, a ops.Append) (ops.Grown, error) {
	grown, err := v.append(stop, a)
	if err != nil {
		err = faults.Errorf("variable %q: %w", v.variable.id, err)
	}
	return grown, err
}

// append is Append without the name of the variable in the error.
func (v *variableValue) append(stop parallel.Stop, a ops.Append) (grown ops.Grown, err error) {
	old, length, err := v.before(stop, a)
	if err != nil {
		return grown, err
	}
	inOrder := true
	if a.Order != nil {
		if v.order, inOrder, err = orderOf(v.order, a.Order, old); err != nil {
			return grown, err
		}
	}
	order := v.order
	if inOrder {
		order = nil
	}
	v.shape = append(v.shape[:0], a.Rows.Shape()...)
	v.shape[a.Axis] += length
	total := v.shape[a.Axis]
	if err := checkFact(&v.variable.fact, a.Rows.ElementType(), v.shape); err != nil {
		return grown, err
	}
	to := &v.value
	if inOrder && to.set && to.room.grows && total <= old.Shape()[a.Axis] {
		v.grown = total
	} else {
		to = &v.next
		if err := v.makeRoom(to, a, total); err != nil {
			return grown, err
		}
		v.moved = inOrder
		copyRows(stop, rowsOf(&to.tensor, a.Axis), rowsOf(old, a.Axis), 0, length, order)
		to.set, to.room = true, room{true, a.Axis, total}
	}
	copyRows(stop, rowsOf(&to.tensor, a.Axis), rowsOf(a.Rows, a.Axis), length, a.Rows.Shape()[a.Axis], nil)
	return ops.Grown{Memory: &to.tensor, Length: total}, nil
}

// before returns the tensor that an Append appends to, which may have room, and the length of the value in
// it. It returns an error unless Rows and Order fit it.
func (v *variableValue) before(stop parallel.Stop, a ops.Append) (t *ir.Tensor, length int, err error) {
	rows := a.Rows.Shape()
	if a.Axis < 0 || a.Axis >= len(rows) || a.Order != nil && a.Axis == 0 {
		return nil, 0, faults.Errorf("axis %d, along which %v%v is appended, is outside of the tensor or reordered", a.Axis, a.Rows.ElementType(), slices.Clone(rows))
	}
	t = a.Initial
	if v.value.set {
		t = &v.value.tensor
		if r := v.value.room; r.grows && r.axis != a.Axis {
			if t, err = v.value.compact(stop); err != nil {
				return nil, 0, err
			}
		} else if r.grows {
			length = r.length
		}
	}
	if t.ElementType() != a.Rows.ElementType() || len(t.Shape()) != len(rows) {
		return nil, 0, faults.Errorf("%v%v is appended to %v%v", a.Rows.ElementType(), slices.Clone(rows), t.ElementType(), slices.Clone(t.Shape()))
	}
	if t != &v.value.tensor || !v.value.room.grows {
		length = t.Shape()[a.Axis]
	}
	for k, n := range t.Shape() {
		if k == 0 && a.Order != nil {
			n = a.Order.Len()
		}
		if k != a.Axis && n != rows[k] {
			return nil, 0, faults.Errorf("axis %d of the rows that are appended has length %d, that of the value %d", k, rows[k], n)
		}
	}
	return t, length, nil
}

// makeRoom sets the tensor of to, which is not the value, to one of the shape of a.Rows with room for more
// than total rows or, if the limit does not allow as much, for exactly that many.
func (v *variableValue) makeRoom(to *storedTensor, a ops.Append, total int) error {
	t, capacity := a.Rows.ElementType(), total+max(total/4, minRoom)
	v.shape[a.Axis] = capacity
	size, err := ir.ByteSize(t, v.shape)
	if err != nil || int64(size-len(to.bytes)) > v.budget.limit-v.budget.used {
		v.shape[a.Axis] = total
		if size, err = ir.ByteSize(t, v.shape); err != nil {
			return err
		}
	}
	if size > len(to.bytes) {
		to.tensor.Release()
		if err := to.grow(t, size, v.budget); err != nil {
			return err
		}
	}
	return to.tensor.Reset(t, v.shape, to.bytes, nil)
}

// orderOf appends the indices of order to list[:0], each resolved in axis 0 of t, and reports whether the
// order changes nothing.
func orderOf(list []int, order, t *ir.Tensor) (resolved []int, inOrder bool, err error) {
	n := t.Shape()[0]
	list = slices.Grow(list[:0], order.Len())
	if order.ElementType() == ir.I32 {
		for _, v := range ir.Data[int32](order) {
			list = append(list, index.Resolve(v, n, true))
		}
	} else {
		for _, v := range ir.Data[int64](order) {
			list = append(list, index.Resolve(v, n, true))
		}
	}
	inOrder = len(list) == n
	for i, v := range list {
		if v < 0 {
			return list, false, faults.Errorf("index %d of the order is outside of axis 0, which has length %d", i, n)
		}
		inOrder = inOrder && v == i
	}
	return list, inOrder, nil
}

// rows is a tensor seen as blocks of rows: the part from an axis on of each index of the axes before it.
type rows struct {
	data             []byte
	blocks           int // of axis 0 and of all axes between it and the axis of rows
	inner            int // blocks of one index of axis 0
	blockSize, bytes int // of a block and of a row, in bytes
}

// rowsOf returns t as blocks of rows along axis.
func rowsOf(t *ir.Tensor, axis int) rows {
	shape, r := t.Shape(), rows{data: t.Bytes(), blocks: 1, inner: 1, bytes: t.ElementType().Size()}
	for k, n := range shape {
		switch {
		case k > axis:
			r.bytes *= n
		case k < axis && k > 0:
			r.inner *= n
		}
	}
	if axis > 0 {
		r.blocks = shape[0] * r.inner
	}
	r.blockSize = r.bytes * shape[axis]
	return r
}

// copyRows copies the first n rows of each block of from to row `at` of each block of to. order, if it is
// not nil, has for each index of axis 0 of to the one of from. It ends early if stop is requested.
func copyRows(stop parallel.Stop, to, from rows, at, n int, order []int) {
	size := n * from.bytes
	if size == 0 {
		return
	}
	for block := range to.blocks {
		source := block
		if order != nil {
			source = order[block/to.inner]*to.inner + block%to.inner
		}
		if stop.Requested() {
			return
		}
		parallel.Copy(stop, to.data[block*to.blockSize+at*to.bytes:][:size], from.data[source*from.blockSize:][:size])
	}
}
