package plugin

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// extent is the memory of a tensor that the caller has set.
type extent struct {
	start, end uintptr
	port       int // an input, or the complement of an output
}

// extents sort by where they start. Unlike sort.SliceStable, sort.Stable does not allocate, and
// unlike slices.SortFunc, it has no instance of its own for each type.
type extents []extent

func (e *extents) Len() int           { return len(*e) }
func (e *extents) Less(i, j int) bool { return (*e)[i].start < (*e)[j].start }
func (e *extents) Swap(i, j int)      { (*e)[i], (*e)[j] = (*e)[j], (*e)[i] }

// checkMemory returns an error if the memory of an output that the caller has set overlaps that of
// an input or of another such output. A kernel writes an output while it reads the inputs, and
// indices among them have been checked before.
func (r *InferRequest) checkMemory(inputs, outputs []*ir.Tensor) error {
	if !slices.ContainsFunc(outputs, func(t *ir.Tensor) bool { return t != nil }) {
		return nil
	}
	r.extents = r.extents[:0]
	for i, t := range outputs {
		r.extents = appendExtent(r.extents, t, ^i)
	}
	for i, t := range inputs {
		r.extents = appendExtent(r.extents, t, i)
	}
	sort.Stable(&r.extents)
	var any, output extent // those that end last so far
	for _, e := range r.extents {
		if before := &output; e.start < before.end {
			return r.overlap(before.port, e.port)
		}
		if e.port < 0 && e.start < any.end {
			return r.overlap(e.port, any.port)
		}
		if e.end > any.end {
			any = e
		}
		if e.port < 0 {
			output = e
		}
	}
	return nil
}

// appendExtent appends the memory of t, if it is not nil and not empty.
func appendExtent(list []extent, t *ir.Tensor, port int) []extent {
	switch {
	case t == nil:
		return list
	case len(t.Strings()) > 0:
		return append(list, extentOf(t.Strings(), port))
	case len(t.Bytes()) > 0:
		return append(list, extentOf(t.Bytes(), port))
	}
	return list
}

func extentOf[T any](s []T, port int) extent {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	return extent{start, start + uintptr(len(s))*unsafe.Sizeof(s[0]), port}
}

// overlap returns the error for an output and another tensor with common memory.
func (r *InferRequest) overlap(output, other int) error {
	if i := ^output; other < 0 {
		return faults.Errorf("the tensor of output %d %q shares memory with that of output %d %q", i, r.compiled.outputs[i].Name, ^other, r.compiled.outputs[^other].Name)
	}
	return faults.Errorf("the tensor of output %d %q shares memory with that of input %d %q", ^output, r.compiled.outputs[^output].Name, other, r.compiled.inputs[other].Name)
}
