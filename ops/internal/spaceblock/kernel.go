package spaceblock

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// ToSpace returns the kernel of BatchToSpace: output 0 is the tensor whose axes consist of blocks,
// and input 0 the one that has them in its batch.
func ToSpace(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, "crops", true) }

// ToBatch returns the kernel of SpaceToBatch, the inverse of ToSpace. Elements of blocks that lie
// outside of input 0 are 0.
func ToBatch(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, "pads", false) }

func prepare(p *ops.Preparation, ends string, toSpace bool) (*ops.Prepared, error) {
	space := p.InputShape(0)
	batch, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if toSpace {
		space, batch = batch, space
	}
	v := ValuesOf(p.Inputs)
	if err := v.check(ends, len(space)); err != nil {
		return nil, err
	}
	axes := make([][]movement.Segment, len(space)) // none, if there is nothing to copy
	if space.Elements() > 0 && batch.Elements() > 0 {
		axes = v.segments(space, batch, toSpace)
	}
	return ops.Only(movement.Pieces(p, axes, !toSpace && space.Elements() < batch.Elements()))
}

// check checks what shape rules accept, but kernels do not define.
func (v *Values) check(ends string, rank int) error {
	if v.Block == nil || v.Begin == nil {
		return errors.New("block_shape, " + ends + "_begin and " + ends + "_end are not known")
	}
	if len(v.Block) != rank {
		return faults.Errorf("block_shape has %d elements, data has %d axes", len(v.Block), rank)
	}
	if v.Block[0] != 1 || v.Begin[0] != 0 || v.End[0] != 0 {
		return faults.Errorf("block_shape[0] is %d, %s_begin[0] is %d and %s_end[0] is %d, expected 1, 0 and 0 for the batch",
			v.Block[0], ends, v.Begin[0], ends, v.End[0])
	}
	for k := range v.Begin {
		if v.Begin[k] < 0 || v.End[k] < 0 {
			return faults.Errorf("%s_begin[%d] is %d, %s_end[%d] is %d, neither may be negative", ends, k, v.Begin[k], ends, k, v.End[k])
		}
	}
	return nil
}

// segments returns the segments of the axes of both tensors, which have elements. Along an axis
// with blocks, these are the end of a block, whole blocks, and the start of a block. Element c of
// space is element v of block y, with begin + c = y*block + v.
func (v *Values) segments(space, batch ir.Shape, toSpace bool) [][]movement.Segment {
	spaceStrides, batchStrides := strided.Strides(space), strided.Strides(batch)
	axes := make([][]movement.Segment, len(space))
	inBlock := space[0] * batchStrides[0] // the distance in batch between neighbours in a block
	for k := len(space) - 1; k > 0; k-- {
		b, begin, left := int(v.Block[k]), int(v.Begin[k]), space[k]
		at := 0
		// add adds blocks times elements of blocks, from element at of space.
		add := func(blocks, elements int) {
			y, u := (begin+at)/b, (begin+at)%b
			s := view(at*spaceStrides[k], axis{blocks, b * spaceStrides[k]}, axis{elements, spaceStrides[k]})
			t := view(y*batchStrides[k]+u*inBlock, axis{blocks, batchStrides[k]}, axis{elements, inBlock})
			at += blocks * elements
			left -= blocks * elements
			if toSpace {
				axes[k] = append(axes[k], movement.Segment{To: s, From: t})
				return
			}
			// The axis that is contiguous in the output comes last.
			axes[k] = append(axes[k], movement.Segment{To: swap(t), From: swap(s)})
		}
		if begin%b > 0 {
			add(1, min(b-begin%b, left))
		}
		if left >= b {
			add(left/b, b)
		}
		if left > 0 {
			add(1, left)
		}
		inBlock *= b
	}
	axes[0] = []movement.Segment{movement.Range(space[0], 0, spaceStrides[0], 0, batchStrides[0])}
	if !toSpace {
		axes[0] = []movement.Segment{movement.Range(space[0], 0, batchStrides[0], 0, spaceStrides[0])}
	}
	return axes
}

// axis is the length of an axis and the distance between its elements.
type axis struct{ n, stride int }

func view(offset int, a, b axis) strided.View {
	return strided.View{Offset: offset, Lengths: []int{a.n, b.n}, Strides: []int{a.stride, b.stride}}
}

// swap swaps the two axes of a view.
func swap(v strided.View) strided.View {
	v.Lengths[0], v.Lengths[1] = v.Lengths[1], v.Lengths[0]
	v.Strides[0], v.Strides[1] = v.Strides[1], v.Strides[0]
	return v
}
