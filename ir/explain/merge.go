package explain

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// merge changes the first of the dims that the rule would not have otherwise one by
// one together with those that must be like it, the likeliest first.
func (l *layerProbe) merge() {
	first := l.alike[0]
	length := l.lengthOf(first)
	var left, right, all []inputPart
	for _, at := range l.alike[1:] {
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
	l.alike = l.alike[1:]
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
			l.alike = slices.DeleteFunc(l.alike, func(at inputPart) bool { return slices.Contains(group, at) })
			return
		}
	}
}

func (l *layerProbe) lengthOf(at inputPart) int64 {
	return l.inputs[at.input].Shape.At(at.index).Min
}

func (l *layerProbe) fromRight(at inputPart) int {
	return l.inputs[at.input].Shape.Rank() - at.index
}

// changeTogether gives all dims of group another length, and reports whether the
// rule takes one.
func (l *layerProbe) changeTogether(group []inputPart, length int64) bool {
	for _, d := range otherLengths(ir.Dim(length)) {
		var replaced []replacement
		for _, at := range group {
			i := slices.IndexFunc(replaced, func(r replacement) bool { return r.input == at.input })
			if i < 0 {
				i = len(replaced)
				replaced = append(replaced, replacement{at.input, l.inputs[at.input]})
			}
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
