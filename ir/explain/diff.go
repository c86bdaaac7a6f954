package explain

import (
	"bytes"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// dropOnes drops dependencies on dims of length 1 that are only broadcast. If an output dim has
// an unknown length, it comes from the input dim with that length, not from a 1 that is
// stretched to it. If an output dim is 1, it comes from an input that is not constant, not from
// a constant such as a scale for each channel.
func (l *layerProbe) dropOnes() {
	for at, list := range l.deps {
		if at.aspect != AspectDim {
			continue
		}
		length := l.base[at.output].Shape.At(at.index)
		if length.IsStatic() && length != ir.Dim(1) {
			continue // a 1 that is stretched to this length cannot be changed: it is no dependency
		}
		counts := func(d dependency) bool {
			return d.aspect == AspectDim && l.inputs[d.input].Shape.At(d.index) == length &&
				(length != ir.Dim(1) || !l.constant[l.layer.Inputs[d.input].Source])
		}
		if slices.ContainsFunc(list, counts) {
			l.deps[at] = slices.DeleteFunc(list, func(d dependency) bool {
				return !counts(d) && d.aspect == AspectDim && l.inputs[d.input].Shape.At(d.index) == ir.Dim(1)
			})
		}
	}
}

// compare adds the dependency d to each part of the outputs that differs from before, and
// reports whether there are any. If the dim of an input whose values are read decides the
// number of axes, it is a dependency of the rank only, not of each dim.
func (l *layerProbe) compare(before, outputs []ir.Fact, d dependency) bool {
	different := false
	eachDifference(before, outputs, func(at outputPart) {
		if l.readsValues && at.aspect == AspectDim && d.aspect == AspectDim && before[at.output].Shape.Rank() != outputs[at.output].Shape.Rank() {
			return
		}
		different = true
		if list := l.deps[at]; len(list) == 0 || list[len(list)-1].inputPart != d.inputPart {
			l.deps[at] = append(list, d)
			l.spend(dependencyWork)
		}
	})
	return different
}

// differs reports whether after differs from before.
func differs(before, after []ir.Fact) bool {
	different := false
	eachDifference(before, after, func(outputPart) { different = true })
	return different
}

// eachDifference calls found for each part of before that differs in after.
func eachDifference(before, after []ir.Fact, found func(outputPart)) {
	for i := range before {
		a, b := &before[i], &after[i]
		if a.Shape.Rank() != b.Shape.Rank() {
			found(outputPart{i, part{aspect: AspectRank}})
		}
		for j, d := range a.Shape.Dims() {
			if a.Shape.Rank() != b.Shape.Rank() || b.Shape.At(j) != d {
				found(outputPart{i, part{AspectDim, j}})
			}
		}
		v, w := a.Intervals(), b.Intervals()
		if !slices.Equal(v, w) || !sameTensor(a.Tensor, b.Tensor) {
			found(outputPart{i, part{aspect: AspectValues}})
		}
		for k := range v {
			if len(v) != len(w) || v[k] != w[k] {
				found(outputPart{i, part{AspectValue, k}})
			}
		}
	}
}

// sameTensor reports whether a and b are equal. Integer tensors count as equal: their Intervals
// are compared instead.
func sameTensor(a, b *ir.Tensor) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ElementType().IsIntegral() ||
		slices.Equal(a.Shape(), b.Shape()) && bytes.Equal(a.Bytes(), b.Bytes()) && slices.Equal(a.Strings(), b.Strings())
}
