package plugin

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// modelVariable is a variable of a model.
type modelVariable struct {
	id string
	// fact is the type and shape that all values must have.
	fact ir.Fact
}

// variables returns the variables of model and of its bodies, in the order of the layers that
// read or assign them, and their indices by id.
func (r *Registry) variables(model *ir.Model, shapes *infer.Shapes) (list []modelVariable, index map[string]int, err error) {
	index = make(map[string]int)
	for layer, shapes := range shapes.AllLayers(model) {
		if shapes == nil {
			continue
		}
		op, err := r.Op(layer)
		if err != nil {
			return nil, nil, control.AtLayer(layer, err)
		}
		idOf := op.Traits.Reads
		if idOf == nil {
			idOf = op.Traits.Assigns
		}
		if idOf == nil {
			continue
		}
		id := idOf(shapes.Attributes(layer))
		i, ok := index[id]
		if !ok {
			i = len(list)
			index[id] = i
			list = append(list, modelVariable{id, ir.Fact{Shape: ir.UnknownRank}})
		}
		if op.Traits.Reads == nil {
			continue
		}
		// The output of a layer that reads the variable holds any of its values.
		fact, known := shapes.Outputs(layer)[0], &list[i].fact
		t, typeFits := ir.MergeElementTypes(known.Type, fact.Type)
		shape, shapeFits := known.Shape.Merge(fact.Shape)
		if !typeFits || !shapeFits {
			return nil, nil, control.AtLayer(layer, faults.Errorf("variable %q is %v%v here, and %v%v in a layer before",
				id, fact.Type, fact.Shape, known.Type, known.Shape))
		}
		*known = ir.Fact{Type: t, Shape: shape}
	}
	return list, index, nil
}

// variableValue is the value of a variable in one InferRequest. It implements ops.Variable. It keeps
// its memory when it is reset or assigned a smaller value.
type variableValue struct {
	variable *modelVariable
	budget   *memory.Ledger
	// value is the value during an Infer, next the value that the Infer has assigned and that
	// replaces it at the end. So a ReadValue that runs after the Assign returns the old value,
	// and an Infer that fails does not change the variables.
	value, next storedTensor
	// grown is the new length of value if the Infer has appended to it where it is; otherwise 0. moved
	// means that the Infer has appended to a copy of value because value had no room.
	grown int
	moved bool
	shape ir.Shape // memory for the results of Shape, and for the shapes in Append
	order []int    // memory for the orders in Append
}

// storedTensor is a tensor with its own memory. It has a value if set is true.
type storedTensor struct {
	slot
	tensor ir.Tensor
	room   room
	set    bool
}

// Value implements ops.Variable.
func (v *variableValue) Value() (*ir.Tensor, error) {
	if !v.value.set {
		return nil, nil
	}
	return v.value.compact(nil)
}

// Assign implements ops.Variable.
func (v *variableValue) Assign(stop parallel.Stop, t *ir.Tensor) error {
	return v.assign(stop, &v.next, t)
}

// assign copies t to to. If stop is requested, the value is undefined.
func (v *variableValue) assign(stop parallel.Stop, to *storedTensor, t *ir.Tensor) error {
	if err := checkTensor(&v.variable.fact, t); err != nil {
		return faults.Errorf("variable %q: %w", v.variable.id, err)
	}
	size := len(t.Bytes())
	if t.ElementType() == ir.String {
		size = len(t.Strings())
	}
	if to.short(t.ElementType(), size) {
		to.tensor.Release()
	}
	if err := to.grow(t.ElementType(), size, v.budget); err != nil {
		return faults.Errorf("variable %q: %w", v.variable.id, err)
	}
	parallel.Copy(stop, to.bytes, t.Bytes())
	parallel.Copy(stop, to.strings, t.Strings())
	to.set, to.room = true, room{}
	return to.tensor.Reset(t.ElementType(), t.Shape(), to.bytes, to.strings)
}

// end ends an Infer. If it succeeded, the value that it has assigned becomes the value.
func (v *variableValue) end(succeeded bool) {
	switch {
	case !succeeded:
	case v.next.set:
		v.value, v.next = v.next, v.value
		if v.moved { // the next inferences append to the value where it is
			v.budget.Add(-int64(len(v.next.bytes)))
			v.next = storedTensor{}
		}
	case v.grown > 0:
		v.value.room.length = v.grown
	}
	v.next.set, v.grown, v.moved = false, 0, false
}

// State is a variable of an InferRequest, OpenVINO's VariableState. Get, Set and Reset return ErrBusy
// during an inference.
type State struct {
	request *InferRequest
	value   *variableValue
}

// ErrNoValue is the error of State.Get if the variable was not assigned since NewInferRequest or the
// last Reset.
var ErrNoValue = errors.New("the variable has no value")

// QueryState returns the variables of the model. Each InferRequest has values of its own.
func (r *InferRequest) QueryState() []*State {
	states := make([]*State, len(r.variables))
	for i, v := range r.variables {
		states[i] = &State{r, v}
	}
	return states
}

// Name returns the variable_id.
func (s *State) Name() string { return s.value.variable.id }

// Type returns the element type of the values; ir.Dynamic if the model does not specify it.
func (s *State) Type() ir.ElementType { return s.value.variable.fact.Type }

// Shape returns a shape that contains the shapes of all values.
func (s *State) Shape() ir.PartialShape { return s.value.variable.fact.Shape }

// Get returns a copy of the value. If there is none, the error wraps ErrNoValue, and the next Infer
// reads the initial value.
func (s *State) Get() (*ir.Tensor, error) {
	if err := s.request.take(accessing); err != nil {
		return nil, err
	}
	defer s.request.release()
	v := &s.value.value
	switch {
	case !v.set:
		return nil, faults.Errorf("variable %q: %w", s.Name(), ErrNoValue)
	case v.room.grows:
		return v.compact(nil)
	}
	return v.tensor.Clone()
}

// Set copies t to the value, which the next Infer reads. It returns an error if t does not have the
// type and shape of the variable.
func (s *State) Set(t *ir.Tensor) error {
	if err := s.request.take(accessing); err != nil {
		return err
	}
	defer s.request.release()
	return s.value.assign(nil, &s.value.value, t)
}

// Reset removes the value. The next Infer reads the initial value, which the model computes, or zeros.
func (s *State) Reset() error {
	if err := s.request.take(accessing); err != nil {
		return err
	}
	defer s.request.release()
	s.value.value.set = false
	return nil
}
