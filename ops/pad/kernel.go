package pad

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	pd, err := padderOf(p)
	if err != nil {
		return nil, err
	}
	if pd.rows == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	t := p.Outputs[0].Type
	var part ops.Part
	size := t.Size()
	switch {
	case t == ir.String:
		part, size = pd.strings, 16
	case size == 0:
		// rows can share bytes, so only one thread writes them
		return &ops.Prepared{Kernel: pd.packed}, nil
	case size == 1:
		part = rowsOf[uint8](pd)
	case size == 2:
		part = rowsOf[uint16](pd)
	case size == 4:
		part = rowsOf[uint32](pd)
	case size == 8:
		part = rowsOf[uint64](pd)
	default:
		part = rowsOf[complex128](pd)
	}
	grain := ops.Grain(2 * ops.CopyCost * float64(pd.row.out*pd.unit*size))
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(pd.rows, grain, part) }}, nil
}

// padder describes a padding as rows along the last axis that has pads, or along axis 0 if none
// has. unit is the number of elements of all later axes: each position of a row has that many
// elements.
type padder struct {
	mode     mode
	hasValue bool
	outer    []axis
	row      axis
	unit     int
	rows     int
}

// axis is an axis of the output and of data: their lengths, the position in the output at which
// data begins, and the stride in data.
type axis struct{ out, data, begin, stride int }

func padderOf(p *ops.Preparation) (*padder, error) {
	data := p.InputShape(0)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	pd := &padder{mode: p.Attributes.(mode), hasValue: p.Attributes.(mode) == constant && len(p.Inputs) > 3, unit: 1}
	begins, beginsKnown := p.Inputs[1].Ints()
	ends, endsKnown := p.Inputs[2].Ints()
	if !beginsKnown || !endsKnown || len(begins) != len(data) || len(ends) != len(data) {
		return nil, faults.Errorf("the pads of %d axes are not known", len(data))
	}
	strides := strided.Strides(data)
	axes := make([]axis, len(data))
	for k, n := range data {
		if err := checkPads(pd.mode, k, int64(n), begins[k], ends[k]); err != nil {
			return nil, err
		}
		axes[k] = axis{shape[k], n, int(begins[k]), strides[k]}
		if int64(axes[k].begin) != begins[k] || int64(n)+begins[k]+ends[k] != int64(shape[k]) {
			return nil, faults.Errorf("pads %d and %d of axis %d of %d elements do not give %d", begins[k], ends[k], k, n, shape[k])
		}
	}
	pd.row, pd.rows = axis{1, 1, 0, 1}, 1
	for last := len(axes) - 1; last >= 0; last-- {
		if pd.row = axes[last]; pd.row.begin != 0 || pd.row.out != pd.row.data || last == 0 {
			pd.outer = axes[:last]
			break
		}
		pd.unit *= pd.row.data
	}
	for _, a := range pd.outer {
		pd.rows *= a.out
	}
	if shape.Elements() == 0 {
		pd.rows = 0
	}
	return pd, nil
}

// source returns the index in data for position i of the first axes outer axes of the output,
// counted in row-major order; -1 if that position consists of pad_value.
func (p *padder) source(i, axes int) int {
	from := 0
	for k := axes - 1; k >= 0; k-- {
		from = p.step(from, k, i%p.outer[k].out)
		i /= p.outer[k].out
	}
	return from
}

// step adds to from what position i of outer axis k of the output adds to the index in data; -1 if
// the position is in the pads that have pad_value, or if from is.
func (p *padder) step(from, k, i int) int {
	a := &p.outer[k]
	at := p.mode.source(i, a.begin, a.data)
	if at < 0 || from < 0 {
		return -1
	}
	return from + at*a.stride
}

func rowsOf[T ir.Element](p *padder) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		var value T
		if p.hasValue {
			value = ir.Data[T](r.Inputs[3])[0]
		}
		pad(r.Stop, p, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), value, lo, hi)
		return nil
	}
}

func (p *padder) strings(r *ops.Run, lo, hi int) error {
	value := ""
	if p.hasValue {
		value = r.Inputs[3].Strings()[0]
	}
	pad(r.Stop, p, r.Outputs[0].Strings(), r.Inputs[0].Strings(), value, lo, hi)
	return nil
}

