package plugin

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// plan is how a model runs for one set of input shapes: steps with prepared
// kernels, and where each value lies. It is immutable.
type plan struct {
	values  []value
	steps   []step
	params  []int // value of each Parameter
	results []int // value of each Result
	// group holds, of each Result, the values that share its memory, where that
	// lies in the arena and is no earlier Result's: they can be moved together to
	// a tensor of the caller.
	group  [][]int
	shapes []ir.Shape
	types  []ir.ElementType // of the Parameters

	arena   int // bytes for values and scratch memory
	strings int // elements for values of strings
	slots   int // buffers of the values whose size is known only at run time
	bytes   int64
}

// valueKind says whose memory a value lies in.
type valueKind uint8

const (
	inArena   valueKind = iota // the request's arena, at an offset that the plan decides
	inSlot                     // a buffer of the request that grows at run time
	ofCaller                   // the tensor that the caller has set
	ofModel                    // a constant
	ofAnother                  // another value's
)

// value is an output of a layer.
type value struct {
	kind        valueKind
	elementType ir.ElementType
	// shape is nil where it is known only at run time.
	shape ir.Shape
	size  int // bytes, elements of a string tensor
	// tensor is a constant's. released says that the kernel that it is an input of
	// does not read it.
	tensor   *ir.Tensor
	released bool
	// owner is the value whose memory this one lies in: ofAnother. at is the byte of
	// it that this one starts at.
	owner, at int
	// first and last are the steps that write and read the memory, valid for
	// owners. A last of len(steps) is beyond the run: an output of the model.
	first, last int
	// place is the offset in the arena, or the number of the slot.
	place int
}

func (v *value) late() bool { return v.shape == nil }

// step is a layer that runs.
type step struct {
	layer           *ir.Layer
	op              *ops.Op
	fused           []*ir.Layer // the layers behind it that its kernel computes too
	stages          []ops.Stage // of fused
	inputs, outputs []int       // values
	kernel          ops.Kernel
	scratch         int // offset in the arena
	scratchBytes    int
	late            *lateLayer // in place of kernel where shapes are not known
	about           kernelInfo
	tableBytes      int64
}

// owner returns the value whose memory v lies in.
func (p *plan) owner(v int) int {
	for p.values[v].owner != v {
		v = p.values[v].owner
	}
	return v
}

// start returns the byte of the memory of v's owner that v starts at.
func (p *plan) start(v int) int {
	at := 0
	for p.values[v].owner != v {
		at += p.values[v].at
		v = p.values[v].owner
	}
	return at
}

// whole reports whether v takes all of its owner's memory.
func (p *plan) whole(v int) bool {
	return p.start(v) == 0 && p.values[v].size == p.values[p.owner(v)].size
}

// facts returns the facts of values, and the Tensor of those that are constant.
func (p *plan) facts(values []int) []ir.Fact {
	facts := make([]ir.Fact, len(values))
	for i, v := range values {
		facts[i] = ir.Fact{Type: p.values[v].elementType, Shape: p.values[v].shape.Partial(), Tensor: p.values[v].tensor}
	}
	return facts
}
