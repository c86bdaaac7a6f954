package subgraph

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Iteration runs the body of a Loop or TensorIterator repeatedly.
type Iteration struct {
	parameters []parameter
	lasts      []last
	joints     []joint
	condition  int // the Result that says whether the loop goes on; -1 if there is none
	results    int // the number of Results
}

// parameter is where a Parameter of the body has its value from.
type parameter struct {
	external int // the input of the layer; -1 for the number of the iteration
	state    int // the Result whose value the next iteration reads; -1 if there is no back edge
	sliced   *slicing
	// counter is the element type of a Parameter that holds the number of the iteration.
	counter ir.ElementType
	shape   ir.Shape // of the number
}

// slicing describes the part of a tensor that belongs to an iteration.
type slicing struct{ axis, start, stride, size int64 }

// last is an output that a Result has in the last iteration.
type last struct {
	output, result int
	static         bool // the shape of the output is known before
}

// joint is an output that consists of a Result of all iterations.
type joint struct {
	output, result int
	axis           int64
	backwards      bool // the first iteration comes last
	static         bool // the shape of the output is known before
}

// NewIteration returns the iteration of body 0 of a layer.
func NewIteration(p *ops.Preparation) (*Iteration, error) {
	if len(p.Layer.Bodies) == 0 {
		return nil, faults.Errorf("the layer has no body")
	}
	body := &p.Layer.Bodies[0]
	results := make(map[*ir.Layer]int, len(body.Model.Results))
	for i, r := range body.Model.Results {
		results[r] = i
	}
	it := &Iteration{condition: -1, results: len(body.Model.Results)}
	feeds := make(map[*ir.Layer]*ir.BodyPort, len(body.Inputs))
	for i := range body.Inputs {
		port := &body.Inputs[i]
		if port.External < len(p.Inputs) && (port.External >= 0 || port.Purpose == "current_iteration") {
			feeds[port.Internal] = port
		}
	}
	states := make(map[*ir.Layer]int, len(body.BackEdges))
	for _, e := range body.BackEdges {
		result, ok := results[e.From]
		if !ok {
			return nil, faults.Errorf("a back edge begins at %v, which is no Result of the body", e.From)
		}
		states[e.To] = result
	}
	for _, layer := range body.Model.Parameters {
		port, ok := feeds[layer]
		if !ok {
			return nil, faults.Errorf("no input of the layer feeds %v", layer)
		}
		q := parameter{external: port.External, state: -1}
		switch result, ok := states[layer]; {
		case port.External < 0:
			if err := q.count(layer); err != nil {
				return nil, err
			}
		case port.Sliced:
			q.sliced = &slicing{port.Axis, port.Start, port.Stride, port.PartSize}
		case ok:
			q.state = result
		}
		it.parameters = append(it.parameters, q)
	}
	if r := Special(body.Outputs, "execution_condition"); r != nil {
		result, ok := results[r]
		if !ok {
			return nil, faults.Errorf("execution_condition is %v, which is no Result of the body", r)
		}
		it.condition = result
	}
	return it, it.setOutputs(p, body, results)
}

// count makes q hold the number of the iteration.
func (q *parameter) count(layer *ir.Layer) error {
	a := ir.AttributesOf(layer)
	q.counter = a.ElementType("element_type", ir.I64)
	if shape := a.PartialShape("shape", ir.PartialShape{}); shape.RankKnown() && shape.Rank() == 1 {
		q.shape = ir.Shape{1}
	}
	if q.counter != ir.I32 && q.counter != ir.I64 {
		return faults.Errorf("current_iteration, %v, is %v, expected i32 or i64", layer, q.counter)
	}
	return nil
}

// setOutputs sets where the outputs of the layer come from.
func (it *Iteration) setOutputs(p *ops.Preparation, body *ir.Body, results map[*ir.Layer]int) error {
	found := make([]bool, len(p.Outputs))
	for _, port := range body.Outputs {
		result, ok := results[port.Internal]
		if port.External < 0 || port.External >= len(p.Outputs) || !ok {
			continue
		}
		found[port.External] = true
		static := p.Outputs[port.External].Shape.IsStatic()
		if !port.Sliced {
			it.lasts = append(it.lasts, last{port.External, result, static})
			continue
		}
		it.joints = append(it.joints, joint{port.External, result, port.Axis, port.Stride < 0, static})
	}
	if k := slices.Index(found, false); k >= 0 {
		return faults.Errorf("no Result gives output %d of the layer", k)
	}
	return nil
}

// memory is what an Iteration keeps from one run to the next.
type memory struct {
	inputs, outputs []*ir.Tensor
	own             [][2]*ir.Tensor // for each Parameter: a slice, the number of the iteration, or a state in turns
	turns           []int           // which of the two holds the state
	parts           [][]byte        // for each joint, the values of all iterations
	shapes          []ir.Shape      // for each joint, the shape of a value
}

