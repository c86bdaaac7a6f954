package ir

import (
	"math"
	"slices"
)

// The functions of this file make facts that differ from a given one in a single
// part, to ask a rule what depends on it.

// otherLengths returns lengths that d is not: multiples, since rules divide by
// attributes and round.
func otherLengths(d Dimension) []Dimension {
	var list []Dimension
	add := func(n int64) {
		if n >= 0 && n < math.MaxInt32 && Dim(n) != d && !slices.Contains(list, Dim(n)) {
			list = append(list, Dim(n))
		}
	}
	if d.IsStatic() {
		if n := d.Min; n <= math.MaxInt32/2 {
			add(2 * n)
			add(n + 1)
		}
		add(d.Min - 1)
		add(2)
		return list
	}
	for _, n := range [...]int64{d.Min, 7, 64, 2} {
		if d.Contains(n) {
			add(n)
		}
	}
	if d.Max != Unbounded {
		add(d.Max)
	}
	return append(list, DimRange(d.Min, max(satAdd(d.Min, 6), d.Max-1)))
}

// withoutValues returns fact with no element known.
func withoutValues(fact *Fact) Fact { return Fact{Type: fact.Type, Shape: fact.Shape} }

// withDims returns fact with each of dims as its dim i. Elements of another number
// are not known.
func withDims(fact *Fact, i int, dims []Dimension) []Fact {
	facts := make([]Fact, len(dims))
	for k, d := range dims {
		shape := slices.Clone(fact.Shape.Dims())
		shape[i] = d
		facts[k] = Fact{Type: fact.Type, Shape: ShapeOf(shape...)}
	}
	return facts
}

// otherRanks returns fact with ranks that are known.
func otherRanks(fact *Fact) []Fact {
	var facts []Fact
	for rank := range 7 {
		facts = append(facts, Fact{Type: fact.Type, Shape: ShapeOfRank(rank)})
	}
	return facts
}

// otherValues returns values that v is not.
func otherValues(v Interval) []Interval {
	var list []Interval
	add := func(n int64) {
		if other := (Interval{n, n}); other != v && !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	if n := v.Min; v.Known() && n > math.MinInt32 && n < math.MaxInt32 {
		add(n + 1)
		add(2 * n)
		add(n - 1)
	} else {
		add(v.Min)
		add(min(max(v.Min, 7), v.Max))
	}
	add(1)
	return list
}

// withValues returns fact with each of others in place of element i.
func withValues(fact *Fact, values []Interval, i int, others []Interval) []Fact {
	var facts []Fact
	for _, v := range others {
		changed := slices.Clone(values)
		changed[i] = v
		facts = append(facts, withElements(fact, changed))
	}
	return facts
}

// withElements returns fact with the given elements: as a Tensor if all are known
// and fit the type, since some rules ask for that.
func withElements(fact *Fact, values []Interval) Fact {
	changed := Fact{Type: fact.Type, Shape: fact.Shape, Values: values}
	ints, known := changed.Ints()
	shape, err := fact.Shape.Static()
	if !known || err != nil {
		return changed
	}
	if t, err := TensorOfInts(fact.Type, shape, ints); err == nil {
		changed.Tensor, changed.Values = t, nil
	}
	return changed
}

// knownValues returns fact, of which no element is known, with elements.
func knownValues(fact *Fact) []Fact {
	n := fact.Shape.Elements()
	if !n.IsStatic() || n.Min > maxProbedValues {
		return nil
	}
	if fact.Type == F32 {
		return knownFloats(fact)
	}
	if !fact.Type.IsIntegral() {
		return nil
	}
	fill := func(value func(i int) Interval) Fact {
		values := make([]Interval, n.Min)
		for i := range values {
			values[i] = value(i)
		}
		return withElements(fact, values)
	}
	return []Fact{
		fill(func(int) Interval { return Interval{1, 7} }),
		fill(func(i int) Interval { return Interval{int64(i), int64(i)} }),
		fill(func(int) Interval { return Interval{1, 1} }),
		fill(func(int) Interval { return Interval{} }),
	}
}

// knownFloats is knownValues of a tensor of f32.
func knownFloats(fact *Fact) []Fact {
	shape, err := fact.Shape.Static()
	if err != nil {
		return nil
	}
	var facts []Fact
	for _, f := range [...]float32{1, 7, 0} {
		t, err := TensorOf(F32, shape, slices.Repeat([]float32{f}, shape.Elements()))
		if err == nil {
			facts = append(facts, Fact{Type: F32, Shape: fact.Shape, Tensor: t})
		}
	}
	return facts
}
