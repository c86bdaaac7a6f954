//go:build noasm || (!amd64 && !arm64)

package convert

func convertible(int) int { return 0 }

func convertibleLong(int) int { return 0 }

func rowF32ToI32(*int32, *float32, int) { panic("BUG: no assembly") }

func rowI32ToF32(*float32, *int32, int) { panic("BUG: no assembly") }

func rowU8ToF32(*float32, *uint8, int) { panic("BUG: no assembly") }

func rowI8ToF32(*float32, *int8, int) { panic("BUG: no assembly") }

func rowBooleanToF32(*float32, *uint8, int) { panic("BUG: no assembly") }

func rowF32ToU8(*uint8, *float32, int) { panic("BUG: no assembly") }

func rowI64ToI32(*int32, *int64, int) { panic("BUG: no assembly") }

func rowI32ToI64(*int64, *int32, int) { panic("BUG: no assembly") }

func rowU32ToI64(*int64, *uint32, int) { panic("BUG: no assembly") }

func rowI64ToF32AVX512(*float32, *int64, int) { panic("BUG: no assembly") }

func rowF32ToI64AVX512(*int64, *float32, int) { panic("BUG: no assembly") }
