package window

import (
	"github.com/vinoir/vinoir/internal/conv/magnitude"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// IfFinite returns a kernel for filters, input 1, of f32. fast returns the kernel for filters that
// are finite, which may multiply them by the zeros of the padding; with an infinite element, that
// gives NaN. exact returns the kernel for other filters, which multiplies them by elements of the
// input only. Only one of them is called if the filters are constant.
func IfFinite(p *ops.Preparation, fast, exact func() (*ops.Prepared, error)) (*ops.Prepared, error) {
	filters := p.Inputs[1].Tensor
	if filters != nil && !finite(p.Stop, filters) {
		return exact()
	}
	prepared, err := fast()
	if err != nil || filters != nil {
		return prepared, err
	}
	other, err := exact()
	if err != nil {
		return nil, err
	}
	kernel := prepared.Kernel
	prepared.ScratchBytes = max(prepared.ScratchBytes, other.ScratchBytes)
	prepared.Kernel = func(r *ops.Run) error {
		if finite(r.Stop, r.Inputs[1]) {
			return kernel(r)
		}
		return other.Kernel(r)
	}
	return prepared, nil
}

// finiteBlock is the number of elements that finite reads between two checks of the Stop.
const finiteBlock = 1 << 18

// finite reports whether all elements of a tensor of f32 are finite. The result is undefined if the
// work must stop.
func finite(stop parallel.Stop, t *ir.Tensor) bool {
	x := ir.Data[float32](t)
	for len(x) > finiteBlock && !stop.Requested() {
		if !magnitude.Finite(x[:finiteBlock]) {
			return false
		}
		x = x[finiteBlock:]
	}
	return magnitude.Finite(x[:min(len(x), finiteBlock)])
}
