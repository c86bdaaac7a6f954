package reversesequence

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// kernel copies rows, which consist of the elements of all axes after both batch_axis and seq_axis.
// The position of a row is (a, first, between, second): the axes before both, the first of the two,
// the axes between them, and the second.
type kernel struct {
	first, between, second, row int
	seq                         int // the length of seq_axis
	// seq_axis comes first; batch_axis is the same axis, and second is 1
	seqFirst, same bool
	seqAxis        int
	part           ops.Part
	rows, grain    int
	lengths        ops.Area[int64]
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape := p.InputShape(0)
	batch, err := index.Axis(at.batchAxis, len(shape))
	if err != nil {
		return nil, faults.Errorf("batch_axis: %w", err)
	}
	seq, err := index.Axis(at.seqAxis, len(shape))
	if err != nil {
		return nil, faults.Errorf("seq_axis: %w", err)
	}
	var s ops.Scratch
	k := &kernel{lengths: ops.AreaOf[int64](&s, shape[batch]), seq: shape[seq], seqFirst: seq <= batch, same: seq == batch, seqAxis: seq, between: 1, second: 1}
	first, second := min(batch, seq), max(batch, seq)
	k.first, k.row = shape[first], shape[second+1:].Elements()
	if !k.same {
		k.between, k.second = shape[first+1:second].Elements(), shape[second]
	}
	if n := shape.Elements(); n > 0 {
		k.rows = n / k.row
	}
	size := p.Outputs[0].Type.Size()
	k.part = k.each
	if size > 0 {
		k.part = k.bytes(size)
	}
	// rows of packed elements can share bytes: one thread writes them
	if k.grain = max(k.rows, 1); size > 0 {
		k.grain = ops.Grain(2 * ops.CopyCost * float64(k.row*size))
	}
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes()}, nil
}

func (k *kernel) run(r *ops.Run) error {
	lengths := k.lengths.In(r)
	if err := k.load(r, lengths); err != nil {
		return err
	}
	meter := r.Stop.Meter()
	for i, n := range lengths {
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
		if n < 0 || n > int64(k.seq) {
			return faults.Errorf("seq_lengths[%d] is %d, axis %d of data has %d elements", i, n, k.seqAxis, k.seq)
		}
	}
	return r.For(k.rows, k.grain, k.part)
}

// load converts seq_lengths to int64. Floats are truncated.
func (k *kernel) load(r *ops.Run, lengths []int64) error {
	from := r.Inputs[1]
	if !slices.Contains(floats.Types, from.ElementType()) {
		gatherscatter.Widen(r.Stop, lengths, from)
		return r.Stop.Err()
	}
	meter := r.Stop.Meter()
	for i := range lengths {
		if meter.Spent(4) {
			return parallel.ErrStopped
		}
		n := floats.At(from, i)
		if !(n > -1 && n < float64(k.seq)+1) { // NaN, too
			return faults.Errorf("seq_lengths[%d] is %v, axis %d of data has %d elements", i, n, k.seqAxis, k.seq)
		}
		lengths[i] = int64(n)
	}
	return nil
}

// source returns the row of data for row i of the output, and the number of rows from there on that
// follow each other in both.
func (k *kernel) source(lengths []int64, i int) (from, count int) {
	second := i % k.second
	first := i / k.second / k.between % k.first
	switch {
	case k.same:
		if n := int(lengths[first]); first < n {
			return i + n - 1 - 2*first, 1
		}
	case k.seqFirst:
		if n := int(lengths[second]); first < n {
			return i + (n-1-2*first)*k.between*k.second, 1
		}
	default:
		n := int(lengths[first])
		if second < n {
			return i + n - 1 - 2*second, 1
		}
		return i, k.second - second
	}
	return i, 1
}

// bytes returns the function that copies rows lo to hi-1 of elements of size bytes.
func (k *kernel) bytes(size int) ops.Part {
	n := k.row * size
	return func(r *ops.Run, lo, hi int) error {
		lengths := k.lengths.In(r)
		out, data := r.Outputs[0].Bytes(), r.Inputs[0].Bytes()
		for lo < hi {
			from, count := k.source(lengths, lo)
			count = min(count, hi-lo)
			parallel.Copy(r.Stop, out[lo*n:][:count*n], data[from*n:][:count*n])
			lo += count
		}
		return nil
	}
}

// each copies strings and elements of less than a byte one by one.
func (k *kernel) each(r *ops.Run, lo, hi int) error {
	out, data := r.Outputs[0], r.Inputs[0]
	strings := out.ElementType() == ir.String
	lengths, meter := k.lengths.In(r), r.Stop.Meter()
	for ; lo < hi; lo++ {
		from, _ := k.source(lengths, lo)
		for i := range k.row {
			if meter.Spent(8) {
				return nil
			}
			if strings {
				out.Strings()[lo*k.row+i] = data.Strings()[from*k.row+i]
			} else {
				out.SetPacked(lo*k.row+i, data.Packed(from*k.row+i))
			}
		}
	}
	return nil
}
