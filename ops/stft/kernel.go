package stft

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/fft"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// problem holds the lengths of a transform.
type problem struct {
	batches, frames  int
	size, step, bins int
	length           int // of each signal
	window, left     int // the length of window, and the zeros before it
	// transposed means that the bins are before the frames.
	transposed bool
	// Of ISTFT: what the sum of the frames is multiplied by, and the position in it of the first
	// element of the output.
	scale float64
	first int
}

func newProblem(p *ops.Preparation) (*problem, error) {
	q := &problem{batches: 1}
	window := p.InputShape(1)
	size, sizeKnown, err := scalar("frame_size", &p.Inputs[2])
	if err != nil {
		return nil, err
	}
	step, stepKnown, err := scalar("frame_step", &p.Inputs[3])
	if err != nil {
		return nil, err
	}
	f := frames{size: size, step: step}
	switch {
	case !sizeKnown || !stepKnown:
		return nil, errors.New("frame_size or frame_step is not known")
	case size > math.MaxInt/8:
		return nil, faults.Errorf("frame_size is %d, which is too large", size)
	}
	if err := f.checkSize(p.Inputs[1].Shape); err != nil {
		return nil, err
	}
	if err := f.checkStep(); err != nil {
		return nil, err
	}
	q.size, q.bins = int(size), int(size/2+1)
	q.step = int(min(step, math.MaxInt/8))
	q.window = window[0]
	q.left = (q.size - q.window) / 2
	return q, nil
}

// forwardProblem returns the lengths of STFT.
func forwardProblem(p *ops.Preparation) (*problem, error) {
	q, err := newProblem(p)
	if err != nil {
		return nil, err
	}
	signal := p.InputShape(0)
	q.length = signal[len(signal)-1]
	if len(signal) > 1 {
		q.batches = signal[0]
	}
	if q.length < q.size {
		return nil, faults.Errorf("frame_size is %d, signal is of length %d", q.size, q.length)
	}
	q.frames = (q.length-q.size)/q.step + 1
	q.transposed = p.Attributes.(attributes).transposeFrames
	return q, nil
}

// inverseProblem returns the lengths of ISTFT.
func inverseProblem(p *ops.Preparation) (*problem, error) {
	q, err := newProblem(p)
	if err != nil {
		return nil, err
	}
	data := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	rank := len(data)
	if data[rank-3] != q.bins || data[rank-1] != 2 {
		return nil, faults.Errorf("data has shape %v, expected %d pairs in each frame for frame_size %d", data, q.bins, q.size)
	}
	if rank > 3 {
		q.batches = data[0]
	}
	q.frames, q.length = data[rank-2], output[len(output)-1]
	q.transposed, q.scale = true, 1/float64(q.size)
	at := p.Attributes.(inverseAttributes)
	if at.center {
		q.first = q.size / 2
	}
	if at.normalized {
		q.scale *= math.Sqrt(float64(q.size))
	}
	return q, nil
}

// kernel has access to the tensors in the type of the computation.
type kernel[T cast.Float] struct {
	*problem
	real                 *fft.Real[T]
	scratch              ops.Scratch
	data, window, output func(*ops.Run) []T
}

// prepare returns Op.Prepare for f32 and f64, for the lengths that the first function computes, and
// the steps that the other two add.
func prepare(lengths func(*ops.Preparation) (*problem, error), f32 func(*ops.Preparation, *kernel[float32]) ([]ops.Step, error), f64 func(*ops.Preparation, *kernel[float64]) ([]ops.Step, error)) func(*ops.Preparation) (*ops.Prepared, error) {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		q, err := lengths(p)
		if err != nil {
			return nil, err
		}
		if p.Outputs[0].Type == ir.F64 {
			return finish(p, direct[float64](q), f64)
		}
		return finish(p, direct[float32](q), f32)
	}
}

func direct[T interface {
	cast.Float
	ir.Element
}](q *problem) *kernel[T] {
	return &kernel[T]{
		problem: q,
		data:    func(r *ops.Run) []T { return ir.Data[T](r.Inputs[0]) },
		window:  func(r *ops.Run) []T { return ir.Data[T](r.Inputs[1]) },
		output:  func(r *ops.Run) []T { return ir.Data[T](r.Outputs[0]) },
	}
}

// finish makes the tables and the kernel.
func finish[T cast.Float](p *ops.Preparation, k *kernel[T], compute func(*ops.Preparation, *kernel[T]) ([]ops.Step, error)) (*ops.Prepared, error) {
	if err := p.Reserve(fft.RealBytes[T](k.size)); err != nil {
		return nil, err
	}
	var err error
	if k.real, err = fft.NewReal[T](p.Stop, k.size); err != nil {
		return nil, err
	}
	steps, err := compute(p, k)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{
		ScratchBytes: k.scratch.Bytes(),
		Flops:        float64(k.batches) * float64(k.frames) * (k.real.Flops() + 2*float64(k.size)),
		Kernel:       ops.Steps(steps),
	}, nil
}
