package onehot

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that fills the output with off_value and then sets an element for each
// index. The output has the shape [outer, depth, inner], indices has the shape [outer, inner].
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil {
		return nil, err
	}
	l := layout{Lines: index.Along(shape, axis), negative: at.normalize}
	switch t := p.Outputs[0].Type; {
	case t == ir.String:
		return kernel(l, stringElements), nil
	case t.Size() >= 1 && t.Size() <= 8:
		return kernel(l, elements(t.Size())), nil
	default:
		return nil, faults.Errorf("on_value of type %v has no kernel", t)
	}
}

type layout struct {
	index.Lines      // of the output, of depth elements
	negative    bool // a negative index counts from the end
}

// resolve sets at to the positions along the axis that indices from lo on give; -1 for those
// outside.
func (l *layout) resolve(at []int, indices *ir.Tensor, lo int) {
	switch indices.ElementType() {
	case ir.I8:
		resolve[int8](l, at, indices, lo)
	case ir.I16:
		resolve[int16](l, at, indices, lo)
	case ir.I32:
		resolve[int32](l, at, indices, lo)
	case ir.I64:
		resolve[int64](l, at, indices, lo)
	case ir.U8, ir.Boolean:
		resolve[uint8](l, at, indices, lo)
	case ir.U16:
		resolve[uint16](l, at, indices, lo)
	case ir.U32:
		resolve[uint32](l, at, indices, lo)
	default:
		resolve[uint64](l, at, indices, lo)
	}
}

func resolve[I cast.Integer](l *layout, at []int, indices *ir.Tensor, lo int) {
	for i, v := range ir.Data[I](indices)[lo:][:len(at)] {
		at[i] = index.Resolve(v, l.Length, l.negative)
	}
}

const (
	// block is the number of elements that are filled before the rows in them are set, while they
	// are in the cache.
	block = 1 << 12
	// resolved is the number of indices that are resolved at a time.
	resolved = 256
)

// elements gives access to the elements of the output: it is their size in bytes, or
// stringElements. It is no interface, whose methods would move the positions of a kernel from the
// stack to the heap.
type elements int

const stringElements elements = 0

func kernel(l layout, e elements) *ops.Prepared {
	if l.Length == 0 || l.Inner == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}
	}
	// rows computes rows lo to hi-1, of depth elements each, for an inner of 1.
	rows := func(r *ops.Run, lo, hi int) error {
		step := min(max(block/l.Length, 1), resolved)
		var positions [resolved]int
		meter := r.Stop.Meter()
		for ; lo < hi; lo += step {
			end := min(lo+step, hi)
			e.fill(&meter, r, lo*l.Length, end*l.Length)
			l.resolve(positions[:end-lo], r.Inputs[indicesPort], lo)
			e.set(r, positions[:end-lo], lo*l.Length, l.Length, 1)
		}
		return nil
	}
	if l.Inner == 1 {
		return &ops.Prepared{Kernel: func(r *ops.Run) error {
			return r.For(r.Inputs[indicesPort].Len(), ops.Grain(float64(l.Length)/2), rows)
		}}
	}
	clearAll := func(r *ops.Run, lo, hi int) error {
		meter := r.Stop.Meter()
		e.fill(&meter, r, lo, hi)
		return nil
	}
	set := func(r *ops.Run, lo, hi int) error {
		var positions [resolved]int
		for lo < hi {
			o := lo / l.Inner
			end := min((o+1)*l.Inner, hi, lo+resolved)
			l.resolve(positions[:end-lo], r.Inputs[indicesPort], lo)
			e.set(r, positions[:end-lo], o*l.Length*l.Inner+lo-o*l.Inner, 1, l.Inner)
			lo = end
		}
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		if err := r.For(r.Outputs[0].Len(), ops.Grain(1./2), clearAll); err != nil {
			return err
		}
		return r.For(r.Inputs[indicesPort].Len(), ops.Grain(4), set)
	}}
}

// fill sets elements lo to hi-1 to off_value. It ends early if the work must stop.
func (e elements) fill(meter *parallel.Meter, r *ops.Run, lo, hi int) {
	for lo < hi && !meter.Spent(min(fillPiece, hi-lo)) {
		end := min(lo+fillPiece, hi)
		if size := int(e); e == stringElements {
			repeat(r.Outputs[0].Strings()[lo:end], r.Inputs[offPort].Strings()[:1])
		} else if off := r.Inputs[offPort].Bytes()[:size]; isZero(off) {
			clear(r.Outputs[0].Bytes()[lo*size : end*size])
		} else {
			repeat(r.Outputs[0].Bytes()[lo*size:end*size], off)
		}
		lo = end
	}
}

func isZero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// repeat sets x to repetitions of v.
func repeat[E any](x, v []E) {
	copy(x, v)
	for done := len(v); done < len(x); done *= 2 {
		copy(x[done:], x[:done])
	}
}

// set sets those elements to on_value that are at the given positions, which are -1 for none, of
// rows of elements: position p of row i is element at + i*row + p*step.
func (e elements) set(r *ops.Run, positions []int, at, row, step int) {
	out, on := r.Outputs[0].Bytes(), r.Inputs[onPort].Bytes()
	switch e {
	case stringElements:
		setEach(r.Outputs[0].Strings(), r.Inputs[onPort].Strings()[0], positions, at, row, step)
	case 1:
		setEach(out, on[0], positions, at, row, step)
	case 2:
		setEach(cast.Bytes[uint16](out), cast.Bytes[uint16](on)[0], positions, at, row, step)
	case 4:
		setEach(cast.Bytes[uint32](out), cast.Bytes[uint32](on)[0], positions, at, row, step)
	default:
		setEach(cast.Bytes[uint64](out), cast.Bytes[uint64](on)[0], positions, at, row, step)
	}
}

// setEach is set for the elements of out.
func setEach[E any](out []E, on E, positions []int, at, row, step int) {
	for _, p := range positions {
		if p >= 0 {
			out[at+p*step] = on
		}
		at += row
	}
}

// fillPiece is the number of elements that are filled between two checks of the meter.
const fillPiece = 1 << 16
