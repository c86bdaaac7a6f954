package rangeop

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns the kernel. The values of the inputs must be known, because the shape of the
// output depends on them.
//
//	for each i: output[i] = start + i*step
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	t := p.Outputs[0].Type
	s, known, err := sequenceOf(p.Inputs, t)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, faults.Errorf("start, stop and step are not known")
	}
	kernel := kernelOf(t, &s)
	if kernel == nil {
		return nil, faults.Errorf("output_type %v has no kernel", t)
	}
	return &ops.Prepared{Kernel: kernel, Refit: func(p *ops.Preparation) (known bool, err error) {
		s, known, err = sequenceOf(p.Inputs, t)
		return known, err
	}}, nil
}

// kernelOf returns the kernel for an output of type t; nil if there is none.
func kernelOf(t ir.ElementType, s *sequence) ops.Kernel {
	switch t {
	case ir.F32:
		return floatKernel[float32](s)
	case ir.F64:
		return floatKernel[float64](s)
	case ir.F16:
		return halfKernel(s, half.F32ToF16)
	case ir.BF16:
		return halfKernel(s, half.BFloat16Of)
	case ir.I8:
		return intKernel[int8](s)
	case ir.I16:
		return intKernel[int16](s)
	case ir.I32:
		return intKernel[int32](s)
	case ir.I64:
		return intKernel[int64](s)
	case ir.U8:
		return intKernel[uint8](s)
	case ir.U16:
		return intKernel[uint16](s)
	case ir.U32:
		return intKernel[uint32](s)
	case ir.U64:
		return intKernel[uint64](s)
	}
	return nil
}

func floatKernel[T float32 | float64](s *sequence) ops.Kernel {
	return func(r *ops.Run) error { return fill(r, T(s.startFloat), T(s.stepFloat)) }
}

func intKernel[T cast.Integer](s *sequence) ops.Kernel {
	return func(r *ops.Run) error { return fill(r, T(s.start), T(s.step)) }
}

// fill sets the output to start, start+step and so on.
func fill[T cast.Number](r *ops.Run, start, step T) error {
	out, meter := ir.Data[T](r.Outputs[0]), r.Stop.Meter()
	for i := range out {
		if meter.Spent(1) {
			return nil
		}
		out[i] = start + T(i)*step
	}
	return nil
}

// halfKernel computes the 16-bit floating-point types in float32.
func halfKernel[T ~uint16](s *sequence, store func(float32) T) ops.Kernel {
	return func(r *ops.Run) error {
		start, step := float32(s.startFloat), float32(s.stepFloat)
		out, meter := ir.Data[T](r.Outputs[0]), r.Stop.Meter()
		for i := range out {
			if meter.Spent(4) {
				return nil
			}
			out[i] = store(start + float32(i)*step)
		}
		return nil
	}
}
