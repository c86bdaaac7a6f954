package convert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// List is a sequence of tensors, in parts that are known at conversion. It must not be changed.
type List struct {
	// Type is the element type of all tensors; Dynamic if it is not known.
	Type  ir.ElementType
	Parts []Part
	// shared is where Parts begins: a list that is longer by one tensor shares what it has.
	shared *[]Part
}

// Part is a part of a List.
type Part struct {
	Kind  PartKind
	Value Value
	// carried is the list that a PartCarried stands for.
	carried *carried
}

// carried is the identity of a PartCarried.
type carried struct{ _ byte }

// PartKind says what a Part is.
type PartKind uint8

const (
	// PartSingle is one tensor.
	PartSingle PartKind = iota
	// PartStack is any number of tensors of one shape: those that axis 0 of Value holds.
	PartStack
	// PartJoined is any number of tensors that Value has joined along an axis, for readers that
	// join them so: see Node.Readers.
	PartJoined
	// PartCarried is the list that a loop carries from trip to trip, as it is before a trip. Value
	// is absent: nothing is known about the tensors.
	PartCarried
)

// Length returns the number of tensors of a list of singles, and false for other lists.
func (l *List) Length() (int, bool) {
	for _, part := range l.Parts {
		if part.Kind != PartSingle {
			return 0, false
		}
	}
	return len(l.Parts), true
}

// LoopList returns a list that a loop carries, as it is before a trip.
func LoopList(t ir.ElementType) Value {
	return Value{list: &List{Type: t, Parts: []Part{{Kind: PartCarried, carried: &carried{}}}}}
}

// After returns the parts that l has after those of a list, which must be its first ones, or false
// if they are not.
func (l *List) After(first *List) ([]Part, bool) {
	if len(l.Parts) < len(first.Parts) {
		return nil, false
	}
	for i, part := range first.Parts {
		if l.Parts[i] != part {
			return nil, false
		}
	}
	return l.Parts[len(first.Parts):], true
}

// List returns a list of parts. It is an error if their tensors have not the element type t, unless
// that is Dynamic. The parts count as nodes for the limit of those.
func (n *Node) List(t ir.ElementType, parts []Part) Value {
	for i, part := range parts {
		if part.Kind == PartCarried {
			continue
		}
		switch e := n.Type(part.Value); {
		case n.Failed():
			return Value{}
		case t == ir.Dynamic:
			t = e
		case e != ir.Dynamic && e != t:
			n.Fail("tensor %d of the sequence is %v, expected %v as of the others", i, e, t)
			return Value{}
		}
	}
	if err := n.graph.spend(len(parts)); err != nil {
		n.fail(err)
		return Value{}
	}
	return Value{list: &List{Type: t, Parts: parts, shared: &parts}}
}

// Append returns a list with another tensor at its end.
func (n *Node) Append(l *List, v Value) Value {
	t := n.Type(v)
	if n.Failed() {
		return Value{}
	}
	if l.Type != ir.Dynamic && t != ir.Dynamic && l.Type != t {
		n.Fail("the tensor is %v, and the sequence has %v", t, l.Type)
		return Value{}
	}
	longer := &List{Type: l.Type, shared: l.shared}
	if l.Type == ir.Dynamic {
		longer.Type = t
	}
	part := Part{Value: v}
	if l.shared == nil || len(*l.shared) != len(l.Parts) {
		copied := append(make([]Part, 0, len(l.Parts)+1), l.Parts...)
		if err := n.graph.spend(len(copied)); err != nil {
			n.fail(err)
			return Value{}
		}
		longer.shared = &copied
	}
	*longer.shared = append(*longer.shared, part)
	longer.Parts = *longer.shared
	return Value{list: longer}
}

// WithoutLast returns a list without its last part.
func (n *Node) WithoutLast(l *List) Value {
	return Value{list: &List{Type: l.Type, Parts: l.Parts[:len(l.Parts)-1], shared: l.shared}}
}

// spend counts nodes, or tensors of lists, that are made.
func (c *conversion) spend(count int) error {
	if c.converted += count; c.converted > c.Nodes {
		return faults.Errorf("the model has more than %d nodes, with those of functions once for each call", c.Nodes)
	}
	return nil
}

// Tensors returns the tensors that v is made of: v itself, those in its list, or none.
func (v Value) Tensors() []Value {
	switch {
	case v.empty:
		return nil
	case v.list == nil:
		return []Value{v}
	}
	var tensors []Value
	for _, part := range v.list.Parts {
		if part.Kind != PartCarried {
			tensors = append(tensors, part.Value)
		}
	}
	return tensors
}

// With returns a value like v with other tensors in place of those that Tensors returns.
func (v Value) With(tensors []Value) Value {
	switch {
	case v.empty:
		return v
	case v.list == nil:
		return tensors[0]
	}
	parts := make([]Part, len(v.list.Parts))
	for i, part := range v.list.Parts {
		if parts[i] = part; part.Kind != PartCarried {
			parts[i].Value, tensors = tensors[0], tensors[1:]
		}
	}
	return Value{list: &List{Type: v.list.Type, Parts: parts}}
}

// Matches reports whether v and w are made of tensors in the same way, so that one of them can take
// the place of the other: both are tensors, lists of the same length, or optionals without a value.
func (v Value) Matches(w Value) bool {
	if v.empty != w.empty || (v.list == nil) != (w.list == nil) {
		return false
	}
	if v.list == nil {
		return true
	}
	if len(v.list.Parts) != len(w.list.Parts) {
		return false
	}
	for i, part := range v.list.Parts {
		other := w.list.Parts[i]
		if part.Kind != other.Kind || part.carried != other.carried {
			return false
		}
	}
	return true
}

// String says what v is, for errors.
func (v Value) String() string {
	switch {
	case v.empty:
		return "an optional without a value"
	case v.list == nil:
		return "a tensor"
	}
	if length, known := v.list.Length(); known {
		return faults.Errorf("a sequence of %d tensors", length).Error()
	}
	return "a sequence whose length depends on data"
}

// Reserve counts tensors that a rule is about to make for a list, as nodes for the limit of those.
func (n *Node) Reserve(count int64) {
	if err := n.graph.spend(int(min(count, 1<<30))); err != nil {
		n.fail(err)
	}
}

// Of returns a list as a value.
func Of(l *List) Value { return Value{list: l} }
