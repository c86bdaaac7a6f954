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
	switch t {
	case ir.F32:
		return &ops.Prepared{Kernel: kernel(float32(s.startFloat), float32(s.stepFloat))}, nil
	case ir.F64:
		return &ops.Prepared{Kernel: kernel(s.startFloat, s.stepFloat)}, nil
	case ir.F16:
		return &ops.Prepared{Kernel: halfKernel(&s, half.F32ToF16)}, nil
	case ir.BF16:
		return &ops.Prepared{Kernel: halfKernel(&s, half.BFloat16Of)}, nil
	case ir.I8:
		return &ops.Prepared{Kernel: kernel(int8(s.start), int8(s.step))}, nil
	case ir.I16:
		return &ops.Prepared{Kernel: kernel(int16(s.start), int16(s.step))}, nil
	case ir.I32:
		return &ops.Prepared{Kernel: kernel(int32(s.start), int32(s.step))}, nil
	case ir.I64:
		return &ops.Prepared{Kernel: kernel(s.start, s.step)}, nil
	case ir.U8:
		return &ops.Prepared{Kernel: kernel(uint8(s.start), uint8(s.step))}, nil
	case ir.U16:
		return &ops.Prepared{Kernel: kernel(uint16(s.start), uint16(s.step))}, nil
	case ir.U32:
		return &ops.Prepared{Kernel: kernel(uint32(s.start), uint32(s.step))}, nil
	case ir.U64:
		return &ops.Prepared{Kernel: kernel(uint64(s.start), uint64(s.step))}, nil
	}
	return nil, faults.Errorf("output_type %v has no kernel", t)
}

func kernel[T cast.Number](start, step T) ops.Kernel {
	return func(r *ops.Run) error {
		out, meter := ir.Data[T](r.Outputs[0]), r.Stop.Meter()
		for i := range out {
			if meter.Spent(1) {
				return nil
			}
			out[i] = start + T(i)*step
		}
		return nil
	}
}

// halfKernel computes the 16-bit floating-point types in float32.
func halfKernel[T ~uint16](s *sequence, store func(float32) T) ops.Kernel {
	start, step := float32(s.startFloat), float32(s.stepFloat)
	return func(r *ops.Run) error {
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
