//go:build noasm || (!amd64 && !arm64)

package pack

func quadVectors(_ []Quad, _ *[4][]uint8, _ uint8, _ int) int { return 0 }

func flipVectors(_ []Quad, _ uint32) int { return 0 }

func hasQuadPanels() bool { return false }

func quadPanelVectors(_ []Quad, _ []uint8, _, _, _ int) { panic("BUG: no assembly") }

// HasWords reports whether there is a kernel for pairs of i16 that is faster than that for float32.
func HasWords() bool { return false }

// QuadSize returns the number of elements of the depth that a quad holds.
func QuadSize() int { return 4 }

// QuadZero returns what is subtracted from the bytes of b.
func QuadZero() uint8 { return 0 }
