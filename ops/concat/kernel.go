package concat

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// byteCost is the cost of a byte: rows are short, so that copying them takes longer than one copy.
const byteCost = 2 * ops.CopyCost

// prepare splits every input into runs. A run covers the axis and all later axes, and is contiguous
// in the output:
//
//	for each input k, for each outer position o: output[o, o_k:] = run o of input k
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	axis, err := index.Axis(p.Attributes.(attributes).axis, len(shape))
	if err != nil {
		return nil, err
	}
	j := &joiner{outer: shape[:axis].Elements(), row: shape[axis:].Elements(), runs: make([]int, len(p.Inputs))}
	for i := range p.Inputs {
		j.runs[i] = p.InputShape(i)[axis:].Elements()
	}
	if shape.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	if size := p.Outputs[0].Type.Size(); size > 0 && j.outer == 1 {
		return &ops.Prepared{Kernel: j.inputs(size)}, nil
	}
	switch t := p.Outputs[0].Type; t.Size() {
	case 1:
		return &ops.Prepared{Kernel: kernel[uint8](j, 1)}, nil
	case 2:
		return &ops.Prepared{Kernel: kernel[uint16](j, 2)}, nil
	case 4:
		return &ops.Prepared{Kernel: kernel[uint32](j, 4)}, nil
	case 8:
		return &ops.Prepared{Kernel: kernel[uint64](j, 8)}, nil
	case 16:
		return &ops.Prepared{Kernel: kernel[complex128](j, 16)}, nil
	default:
		if t == ir.String {
			return &ops.Prepared{Kernel: j.strings}, nil
		}
		return &ops.Prepared{Kernel: j.packed}, nil
	}
}

// joins returns the element of the output at which each input starts; nil if an axis before the
// concatenation axis is not of length 1, so that the inputs alternate.
func joins(p *ops.Preparation) []int {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil
	}
	axis, err := index.Axis(p.Attributes.(attributes).axis, len(shape))
	if err != nil || shape[:axis].Elements() != 1 {
		return nil
	}
	starts, at := make([]int, len(p.Inputs)), 0
	for i := range p.Inputs {
		starts[i], at = at, at+p.InputShape(i).Elements()
	}
	return starts
}

// joiner describes a concatenation as outer rows of row elements. Each row consists of one run of
// every input; runs holds their lengths.
type joiner struct {
	outer, row int
	runs       []int
}

// longRowBytes is the size in bytes above which a row is copied in pieces.
const longRowBytes = 1 << 20

// kernel splits the rows among the threads.
func kernel[T ir.Element](j *joiner, size int) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		at, dst := 0, ir.Data[T](r.Outputs[0])
		for k, n := range j.runs {
			src := ir.Data[T](r.Inputs[k])
			if n*size <= longRowBytes {
				strided.Rows(dst[lo*j.row+at:], src[lo*n:], hi-lo, n, j.row, n)
			} else {
				for o := lo; o < hi; o++ {
					parallel.Copy(r.Stop, dst[o*j.row+at:][:n], src[o*n:])
				}
			}
			at += n
		}
		return nil
	}
	grain := ops.Grain(byteCost * float64(j.row*size))
	return func(r *ops.Run) error { return r.For(j.outer, grain, part) }
}

// inputs returns the kernel of a single row: the inputs, whose elements have size bytes, one after
// the other.
func (j *joiner) inputs(size int) ops.Kernel {
	parts, at := make([]ops.Part, len(j.runs)), 0
	for k, n := range j.runs {
		first := at
		parts[k] = func(r *ops.Run, lo, hi int) error {
			copy(r.Outputs[0].Bytes()[(first+lo)*size:(first+hi)*size], r.Inputs[k].Bytes()[lo*size:hi*size])
			return nil
		}
		at += n
	}
	return func(r *ops.Run) error {
		for k, n := range j.runs {
			if err := r.For(n, ops.Grain(byteCost*float64(size)), parts[k]); err != nil {
				return err
			}
		}
		return nil
	}
}

func (j *joiner) strings(r *ops.Run) error {
	at, dst := 0, r.Outputs[0].Strings()
	for k, n := range j.runs {
		src := r.Inputs[k].Strings()
		for o := range j.outer {
			parallel.Copy(r.Stop, dst[o*j.row+at:][:n], src[o*n:])
		}
		at += n
	}
	return nil
}

// packed copies elements of less than a byte one by one, because adjacent runs may share a byte.
func (j *joiner) packed(r *ops.Run) error {
	at, meter := 0, r.Stop.Meter()
	for k, n := range j.runs {
		for o := range j.outer {
			for i := range n {
				if meter.Spent(8) {
					return nil
				}
				r.Outputs[0].SetPacked(o*j.row+at+i, r.Inputs[k].Packed(o*n+i))
			}
		}
		at += n
	}
	return nil
}
