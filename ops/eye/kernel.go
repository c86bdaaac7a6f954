package eye

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns the kernel. The values of all inputs are known.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	diagonal, known := p.Inputs[diagonalPort].Ints()
	if !known || len(diagonal) != 1 {
		return nil, errors.New("diagonal_index is not known")
	}
	m := matrix{columns: shape[len(shape)-1], rows: shape[len(shape)-2]}
	m.place(diagonal[0])
	switch t := p.Outputs[0].Type; t {
	case ir.I8, ir.U8, ir.Boolean:
		return kernel[uint8](m, 1), nil
	case ir.I16, ir.U16:
		return kernel[uint16](m, 1), nil
	case ir.F16:
		return kernel(m, half.F32ToF16(1)), nil
	case ir.BF16:
		return kernel(m, uint16(half.BFloat16Of(1))), nil
	case ir.I32, ir.U32:
		return kernel[uint32](m, 1), nil
	case ir.F32:
		return kernel(m, math.Float32bits(1)), nil
	case ir.I64, ir.U64:
		return kernel[uint64](m, 1), nil
	case ir.F64:
		return kernel(m, math.Float64bits(1)), nil
	default:
		return nil, faults.Errorf("output_type %v has no kernel", t)
	}
}

// matrix is a matrix of a batch. The ones are in count rows from row first on; that in row first is
// in column start.
type matrix struct {
	rows, columns       int
	first, start, count int
}

// place finds the ones of the diagonal.
func (m *matrix) place(diagonal int64) {
	switch {
	case diagonal >= int64(m.columns) || diagonal <= -int64(m.rows):
		return
	case diagonal >= 0:
		m.start = int(diagonal)
	default:
		m.first = int(-diagonal)
	}
	m.count = min(m.rows-m.first, m.columns-m.start)
}

// kernel returns the kernel for elements whose number 1 has the given bits. It is not inlined:
// copies of its closure would take 2.7 KiB.
//
//go:noinline
func kernel[E uint8 | uint16 | uint32 | uint64](m matrix, one E) *ops.Prepared {
	zeros := func(r *ops.Run, lo, hi int) error {
		clear(ir.Data[E](r.Outputs[0])[lo:hi])
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		out := ir.Data[E](r.Outputs[0])
		if err := r.For(len(out), ops.Grain(1./4), zeros); err != nil || m.count == 0 {
			return err
		}
		meter := r.Stop.Meter()
		for ; len(out) > 0; out = out[m.rows*m.columns:] {
			at := m.first*m.columns + m.start
			for range m.count {
				out[at] = one
				at += m.columns + 1
				if meter.Spent(8) {
					return nil
				}
			}
		}
		return nil
	}}
}
