package run

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// room is where the value of a storedTensor that can grow ends: its tensor is longer along the axis
// than the value.
type room struct {
	grows        bool // if it is false, the value is the whole tensor
	axis, length int
	packed       bool // the value is f32 and the tensor of another type, see ops.Append.Type
}

// minRoom is the smallest number of rows that a value that grows has room for. A larger one has
// room for a quarter of its rows.
const minRoom = 16

// Shape implements ops.Variable.
func (v *Variable) Shape() ir.Shape {
	if !v.Current.Set {
		return nil
	}
	v.shape = v.Current.appendShape(v.shape[:0])
	return v.shape
}

// appendShape appends the shape of the value of s.
func (s *storedTensor) appendShape(shape ir.Shape) ir.Shape {
	shape = append(shape, s.tensor.Shape()...)
	if s.room.grows {
		shape[s.room.axis] = s.room.length
	}
	if s.room.packed {
		shape[len(shape)-1] -= extra(s.tensor.ElementType())
	}
	return shape
}

// extra returns the number of bytes that a row of packed numbers of type t has besides them.
func extra(t ir.ElementType) int {
	if t == ir.U8 {
		return levels.RowExtra
	}
	return 0
}

// ElementType returns the element type of the value of s.
func (s *storedTensor) elementType() ir.ElementType {
	if s.room.packed {
		return ir.F32
	}
	return s.tensor.ElementType()
}

// compact returns the value of v, without the room: its tensor, or a copy that counts until the
// Infer ends.
func (v *Variable) compact(stop parallel.Stop) (*ir.Tensor, error) {
	if !v.Current.room.grows {
		return &v.Current.tensor, nil
	}
	t, size, err := v.Copy(stop)
	v.copied += size
	return t, err
}

// Copy returns a copy of the value of v, without the room, and its size, which counts against the
// limits of memory until the caller gives it back.
func (v *Variable) Copy(stop parallel.Stop) (t *ir.Tensor, size int64, err error) {
	s := &v.Current
	shape := s.appendShape(nil)
	bytes, err := ir.ByteSize(s.elementType(), shape)
	if err != nil {
		return nil, 0, err
	}
	if err := v.Budget.Charge(int64(bytes)); err != nil {
		return nil, 0, faults.Errorf("a copy of variable %q: %w", v.Of.ID, err)
	}
	if t, err = ir.NewTensor(s.elementType(), shape...); err != nil {
		v.Budget.Add(-int64(bytes))
		return nil, 0, err
	}
	if s.room.grows {
		copyRows(stop, rowsOf(t, s.room.axis), rowsOf(&s.tensor, s.room.axis), 0, s.room.length, nil)
	} else {
		parallel.Copy(stop, t.Bytes(), s.tensor.Bytes())
		parallel.Copy(stop, t.Strings(), s.tensor.Strings())
	}
	return t, int64(bytes), nil
}

// Truncate shortens the value of v along axis to its first n rows: what is behind them becomes
// room.
func (v *Variable) Truncate(axis, n int) error {
	s := &v.Current
	shape, t := s.appendShape(nil), s.elementType()
	switch {
	case axis < 0 || axis >= len(shape):
		return faults.Errorf("%v%v has no axis %d", t, shape, axis)
	case n < 0 || n > shape[axis]:
		return faults.Errorf("%v%v does not have %d rows along axis %d", t, shape, n, axis)
	case t.Size() == 0 || t == ir.String:
		return faults.Errorf("%v%v has elements that are not whole bytes", t, shape)
	case n == shape[axis]:
		return nil
	}
	if s.room.grows && s.room.axis != axis {
		value, size, err := v.Copy(nil)
		if err != nil {
			return err
		}
		defer v.Budget.Add(-size)
		if err := v.Store(nil, s, value); err != nil {
			return err
		}
	}
	if !s.room.grows {
		s.room = room{grows: true, axis: axis}
	}
	s.room.length = n
	return nil
}

// Append implements ops.Variable. The rows that it writes lie behind the value, which stays as it
// is until the Infer has succeeded.
func (v *Variable) Append(stop parallel.Stop, a ops.Append) (ops.Grown, error) {
	grown, err := v.append(stop, a)
	if err != nil {
		err = faults.Errorf("variable %q: %w", v.Of.ID, err)
	}
	return grown, err
}

