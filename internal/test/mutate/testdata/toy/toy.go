// Package toy is mutated by a test of mutate.
package toy

// Limit returns x, but at most limit. Some mutants of the array do not compile.
func Limit(x, limit int) int {
	var bounds [2]int
	bounds[1] = limit
	if x > limit {
		return bounds[1]
	}
	return x
}

// Untested has no test.
func Untested() int { return 5 }
