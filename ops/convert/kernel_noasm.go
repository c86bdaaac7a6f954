//go:build noasm || !amd64

package convert

func convertible(int) int { return 0 }

func rowF32ToI32(*int32, *float32, int) { panic("BUG: no assembly") }

func rowI32ToF32(*float32, *int32, int) { panic("BUG: no assembly") }

func rowU8ToF32(*float32, *uint8, int) { panic("BUG: no assembly") }

func rowF32ToU8(*uint8, *float32, int) { panic("BUG: no assembly") }
