//go:build noasm || (!amd64 && !arm64)

package half

func vectorPrefix(int) int { return 0 }

func widenF16(*float32, *uint16, int) { panic("BUG: no assembly") }

func narrowF16(*uint16, *float32, int) { panic("BUG: no assembly") }

func widenBF16(*float32, *uint16, int) { panic("BUG: no assembly") }

func narrowBF16(*uint16, *float32, int) { panic("BUG: no assembly") }
