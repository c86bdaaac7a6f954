//go:build !amd64 || noasm

package vmath

func binaryOf(Function, Mode) func(out, a, b []float32) { return nil }

func unaryOf(UnaryFunction) func(out, x []float32) { return nil }

func vectors() bool { return false }

const noCode = "BUG: there is no vector code"

func maxRow(*float32, int) float32 { panic(noCode) }

func sumRow(*float32, int) float32 { panic(noCode) }

func squaresRow(*float32, float32, int) float32 { panic(noCode) }

func expSumRow(_, _ *float32, _ float32, _ int) float32 { panic(noCode) }

func affineRow(_, _ *float32, _, _, _ float32, _ int) { panic(noCode) }
