// Package strided copies tensors whose elements are read in another order: with steps,
// backwards or repeatedly. The result of slicing, broadcasting or transposing a tensor is a
// View of it.
package strided

// View arranges elements of a source tensor along axes of its own: element (i_0, ..., i_k) is
// element Offset + i_0*Strides[0] + ... + i_k*Strides[k] of the source.
type View struct {
	Offset           int
	Lengths, Strides []int
}

// Strides returns the distances between adjacent elements along each axis of a contiguous
// tensor in row-major order. The product of the lengths, without zeros, must fit an int.
func Strides(lengths []int) []int {
	strides := make([]int, len(lengths))
	n := 1
	for i := len(lengths) - 1; i >= 0; i-- {
		strides[i] = n
		n *= max(lengths[i], 1)
	}
	return strides
}

// At returns the index in the source of element i of the view in row-major order.
func (v View) At(i int) int {
	at := v.Offset
	for k := len(v.Lengths) - 1; k >= 0; k-- {
		at += i % v.Lengths[k] * v.Strides[k]
		i /= v.Lengths[k]
	}
	return at
}