func (it *Iteration) newMemory() any {
	return &memory{
		inputs: make([]*ir.Tensor, len(it.parameters)), outputs: make([]*ir.Tensor, it.results),
		own: make([][2]*ir.Tensor, len(it.parameters)), turns: make([]int, len(it.parameters)),
		parts: make([][]byte, len(it.joints)), shapes: make([]ir.Shape, len(it.joints)),
	}
}

// Run runs the body up to trips times, as long as its condition is true. A negative number of trips means
// that there is no limit. If there are no trips, outputs that would come from the last one have the
// initial value of the state.
func (it *Iteration) Run(r *ops.Run, trips int64) error {
	m := r.Own(it.newMemory).(*memory)
	for i := range m.parts {
		m.parts[i], m.shapes[i] = m.parts[i][:0], m.shapes[i][:0]
	}
	var results []*ir.Tensor
	done := int64(0)
	for goesOn := true; goesOn && (trips < 0 || done < trips); done++ {
		if r.Stop.Requested() {
			return parallel.ErrStopped
		}
		if err := it.feed(r, m, results, done); err != nil {
			return faults.Errorf("iteration %d: %w", done, err)
		}
		var err error
		if results, err = r.Bodies[0].Infer(m.inputs, m.outputs); err != nil {
			return faults.Errorf("iteration %d: %w", done, err)
		}
		for i := range it.joints {
			if err := it.join(r, m, i, results, done, trips); err != nil {
				return faults.Errorf("iteration %d: %w", done, err)
			}
		}
		if it.condition >= 0 {
			if goesOn, err = truth(results[it.condition]); err != nil {
				return faults.Errorf("iteration %d: %w", done, err)
			}
		}
	}
	for _, l := range it.lasts {
		if err := it.setLast(r, l, results); err != nil {
			return err
		}
	}
	for i := range it.joints {
		if err := it.finish(r, m, i, done); err != nil {
			return err
		}
	}
	return nil
}

// truth returns the value of a condition.
func truth(t *ir.Tensor) (bool, error) {
	f := ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
	value, _, err := Condition("execution_condition of the body", &f)
	return value, err
}

// feed sets the inputs of the body for an iteration. results are those of the iteration before; nil for
// the first one.
func (it *Iteration) feed(r *ops.Run, m *memory, results []*ir.Tensor, iteration int64) error {
	clear(m.outputs)
	for i := range it.parameters {
		q := &it.parameters[i]
		switch {
		case q.external < 0:
			if m.own[i][0] == nil {
				t, err := ir.NewTensor(q.counter, q.shape...)
				if err != nil {
					return err
				}
				m.own[i][0] = t
			}
			if m.inputs[i] = m.own[i][0]; q.counter == ir.I32 {
				ir.Data[int32](m.inputs[i])[0] = int32(iteration)
			} else {
				ir.Data[int64](m.inputs[i])[0] = iteration
			}
		case q.sliced != nil:
			if err := q.sliced.cut(r, &m.own[i][0], r.Inputs[q.external], iteration); err != nil {
				return faults.Errorf("input %d: %w", q.external, err)
			}
			m.inputs[i] = m.own[i][0]
		case q.state < 0 || results == nil:
			m.inputs[i] = r.Inputs[q.external]
		default:
			if err := m.keep(r, i, results[q.state]); err != nil {
				return err
			}
		}
	}
	// The body writes a state to the memory that it does not read. This comes last, since results can be in
	// the inputs of the body.
	for i := range it.parameters {
		if q := &it.parameters[i]; q.state >= 0 && results != nil && m.outputs[q.state] == nil {
			m.outputs[q.state] = m.own[i][1-m.turns[i]]
		}
	}
	return nil
}

// keep makes a Result of the iteration before the state of Parameter i. If the body has not written it to
// the memory of the state, it is copied.
func (m *memory) keep(r *ops.Run, i int, result *ir.Tensor) error {
	next := 1 - m.turns[i]
	to := &m.own[i][next]
	if *to == nil || result != *to {
		if err := fit(r, to, result.ElementType(), result.Shape()); err != nil {
			return err
		}
		r.Copy(*to, result)
	}
	m.turns[i], m.inputs[i] = next, *to
	return nil
}

// fit makes t a tensor of a type and shape, with undefined elements. It reserves the memory.
func fit(r *ops.Run, t **ir.Tensor, elementType ir.ElementType, shape ir.Shape) error {
	if *t != nil && (*t).ElementType() == elementType && slices.Equal((*t).Shape(), shape) {
		return nil
	}
	size, err := ir.ByteSize(elementType, shape)
	if err != nil {
		return err
	}
	if old := *t; old != nil {
		had, err := ir.ByteSize(old.ElementType(), old.Shape())
		if err != nil {
			return err
		}
		if err := r.Reserve(-int64(had)); err != nil {
			return err
		}
		*t = nil
	}
	if err := r.Reserve(int64(size)); err != nil {
		return err
	}
	*t, err = ir.NewTensor(elementType, shape...)
	return err
}

