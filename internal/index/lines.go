package index

// Lines describes a tensor by its lines along an axis, of Length elements each. Outer and Inner are
// the numbers of elements of the axes before and after it: there are Outer*Inner lines, and the
// elements of a line are Inner elements apart.
type Lines struct{ Outer, Length, Inner int }

// Along returns the lines along an axis of a tensor of the given shape.
func Along(shape []int, axis int) Lines {
	l := Lines{1, shape[axis], 1}
	for _, n := range shape[:axis] {
		l.Outer *= n
	}
	for _, n := range shape[axis+1:] {
		l.Inner *= n
	}
	return l
}

// Start returns the index of the first element of a line. The lines are in the row-major order of
// the other axes.
func (l Lines) Start(line int) int { return line/l.Inner*l.Length*l.Inner + line%l.Inner }
