package plugin

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// plan is a program for one set of input shapes, or for all that differ only in open lengths: steps with prepared
// kernels, and the place of each value in memory. It is immutable.
type plan struct {
	values  []value
	steps   []step
	params  []int // value of each Parameter
	results []int // value of each Result
	// group lists, for each Result, the values that share its memory, so that they can be
	// moved together to a tensor of the caller. It is nil if the memory is not in the arena or
	// is the memory of an earlier Result.
	group  [][]int
	inputs []ir.Fact // type and shape of each Parameter

	reasons map[*ir.Layer]string // environment.reasons
	arena   int                  // bytes for values and scratch memory
	strings int                  // elements for string tensors
	slots   int                  // number of buffers for values whose size is known only at run time
	inSlots [][]int              // values in each slot
	bytes   int64                // without the tables
	memory.Tables
}

// Memory implements memory.Cached.
func (p *plan) Memory() *memory.Tables { return &p.Tables }

// Parts implements memory.Cached.
func (p *plan) Parts() []*memory.Cache {
	var list []*memory.Cache
	for i := range p.steps {
		if late := p.steps[i].late; late != nil && !late.shared {
			list = append(list, late.prepared)
		}
	}
	return list
}

// valueKind is the kind of memory that a value is in.
type valueKind uint8

const (
	inArena   valueKind = iota // in the arena of the request, at an offset that the plan fixes
	inSlot                     // in a buffer of the request that grows at run time
	ofCaller                   // the caller's tensor
	ofModel                    // a constant
	ofAnother                  // in the memory of another value
)

// value is an output of a layer.
type value struct {
	kind        valueKind
	elementType ir.ElementType
	// shape is nil if it is known only at run time.
	shape ir.Shape
	size  int // in bytes; for a string tensor, in elements
	// tensor is the value of a constant, nil for other values. released means that the kernel
	// that it is an input of does not read it.
	tensor   *ir.Tensor
	released bool
	// owner is the value whose memory this one is in, for ofAnother; otherwise the value
	// itself. at is the offset in that memory in bytes.
	owner, at int
	// first and last are the first step that writes the memory and the last one that uses it.
	// They are valid for owners. last is len(steps) for outputs of the model.
	first, last int
	// place is the offset in the arena, or the number of the slot.
	place int
}

// late reports whether the shape of v is known only at run time.
func (v *value) late() bool { return v.shape == nil }

// step is a layer that runs.
type step struct {
	layer           *ir.Layer
	op              *ops.Op
	fused           []*ir.Layer // the layers after it that its kernel computes too
	stages          []ops.Stage // of fused
	inputs, outputs []int       // values
	kernel          ops.Kernel
	scratch         int // offset in the arena
	scratchBytes    int
	late            *lateLayer // used instead of kernel if shapes are known only at run time
	about           kernelInfo
}

// isOpen reports whether the plan leaves lengths of inputs open.
func (p *plan) isOpen() bool { return slices.ContainsFunc(p.inputs, isUnknown) }

// lateSteps returns the number of steps whose shapes are known only at run time, and the bytes of the constants that they
// read.
func (p *plan) lateSteps() (n, constants int) {
	for i := range p.steps {
		if p.steps[i].late == nil {
			continue
		}
		n++
		for _, v := range p.steps[i].inputs {
			if t := p.values[v].tensor; t != nil {
				size, _ := ir.ByteSize(t.ElementType(), t.Shape())
				constants += size
			}
		}
	}
	return n, constants
}

// owner returns the value whose memory v is in: v itself if it has its own.
func (p *plan) owner(v int) int {
	for p.values[v].owner != v {
		v = p.values[v].owner
	}
	return v
}

// start returns the offset of v in the memory of its owner, in bytes.
func (p *plan) start(v int) int {
	at := 0
	for p.values[v].owner != v {
		at += p.values[v].at
		v = p.values[v].owner
	}
	return at
}

// whole reports whether v fills the memory of its owner.
func (p *plan) whole(v int) bool {
	return p.start(v) == 0 && p.values[v].size == p.values[p.owner(v)].size
}

// facts returns the facts of values. Constants have a Tensor.
func (p *plan) facts(values []int) []ir.Fact {
	facts := make([]ir.Fact, len(values))
	for i, v := range values {
		facts[i] = ir.Fact{Type: p.values[v].elementType, Shape: p.values[v].shape.Partial(), Tensor: p.values[v].tensor}
	}
	return facts
}
