package ctcgreedydecoder

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/ctc"
)

// prepare returns a kernel that first counts the steps of each item, then finds the classes of all
// steps, and then drops blanks and repetitions.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	k := &kernel{
		steps: shape[0], batch: shape[1], classes: shape[2],
		merge: p.Attributes.(attributes).mergeRepeated,
		find:  ctc.Finder(p.Inputs[0].Type),
	}
	if k.classes == 0 && k.steps*k.batch > 0 {
		return nil, faults.Errorf("data has shape %v: there are no classes", shape)
	}
	var err error
	if k.marked, err = maskOf(p.Inputs[1].Type); err != nil {
		return nil, err
	}
	switch p.Outputs[0].Type {
	case ir.F32:
		k.store = store(func(class int64) float32 { return float32(class) })
	case ir.F64:
		k.store = store(func(class int64) float64 { return float64(class) })
	case ir.F16:
		k.store = store(func(class int64) uint16 { return half.F32ToF16(float32(class)) })
	case ir.BF16:
		k.store = store(func(class int64) half.BFloat16 { return half.BFloat16Of(float32(class)) })
	}
	k.countPart, k.findPart, k.collapsePart = k.count, k.findClasses, k.collapse
	var s ops.Scratch
	k.counts, k.found = ops.AreaOf[int64](&s, k.batch), ops.AreaOf[int64](&s, k.batch, k.steps)
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes()}, nil
}

type kernel struct {
	steps, batch, classes             int
	merge                             bool
	find                              ctc.Find
	marked                            func(mask *ir.Tensor, i int) bool
	store                             func(out *ir.Tensor, at, n int, classes []int64, count, stride int)
	countPart, findPart, collapsePart ops.Part
	counts                            ops.Area[int64] // the steps of each item
	found                             ops.Area[int64] // the classes of all rows of data
}

func (k *kernel) run(r *ops.Run) error {
	if k.steps == 0 {
		return nil
	}
	grain := ops.Grain(float64(k.steps))
	if err := r.For(k.batch, grain, k.countPart); err != nil {
		return err
	}
	if err := r.For(k.steps*k.batch, ops.Grain(float64(k.classes)), k.findPart); err != nil {
		return err
	}
	return r.For(k.batch, grain, k.collapsePart)
}

// count counts the leading steps that sequence_mask marks.
func (k *kernel) count(r *ops.Run, lo, hi int) error {
	counts := k.counts.In(r)
	meter := r.Stop.Meter()
	for b := lo; b < hi; b++ {
		t := 0
		for t < k.steps && k.marked(r.Inputs[1], t*k.batch+b) {
			if t++; meter.Spent(4) {
				return parallel.ErrStopped
			}
		}
		counts[b] = int64(t)
	}
	return nil
}

// findClasses finds the classes of rows lo to hi-1 of data. Row t*batch+b is step t of item b.
func (k *kernel) findClasses(r *ops.Run, lo, hi int) error {
	counts, classes := k.counts.In(r), k.found.In(r)
	t, b := lo/k.batch, lo%k.batch
	// skipped moves to the next row, and reports whether the row before is one to skip.
	skipped := func() bool {
		skip := int64(t) >= counts[b]
		if b++; b == k.batch {
			t, b = t+1, 0
		}
		return skip
	}
	for first := lo; lo < hi; lo++ {
		if skip := skipped(); skip || lo == hi-1 {
			end := lo
			if !skip {
				end++
			}
			k.find(r.Stop, r.Inputs[0], k.classes, first, classes[first:end])
			first = lo + 1
		}
	}
	return nil
}

func (k *kernel) collapse(r *ops.Run, lo, hi int) error {
	counts, classes := k.counts.In(r), k.found.In(r)
	for b := lo; b < hi; b++ {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		n := ctc.Collapse(classes[b:], int(counts[b]), k.batch, int64(k.classes-1), k.merge)
		k.store(r.Outputs[0], b*k.steps, k.steps, classes[b:], n, k.batch)
	}
	return nil
}

// store returns a function that writes the first count of classes, stride apart, to n elements of
// out from element at on, and -1 after them. Each type has a loop of its own: floats.Set for each
// element would take as long as the search for short rows.
func store[T ir.Element](number func(class int64) T) func(out *ir.Tensor, at, n int, classes []int64, count, stride int) {
	none := number(-1)
	return func(out *ir.Tensor, at, n int, classes []int64, count, stride int) {
		dst := ir.Data[T](out)[at : at+n]
		for i := range dst {
			dst[i] = none
			if i < count {
				dst[i] = number(classes[i*stride])
			}
		}
	}
}

// maskOf returns a function that reports whether an element of sequence_mask is not 0.
func maskOf(t ir.ElementType) (func(mask *ir.Tensor, i int) bool, error) {
	switch t {
	case ir.F32:
		return notZero[float32], nil
	case ir.F64:
		return notZero[float64], nil
	case ir.F16, ir.BF16:
		return func(mask *ir.Tensor, i int) bool { return cast.Bytes[uint16](mask.Bytes())[i]&0x7fff != 0 }, nil
	case ir.I8, ir.U8, ir.Boolean:
		return func(mask *ir.Tensor, i int) bool { return mask.Bytes()[i] != 0 }, nil
	case ir.I16, ir.U16:
		return notZero[uint16], nil
	case ir.I32, ir.U32:
		return notZero[uint32], nil
	case ir.I64, ir.U64:
		return notZero[uint64], nil
	}
	return nil, faults.Errorf("sequence_mask of type %v has no kernel", t)
}

func notZero[T float32 | float64 | uint16 | uint32 | uint64](mask *ir.Tensor, i int) bool {
	return cast.Bytes[T](mask.Bytes())[i] != 0
}
