//go:build noasm || !amd64

package extremum

func vectorPositions(_ []uint32, _ []float32, _ int, _ bool) bool { return false }
