//go:build !amd64 || noasm

package gridsample

type vectors struct{}

func newVectors(*plan[float32]) *vectors { return nil }

func (v *vectors) sample(_, _, _ []float32, _ []uint8) {}
