package stft

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// transform transforms some frames at a time, one in each lane.
type transform[T cast.Float] struct {
	*kernel[T]
	lanes, blocks, workers int
	cost                   float64     // of a block of frames
	planes, work           ops.Area[T] // of each worker
	frames                 ops.Area[T] // of ISTFT: all frames, one after the other
	norms                  ops.Area[T] // of ISTFT: for each worker
}

// maxLanes limits the frames that are transformed at a time, and maxElements their elements, so
// that they stay in the cache.
const maxLanes, maxElements = 32, 1 << 13

func newTransform[T cast.Float](p *ops.Preparation, k *kernel[T]) (*transform[T], error) {
	x := &transform[T]{kernel: k}
	x.lanes = min(max(maxElements/k.size, 1), maxLanes, max(k.problem.frames, 1))
	x.blocks = (k.problem.frames + x.lanes - 1) / x.lanes
	if x.blocks > 0 && x.batches > math.MaxInt/x.blocks {
		return nil, errors.New("the frames are more than fit an int")
	}
	x.cost = ops.MultiplyCost * k.real.Flops() * float64(x.lanes)
	x.workers = p.Workers(x.batches*x.blocks, x.cost)
	workLen := k.real.WorkLen(x.lanes)
	if workLen < 0 {
		return nil, errors.New("the frames need more elements of memory than fit an int")
	}
	x.planes = ops.AreasOf[T](&k.scratch, x.workers, 2, k.real.Rows(), x.lanes)
	x.work = ops.AreasOf[T](&k.scratch, x.workers, workLen)
	return x, nil
}

// blockStep returns the step that computes all blocks of frames with part.
func (x *transform[T]) blockStep(part ops.WorkerPart) ops.Step {
	return ops.Step{N: x.batches * x.blocks, Grain: ops.Grain(x.cost), WorkerPart: part, Workers: x.workers}
}

// each calls compute for blocks lo to hi-1: frames first to first+n-1 of a batch.
func (x *transform[T]) each(r *ops.Run, worker, lo, hi int, compute func(re, im, work []T, batch, first, n int)) error {
	planes, work := x.planes.Of(r, worker), x.work.Of(r, worker)
	for block := lo; block < hi; block++ {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		first := block % x.blocks * x.lanes
		n := min(x.lanes, x.problem.frames-first)
		size := x.real.Rows() * n
		compute(planes[:size], planes[size:2*size], work, block/x.blocks, first, n)
	}
	return nil
}

// place returns the plane and the row of element j of a frame.
func (x *transform[T]) place(re, im []T, j int) (plane []T, row int) {
	switch {
	case !x.real.Packed():
		return re, j
	case j%2 == 0:
		return re, j / 2
	default:
		return im, j / 2
	}
}

// forward returns the steps of STFT.
func forward[T cast.Float](p *ops.Preparation, k *kernel[T]) ([]ops.Step, error) {
	x, err := newTransform(p, k)
	if err != nil {
		return nil, err
	}
	part := func(r *ops.Run, worker, lo, hi int) error {
		signal, window, output := k.data(r), k.window(r), k.output(r)
		return x.each(r, worker, lo, hi, func(re, im, work []T, batch, first, n int) {
			if !x.real.Packed() || x.problem.window < x.size {
				parallel.Clear(r.Stop, re)
				parallel.Clear(r.Stop, im)
			}
			meter := r.Stop.Meter()
			signal := signal[batch*x.length+first*x.step+x.left:]
			for j, w := range window {
				if meter.Spent(4 * n) {
					return
				}
				plane, row := x.place(re, im, x.left+j)
				to := plane[row*n:][:n]
				for l := range to {
					to[l] = signal[l*x.step+j] * w
				}
			}
			re, im = x.real.Forward(r.Stop, re, im, work, n)
			x.storePairs(&meter, output[2*batch*x.problem.frames*x.bins:], re, im, first, n)
		})
	}
	return []ops.Step{x.blockStep(part)}, nil
}

