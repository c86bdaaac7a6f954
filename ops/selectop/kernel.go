package selectop

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

//go:generate go run ./_neon -out select_arm64.s -stubs select_stubs_arm64.go -pkg selectop

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	s := new(selection)
	if _, err := s.fit(p); err != nil {
		return nil, err
	}
	t := p.Outputs[0].Type
	var part ops.Part
	size := t.Size()
	switch {
	case t == ir.String:
		part, size = s.strings, 16
	case size == 0:
		// rows can share bytes, so only one thread writes them
		return &ops.Prepared{Kernel: s.packed, Refit: s.fit}, nil
	case size == 1:
		part = rowsOf[uint8](s)
	case size == 2:
		part = rowsOf[uint16](s)
	case size == 4:
		part = rowsOf[uint32](s)
	case size == 8:
		part = rowsOf[uint64](s)
	default:
		part = rowsOf[complex128](s)
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		return r.For(s.rows, ops.Grain(4*ops.CopyCost*float64(s.row.n*size)), part)
	}, Refit: s.fit}, nil
}

// fit sets s to the selection of p.
func (s *selection) fit(p *ops.Preparation) (bool, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return false, err
	}
	var views [3]strided.View
	for i := range views {
		if views[i], err = viewOf(&p.Inputs[i], shape, p.Attributes.(autobroadcast.Rule)); err != nil {
			return false, err
		}
	}
	*s = selectionOf(shape, &views)
	return true, nil
}

// axis is an axis of the output, with the distance between neighbouring elements of each input.
type axis struct {
	n       int
	strides [3]int
}

// selection describes the output as rows along its last axis.
type selection struct {
	outer []axis
	row   axis
	rows  int
}

// maxRow is the number of elements above which a row is split, so that several threads can compute
// it.
const maxRow = 1 << 12

// selectionOf describes the views with as few axes as possible.
func selectionOf(shape ir.Shape, views *[3]strided.View) selection {
	var axes []axis
	for k, n := range shape {
		a := axis{n, [3]int{views[0].Strides[k], views[1].Strides[k], views[2].Strides[k]}}
		if n == 1 {
			continue
		}
		if last := len(axes) - 1; last >= 0 && axes[last].continues(a) {
			a.n *= axes[last].n
			axes[last] = a
			continue
		}
		axes = append(axes, a)
	}
	s := selection{row: axis{n: 1}, rows: 1}
	if last := len(axes) - 1; last >= 0 {
		s.row, s.outer = axes[last], axes[:last]
		s.cut()
	}
	for _, a := range s.outer {
		s.rows *= a.n
	}
	if s.row.n == 0 {
		s.rows = 0
	}
	return s
}

// cut splits a long row into several rows of equal length if that is possible.
func (s *selection) cut() {
	parts := 1
	for parts < 64 && s.row.n/parts > maxRow && s.row.n%(2*parts) == 0 {
		parts *= 2
	}
	if parts == 1 {
		return
	}
	piece := axis{n: parts}
	s.row.n /= parts
	for i, stride := range s.row.strides {
		piece.strides[i] = s.row.n * stride
	}
	s.outer = append(s.outer, piece)
}

// continues reports whether b and the next axis a can be merged: in every input, a step along b is
// as long as the whole of a.
func (b axis) continues(a axis) bool {
	for i, stride := range a.strides {
		if b.strides[i] != a.n*stride {
			return false
		}
	}
	return true
}

// at returns the index at which row i starts in each input.
func (s *selection) at(i int) (at [3]int) {
	for k := len(s.outer) - 1; k >= 0; k-- {
		a := &s.outer[k]
		c := i % a.n
		i /= a.n
		for j, stride := range a.strides {
			at[j] += c * stride
		}
	}
	return at
}

func rowsOf[T ir.Element](s *selection) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		computeRows(s, ir.Data[T](r.Outputs[0]), ir.Data[uint8](r.Inputs[0]), ir.Data[T](r.Inputs[1]), ir.Data[T](r.Inputs[2]), lo, hi)
		return nil
	}
}

func (s *selection) strings(r *ops.Run, lo, hi int) error {
	computeRows(s, r.Outputs[0].Strings(), ir.Data[uint8](r.Inputs[0]), r.Inputs[1].Strings(), r.Inputs[2].Strings(), lo, hi)
	return nil
}

// computeRows computes rows lo to hi-1.
func computeRows[T any](s *selection, dst []T, cond []uint8, then, otherwise []T, lo, hi int) {
	n, strides := s.row.n, s.row.strides
	for ; lo < hi; lo++ {
		row, at := dst[lo*n:][:n], s.at(lo)
		c, a, b := cond[at[0]:], then[at[1]:], otherwise[at[2]:]
		switch {
		case strides[0] != 0:
			done := selectPrefix(row, c, a, b, strides[1], strides[2])
			if done < n {
				selectRow(row[done:], c[done:], a[done*strides[1]:], b[done*strides[2]:], strides)
			}
		case c[0] != 0:
			spread(row, a, strides[1])
		default:
			spread(row, b, strides[2])
		}
	}
}

// selectRow selects between a and b, whose strides are 0 or 1.
func selectRow[T any](row []T, cond []uint8, a, b []T, strides [3]int) {
	n := len(row)
	switch {
	case strides[1] == 0 && strides[2] == 0:
		selectValues(row, cond[:n], a[0], b[0])
	case strides[1] == 0:
		selectValue(row, cond[:n], a[0], b[:n], true)
	case strides[2] == 0:
		selectValue(row, cond[:n], b[0], a[:n], false)
	default:
		selectRows(row, cond[:n], a[:n], b[:n])
	}
}

// spread copies a row, or fills it with one value if stride is 0.
func spread[T any](row, from []T, stride int) {
	if stride == 0 {
		strided.Fill(row, from[0])
		return
	}
	copy(row, from)
}

// selectRows sets row[i] to a[i] if cond[i], else to b[i].
func selectRows[T any](row []T, cond []uint8, a, b []T) {
	a, b, cond = a[:len(row)], b[:len(row)], cond[:len(row)]
	for i := range row {
		v, w := a[i], b[i]
		if cond[i] != 0 {
			w = v
		}
		row[i] = w
	}
}

// selectValues sets row[i] to a if cond[i], else to b.
func selectValues[T any](row []T, cond []uint8, a, b T) {
	cond = cond[:len(row)]
	for i := range row {
		w := b
		if cond[i] != 0 {
			w = a
		}
		row[i] = w
	}
}

// selectValue sets row[i] to value if cond[i] equals is, else to from[i].
func selectValue[T any](row []T, cond []uint8, value T, from []T, is bool) {
	from, cond = from[:len(row)], cond[:len(row)]
	if is {
		for i := range row {
			w := from[i]
			if cond[i] != 0 {
				w = value
			}
			row[i] = w
		}
		return
	}
	for i := range row {
		w := from[i]
		if cond[i] == 0 {
			w = value
		}
		row[i] = w
	}
}

// packed selects elements of less than a byte one by one.
func (s *selection) packed(r *ops.Run) error {
	cond, meter := ir.Data[uint8](r.Inputs[0]), r.Stop.Meter()
	for i := range s.rows {
		at := s.at(i)
		for k := range s.row.n {
			if meter.Spent(8) {
				return nil
			}
			from := 2
			if cond[at[0]+k*s.row.strides[0]] != 0 {
				from = 1
			}
			r.Outputs[0].SetPacked(i*s.row.n+k, r.Inputs[from].Packed(at[from]+k*s.row.strides[from]))
		}
	}
	return nil
}
