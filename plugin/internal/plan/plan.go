// Package plan makes plans: which layers of a program run as steps for given shapes of its inputs,
// which of them run in one kernel, which values share memory and where, and their prepared kernels.
// A plan does not change, and needs no memory of a request.
package plan

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Plan is a program for one set of input shapes, or for all that differ only in open lengths: steps
// with prepared kernels, and the place of each value in memory. It is immutable.
type Plan struct {
	Values  []value
	Steps   []Step
	Params  []int // value of each Parameter
	Results []int // value of each Result
	// Group lists, for each Result, the values that share its memory, so that they can be
	// moved together to a tensor of the caller. It is nil if the memory is not in the arena or
	// is the memory of an earlier Result.
	Group  [][]int
	Inputs []ir.Fact // type and shape of each Parameter

	Reasons map[*ir.Layer]string // environment.reasons
	Arena   int                  // bytes for values and scratch memory
	Strings int                  // elements for string tensors
	// number of buffers for values whose size is known only at run time
	Slots   int
	InSlots [][]int // values in each slot
	bytes   int64   // without the tables
	memory.Tables
}

// Memory implements memory.Cached.
func (p *Plan) Memory() *memory.Tables { return &p.Tables }

// Parts implements memory.Cached.
func (p *Plan) Parts() []*memory.Cache {
	var list []*memory.Cache
	for i := range p.Steps {
		if dynamic := p.Steps[i].Dynamic; dynamic != nil && !dynamic.shared {
			list = append(list, dynamic.Prepared)
		}
	}
	return list
}

// valueKind is the kind of memory that a value is in.
type valueKind uint8

const (
	inArena   valueKind = iota // in the arena of the request, at an offset that the plan fixes
	InSlot                     // in a buffer of the request that grows at run time
	OfCaller                   // the caller's tensor
	OfModel                    // a constant
	ofAnother                  // in the memory of another value
)

// value is an output of a layer.
type value struct {
	Kind        valueKind
	ElementType ir.ElementType
	// Shape is nil if it is known only at run time.
	Shape ir.Shape
	Size  int // in bytes; for a string tensor, in elements
	// Tensor is the value of a constant, nil for other values. released means that the kernel
	// that it is an input of does not read it.
	Tensor   *ir.Tensor
	released bool
	// owner is the value whose memory this one is in, for ofAnother; otherwise the value itself. at
	// is the offset in that memory in bytes.
	owner, at int
	// first and Last are the first step that writes the memory and the last one that uses it.
	// They are valid for owners. last is len(steps) for outputs of the model.
	first, Last int
	// Place is the offset in the arena, or the number of the slot.
	Place int
}

// IsDynamic reports whether the shape of v is known only at run time.
func (v *value) IsDynamic() bool { return v.Shape == nil }

// Step is a layer that runs.
type Step struct {
	Layer           *ir.Layer
	op              *ops.Op
	Fused           []*ir.Layer // the layers after it that its kernel computes too
	stages          []ops.Stage // of fused
	Inputs, Outputs []int       // values
	Kernel          ops.Kernel
	Scratch         int // offset in the arena
	ScratchBytes    int
	Dynamic         *DynamicLayer // used instead of kernel if shapes are known only at run time
	About           KernelInfo
}

// IsOpen reports whether the plan leaves lengths of inputs open.
func (p *Plan) IsOpen() bool { return slices.ContainsFunc(p.Inputs, graph.IsUnknown) }

// dynamicSteps returns the number of steps whose shapes are known only at run time, and the bytes
// of the constants that they read.
func (p *Plan) dynamicSteps() (n, constants int) {
	for i := range p.Steps {
		if p.Steps[i].Dynamic == nil {
			continue
		}
		n++
		for _, v := range p.Steps[i].Inputs {
			if t := p.Values[v].Tensor; t != nil {
				size, _ := ir.ByteSize(t.ElementType(), t.Shape())
				constants += size
			}
		}
	}
	return n, constants
}

// Owner returns the value whose memory v is in: v itself if it has its own.
func (p *Plan) Owner(v int) int {
	for p.Values[v].owner != v {
		v = p.Values[v].owner
	}
	return v
}

// Start returns the offset of v in the memory of its owner, in bytes.
func (p *Plan) Start(v int) int {
	at := 0
	for p.Values[v].owner != v {
		at += p.Values[v].at
		v = p.Values[v].owner
	}
	return at
}

// whole reports whether v fills the memory of its owner.
func (p *Plan) whole(v int) bool {
	return p.Start(v) == 0 && p.Values[v].Size == p.Values[p.Owner(v)].Size
}

// facts returns the facts of values. Constants have a Tensor.
func (p *Plan) facts(values []int) []ir.Fact {
	facts := make([]ir.Fact, len(values))
	for i, v := range values {
		facts[i] = ir.Fact{Type: p.Values[v].ElementType, Shape: p.Values[v].Shape.Partial(), Tensor: p.Values[v].Tensor}
	}
	return facts
}

// KernelInfo is the description of a kernel in ops.Prepared.
type KernelInfo struct {
	Algorithm string
	Flops     float64
	Bytes     int64
	Precision ir.ElementType
}

// InfoOf returns the description of a kernel; the zero value if p is nil.
func InfoOf(p *ops.Prepared) KernelInfo {
	if p == nil {
		return KernelInfo{}
	}
	return KernelInfo{p.Algorithm, p.Flops, p.MovedBytes, p.Precision}
}

// BytesOf returns the size of the elements of t in bytes; for strings, the size of the texts.
func BytesOf(t *ir.Tensor) int64 {
	if t.ElementType() == ir.String {
		n := int64(0)
		for _, s := range t.Strings() {
			n += int64(len(s))
		}
		return n
	}
	n, err := ir.ByteSize(t.ElementType(), t.Shape())
	if err != nil {
		return 0 // a tensor that no kernel has set
	}
	return int64(n)
}
