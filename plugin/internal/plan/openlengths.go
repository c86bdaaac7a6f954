package plan

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// OpenLengths are the lengths of inputs that the plans of a program leave unknown, so that one plan
// serves all of them. Each token of a text model has a longer mask than the one before, and few
// layers depend on its length: these are prepared when they run, and no other plan is made.
//
// When a plan is made, the lengths that the plan before does not have are left open, unless many
// more steps would be dynamic. The results are the same with any set of open lengths: it decides
// only when kernels are prepared.
//
// A shape rule can infer another shape for an unknown length than for the one that it has at run
// time: Squeeze removes an axis of unknown length, and keeps one of length 2. Such an inference
// fails, and runs again with a plan for its lengths. If that succeeds, no lengths are left open any
// more. Bodies have no open lengths, since they can run in the middle of an inference whose
// variables have changed.
type OpenLengths struct {
	Open   atomic.Pointer[LengthSet] // nil if there are none
	closed atomic.Bool               // no lengths are left open

	// inputs, and the results of dynamicSteps, are those of the last plan that was made; guarded by
	// Program.planning.
	inputs             []ir.Fact
	dynamic, constants int
	// refused are the sets with too many dynamic steps; guarded by Program.planning.
	refused []LengthSet
}

// LengthSet is a set of axes of inputs. It has an entry for each axis of input 0, then for those of
// input 1 and so on.
type LengthSet []bool

const (
	// maxRefused bounds OpenLengths.refused. If there are as many, no more lengths are left open.
	maxRefused = 16
	// maxDynamicShare is the inverse of the largest share of the steps that can become dynamic. To
	// infer and prepare a dynamic step takes two to three times as long as a step of a new plan
	// takes.
	maxDynamicShare = 4
	// maxDynamicConstants is the size of the constants that steps that become dynamic can read, in
	// bytes.
	maxDynamicConstants = 64 << 10
)

// has reports whether axis number i is in s.
func (s LengthSet) has(i int) bool { return i < len(s) && s[i] }

// Current returns the lengths that are left open.
func (o *OpenLengths) Current() LengthSet {
	if s := o.Open.Load(); s != nil {
		return *s
	}
	return nil
}

// appendKey appends the key of the plan for the types and shapes of inputs.
func (o *OpenLengths) appendKey(key []byte, inputs []*ir.Tensor) []byte {
	return appendInputs(key, inputs, nil, o.Current())
}

// appendInputs appends the types and shapes of inputs to the key of a cache, except open lengths
// and inputs that are constant. constants may be nil if there are none.
func appendInputs(key []byte, inputs, constants []*ir.Tensor, open LengthSet) []byte {
	at := 0
	for i, t := range inputs {
		if constants != nil && constants[i] != nil {
			continue
		}
		key = append(key, byte(t.ElementType()), byte(len(t.Shape()))) // at most ir.MaxRank
		for _, n := range t.Shape() {
			length := uint64(n)
			if open.has(at) {
				length = math.MaxUint64 // no tensor has it
			}
			key = binary.AppendUvarint(key, length)
			at++
		}
	}
	return key
}

// facts returns the facts of inputs, in which the lengths in open are those of declared.
func (s LengthSet) facts(declared []ir.Fact, inputs []*ir.Tensor) []ir.Fact {
	facts, at := make([]ir.Fact, len(inputs)), 0
	for i, t := range inputs {
		shape := t.Shape().Partial()
		for k := range shape.Rank() {
			if s.has(at) {
				shape = shape.With(k, declared[i].Shape.At(k))
			}
			at++
		}
		facts[i] = ir.Fact{Type: t.ElementType(), Shape: shape}
	}
	return facts
}

// wider returns the current set and the lengths of inputs that the last plan does not have. It
// returns nil if there are none or if the set was refused.
func (o *OpenLengths) wider(declared []ir.Fact, inputs []*ir.Tensor) LengthSet {
	if o.inputs == nil || o.closed.Load() || len(o.refused) >= maxRefused {
		return nil
	}
	open, wider := o.Current(), LengthSet(nil)
	more := false
	for i, t := range inputs {
		last := &o.inputs[i]
		if !declared[i].Shape.RankKnown() || t.ElementType() != last.Type {
			return nil
		}
		for k, n := range t.Shape() {
			changed := !last.Shape.At(k).Contains(int64(n))
			more = more || changed
			wider = append(wider, changed || open.has(len(wider)))
		}
	}
	if !more || slices.ContainsFunc(o.refused, func(s LengthSet) bool { return slices.Equal(s, wider) }) {
		return nil
	}
	return wider
}

// newPlan makes a plan for inputs. The caller has locked Program.planning.
func (o *OpenLengths) newPlan(ctx context.Context, p *graph.Program, inputs []*ir.Tensor) (made *Plan, err error) {
	wider := o.wider(p.Inputs, inputs)
	if wider != nil {
		if made, err = newPlan(ctx, p, wider.facts(p.Inputs, inputs), o.accepts); err == nil {
			o.Open.Store(&wider)
		} else if ended := ctx.Err(); ended != nil {
			return nil, ended
		} else {
			o.refused = append(o.refused, wider)
		}
	}
	if made == nil {
		if made, err = newPlan(ctx, p, o.Current().facts(p.Inputs, inputs), nil); err != nil {
			return nil, err
		}
	}
	o.inputs = made.Inputs
	o.dynamic, o.constants = made.dynamicSteps()
	return made, nil
}

// Close ends that plans leave lengths open, and evicts those that do.
func (p *Program) Close() {
	p.Lengths.closed.Store(true)
	p.Lengths.Open.Store(nil)
	p.Plans.EvictAll(func(of memory.Cached) bool { return of.(*Plan).IsOpen() })
}

// accepts reports whether a plan with more open lengths than the last one has hardly more dynamic
// steps. Dynamic steps do not release the constants that they read, as others do after packing
// them.
func (o *OpenLengths) accepts(p *Plan) bool {
	dynamic, constants := p.dynamicSteps()
	return dynamic-o.dynamic <= len(p.Steps)/maxDynamicShare && constants-o.constants <= maxDynamicConstants
}
