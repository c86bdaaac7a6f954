//go:build noasm || !amd64

package scatterelements

func hasAssembly() bool { return false }

// Placeholders for the assembly, which are never called.
const locate32, locate64 = 0, 0

func locateQuickly[I int32 | int64](*block, []uint32, []I, int) bool { return false }

func withAssembly[T float](_ string, f operation[T]) operation[T] { return f }
