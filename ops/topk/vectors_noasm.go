//go:build noasm || !amd64

package topk

func hasAssembly() bool { return false }

func improveColumns(_ []float32, _ []uint32, _ []float32, _, _, _ int, _ bool) {}

func setFloatKeys(_ []uint32, _ []float32, _ uint32) {}

func insertRows(_, _, _ []uint32, _, _, _ int) {}