// plan describes an axis of a tensor as [outer, length, inner bytes].
func plan(t *ir.Tensor, at int64) (axis, outer, length, inner int, err error) {
	shape, size := t.Shape(), t.ElementType().Size()
	if size == 0 {
		return 0, 0, 0, 0, faults.Errorf("elements of type %v cannot be cut or joined", t.ElementType())
	}
	if axis, err = index.Axis(at, len(shape)); err != nil {
		return 0, 0, 0, 0, err
	}
	return axis, shape[:axis].Elements(), shape[axis], shape[axis+1:].Elements() * size, nil
}

// cut copies the part of from for an iteration to *to.
func (s *slicing) cut(r *ops.Run, to **ir.Tensor, from *ir.Tensor, iteration int64) error {
	axis, outer, length, inner, err := plan(from, s.axis)
	if err != nil {
		return err
	}
	first := s.start
	if first < 0 {
		first += int64(length)
	}
	first += iteration * s.stride
	if s.stride < 0 {
		first -= s.size - 1 // start is the last element of the first part
	}
	if first < 0 || s.size < 0 || first > int64(length)-s.size {
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
	copyParts(r.Stop, (*to).Bytes(), 0, int(s.size), from.Bytes()[int(first)*inner:], length, outer, inner, int(s.size))
	return nil
}

// sameBut reports whether two shapes differ in no other axis.
func sameBut(axis int, a, b ir.Shape) bool {
	return len(a) == len(b) && slices.Equal(a[:axis], b[:axis]) && slices.Equal(a[axis+1:], b[axis+1:])
}

// copyParts copies n positions of an axis, of inner bytes each, for every outer position. to has toLength
// positions and from has fromLength, and at is the first position in to.
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
		if err := r.Reserve(grown*int64(len(from.Bytes())) - int64(cap(m.parts[i]))); err != nil {
			return err
		}
		m.parts[i] = append(make([]byte, 0, int(grown)*len(from.Bytes())), m.parts[i]...)
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
	axis, outer, length, inner, err := plan(out, at64)
	if err != nil {
		return err
	}
	if len(value) != len(out.Shape()) || !sameBut(axis, value, out.Shape()) || at < 0 || at >= int64(length)/int64(max(value[axis], 1)) {
		return faults.Errorf("part %d of shape %v does not fit an output of shape %v", at, value, out.Shape())
	}
	n := value[axis]
	copyParts(stop, out.Bytes(), int(at)*n, length, from.Bytes(), n, outer, inner, n)
	return nil
}

// finish completes a joined output after a number of iterations.
func (it *Iteration) finish(r *ops.Run, m *memory, i int, done int64) error {
	j := &it.joints[i]
	if j.static || done == 0 {
		axis, _, length, _, err := plan(r.Outputs[j.output], j.axis)
		if err != nil {
			return err
		}
		if done == 0 && !j.static || done == 0 && length == 0 {
			return it.empty(r, j)
		}
		if part := m.shapes[i]; done == 0 || done*int64(part[axis]) != int64(length) {
			return faults.Errorf("output %d has %d iterations, its shape is %v", j.output, done, r.Outputs[j.output].Shape())
		}
		return nil
	}
	value := m.shapes[i]
	if err := it.reshape(r, j, value, done); err != nil {
		return err
	}
	out := r.Outputs[j.output]
	axis, outer, length, inner, err := plan(out, j.axis)
	if err != nil {
		return err
	}
	n := value[axis]
	size := outer * n * inner
	for k := range done {
		at := k
		if j.backwards {
			at = done - 1 - k
		}
		copyParts(r.Stop, out.Bytes(), int(at)*n, length, m.parts[i][int(k)*size:][:size], n, outer, inner, n)
	}
	return nil
}

// empty makes a joined output empty.
func (it *Iteration) empty(r *ops.Run, j *joint) error {
	if j.static {
		return nil
	}
	return r.SetShape(j.output, 0)
}

// setLast copies a Result of the last iteration to an output.
func (it *Iteration) setLast(r *ops.Run, l last, results []*ir.Tensor) error {
	var from *ir.Tensor
	if results != nil {
		from = results[l.result]
	} else {
		for i := range it.parameters {
			if q := &it.parameters[i]; q.state == l.result {
				from = r.Inputs[q.external]
			}
		}
	}
	out := r.Outputs[l.output]
	if from == nil || from.ElementType() != out.ElementType() {
		if results == nil && out.Len() == 0 {
			return nil
		}
		return faults.Errorf("output %d has no value, since the body did not run", l.output)
	}
	if !l.static || !slices.Equal(from.Shape(), out.Shape()) {
		if l.static {
			return faults.Errorf("output %d has shape %v after the last iteration, inference found %v", l.output, from.Shape(), out.Shape())
		}
		if err := r.SetShape(l.output, from.Shape()...); err != nil {
			return err
		}
	}
	r.Copy(r.Outputs[l.output], from)
	return nil
}
