//go:build !amd64 || noasm

package detection

type instructions uint8

func pickInstructions[T Float]() instructions { return 0 }

func (instructions) overlap(*float32, []float32, int, float32, float32) uint64 {
	panic("BUG: no assembly")
}

func aboveVectors([]Candidate[float32], []float32, int, float32) (seen, found int) { return 0, 0 }