// append is Append without the name of the variable in the error.
func (v *Variable) append(stop parallel.Stop, a ops.Append) (grown ops.Grown, err error) {
	old, length, err := v.before(stop, a)
	if err != nil {
		return grown, err
	}
	inOrder := true
	if a.Order != nil {
		v.order, inOrder = orderOf(v.order, a.Order, old)
	}
	order := v.order
	if inOrder {
		order = nil
	}
	v.shape = append(v.shape[:0], a.Rows.Shape()...)
	v.shape[a.Axis] += length
	total := v.shape[a.Axis]
	if err := checkFact(&v.Of.Fact, a.Rows.ElementType(), v.shape); err != nil {
		return grown, err
	}
	to := &v.Current
	if inOrder && to.Set && to.room.grows && to.tensor.ElementType() == a.Type && total <= old.Shape()[a.Axis] {
		v.grown = total
	} else {
		to = &v.next
		if err := v.makeRoom(to, a, total); err != nil {
			return grown, err
		}
		v.moved = inOrder
		copyRows(stop, rowsOf(&to.tensor, a.Axis), rowsOf(old, a.Axis), 0, length, order)
		to.Set, to.room = true, room{true, a.Axis, total, a.Type != a.Rows.ElementType()}
	}
	copyRows(stop, rowsOf(&to.tensor, a.Axis), rowsOf(a.Rows, a.Axis), length, a.Rows.Shape()[a.Axis], nil)
	return ops.Grown{Memory: &to.tensor, Length: total}, nil
}

// before returns the tensor that an Append appends to, which may have room, and the length of the
// value in it. It returns an error unless Rows and Order fit it.
func (v *Variable) before(stop parallel.Stop, a ops.Append) (t *ir.Tensor, length int, err error) {
	rows := a.Rows.Shape()
	if a.Axis < 0 || a.Axis >= len(rows) || a.Order != nil && a.Axis == 0 {
		return nil, 0, faults.Errorf("axis %d, along which %v%v is appended, is outside of the tensor or reordered", a.Axis, a.Rows.ElementType(), slices.Clone(rows))
	}
	if !canKeep(&a) {
		return nil, 0, faults.Errorf("%v%v, appended along axis %d, cannot be kept in %v", a.Rows.ElementType(), slices.Clone(rows), a.Axis, a.Type)
	}
	t = a.Initial
	if v.Current.Set {
		t = &v.Current.tensor
		if r := v.Current.room; r.grows && r.axis != a.Axis {
			if t, err = v.compact(stop); err != nil {
				return nil, 0, err
			}
		} else if r.grows {
			length = r.length
		}
	}
	elementType, shape := t.ElementType(), t.Shape()
	if t == &v.Current.tensor {
		v.shape = v.Current.appendShape(v.shape[:0])
		elementType, shape = v.Current.elementType(), v.shape
	}
	if elementType != a.Rows.ElementType() || len(shape) != len(rows) {
		return nil, 0, faults.Errorf("%v%v is appended to %v%v", a.Rows.ElementType(), slices.Clone(rows), elementType, slices.Clone(shape))
	}
	if t != &v.Current.tensor || !v.Current.room.grows {
		length = shape[a.Axis]
	}
	for k, n := range shape {
		if k == 0 && a.Order != nil {
			n = a.Order.Len()
		}
		if k != a.Axis && n != rows[k] {
			return nil, 0, faults.Errorf("axis %d of the rows that are appended has length %d, that of the value %d", k, rows[k], n)
		}
	}
	return t, length, nil
}

// canKeep reports whether rows can be kept in a.Type.
func canKeep(a *ops.Append) bool {
	t := a.Rows.ElementType()
	switch a.Type {
	case ir.F16, ir.BF16:
		return t == ir.F32 || t == a.Type
	case ir.U8:
		return t == ir.F32 && a.Axis == len(a.Rows.Shape())-2
	}
	return t == a.Type
}

