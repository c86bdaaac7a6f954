package convert

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inRows returns the conversions that are done in rows by the processor's
// instructions, nil for any other.
func inRows(src, dst ir.ElementType) ops.Part {
	switch {
	case src == ir.F32 && dst == ir.F16:
		return f32ToF16
	case src == ir.F32 && dst == ir.BF16:
		return f32ToBF16
	case src == ir.F32 && dst == ir.I32:
		return f32ToI32
	case src == ir.F32 && (dst == ir.U8 || dst == ir.I8):
		return f32ToU8
	case src == ir.I32 && dst == ir.F32:
		return i32ToF32
	case src == ir.U8 && dst == ir.F32:
		return u8ToF32
	}
	return nil
}

func f32ToI32(r *ops.Run, lo, hi int) error {
	src, dst := rows[float32, int32](r, lo, hi)
	n := convertible(len(src))
	if n > 0 {
		rowF32ToI32(&dst[0], &src[0], n)
	}
	for i, v := range src[n:] {
		dst[n+i] = toInt32(v)
	}
	return nil
}

// f32ToU8 converts to i8 too, which has the same low bits.
func f32ToU8(r *ops.Run, lo, hi int) error {
	src, dst := rows[float32, uint8](r, lo, hi)
	n := convertible(len(src))
	if n > 0 {
		rowF32ToU8(&dst[0], &src[0], n)
	}
	for i, v := range src[n:] {
		dst[n+i] = uint8(toInt32(v))
	}
	return nil
}

func i32ToF32(r *ops.Run, lo, hi int) error {
	src, dst := rows[int32, float32](r, lo, hi)
	n := convertible(len(src))
	if n > 0 {
		rowI32ToF32(&dst[0], &src[0], n)
	}
	for i, v := range src[n:] {
		dst[n+i] = float32(v)
	}
	return nil
}

func u8ToF32(r *ops.Run, lo, hi int) error {
	src, dst := rows[uint8, float32](r, lo, hi)
	n := convertible(len(src))
	if n > 0 {
		rowU8ToF32(&dst[0], &src[0], n)
	}
	for i, v := range src[n:] {
		dst[n+i] = float32(v)
	}
	return nil
}