// pad writes rows lo to hi-1: the pads on the left, data, and the pads on the right.
func pad[T any](stop parallel.Stop, p *padder, dst, data []T, value T, lo, hi int) {
	u, n := p.unit, p.row.out
	first := min(max(p.row.begin, 0), n)
	end := min(max(p.row.begin+p.row.data, first), n)
	// The rows of the last outer axis take turns in the inner loop, so that the positions of the
	// others are computed once for all of them.
	last, lines := len(p.outer)-1, 1
	if last >= 0 {
		lines = p.outer[last].out
	}
	meter := stop.Meter()
	for lo < hi {
		base := p.source(lo/lines, last)
		for i := lo % lines; i < lines && lo < hi; i++ {
			if meter.Spent(n*u/8 + 8) {
				return
			}
			from := base
			if last >= 0 {
				if a := &p.outer[last]; base >= 0 && uint(i-a.begin) < uint(a.data) {
					from += (i - a.begin) * a.stride // without a call
				} else {
					from = p.step(base, last, i)
				}
			}
			row := dst[lo*n*u:][:n*u]
			lo++
			if from < 0 {
				strided.Fill(row, value)
				continue
			}
			switch count := (end - first) * u; {
			case count == 0: // the row consists of pads
			case count < longRow:
				copy(row[first*u:end*u], data[from+(first-p.row.begin)*u:])
			default:
				parallel.Copy(stop, row[first*u:end*u], data[from+(first-p.row.begin)*u:])
			}
			if u > 1 || max(first, n-end) > shortBorder || p.mode != constant && p.mode != edge {
				border(&meter, p, row, data, value, from, 0, first)
				border(&meter, p, row, data, value, from, end, n)
				continue
			}
			left, right := value, value
			if p.mode == edge {
				left, right = data[from], data[from+p.row.data-1]
			}
			for i := range row[:first] {
				row[i] = left
			}
			for i := end; i < n; i++ {
				row[i] = right
			}
		}
	}
}

// shortBorder is the number of elements up to which a border is written in a simple loop.
const shortBorder = 16

// mirrorPiece is the number of elements of a mirror image that are written between two checks of a
// stop.
const mirrorPiece = 1 << 12

// longRow is the number of elements of a row from which on its copy can be stopped.
const longRow = 1 << 14

// border writes units lo to hi-1 of a row. All of them are on the same side of data.
func border[T any](meter *parallel.Meter, p *padder, row, data []T, value T, from, lo, hi int) {
	u := p.unit
	switch {
	case lo == hi:
	case p.mode == constant:
		strided.Fill(row[lo*u:hi*u], value)
	case p.mode == edge && u == 1:
		strided.Fill(row[lo:hi], data[from+p.mode.source(lo, p.row.begin, p.row.data)])
	case u == 1 && hi-lo <= shortBorder: // a mirror image
		first := from + p.mode.source(lo, p.row.begin, p.row.data)
		for i := range row[lo:hi] {
			row[lo+i] = data[first-i]
		}
	case u == 1:
		first, last := p.mode.source(lo, p.row.begin, p.row.data), p.mode.source(hi-1, p.row.begin, p.row.data)
		to, image := row[lo:hi], data[from+last:from+first+1]
		for len(to) > 0 && !meter.Spent(min(len(to), mirrorPiece)) {
			n := min(len(to), mirrorPiece)
			rest, piece := image[:len(image)-n], image[len(image)-n:]
			for i := range to[:n] {
				to[i] = piece[len(piece)-1-i]
			}
			to, image = to[n:], rest
		}
	default:
		for i := lo; i < hi; i++ {
			if meter.Spent(u/4 + 4) {
				return
			}
			copy(row[i*u:(i+1)*u], data[from+p.mode.source(i, p.row.begin, p.row.data)*u:])
		}
	}
}

// packed writes elements of less than a byte one by one.
func (p *padder) packed(r *ops.Run) error {
	value, to := uint8(0), 0
	if p.hasValue {
		value = r.Inputs[3].Packed(0)
	}
	meter := r.Stop.Meter()
	for i := range p.rows {
		from := p.source(i, len(p.outer))
		for k := range p.row.out {
			at := -1
			if from >= 0 {
				at = p.mode.source(k, p.row.begin, p.row.data)
			}
			for j := range p.unit {
				if meter.Spent(8) {
					return nil
				}
				v := value
				if at >= 0 {
					v = r.Inputs[0].Packed(from + at*p.unit + j)
				}
				r.Outputs[0].SetPacked(to, v)
				to++
			}
		}
	}
	return nil
}
