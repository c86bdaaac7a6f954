package movement

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// Segment is a part of an axis along which elements go from one layout to another in regular steps.
// To and From are views of the output and of the input along this axis alone. They have the same
// lengths, for example that of whole blocks and that of a block.
type Segment struct{ To, From strided.View }

// Range returns the Segment of n elements whose distances are to and from.
func Range(n, toOffset, to, fromOffset, from int) Segment {
	lengths := []int{n}
	return Segment{
		To:   strided.View{Offset: toOffset, Lengths: lengths, Strides: []int{to}},
		From: strided.View{Offset: fromOffset, Lengths: lengths, Strides: []int{from}},
	}
}

// Pieces returns the kernel that copies elements of input 0 to output 0, which have the same type.
// Each axis consists of segments. Each combination of one segment of every axis is a piece, which
// is one strided copy that runs on all threads. No element of the output may be in two pieces. If
// clear is true, the elements in no piece become 0, or empty strings; otherwise they are not
// written.
func Pieces(p *ops.Preparation, axes [][]Segment, clear bool) (ops.Kernel, error) {
	counts, depth := make([]int, len(axes)), 0
	for k, segments := range axes {
		counts[k] = len(segments)
		longest := 0
		for _, s := range segments {
			longest = max(longest, len(s.To.Lengths))
		}
		depth += longest
	}
	if err := p.Reserve(memory.Size[byte](append(counts, pieceBytes(depth))...)); err != nil {
		return nil, err
	}
	k := &pieces{elementType: p.Outputs[0].Type, stop: p.Stop}
	if clear {
		k.clearing = clearPart
	}
	if err := k.add(axes, Segment{}); err != nil {
		return nil, err
	}
	k.stop = nil
	return k.run, nil
}

// pieceBytes returns the bytes that a piece of the given number of axes takes, with what is only
// needed to prepare it.
func pieceBytes(depth int) int {
	const perAxis = 128 // in the views, and merged in the Copier, in slices that have grown
	return int(unsafe.Sizeof(strided.Copier{})+unsafe.Sizeof(piece{})) + 256 + depth*perAxis
}

// pieces is a kernel of several copies, one after the other.
type pieces struct {
	elementType ir.ElementType
	stop        parallel.Stop // of Prepare
	clearing    ops.Part      // nil if nothing is cleared
	list        []piece
}

type piece struct {
	copier *strided.Copier
	part   ops.Part
}

// add adds the pieces of the remaining axes. at has the axes before them.
func (k *pieces) add(axes [][]Segment, at Segment) error {
	if len(axes) == 0 {
		c := strided.Move(k.elementType, at.To, at.From)
		k.list = append(k.list, piece{c, func(r *ops.Run, lo, hi int) error {
			c.Run(r.Stop, r.Outputs[0], r.Inputs[0], lo, hi)
			return nil
		}})
		return k.stop.Err()
	}
	for _, s := range axes[0] {
		next := Segment{extend(at.To, s.To), extend(at.From, s.From)}
		if err := k.add(axes[1:], next); err != nil {
			return err
		}
	}
	return nil
}

// extend returns the view with the axes of a and then those of b.
func extend(a, b strided.View) strided.View {
	n := len(a.Lengths)
	return strided.View{
		Offset:  a.Offset + b.Offset,
		Lengths: append(a.Lengths[:n:n], b.Lengths...),
		Strides: append(a.Strides[:n:n], b.Strides...),
	}
}

func (k *pieces) run(r *ops.Run) error {
	if k.clearing != nil {
		out := r.Outputs[0]
		if err := r.For(max(len(out.Bytes()), len(out.Strings())), ops.Grain(ops.CopyCost), k.clearing); err != nil {
			return err
		}
	}
	for _, piece := range k.list {
		if err := r.For(piece.copier.Rows, piece.copier.Grain, piece.part); err != nil {
			return err
		}
	}
	return nil
}

// clearPart clears bytes or strings lo to hi-1.
func clearPart(r *ops.Run, lo, hi int) error {
	if strings := r.Outputs[0].Strings(); strings != nil {
		clear(strings[lo:hi])
		return nil
	}
	clear(r.Outputs[0].Bytes()[lo:hi])
	return nil
}
