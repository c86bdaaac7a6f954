//go:build noasm || (!amd64 && !arm64)

package conv

func magnitudes(to []uint32, from []float32, n, channels, step int) {
	magnitudesPortable(to, from, n, channels, step)
}

func extremes(list []uint32) (least, most uint32) { return extremesPortable(list) }
