package slicescatter

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/slicing"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// prepare returns a kernel that copies data to the output, unless they share memory, and then
// copies updates to the piece: small planes one after the other, while they are in the cache.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	updates := p.InputShape(1)
	t := p.Outputs[0].Type
	if p.Inputs[1].Type != t {
		return nil, faults.Errorf("data is %v, updates is %v", t, p.Inputs[1].Type)
	}
	ranges := slicing.Ranges(p.Inputs[2:])
	dims, err := ranges.Dims(data.Partial())
	if err != nil {
		return nil, err
	}
	if piece, err := ir.ShapeOf(dims...).Static(); err != nil || !slices.Equal(piece, updates) {
		return nil, faults.Errorf("updates has shape %v, the piece of data has %v", updates, ir.ShapeOf(dims...))
	}
	all := whole(data)
	piece := strided.View{Lengths: updates, Strides: make([]int, len(updates))}
	if updates.Elements() > 0 {
		if piece, err = ranges.View(data, updates); err != nil {
			return nil, err
		}
	}
	base, set := strided.Copy(t, all), strided.Move(t, piece, whole(updates))
	if n, size := planes(t, data, updates, piece); n > 1 && set.Rows%n == 0 {
		rows := set.Rows / n
		part := func(r *ops.Run, lo, hi int) error {
			for ; lo < hi && !r.Stop.Requested(); lo++ {
				if !sameMemory(r.Outputs[0], r.Inputs[0]) {
					copy(r.Outputs[0].Bytes()[lo*size:][:size], r.Inputs[0].Bytes()[lo*size:])
				}
				set.Run(r.Stop, r.Outputs[0], r.Inputs[1], lo*rows, (lo+1)*rows)
			}
			return nil
		}
		return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(n, ops.Grain(2*ops.CopyCost*float64(size)), part) }}, nil
	}
	copyPart := func(r *ops.Run, lo, hi int) error {
		base.Run(r.Stop, r.Outputs[0], r.Inputs[0], lo, hi)
		return nil
	}
	setPart := func(r *ops.Run, lo, hi int) error {
		set.Run(r.Stop, r.Outputs[0], r.Inputs[1], lo, hi)
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		if !sameMemory(r.Outputs[0], r.Inputs[0]) {
			if err := r.For(base.Rows, base.Grain, copyPart); err != nil {
				return err
			}
		}
		return r.For(set.Rows, set.Grain, setPart)
	}}, nil
}

// whole returns the view of a whole tensor.
func whole(shape ir.Shape) strided.View {
	return strided.View{Lengths: shape, Strides: strided.Strides(shape)}
}

func sameMemory(a, b *ir.Tensor) bool {
	if x, y := a.Bytes(), b.Bytes(); len(x) > 0 && len(y) > 0 {
		return &x[0] == &y[0]
	}
	x, y := a.Strings(), b.Strings()
	return len(x) > 0 && len(y) > 0 && &x[0] == &y[0]
}

const (
	// planeBytes is the largest size of a plane that is still in the cache when its piece is set.
	planeBytes = 1 << 18
	// leastBytes is the smallest size of a plane that is worth the calls.
	leastBytes = 1 << 12
)

// planes returns the number of planes that each get a part of updates, and their size in bytes; 0
// and 0 if the size does not suit. Planes consist of the axes from the first one on that updates
// does not cover.
func planes(t ir.ElementType, data, updates ir.Shape, piece strided.View) (n, size int) {
	strides := strided.Strides(data)
	n, axis := 1, 0
	for axis < len(data) && data[axis] == updates[axis] && piece.Strides[axis] == strides[axis] {
		n *= data[axis]
		axis++
	}
	if n == 0 || data.Elements()/n > planeBytes {
		return 0, 0
	}
	if size = data.Elements() / n * t.Size(); size < leastBytes || size > planeBytes {
		return 0, 0
	}
	return n, size
}
