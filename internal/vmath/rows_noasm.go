//go:build noasm || (!amd64 && !arm64)

package vmath

func binaryOf(Function, Mode) func(out, a, b []float32, n, aStep, bStep int) { return nil }

func unaryOf(UnaryFunction) func(out, x []float32, a, b float32) { return nil }

func hasVectors() bool { return false }

// noCode is the panic of functions that hasVectors guards.
const noCode = "BUG: there is no vector code"

func maxOf(*float32, int) float32 { panic(noCode) }

func sumOf(*float32, int) float32 { panic(noCode) }

func squaresOf(*float32, float32, int) float32 { panic(noCode) }

func expSumOf(_, _ *float32, _ float32, _ int) float32 { panic(noCode) }

func softmaxShortRows(_, _ []float32, _ int) bool { return false }

func affineOf(_, _ *float32, _, _, _ float32, _ int) { panic(noCode) }

func runChecked(CheckedFunction, *float32, *float32, *float32, int) bool { panic(noCode) }
