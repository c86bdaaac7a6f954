package reduction

import (
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// WeightedSum sets out[i] to the sum of weights[k]*in[offsets[k]+i] over all k. offsets
// and weights must have the same length, which must not be 0. out and in must not
// overlap.
func WeightedSum(out, in []float32, offsets []int, weights []float32) {
	if len(out) == 0 {
		return
	}
	for _, p := range offsets {
		_, _ = in[p], in[p+len(out)-1] // the assembly does no bounds checks
	}
	_ = weights[len(offsets)-1]
	if vectorWeightedSum(out, in, offsets, weights) {
		return
	}
	for k, p := range offsets {
		row, w := in[p:][:len(out)], weights[k]
		if k == 0 {
			for i, v := range row {
				out[i] = w * v
			}
			continue
		}
		for i, v := range row {
			out[i] += w * v
		}
	}
}

// Resampler computes rows whose elements are weighted sums of elements of an input row.
// It computes the output in blocks of columns. It is only read after its creation, and
// so can be used by several goroutines at once.
type Resampler struct {
	input, output int   // elements of an input row and of an output row
	taps          int   // input elements per output element
	width         int   // columns of a block; the last block may have fewer
	lanes         int   // elements of a vector
	bases         []int // the first input element of each block
	// index and weights hold one vector for each tap of each block. index is relative
	// to the base of the block. weights is nil if all weights are 1.
	index   []int32
	weights []float32
}

// minWidth is the smallest number of columns of a block. With smaller blocks the vector
// code does not pay off.
const minWidth = 4

// NewResampler returns a Resampler for input rows of input elements. Element o of an output row is
// the sum of weights[o*taps+k]*in[sources[o*taps+k]] over k < taps. Elements whose weight is 0 are
// ignored, even if they are NaN. If weights is nil, taps must be 1 and elements are copied.
// NewResampler returns nil if there is no vector code, or if the sources of neighbouring output
// elements are too far apart for it. It calls reserve with the size of the tables before it makes
// them, and returns its error. If stop is requested, the error is parallel.ErrStopped.
func NewResampler(stop parallel.Stop, sources []int32, weights []float32, taps, input int, reserve func(bytes int64) error) (*Resampler, error) {
	r := &Resampler{input: input, output: len(sources) / taps, taps: taps, lanes: vectorLanes()}
	if r.lanes == 0 || r.output == 0 {
		return nil, nil
	}
	if err := reserve(memory.Size[int](r.output/minWidth + 1)); err != nil {
		return nil, err
	}
	meter := stop.Meter()
	for r.width = min(r.lanes, r.output); !r.findBases(&meter, sources); r.width /= 2 {
		if stop.Requested() {
			return nil, parallel.ErrStopped
		}
		if r.width/2 < minWidth {
			return nil, nil
		}
	}
	size := memory.Size[int32](len(r.bases), taps, r.lanes)
	if weights != nil {
		size = memory.Sum(size, size)
	}
	if err := reserve(size); err != nil {
		return nil, err
	}
	r.index = make([]int32, len(r.bases)*taps*r.lanes)
	if weights != nil {
		r.weights = make([]float32, len(r.index))
	}
	for b, base := range r.bases {
		if meter.Spent(4 * taps * r.width) {
			return nil, parallel.ErrStopped
		}
		for o := b * r.width; o < min((b+1)*r.width, r.output); o++ {
			for k := range taps {
				at := (b*taps+k)*r.lanes + o - b*r.width
				r.index[at] = sources[o*taps+k] - int32(base)
				if weights != nil {
					r.weights[at] = weights[o*taps+k]
				}
			}
		}
	}
	return r, nil
}

// findBases sets r.bases for blocks of r.width columns. It returns false if the sources
// of a block span more than two vectors, or if the work must stop.
func (r *Resampler) findBases(meter *parallel.Meter, sources []int32) bool {
	r.bases = make([]int, 0, (r.output-1)/r.width+1)
	for first := 0; first < r.output; first += r.width {
		block := sources[first*r.taps : min(first+r.width, r.output)*r.taps]
		if meter.Spent(2 * len(block)) {
			return false
		}
		lo, hi := block[0], block[0]
		for _, s := range block {
			lo, hi = min(lo, s), max(hi, s)
		}
		if int(hi)-int(lo) >= 2*r.lanes {
			return false
		}
		r.bases = append(r.bases, int(lo))
	}
	return true
}

// batchElements is the number of elements of the rows that Apply works on at a time: all
// blocks of these rows are computed while the rows are in the cache.
const batchElements = 1 << 12

// basesPerCheck is the number of blocks of columns that Apply computes between two checks of the
// Stop.
const basesPerCheck = 1 << 10

// Apply resamples rows rows. Row r is read from in[r*inPitch:] and written to
// out[r*outPitch:]. It ends early if the work must stop.
func (r *Resampler) Apply(stop parallel.Stop, out, in []float32, rows, outPitch, inPitch int) {
	if rows <= 0 {
		return
	}
	// The assembly does no bounds checks.
	_, _ = in[(rows-1)*inPitch+r.input-1], out[(rows-1)*outPitch+r.output-1]
	batch := max(batchElements/max(r.input, r.output), 4)
	for first := 0; first < rows; first += batch {
		n := min(batch, rows-first)
		for lo := 0; lo < len(r.bases); lo += basesPerCheck {
			if stop.Requested() {
				return
			}
			r.apply(out[first*outPitch:], in[first*inPitch:], lo, min(lo+basesPerCheck, len(r.bases)), n, outPitch, inPitch)
		}
	}
}

// apply computes blocks lo to hi-1 of columns of the first rows.
func (r *Resampler) apply(out, in []float32, lo, hi, rows, outPitch, inPitch int) {
	for b := lo; b < hi; b++ {
		base, o, at := r.bases[b], b*r.width, b*r.taps*r.lanes
		var weights []float32
		if r.weights != nil {
			weights = r.weights[at:]
		}
		vectorResample(
			out[o:], in[base:], r.index[at:], weights, r.taps,
			rows, min(r.input-base, 2*r.lanes), min(r.width, r.output-o), r.lanes, inPitch, outPitch,
		)
	}
}
