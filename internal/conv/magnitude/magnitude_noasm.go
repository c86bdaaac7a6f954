//go:build noasm || (!amd64 && !arm64)

package magnitude

// Merge sets to[i] to the largest of to[i] and the magnitudes of from[c*step + i], for i below n
// and c below channels.
func Merge(to []uint32, from []float32, n, channels, step int) {
	mergePortable(to, from, n, channels, step)
}

// Extremes returns the smallest and the largest number of list.
func Extremes(list []uint32) (least, most uint32) { return extremesPortable(list) }
