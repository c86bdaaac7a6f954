package scatterelements

// apply does one operation at the located positions of a block:
//
//	out[at[r, c]] = f(out[at[r, c]], updates[r*pitch + c])
//
// in row-major order. at has rows*columns positions, each below len(out).
type apply[T any] func(out []T, at []uint32, updates []T, columns, pitch int)

// integer, float, complexNumber and number list the Go types that arithmetic is
// done in.
type (
	integer interface {
		int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
	}
	float         interface{ float32 | float64 }
	complexNumber interface{ complex64 | complex128 }
	ordered       interface{ integer | float }
	number        interface{ ordered | complexNumber }
)

// set is f(x, y) = y.
func set[T any](out []T, at []uint32, updates []T, columns, pitch int) {
	for len(at) > 0 {
		row := updates[:columns]
		for c, p := range at[:len(row)] {
			out[p] = row[c]
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// add is f(x, y) = x + y.
func add[T number](out []T, at []uint32, updates []T, columns, pitch int) {
	for len(at) > 0 {
		row := updates[:columns]
		for c, p := range at[:len(row)] {
			out[p] += row[c]
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// multiply is f(x, y) = x * y.
func multiply[T number](out []T, at []uint32, updates []T, columns, pitch int) {
	for len(at) > 0 {
		row := updates[:columns]
		for c, p := range at[:len(row)] {
			out[p] *= row[c]
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// lower is f(x, y) = min(x, y), NaN where one is.
func lower[T ordered](out []T, at []uint32, updates []T, columns, pitch int) {
	for len(at) > 0 {
		row := updates[:columns]
		for c, p := range at[:len(row)] {
			// Written so that a NaN in out stays and one in row gets in.
			if x, y := out[p], row[c]; !(y >= x) && x == x {
				out[p] = y
			}
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// higher is f(x, y) = max(x, y), NaN where one is.
func higher[T ordered](out []T, at []uint32, updates []T, columns, pitch int) {
	for len(at) > 0 {
		row := updates[:columns]
		for c, p := range at[:len(row)] {
			if x, y := out[p], row[c]; !(y <= x) && x == x {
				out[p] = y
			}
		}
		at, updates = at[columns:], updates[min(pitch, len(updates)):]
	}
}

// tally adds 1 at each position.
func tally(counts []uint32, at []uint32) {
	for _, p := range at {
		counts[p]++
	}
}