// makeRoom sets the tensor of to, which is not the value, to one of the shape of a.Rows with room
// for more than total rows or, if the limit does not allow as much, for exactly that many.
func (v *Variable) makeRoom(to *storedTensor, a ops.Append, total int) error {
	t, capacity := a.Type, total+max(total/4, minRoom)
	if last := len(v.shape) - 1; t != a.Rows.ElementType() {
		v.shape[last] += extra(t)
	}
	v.shape[a.Axis] = capacity
	size, err := ir.ByteSize(t, v.shape)
	if err != nil || !v.Budget.Fits(int64(size-len(to.Bytes))) {
		v.shape[a.Axis] = total
		if size, err = ir.ByteSize(t, v.shape); err != nil {
			return err
		}
	}
	if size > len(to.Bytes) {
		to.tensor.Release()
		if err := to.grow(t, size, v.Budget); err != nil {
			return err
		}
	}
	return to.tensor.Reset(t, v.shape, to.Bytes, nil)
}

// orderOf appends the indices of order to list[:0], each resolved in axis 0 of t, or -1 if it is
// out of range, and reports whether the order changes nothing.
func orderOf(list []int, order, t *ir.Tensor) (resolved []int, inOrder bool) {
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
		inOrder = inOrder && v == i
	}
	return list, inOrder
}

// rows is a tensor seen as blocks of rows: the part from an axis on of each index of the axes
// before it.
type rows struct {
	data             []byte
	elementType      ir.ElementType
	blocks           int // of axis 0 and of all axes between it and the axis of rows
	inner            int // blocks of one index of axis 0
	blockSize, bytes int // of a block and of a row, in bytes
}

// rowsOf returns t as blocks of rows along axis.
func rowsOf(t *ir.Tensor, axis int) rows {
	shape, r := t.Shape(), rows{data: t.Bytes(), elementType: t.ElementType(), blocks: 1, inner: 1, bytes: t.ElementType().Size()}
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

// copyRows copies the first n rows of each block of from to row `at` of each block of to, which may
// have another type. order, if it is not nil, has for each index of axis 0 of to the one of from,
// or -1 for zeros. It ends early if stop is requested.
func copyRows(stop parallel.Stop, to, from rows, at, n int, order []int) {
	if n*from.bytes == 0 {
		return
	}
	for block := range to.blocks {
		source := block
		if order != nil {
			if source = order[block/to.inner]; source < 0 {
				parallel.Clear(stop, to.data[block*to.blockSize+at*to.bytes:][:n*to.bytes])
				continue
			}
			source = source*to.inner + block%to.inner
		}
		dst, src := to.data[block*to.blockSize+at*to.bytes:][:n*to.bytes], from.data[source*from.blockSize:][:n*from.bytes]
		if to.elementType == from.elementType {
			if stop.Requested() {
				return
			}
			parallel.Copy(stop, dst, src)
			continue
		}
		const some = 1 << 8 // rows between two checks
		for lo := 0; lo < n; lo += some {
			if stop.Requested() {
				return
			}
			hi := min(lo+some, n)
			convertRows(dst[lo*to.bytes:hi*to.bytes], src[lo*from.bytes:hi*from.bytes], to.elementType, from.elementType, hi-lo)
		}
	}
}

// convertRows sets dst to n rows of src, one of which is f32 and the other as ops.Append.Type says.
func convertRows(dst, src []byte, to, from ir.ElementType, n int) {
	switch {
	case to == ir.U8:
		levels.EncodeRows(dst, cast.Bytes[float32](src), len(src)/4/n)
	case from == ir.U8:
		levels.DecodeRows(cast.Bytes[float32](dst), src, len(dst)/4/n)
	case to == ir.F16:
		half.F32sToF16s(cast.Bytes[uint16](dst), cast.Bytes[float32](src))
	case from == ir.F16:
		half.F16sToF32s(cast.Bytes[float32](dst), cast.Bytes[uint16](src))
	case to == ir.BF16:
		half.F32sToBF16s(cast.Bytes[half.BFloat16](dst), cast.Bytes[float32](src))
	default:
		half.BF16sToF32s(cast.Bytes[float32](dst), cast.Bytes[half.BFloat16](src))
	}
}