// storePairs copies the transforms of n frames to the output of a batch.
func (x *transform[T]) storePairs(meter *parallel.Meter, output, re, im []T, first, n int) {
	for k := range x.bins {
		if meter.Spent(4 * n) {
			return
		}
		re, im := re[k*n:][:n], im[k*n:][:n]
		if x.transposed {
			to := output[2*(k*x.problem.frames+first):][:2*n]
			for l := range re {
				to[2*l], to[2*l+1] = re[l], im[l]
			}
			continue
		}
		for l := range re {
			to := output[2*((first+l)*x.bins+k):][:2]
			to[0], to[1] = re[l], im[l]
		}
	}
}

// inverse returns the steps of ISTFT: the first computes all frames, and the second adds them up.
func inverse[T cast.Float](p *ops.Preparation, k *kernel[T]) ([]ops.Step, error) {
	x, err := newTransform(p, k)
	if err != nil {
		return nil, err
	}
	x.frames = ops.AreaOf[T](&k.scratch, k.batches, k.problem.frames, k.problem.window)
	part := func(r *ops.Run, worker, lo, hi int) error {
		data, window, frames := k.data(r), k.window(r), x.frames.In(r)
		scale := T(x.scale)
		return x.each(r, worker, lo, hi, func(re, im, work []T, batch, first, n int) {
			meter := r.Stop.Meter()
			data := data[2*batch*x.bins*x.problem.frames:]
			for k := range x.bins {
				if meter.Spent(4 * n) {
					return
				}
				from := data[2*(k*x.problem.frames+first):][:2*n]
				re, im := re[k*n:][:n], im[k*n:][:n]
				for l := range re {
					re[l], im[l] = from[2*l], from[2*l+1]
				}
			}
			re, im = x.real.Inverse(r.Stop, re, im, work, n)
			frames := frames[(batch*x.problem.frames+first)*x.problem.window:]
			for j, w := range window {
				if meter.Spent(4 * n) {
					return
				}
				plane, row := x.place(re, im, x.left+j)
				for l, v := range plane[row*n:][:n] {
					frames[l*x.problem.window+j] = v * scale * w
				}
			}
		})
	}
	pieces := (k.length + pieceLen - 1) / pieceLen
	sums := float64(x.problem.frames) * float64(x.problem.window) // of a batch
	cost := (sums + float64(k.length)) / float64(pieces)
	workers := p.Workers(k.batches*pieces, cost)
	x.norms = ops.AreasOf[T](&k.scratch, workers, pieceLen)
	add := func(r *ops.Run, worker, lo, hi int) error {
		norm := x.norms.Of(r, worker)
		for i := lo; i < hi; i++ {
			if r.Stop.Requested() {
				return parallel.ErrStopped
			}
			x.add(r, norm, i/pieces, i%pieces*pieceLen)
		}
		return nil
	}
	return []ops.Step{x.blockStep(part), {N: k.batches * pieces, Grain: ops.Grain(cost), WorkerPart: add, Workers: workers}}, nil
}

// pieceLen is the number of elements of the output that are computed at a time.
const pieceLen = 1 << 10

// add sets up to pieceLen elements of the output of a batch, from element from on. Where no window
// is, they are 0.
func (x *transform[T]) add(r *ops.Run, norm []T, batch, from int) {
	n := min(pieceLen, x.length-from)
	output := x.output(r)[batch*x.length+from:][:n]
	norm = norm[:n]
	window := x.window(r)
	frames := x.frames.In(r)[batch*x.problem.frames*len(window):]
	clear(output)
	clear(norm)
	// The windows start at left+m*step of the sum of the frames.
	lo := from + x.first - x.left
	meter := r.Stop.Meter()
	for m := max((lo-len(window))/x.step, 0); m < x.problem.frames; m++ {
		at := m*x.step - lo // where the window starts in the piece
		if at >= n || meter.Spent(2*min(n, len(window))+8) {
			break
		}
		begin, end := max(-at, 0), min(len(window), n-at)
		if begin >= end {
			continue
		}
		values, weights := frames[m*len(window)+begin:][:end-begin], window[begin:end]
		to, sum := output[at+begin:][:len(values)], norm[at+begin:][:len(values)]
		for i, v := range values {
			to[i] += v
			sum[i] += weights[i] * weights[i]
		}
	}
	for i, s := range norm {
		if s != 0 {
			output[i] /= s
		}
	}
}
