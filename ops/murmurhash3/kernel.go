package murmurhash3

import (
	"encoding/binary"
	"math/bits"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// hashCost is the cost of a hash of a few bytes.
const hashCost = 8

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	seed, part := p.Attributes.(attributes).seed, ops.Part(nil)
	if p.Inputs[0].Type == ir.String {
		part = func(r *ops.Run, lo, hi int) error {
			out, meter := cast.Bytes[uint32](r.Outputs[0].Bytes()), r.Stop.Meter()
			for i, s := range r.Inputs[0].Strings()[lo:hi] {
				if meter.Spent(hashCost + len(s)/2) {
					return parallel.ErrStopped
				}
				out[lo+i] = hash(s, seed)
			}
			return nil
		}
	} else {
		size := p.Inputs[0].Type.Size()
		part = func(r *ops.Run, lo, hi int) error {
			data, out := r.Inputs[0].Bytes(), cast.Bytes[uint32](r.Outputs[0].Bytes())
			for i := lo; i < hi; i++ {
				out[i] = hash(data[i*size:][:size], seed)
			}
			return nil
		}
	}
	return &ops.Prepared{
		Kernel: func(r *ops.Run) error { return r.For(r.Outputs[0].Len(), ops.Grain(hashCost), part) },
		Refit:  ops.Fits,
	}, nil
}

// hash is MurmurHash3_x86_32.
func hash[T string | []byte](key T, seed uint32) uint32 {
	h, n := seed, len(key)
	for ; len(key) >= 4; key = key[4:] {
		h = bits.RotateLeft32(h^scramble(binary.LittleEndian.Uint32([]byte(key[:4]))), 13)*5 + 0xe6546b64
	}
	last := uint32(0)
	for i := range len(key) {
		last |= uint32(key[i]) << (8 * i)
	}
	h ^= scramble(last) ^ uint32(n) // scramble(0) is 0
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func scramble(k uint32) uint32 { return bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593 }
