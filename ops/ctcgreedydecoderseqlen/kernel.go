package ctcgreedydecoderseqlen

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/ctc"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// prepare returns a kernel that first checks the lengths, then finds the classes of all steps, and
// then drops blanks and repetitions.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	k := &kernel{
		batch: shape[0], steps: shape[1], classes: shape[2],
		merge: p.Attributes.(attributes).mergeRepeated,
		find:  ctc.Finder(p.Inputs[0].Type),
		blank: len(p.Inputs) > 2,
	}
	if k.classes == 0 && k.steps*k.batch > 0 {
		return nil, faults.Errorf("data has shape %v: there are no classes", shape)
	}
	if err := check.Integer("sequence_length", p.Inputs[1].Type); err != nil {
		return nil, err
	}
	if k.blank {
		if blank := p.InputShape(2); blank.Elements() != 1 {
			return nil, faults.Errorf("blank_index has shape %v, expected one element", p.Inputs[2].Shape)
		}
	}
	var err error
	if k.storeClasses, err = storeOf("classes_index_type", p.Outputs[0].Type, k.classes); err != nil {
		return nil, err
	}
	if k.storeLength, err = storeOf("sequence_length_type", p.Outputs[1].Type, k.steps); err != nil {
		return nil, err
	}
	k.findPart, k.collapsePart = k.findClasses, k.collapse
	var s ops.Scratch
	k.lengths, k.blankIndex, k.found = ops.AreaOf[int64](&s, k.batch), ops.AreaOf[int64](&s, 1), ops.AreaOf[int64](&s, k.batch, k.steps)
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes()}, nil
}

// storeFunc writes numbers to n elements of out from element at on, and -1 after them.
type storeFunc func(out *ir.Tensor, at, n int, numbers []int64)

// storeOf returns the function for an output of type t whose greatest number is largest.
func storeOf(attribute string, t ir.ElementType, largest int) (storeFunc, error) {
	switch t {
	case ir.I64:
		return store[int64], nil
	case ir.I32:
		if int64(largest) > math.MaxInt32 {
			return nil, faults.Errorf("%s is i32, which does not hold %d", attribute, largest)
		}
		return store[int32], nil
	}
	return nil, faults.Errorf("%s is %v, expected i32 or i64", attribute, t)
}

func store[T int32 | int64](out *ir.Tensor, at, n int, numbers []int64) {
	dst := ir.Data[T](out)[at : at+n]
	for i := range dst {
		dst[i] = -1
		if i < len(numbers) {
			dst[i] = T(numbers[i])
		}
	}
}

type kernel struct {
	batch, steps, classes     int
	merge                     bool
	blank                     bool // there is an input blank_index
	find                      ctc.Find
	storeClasses, storeLength storeFunc
	findPart, collapsePart    ops.Part
	lengths, blankIndex       ops.Area[int64] // of the items; the class of the blank
	found                     ops.Area[int64] // the classes of all rows of data
}

func (k *kernel) run(r *ops.Run) error {
	lengths, blank := k.lengths.In(r), k.blankIndex.In(r)
	gatherscatter.Widen(r.Stop, lengths, r.Inputs[1])
	blank[0] = int64(k.classes - 1)
	if k.blank {
		gatherscatter.Widen(r.Stop, blank, r.Inputs[2])
	}
	if err := r.Stop.Err(); err != nil {
		return err // the numbers are not complete
	}
	for b, length := range lengths {
		if length < 0 || length > int64(k.steps) {
			return faults.Errorf("sequence_length[%d] is %d, expected 0 to %d", b, length, k.steps)
		}
	}
	if err := r.For(k.batch*k.steps, ops.Grain(float64(k.classes)), k.findPart); err != nil {
		return err
	}
	return r.For(k.batch, ops.Grain(float64(k.steps)), k.collapsePart)
}

// findClasses finds the classes of rows lo to hi-1 of data. Row b*steps+t is step t of item b.
func (k *kernel) findClasses(r *ops.Run, lo, hi int) error {
	lengths, classes := k.lengths.In(r), k.found.In(r)
	for lo < hi {
		b := lo / k.steps
		if end := min(hi, b*k.steps+int(lengths[b])); lo < end {
			k.find(r.Stop, r.Inputs[0], k.classes, lo, classes[lo:end])
		}
		lo = (b + 1) * k.steps
	}
	return nil
}

func (k *kernel) collapse(r *ops.Run, lo, hi int) error {
	lengths, classes, blank := k.lengths.In(r), k.found.In(r), k.blankIndex.In(r)[0]
	for b := lo; b < hi; b++ {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		item := classes[b*k.steps:][:lengths[b]]
		n := ctc.Collapse(item, len(item), 1, blank, k.merge)
		k.storeClasses(r.Outputs[0], b*k.steps, k.steps, item[:n])
		lengths[b] = int64(n)
		k.storeLength(r.Outputs[1], b, 1, lengths[b:b+1])
	}
	return nil
}
