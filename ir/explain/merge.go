package explain

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// merge changes the first of l.tied together with other dims that may have to be equal to it.
// It tries several groups, the likeliest first: the same axis of other inputs, counted from the
// left or from the right, then single dims, then all dims of the same length.
func (l *layerProbe) merge() {
	first := l.tied[0]
	length := l.lengthOf(first)
	var left, right, all []inputPart
	for _, at := range l.tied[1:] {
		if l.lengthOf(at) != length {
			continue
		}
		all = append(all, at)
		if at.input != first.input && at.index == first.index {
			left = append(left, at)
		}
		if at.input != first.input && l.fromRight(at) == l.fromRight(first) {
			right = append(right, at)
		}
	}
	l.tied = l.tied[1:]
	l.spend(len(l.tied))
	groups := [][]inputPart{left, right}
	for _, at := range all[:min(len(all), 8)] {
		groups = append(groups, []inputPart{at})
	}
	for _, group := range append(groups, all) {
		if len(group) == 0 {
			continue
		}
		group = append([]inputPart{first}, group...)
		if l.changeTogether(group, length) {
			changed := make(map[inputPart]bool, len(group))
			for _, at := range group {
				changed[at] = true
			}
			l.tied = slices.DeleteFunc(l.tied, func(at inputPart) bool { return changed[at] })
			return
		}
	}
}

// lengthOf returns the length of a static dim.
func (l *layerProbe) lengthOf(at inputPart) int64 {
	return l.inputs[at.input].Shape.At(at.index).Min
}

// fromRight returns the number of the axis at, counted from the last axis.
func (l *layerProbe) fromRight(at inputPart) int {
	return l.inputs[at.input].Shape.Rank() - at.index
}

// changeTogether changes all dims of group to another length, and reports whether the rule
// accepts one.
func (l *layerProbe) changeTogether(group []inputPart, length int64) bool {
	for _, d := range otherLengths(ir.Dim(length)) {
		var replaced []replacement
		position := make(map[int]int) // in replaced, by input
		for _, at := range group {
			i, ok := position[at.input]
			if !ok {
				i = len(replaced)
				position[at.input] = i
				replaced = append(replaced, replacement{at.input, l.inputs[at.input]})
			}
			l.spend(l.inputs[at.input].Shape.Rank())
			replaced[i].fact = withDims(&replaced[i].fact, at.index, []ir.Dimension{d})[0]
		}
		if outputs := l.run(replaced); outputs != nil {
			for _, at := range group {
				l.compare(l.base, outputs, dependency{at, true})
			}
			return true
		}
	}
	return false
}
