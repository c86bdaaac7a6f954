package run

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Variable is the value of a variable in one InferRequest. It implements ops.Variable. It keeps
// its memory when it is reset or assigned a smaller value.
type Variable struct {
	Of     *graph.Variable
	Budget *memory.Ledger
	// Current is the value during an Infer, next the value that the Infer has assigned and that
	// replaces it at the end. So a ReadValue that runs after the Assign returns the old value,
	// and an Infer that fails does not change the variables.
	Current, next storedTensor
	// grown is the new length of value if the Infer has appended to it where it is; otherwise 0.
	// moved means that the Infer has appended to a copy of value because value had no room.
	grown int
	moved bool
	// copied is the size of the copies of the value that the Infer has made.
	copied int64
	shape  ir.Shape // memory for the results of Shape, and for the shapes in Append
	order  []int    // memory for the orders in Append
}

// storedTensor is a tensor with its own memory. It has a value if set is true.
type storedTensor struct {
	slot
	tensor ir.Tensor
	room   room
	Set    bool
}

// Value implements ops.Variable.
func (v *Variable) Value() (*ir.Tensor, error) {
	if !v.Current.Set {
		return nil, nil
	}
	return v.compact(nil)
}

// Assign implements ops.Variable.
func (v *Variable) Assign(stop parallel.Stop, t *ir.Tensor) error {
	return v.Store(stop, &v.next, t)
}

// Store copies t to to. If stop is requested, the value is undefined.
func (v *Variable) Store(stop parallel.Stop, to *storedTensor, t *ir.Tensor) error {
	if err := CheckTensor(&v.Of.Fact, t); err != nil {
		return faults.Errorf("variable %q: %w", v.Of.ID, err)
	}
	size := len(t.Bytes())
	if t.ElementType() == ir.String {
		size = len(t.Strings())
	}
	if to.short(t.ElementType(), size) {
		to.tensor.Release()
	}
	if err := to.grow(t.ElementType(), size, v.Budget); err != nil {
		return faults.Errorf("variable %q: %w", v.Of.ID, err)
	}
	parallel.Copy(stop, to.Bytes, t.Bytes())
	parallel.Copy(stop, to.strings, t.Strings())
	to.Set, to.room = true, room{}
	return to.tensor.Reset(t.ElementType(), t.Shape(), to.Bytes, to.strings)
}

// End ends an Infer. If it succeeded, the value that it has assigned becomes the value.
func (v *Variable) End(succeeded bool) {
	switch {
	case !succeeded:
	case v.next.Set:
		v.Current, v.next = v.next, v.Current
		if v.moved { // the next inferences append to the value where it is
			v.Budget.Add(-int64(len(v.next.Bytes)))
			v.next = storedTensor{}
		}
	case v.grown > 0:
		v.Current.room.length = v.grown
	}
	v.Budget.Add(-v.copied)
	v.next.Set, v.grown, v.moved, v.copied = false, 0, false, 0
}
