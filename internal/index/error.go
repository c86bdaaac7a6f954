package index

import "fmt"

// Error reports an index that is out of range. Package ops exports it as IndexError.
type Error struct {
	// Position holds the coordinates of the index in the tensor of indices. It is empty
	// if that tensor is a scalar.
	Position []int
	// Value is the index. Indices from Lo to Hi, both included, are valid. If Hi is less
	// than Lo, the axis is empty and no index is valid.
	Value, Lo, Hi int64
	// Unsigned reports whether Value holds the bits of a uint64.
	Unsigned bool
}

// Error returns a message with the index, its position and the valid range.
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

// Position returns the coordinates of element i, in row-major order, of a tensor of the given
// shape.
func Position(i int, shape []int) []int {
	at := make([]int, len(shape))
	for axis := len(shape) - 1; axis >= 0; axis-- {
		at[axis] = i % shape[axis]
		i /= shape[axis]
	}
	return at
}
