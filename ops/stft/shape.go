package stft

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// frames holds frame_size and frame_step, as far as they are known.
type frames struct {
	size, step           int64
	sizeKnown, stepKnown bool
}

// framesOf checks all inputs except the shape of the first, and returns the type of the first two.
// signal is the name of the first input.
func framesOf(in *ops.Inference, signal string) (f frames, t ir.ElementType, err error) {
	data, window := &in.Inputs[0], &in.Inputs[1]
	t, ok := ir.MergeElementTypes(data.Type, window.Type)
	if !ok {
		return f, t, faults.Errorf("%s is %v, window is %v", signal, data.Type, window.Type)
	}
	if err := check.Real(signal, t); err != nil {
		return f, t, err
	}
	if err := check.Rank("window", window.Shape, 1); err != nil {
		return f, t, err
	}
	if f.size, f.sizeKnown, err = scalar("frame_size", &in.Inputs[2]); err != nil {
		return f, t, err
	}
	f.step, f.stepKnown, err = scalar("frame_step", &in.Inputs[3])
	return f, t, err
}

// scalar returns the value of an input and whether it is known.
func scalar(name string, in *ir.Fact) (int64, bool, error) {
	if err := check.Index(name, in.Type); err != nil {
		return 0, false, err
	}
	if err := check.Rank(name, in.Shape, 0); err != nil {
		return 0, false, err
	}
	v, known := in.Ints()
	if !known || len(v) != 1 {
		return 0, false, nil
	}
	return v[0], true, nil
}

// checkSize checks a known frame_size, and window against it.
func (f *frames) checkSize(window ir.PartialShape) error {
	if f.size < 1 {
		return faults.Errorf("frame_size is %d, 1 or more is needed", f.size)
	}
	if window.IsStatic() && (window.At(0).Min < 1 || window.At(0).Min > f.size) {
		return faults.Errorf("window has shape %v, expected 1 to frame_size %d elements", window, f.size)
	}
	return nil
}

// checkStep checks a known frame_step.
func (f *frames) checkStep() error {
	if f.step < 1 {
		return faults.Errorf("frame_step is %d, 1 or more is needed", f.step)
	}
	return nil
}

// infer is the shape rule of STFT.
func infer(in *ops.Inference) error {
	f, t, err := framesOf(in, "signal")
	if err != nil {
		return err
	}
	signal, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type, out.Shape = t, ir.UnknownRank
	rank := signal.Rank()
	if rank < 0 {
		return nil
	}
	if rank != 1 && rank != 2 {
		return faults.Errorf("signal has shape %v, expected rank 1 or 2", signal)
	}
	count, bins := ir.AnyDim, ir.AnyDim
	if f.sizeKnown && f.stepKnown {
		length := signal.At(rank - 1)
		if err := f.check(length, in.Inputs[1].Shape); err != nil {
			return err
		}
		count, bins = f.count(length), ir.Dim(f.size/2+1)
	}
	if in.Attributes.(attributes).transposeFrames {
		count, bins = bins, count
	}
	dims := append(make([]ir.Dimension, 0, 4), signal.Dims()[:rank-1]...)
	out.Shape = ir.ShapeOf(append(dims, count, bins, ir.Dim(2))...)
	return nil
}

// check checks frame_size and frame_step of STFT against the length of signal and window.
func (f *frames) check(length ir.Dimension, window ir.PartialShape) error {
	if f.size > length.Max {
		return faults.Errorf("frame_size is %d, signal is of length %v", f.size, length)
	}
	if err := f.checkSize(window); err != nil {
		return err
	}
	return f.checkStep()
}

// count returns the number of frames of a signal of the given length.
func (f *frames) count(length ir.Dimension) ir.Dimension {
	steps := length.Sub(ir.Dim(f.size))
	steps.Min /= f.step
	if steps.Max != ir.Unbounded {
		steps.Max /= f.step
	}
	return steps.Add(ir.Dim(1))
}

// inferInverse is the shape rule of ISTFT.
func inferInverse(in *ops.Inference) error {
	f, t, err := framesOf(in, "data")
	if err != nil {
		return err
	}
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	out.Type, out.Shape = t, ir.UnknownRank
	rank := data.Rank()
	if rank >= 0 && rank != 3 && rank != 4 {
		return faults.Errorf("data has shape %v, expected rank 3 or 4", data)
	}
	if f.sizeKnown {
		if err := f.checkSize(in.Inputs[1].Shape); err != nil {
			return err
		}
		if bins := f.size/2 + 1; data.IsStatic() && data.At(rank-3).Min != bins {
			return faults.Errorf("data has shape %v, dimension %d must be %d for frame_size %d", data, rank-3, bins, f.size)
		}
	}
	if f.stepKnown {
		if err := f.checkStep(); err != nil {
			return err
		}
	}
	if len(in.Inputs) > 4 {
		if err := check.Index("signal_length", in.Inputs[4].Type); err != nil {
			return err
		}
	}
	if rank < 0 {
		return nil
	}
	length, err := f.length(in, data.At(rank-2))
	out.Shape = ir.ShapeOf(append(append(make([]ir.Dimension, 0, 2), data.Dims()[:rank-3]...), length)...)
	return err
}

// length returns the length of the signal that count frames give.
func (f *frames) length(in *ops.Inference, count ir.Dimension) (ir.Dimension, error) {
	if len(in.Inputs) > 4 {
		if err := check.OneElement("signal_length", in.Inputs[4].Shape); err != nil {
			return ir.AnyDim, err
		}
		return check.LengthOf(in, 4, "signal_length")
	}
	if !f.sizeKnown || !f.stepKnown {
		return ir.AnyDim, nil
	}
	length := count.Sub(ir.Dim(1)).Mul(ir.Dim(f.step)).Add(ir.Dim(f.size))
	if in.Attributes.(inverseAttributes).center {
		length = length.Sub(ir.Dim(f.size &^ 1)) // N/2 elements at each end
	}
	if length.Min == ir.Unbounded {
		return ir.AnyDim, nil
	}
	return length, nil
}
