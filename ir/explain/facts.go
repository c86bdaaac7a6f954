package explain

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// The functions of this file return facts that differ from a given fact in a single part. A rule
// is run on them to see which outputs depend on that part.

// otherLengths returns dimensions that differ from d. The first ones are multiples, because
// rules divide lengths by attributes and round.
func otherLengths(d ir.Dimension) []ir.Dimension {
	var list []ir.Dimension
	add := func(n int64) {
		if n >= 0 && n < math.MaxInt32 && ir.Dim(n) != d && !slices.Contains(list, ir.Dim(n)) {
			list = append(list, ir.Dim(n))
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
	if d.Max != ir.Unbounded {
		add(d.Max)
	}
	return append(list, ir.DimRange(d.Min, max(d.Add(ir.Dim(6)).Min, d.Max-1)))
}

// withoutValues returns fact without values.
func withoutValues(fact *ir.Fact) ir.Fact { return ir.Fact{Type: fact.Type, Shape: fact.Shape} }

// withDims returns copies of fact in which dim i is each of dims. They have no values, because
// the number of elements changes.
func withDims(fact *ir.Fact, i int, dims []ir.Dimension) []ir.Fact {
	facts := make([]ir.Fact, len(dims))
	for k, d := range dims {
		shape := slices.Clone(fact.Shape.Dims())
		shape[i] = d
		facts[k] = ir.Fact{Type: fact.Type, Shape: ir.ShapeOf(shape...)}
	}
	return facts
}

// otherRanks returns copies of fact with known ranks and unknown lengths.
func otherRanks(fact *ir.Fact) []ir.Fact {
	var facts []ir.Fact
	for rank := range 7 {
		facts = append(facts, ir.Fact{Type: fact.Type, Shape: ir.ShapeOfRank(rank)})
	}
	return facts
}

// otherValues returns known values that differ from v.
func otherValues(v ir.Interval) []ir.Interval {
	var list []ir.Interval
	add := func(n int64) {
		if other := (ir.Interval{Min: n, Max: n}); other != v && !slices.Contains(list, other) {
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

// withValues returns copies of fact, whose values are values, in which element i is each of
// others.
func withValues(fact *ir.Fact, values []ir.Interval, i int, others []ir.Interval) []ir.Fact {
	var facts []ir.Fact
	for _, v := range others {
		changed := slices.Clone(values)
		changed[i] = v
		facts = append(facts, withElements(fact, changed))
	}
	return facts
}

// withElements returns fact with the given values. If all are known and fit the type, the
// result has a Tensor, because some rules need one.
func withElements(fact *ir.Fact, values []ir.Interval) ir.Fact {
	changed := ir.Fact{Type: fact.Type, Shape: fact.Shape, Values: values}
	ints, known := changed.Ints()
	shape, err := fact.Shape.Static()
	if !known || err != nil {
		return changed
	}
	if t, err := ir.TensorOfInts(fact.Type, shape, ints); err == nil {
		changed.Tensor, changed.Values = t, nil
	}
	return changed
}

// knownValues returns copies of fact, whose values are unknown, with values. It returns nil if
// fact has too many elements, or is not of integers, booleans or f32.
func knownValues(fact *ir.Fact) []ir.Fact {
	n := fact.Shape.Elements()
	if !n.IsStatic() || n.Min > maxProbedValues {
		return nil
	}
	if fact.Type == ir.F32 {
		return knownFloats(fact)
	}
	if !fact.Type.IsIntegral() {
		return nil
	}
	fill := func(value func(i int) ir.Interval) ir.Fact {
		values := make([]ir.Interval, n.Min)
		for i := range values {
			values[i] = value(i)
		}
		return withElements(fact, values)
	}
	return []ir.Fact{
		fill(func(int) ir.Interval { return ir.Interval{Min: 1, Max: 7} }),
		fill(func(i int) ir.Interval { return ir.Interval{Min: int64(i), Max: int64(i)} }),
		fill(func(int) ir.Interval { return ir.Interval{Min: 1, Max: 1} }),
		fill(func(int) ir.Interval { return ir.Interval{} }),
	}
}

// knownFloats is knownValues for f32.
func knownFloats(fact *ir.Fact) []ir.Fact {
	shape, err := fact.Shape.Static()
	if err != nil {
		return nil
	}
	var facts []ir.Fact
	for _, f := range [...]float32{1, 7, 0} {
		t, err := ir.TensorOf(ir.F32, shape, slices.Repeat([]float32{f}, shape.Elements()))
		if err == nil {
			facts = append(facts, ir.Fact{Type: ir.F32, Shape: fact.Shape, Tensor: t})
		}
	}
	return facts
}
