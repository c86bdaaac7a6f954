package index

import "fmt"

// Error is an index that is not allowed. Package ops exports it as IndexError.
type Error struct {
	// Position is where the index stands in the tensor of indices: one
	// coordinate an axis. It is empty where that tensor is a scalar.
	Position []int
	// Value is the index, and Lo to Hi, both included, are the allowed ones.
	// Where Hi is below Lo the axis is empty and allows none.
	Value, Lo, Hi int64
	// Unsigned says that Value holds the bits of a uint64.
	Unsigned bool
}

// Error says which index it is, where it stands and what is allowed.
func (e *Error) Error() string {
	value := fmt.Sprint(e.Value)
	if e.Unsigned {
		value = fmt.Sprint(uint64(e.Value))
	}
	if e.Hi < e.Lo {
		return fmt.Sprintf("index %s at position %v points into an axis of length 0", value, e.Position)
	}
	return fmt.Sprintf("index %s at position %v is outside [%d,%d]", value, e.Position, e.Lo, e.Hi)
}

// Position returns the coordinates of element i, in row-major order, of a tensor
// with the given lengths.
func Position(i int, shape []int) []int {
	at := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = i % shape[axis]
		i /= shape[axis]
	}
	return at
}
