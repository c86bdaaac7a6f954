package subgraph

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// plan returns an axis of a tensor and the lines along it. Inner is in bytes.
func plan(t *ir.Tensor, at int64) (axis int, l index.Lines, err error) {
	shape, size := t.Shape(), t.ElementType().Size()
	if size == 0 {
		return 0, l, faults.Errorf("elements of type %v cannot be cut or joined", t.ElementType())
	}
	if axis, err = index.Axis(at, len(shape)); err != nil {
		return 0, l, err
	}
	l = index.Along(shape, axis)
	l.Inner *= size
	return axis, l, nil
}

// cut copies the part of from for an iteration to *to.
func (s *slicing) cut(r *ops.Run, to **ir.Tensor, from *ir.Tensor, iteration int64) error {
	axis, l, err := plan(from, s.axis)
	if err != nil {
		return err
	}
	first := s.start
	if first < 0 {
		first += int64(l.Length)
	}
	first += iteration * s.stride
	if s.stride < 0 {
		first -= s.size - 1 // start is the last element of the first part
	}
	if first < 0 || s.size < 0 || first > int64(l.Length)-s.size {
		return faults.Errorf("the part from %d on of %d elements is outside axis %d of %v", first, s.size, axis, from.Shape())
	}
	if *to == nil || (*to).ElementType() != from.ElementType() || !sameBut(axis, (*to).Shape(), from.Shape()) {
		shape := slices.Clone(from.Shape())
		shape[axis] = int(s.size)
		if err := fit(r, to, from.ElementType(), shape); err != nil {
			return err
		}
	}
	if (*to).Len() == 0 {
		return nil
	}
	copyParts(r.Stop, (*to).Bytes(), 0, int(s.size), from.Bytes()[int(first)*l.Inner:], l.Length, l.Outer, l.Inner, int(s.size))
	return nil
}

// sameBut reports whether two shapes differ in no other axis.
func sameBut(axis int, a, b ir.Shape) bool {
	return len(a) == len(b) && slices.Equal(a[:axis], b[:axis]) && slices.Equal(a[axis+1:], b[axis+1:])
}

// copyParts copies n positions of an axis, of inner bytes each, for every outer position. to has
// toLength positions and from has fromLength, and at is the first position in to.
func copyParts(stop parallel.Stop, to []byte, at, toLength int, from []byte, fromLength, outer, inner, n int) {
	meter := stop.Meter()
	for o := range outer {
		if meter.Spent(n*inner/16 + 8) {
			return
		}
		copy(to[(o*toLength+at)*inner:][:n*inner], from[o*fromLength*inner:])
	}
}

// join adds the Result of an iteration to an output.
func (it *Iteration) join(r *ops.Run, m *memory, i int, results []*ir.Tensor, iteration, trips int64) error {
	j := &it.joints[i]
	from, out := results[j.result], r.Outputs[j.output]
	value := from.Shape()
	if len(value) == 0 {
		value = oneElement
	}
	if iteration > 0 && !slices.Equal(value, m.shapes[i]) {
		return faults.Errorf("the part for output %d has shape %v, in the iterations before %v", j.output, value, m.shapes[i])
	}
	m.shapes[i] = append(m.shapes[i][:0], value...)
	if j.static {
		at := iteration
		if j.backwards {
			at = trips - 1 - iteration
		}
		return put(r.Stop, out, from, value, j.axis, at)
	}
	if from.ElementType().Size() == 0 {
		return faults.Errorf("elements of type %v cannot be cut or joined", from.ElementType())
	}
	if n := len(m.parts[i]) + len(from.Bytes()); n > cap(m.parts[i]) {
		// The limits of memory must allow the output that the memory is for.
		grown := max(2*iteration, 4)
		if err := it.reshape(r, j, m.shapes[i], grown); err != nil {
			return err
		}
		if err := r.Reserve(grown * int64(len(from.Bytes()))); err != nil {
			return err
		}
		old := m.parts[i]
		m.parts[i] = make([]byte, len(old), int(grown)*len(from.Bytes()))
		parallel.Copy(r.Stop, m.parts[i], old)
		if err := r.Reserve(-int64(cap(old))); err != nil {
			return err
		}
	}
	m.parts[i] = append(m.parts[i], from.Bytes()...)
	return nil
}

// oneElement is the shape of a scalar in a joined output.
var oneElement = ir.Shape{1}

// reshape sets the shape of a joined output for a number of iterations.
func (it *Iteration) reshape(r *ops.Run, j *joint, value ir.Shape, iterations int64) error {
	axis, err := index.Axis(j.axis, len(value))
	if err != nil {
		return err
	}
	part := value[axis]
	length := iterations * int64(part)
	if part > 0 && length/int64(part) != iterations || int64(int(length)) != length {
		return faults.Errorf("output %d has %d parts of %d elements, which do not fit an int", j.output, iterations, part)
	}
	value[axis] = int(length)
	err = r.SetShape(j.output, value...)
	value[axis] = part
	return err
}

// put copies part number at of a joined output.
func put(stop parallel.Stop, out, from *ir.Tensor, value ir.Shape, at64, at int64) error {
	axis, l, err := plan(out, at64)
	if err != nil {
		return err
	}
	if len(value) != len(out.Shape()) || !sameBut(axis, value, out.Shape()) || at < 0 || at >= int64(l.Length)/int64(max(value[axis], 1)) {
		return faults.Errorf("part %d of shape %v does not fit an output of shape %v", at, value, out.Shape())
	}
	n := value[axis]
	copyParts(stop, out.Bytes(), int(at)*n, l.Length, from.Bytes(), n, l.Outer, l.Inner, n)
	return nil
}

// finish completes a joined output after a number of iterations.
func (it *Iteration) finish(r *ops.Run, m *memory, i int, done int64) error {
	j := &it.joints[i]
	if !j.static && done == 0 {
		return r.SetShape(j.output, j.empty...)
	}
	if j.static {
		axis, l, err := plan(r.Outputs[j.output], j.axis)
		if err != nil {
			return err
		}
		if done == 0 && l.Length > 0 || done > 0 && done*int64(m.shapes[i][axis]) != int64(l.Length) {
			return faults.Errorf("output %d has %d iterations, its shape is %v", j.output, done, r.Outputs[j.output].Shape())
		}
		return nil
	}
	value := m.shapes[i]
	if err := it.reshape(r, j, value, done); err != nil {
		return err
	}
	out := r.Outputs[j.output]
	axis, l, err := plan(out, j.axis)
	if err != nil {
		return err
	}
	n := value[axis]
	size := l.Outer * n * l.Inner
	for k := range done {
		at := k
		if j.backwards {
			at = done - 1 - k
		}
		copyParts(r.Stop, out.Bytes(), int(at)*n, l.Length, m.parts[i][int(k)*size:][:size], n, l.Outer, l.Inner, n)
	}
	return nil
}
