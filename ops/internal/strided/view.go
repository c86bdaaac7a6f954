// Package strided copies tensors whose elements are read in another order: by
// steps, backwards, repeatedly. What is sliced, broadcast or transposed is a View
// of its source.
package strided

// View is an arrangement of the elements of a tensor in axes of its own: element
// (i_0, ..., i_k) is element Offset + i_0*Strides[0] + ... + i_k*Strides[k] of the
// source.
type View struct {
	Offset           int
	Lengths, Strides []int
}

// Strides returns the distances between neighbours along each axis of a dense
// tensor in row-major order. The product of the lengths other than 0 must fit an
// int.
func Strides(lengths []int) []int {
	strides := make([]int, len(lengths))
	n := 1
	for i := len(lengths) - 1; i >= 0; i-- {
		strides[i] = n
		n *= max(lengths[i], 1)
	}
	return strides
}

// At returns the position in the source of element i in row-major order.
func (v View) At(i int) int {
	at := v.Offset
	for k := len(v.Lengths) - 1; k >= 0; k-- {
		at += i % v.Lengths[k] * v.Strides[k]
		i /= v.Lengths[k]
	}
	return at
}
