package cumsum

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// prepare returns a kernel that adds along the axis in the order of the definition. It adds whole
// rows of the elements after the axis, or four sums at a time if the axis is the last.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	axes, known := p.Inputs[1].Ints()
	if !known || len(axes) != 1 {
		return nil, faults.Errorf("axis has shape %v, expected one known element", p.Inputs[1].Shape)
	}
	axis, err := index.Axis(axes[0], max(len(shape), 1)) // a scalar has one axis
	if err != nil {
		return nil, err
	}
	s := &sums{attributes: p.Attributes.(attributes), Lines: index.Lines{Outer: shape.Elements(), Length: 1, Inner: 1}}
	if len(shape) > 0 && s.Outer > 0 {
		s.Lines = index.Along(shape, axis)
	}
	// An item is a row along the axis, or a range of columns of a plane.
	s.columns = min(s.Inner, columnsAtOnce)
	if s.Inner <= fewColumns {
		s.columns = 1
	}
	s.blocks = (s.Inner + s.columns - 1) / s.columns
	items, grain := s.Outer*s.blocks, max(ops.Grain(float64(s.Length)*float64(s.columns)/2), rowsAtOnce)
	switch p.Outputs[0].Type {
	// Sums that wrap have the same bits for signed and unsigned integers.
	case ir.I32, ir.U32:
		return integers[uint32](s, items, grain)
	case ir.I64, ir.U64:
		return integers[uint64](s, items, grain)
	}
	add := vmath.Binary(vmath.Add, vmath.Rows)
	if add == nil {
		add = addRows[float32]
	}
	return floats.Kernel(p, 1, items, grain, itemsOf(s, add), itemsOf(s, addRows[float64])), nil
}

const (
	// columnsAtOnce is the number of columns of an item.
	columnsAtOnce = 1 << 10
	// fewColumns is the greatest number of columns that are rows of their own, because calls for
	// such short rows would take most of the time.
	fewColumns = 8
	// rowsAtOnce is the number of rows that are added at the same time, because each sum has to
	// wait for the one before it.
	rowsAtOnce = 4
	// piece is the number of elements of a row between two checks for a stop.
	piece = 1 << 14
)

type number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// sums is the axis, and the blocks of columns that the elements after it are divided into.
type sums struct {
	attributes
	index.Lines
	columns, blocks int
}

// integers returns the kernel of an integer type.
func integers[T number](s *sums, items, grain int) (*ops.Prepared, error) {
	compute := itemsOf(s, addRows[T])
	part := func(r *ops.Run, lo, hi int) error {
		compute(r.Stop, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), nil, lo, hi)
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(items, grain, part) }}, nil
}

// itemsOf returns the function that computes items lo to hi-1.
func itemsOf[T number](s *sums, add func(out, a, b []T)) func(stop parallel.Stop, out, data, _ []T, lo, hi int) {
	if s.Inner <= fewColumns {
		return func(stop parallel.Stop, out, data, _ []T, lo, hi int) { rows(stop, s, out, data, lo, hi) }
	}
	return func(stop parallel.Stop, out, data, _ []T, lo, hi int) {
		meter := stop.Meter()
		for ; lo < hi; lo++ {
			first := lo % s.blocks * s.columns
			planes(&meter, s, out, data, add, lo/s.blocks*s.Length*s.Inner+first, min(s.columns, s.Inner-first))
		}
	}
}

func addRows[T number](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

// planes computes a number of columns, the first of which starts at index at.
func planes[T number](meter *parallel.Meter, s *sums, out, data []T, add func(out, a, b []T), at, columns int) {
	step := s.Inner
	if s.reverse {
		at, step = at+(s.Length-1)*s.Inner, -s.Inner
	}
	if s.exclusive {
		clear(out[at:][:columns])
	} else {
		copy(out[at:][:columns], data[at:])
	}
	for range s.Length - 1 {
		if meter.Spent(columns/4 + 4) {
			return
		}
		from := at + step
		if s.exclusive {
			from = at
		}
		add(out[at+step:][:columns], out[at:][:columns], data[from:][:columns])
		at += step
	}
}

// rows computes rows lo to hi-1. The elements of a row are s.Inner elements apart.
func rows[T number](stop parallel.Stop, s *sums, out, data []T, lo, hi int) {
	meter := stop.Meter()
	for lo < hi {
		count := 1
		if s.Inner == 1 && hi-lo >= rowsAtOnce {
			count = rowsAtOnce
		}
		var acc [rowsAtOnce]T
		start := s.Start(lo)
		to, from := out[start:], data[start:]
		for done := 0; done < s.Length; done += piece {
			n := min(piece, s.Length-done)
			if meter.Spent(n * count) {
				return
			}
			first, step := done*s.Inner, s.Inner
			if s.reverse {
				first, step = (s.Length-1-done)*s.Inner, -s.Inner
			}
			if count == rowsAtOnce {
				fourRows(to, from, s.Length, first, step, n, s.exclusive, &acc)
			} else {
				acc[0] = oneRow(to, from, first, step, n, s.exclusive, acc[0])
			}
		}
		lo += count
	}
}

// oneRow computes n elements, from index j on, and returns the sum of them and acc.
func oneRow[T number](out, data []T, j, step, n int, exclusive bool, acc T) T {
	for range n {
		v := data[j]
		if exclusive {
			out[j] = acc
		}
		acc += v
		if !exclusive {
			out[j] = acc
		}
		j += step
	}
	return acc
}

// fourRows is oneRow for four rows, which are length elements apart.
func fourRows[T number](out, data []T, length, j, step, n int, exclusive bool, acc *[rowsAtOnce]T) {
	out0, out1, out2, out3 := out[:length], out[length:][:length], out[2*length:][:length], out[3*length:][:length]
	data0, data1, data2, data3 := data[:length], data[length:][:length], data[2*length:][:length], data[3*length:][:length]
	a, b, c, d := acc[0], acc[1], acc[2], acc[3]
	if exclusive {
		for range n {
			out0[j], out1[j], out2[j], out3[j] = a, b, c, d
			a, b, c, d = a+data0[j], b+data1[j], c+data2[j], d+data3[j]
			j += step
		}
	} else {
		for range n {
			a, b, c, d = a+data0[j], b+data1[j], c+data2[j], d+data3[j]
			out0[j], out1[j], out2[j], out3[j] = a, b, c, d
			j += step
		}
	}
	*acc = [rowsAtOnce]T{a, b, c, d}
}
