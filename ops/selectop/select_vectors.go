//go:build !noasm && (amd64 || arm64)

package selectop

// selectPrefix selects the first elements of row with assembly, and returns how many. a and b are
// strided as in computeRows.
func selectPrefix[T any](row []T, cond []uint8, a, b []T, strideA, strideB int) int {
	words, ok := any(row).([]uint32)
	if !ok || len(words) < lanes || !hasVectors() {
		return 0
	}
	n := len(words) &^ (lanes - 1)
	var sameA, sameB [lanes]uint32
	pa, stepA := operand(&sameA, any(a).([]uint32), strideA, n)
	pb, stepB := operand(&sameB, any(b).([]uint32), strideB, n)
	selectWords(&words[0], &cond[:n][0], pa, pb, stepA, stepB, n)
	return n
}

// operand returns the first element of an operand, and the bytes by which it advances with each
// group of lanes. An operand of one value becomes a group of equal elements in same.
func operand(same *[lanes]uint32, x []uint32, stride, n int) (*uint32, int) {
	if stride != 0 {
		return &x[:n][0], 4 * lanes
	}
	for i := range same {
		same[i] = x[0]
	}
	return &same[0], 0
}
