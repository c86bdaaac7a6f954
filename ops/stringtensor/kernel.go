package stringtensor

import (
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/heldtext"
)

// preparePack returns a kernel that copies the symbols once, in memory that all strings share.
// Strings need memory that outlives the run: this copy is the only allocation. It counts until the
// next run replaces it.
func preparePack(p *ops.Preparation) (*ops.Prepared, error) {
	// OpenVINO infers such shapes when the layer runs, and then knows the values.
	sorted := p.Layer != nil && len(p.Layer.Outputs) > 0 && !p.Layer.Outputs[0].Declared.IsStatic()
	if p.Inputs[0].Type == ir.I32 {
		return &ops.Prepared{Kernel: func(r *ops.Run) error { return pack[int32](r, sorted) }}, nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return pack[int64](r, sorted) }}, nil
}

// pack makes the strings. sorted means that begins and ends must be sorted.
func pack[I int32 | int64](r *ops.Run, sorted bool) error {
	begins, ends, symbols := ir.Data[I](r.Inputs[0]), ir.Data[I](r.Inputs[1]), r.Inputs[2].Bytes()
	first, last := int64(len(symbols)), int64(0) // of all strings
	meter := r.Stop.Meter()
	for i, begin := range begins {
		if meter.Spent(2) {
			return parallel.ErrStopped
		}
		end := ends[i]
		if begin < 0 || end < begin || int64(end) > int64(len(symbols)) {
			return faults.Errorf("begins%v is %d, ends%v is %d, symbols has %d elements", position(r, i), begin, position(r, i), end, len(symbols))
		}
		if sorted && i > 0 && (begin < begins[i-1] || end < ends[i-1]) {
			return faults.Errorf("not sorted: the string at %v is from %d to %d, the one before it from %d to %d", position(r, i), begin, end, begins[i-1], ends[i-1])
		}
		if begin < end {
			first, last = min(first, int64(begin)), max(last, int64(end))
		}
	}
	all, out := "", r.Outputs[0].Strings()
	// so that the text of the run before is not kept while this one is copied
	parallel.Clear(r.Stop, out)
	if err := heldtext.Reserve(r, max(last-first, 0)); err != nil {
		return err
	}
	if first < last {
		var b strings.Builder
		b.Grow(int(last - first))
		for at := first; at < last; at += copied {
			if r.Stop.Requested() {
				return parallel.ErrStopped
			}
			b.Write(symbols[at:min(at+copied, last)])
		}
		all = b.String()
	}
	for i, begin := range begins {
		if meter.Spent(2) {
			return parallel.ErrStopped
		}
		if out[i] = ""; begin < ends[i] {
			out[i] = all[int64(begin)-first : int64(ends[i])-first]
		}
	}
	return nil
}

// copied is the number of bytes that are copied between two checks for a stop.
const copied = 1 << 20

// position returns the coordinates of element i of input 0.
func position(r *ops.Run, i int) []int { return index.Position(i, r.Inputs[0].Shape()) }

const (
	// stringCost is the cost of a short string.
	stringCost = 8
	// counted is the number of strings that are counted between two checks for a stop.
	counted = 1 << 11
)

// prepareUnpack returns a kernel that first adds up the lengths, which gives the size of symbols. A
// file may leave out symbols, and ends.
func prepareUnpack(p *ops.Preparation) (*ops.Prepared, error) {
	if len(p.Outputs) < 3 {
		return &ops.Prepared{Kernel: func(r *ops.Run) error { _, err := lengths(r); return err }}, nil
	}
	known := p.Outputs[2].Shape.IsStatic()
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		n, err := lengths(r)
		if err != nil {
			return err
		}
		if !known {
			if err := r.SetShape(2, n); err != nil {
				return err
			}
		}
		if have := r.Outputs[2].Len(); have != n {
			return faults.Errorf("BUG: symbols has %d elements, the strings have %d bytes", have, n)
		}
		return r.For(r.Inputs[0].Len(), ops.Grain(stringCost), copyStrings)
	}}, nil
}

// lengths sets begins and ends, and returns the number of bytes of all strings.
func lengths(r *ops.Run) (int, error) {
	begins, from := ir.Data[int32](r.Outputs[0]), r.Inputs[0].Strings()
	var ends []int32
	if len(r.Outputs) > 1 {
		ends = ir.Data[int32](r.Outputs[1])
	}
	n := 0
	for lo := 0; lo < len(from); lo += counted {
		if r.Stop.Requested() {
			return 0, parallel.ErrStopped
		}
		hi := min(lo+counted, len(from))
		starts := begins[lo:hi]
		for i, s := range from[lo:hi] {
			if len(s) > math.MaxInt32-n {
				return 0, faults.Errorf("string %v ends beyond byte %d, more than an i32 counts", position(r, lo+i), math.MaxInt32)
			}
			starts[i] = int32(n)
			n += len(s)
		}
		if ends != nil {
			// A string ends where the next one begins.
			copy(ends[lo:hi], starts[1:])
			ends[hi-1] = int32(n)
		}
	}
	return n, nil
}

// copyStrings copies strings lo to hi-1.
func copyStrings(r *ops.Run, lo, hi int) error {
	if lo == hi {
		return nil
	}
	to := r.Outputs[2].Bytes()[ir.Data[int32](r.Outputs[0])[lo]:]
	for _, s := range r.Inputs[0].Strings()[lo:hi] {
		for len(s) > copied {
			if r.Stop.Requested() {
				return parallel.ErrStopped
			}
			n := copy(to, s[:copied])
			to, s = to[n:], s[n:]
		}
		copyString(to, s)
		to = to[len(s):]
	}
	return nil
}

// copyString copies s to the start of to. Lengths of words and sentences are hard to predict, and
// copy branches on them: up to 64 bytes, this copies four pieces, which overlap.
func copyString(to []byte, s string) {
	const piece = 16
	if len(s) < piece || len(s) > 4*piece {
		copy(to, s)
		return
	}
	to = to[:len(s)]
	last := len(s) - piece
	second, third := min(piece, last), min(2*piece, last)
	copy(to[:piece], s[:piece])
	copy(to[second:][:piece], s[second:][:piece])
	copy(to[third:][:piece], s[third:][:piece])
	copy(to[last:][:piece], s[last:][:piece])
}
