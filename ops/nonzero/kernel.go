package nonzero

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// chunk is the number of elements that a thread processes at a time.
const chunk = 1 << 14

// prepare returns a kernel that first counts the nonzero elements of each chunk. The counts give
// the column of the output at which each chunk then writes its positions:
//
//	for each i with data[i] != 0: output[:, n] = position of i; n++
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	k := &kernel{walker: walkerOf(p.Inputs[0].Type), shape: shape, elements: shape.Elements()}
	k.chunks = (k.elements + chunk - 1) / chunk
	k.find = k.find32
	if p.Outputs[0].Type == ir.I64 {
		k.find = k.find64
	}
	k.known = p.Outputs[0].Shape.IsStatic()
	k.countPart, k.findPart = k.countChunks, k.findChunks
	var s ops.Scratch
	k.starts = ops.AreaOf[int64](&s, k.chunks+1)
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes()}, nil
}

type kernel struct {
	walker
	shape            ir.Shape
	elements, chunks int
	known            bool // the shape of the output was inferred
	// starts has one number for each chunk: first the number of nonzero elements in the chunk,
	// later the number of nonzero elements before it.
	starts              ops.Area[int64]
	find                func(out, data *ir.Tensor, lo, hi, at, n int)
	countPart, findPart ops.Part
}

func (k *kernel) run(r *ops.Run) error {
	if err := r.For(k.chunks, 1, k.countPart); err != nil {
		return err
	}
	starts := k.starts.In(r)
	n := 0
	for i := range k.chunks {
		starts[i], n = int64(n), n+int(starts[i])
	}
	starts[k.chunks] = int64(n)
	rank := len(k.shape)
	if rank == 0 {
		rank = n
	}
	if !k.known {
		if err := r.SetShape(0, rank, n); err != nil {
			return err
		}
	}
	if out := r.Outputs[0].Shape(); out[0] != rank || out[1] != n {
		return faults.Errorf("BUG: the output has shape %v, data has %d elements that are not zero", out, n)
	}
	return r.For(k.chunks, 1, k.findPart)
}

func (k *kernel) countChunks(r *ops.Run, lo, hi int) error {
	counts := k.starts.In(r)
	for i := lo; i < hi; i++ {
		counts[i] = int64(k.count(r.Inputs[0], i*chunk, min((i+1)*chunk, k.elements)))
	}
	return nil
}

func (k *kernel) findChunks(r *ops.Run, lo, hi int) error {
	starts := k.starts.In(r)
	for i := lo; i < hi; i++ {
		from, to := int(starts[i]), int(starts[i+1])
		if from < to {
			k.find(r.Outputs[0], r.Inputs[0], i*chunk, min((i+1)*chunk, k.elements), from, to)
		}
	}
	return nil
}

func (k *kernel) find32(out, data *ir.Tensor, lo, hi, at, n int) {
	find(k, ir.Data[int32](out), k.indices32, data, lo, hi, at, n)
}

func (k *kernel) find64(out, data *ir.Tensor, lo, hi, at, n int) {
	find(k, ir.Data[int64](out), k.indices64, data, lo, hi, at, n)
}

// find writes the positions of the nonzero elements from lo to hi-1 to columns at to n-1 of out.
// Positions in the same row differ only in the last index.
func find[T int32 | int64](k *kernel, out []T, indices indicesFunc[T], data *ir.Tensor, lo, hi, at, n int) {
	rank := len(k.shape)
	if rank == 0 {
		out[0] = 0
		return
	}
	columns := len(out) / rank
	length := k.shape[rank-1]
	last := out[(rank-1)*columns:]
	for lo < hi && at < n {
		row := lo / length
		start := row * length
		end := min(start+length, hi)
		found := at + indices(last[at:n], data, lo, end, start)
		if found > at {
			for axis := rank - 2; axis >= 0; axis-- {
				fill(out[axis*columns:][at:found], T(row%k.shape[axis]))
				row /= k.shape[axis]
			}
		}
		lo, at = end, found
	}
}

func fill[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}
