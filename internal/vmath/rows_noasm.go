//go:build !amd64 || noasm

package vmath

func binaryOf(Function, Mode) func(out, a, b []float32) { return nil }

func unaryOf(UnaryFunction) func(out, x []float32) { return nil }
