package scatterndupdate

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// or, xor and and are combine functions for booleans. Each byte other than 0 is true.

func or(dst, src []uint8, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			if y != 0 {
				row[e] = 1
			}
		}
	}
}

func xor(dst, src []uint8, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			if y == 0 {
				continue
			}
			if row[e] == 0 {
				row[e] = 1
			} else {
				row[e] = 0
			}
		}
	}
}

func and(dst, src []uint8, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			if y == 0 {
				row[e] = 0
			}
		}
	}
}

// reducePacked returns the kernel for integers of less than a byte. It runs on one thread
// because neighbouring elements share bytes.
func reducePacked(k *plan, red reduction, t ir.ElementType, at gatherscatter.Indices[int64]) ops.Kernel {
	// SetPacked drops the bits that t does not have.
	shift := 0
	if t == ir.I4 {
		shift = 4
	}
	f := arithmetic[int8](red)
	return func(r *ops.Run) error {
		if err := at.Check(r); err != nil || r.Outputs[0].Len() == 0 {
			return err
		}
		out, updates := r.Outputs[0], r.Inputs[updatesPort]
		parallel.Copy(r.Stop, out.Bytes(), r.Inputs[dataPort].Bytes())
		meter := r.Stop.Meter()
		var x, y [1]int8
		first := [1]int64{}
		for j, i := range at.Get(r) {
			for e := range k.N {
				if meter.Spent(16) {
					return nil
				}
				to := int(i)*k.N + e
				x[0] = int8(out.Packed(to)<<shift) >> shift
				y[0] = int8(updates.Packed(j*k.N+e)<<shift) >> shift
				f(x[:], y[:], 1, first[:], 0, 1)
				out.SetPacked(to, uint8(x[0]))
			}
		}
		return nil
	}
}
