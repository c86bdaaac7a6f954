package convert

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fromCode returns the conversion from a type of at most 8 bits. It looks up the results in a
// table. Types that models often convert to have tables of their results.
func fromCode(src, dst ir.ElementType) ops.Part {
	switch dst {
	case ir.F32:
		return lookUp(src, func(v float32) float32 { return v })
	case ir.F16:
		return lookUp(src, half.F32ToF16)
	case ir.I64:
		return lookUp(src, toInt64[float32])
	case ir.I32:
		return lookUp(src, toInt32[float32])
	}
	return throughFloats(src, dst, referenceBF16)
}

// tableOf returns the results for all codes, the bit patterns of type src.
func tableOf[D any](src ir.ElementType, convert func(float32) D) *[256]D {
	table := new([256]D)
	value := decoder(src)
	for c := range 1 << src.Bits() {
		table[c] = convert(value(uint8(c)))
	}
	return table
}

// lookUp returns the conversion to a type of whole bytes that uses a table.
func lookUp[D ir.Element](src ir.ElementType, convert func(float32) D) ops.Part {
	table := tableOf(src, convert)
	switch src.Bits() {
	case 8:
		return func(r *ops.Run, lo, hi int) error {
			from, to := input[uint8](r, lo, hi), output[D](r, lo, hi)
			for i, c := range from {
				to[i] = table[c]
			}
			return nil
		}
	case 4:
		return func(r *ops.Run, lo, hi int) error {
			bytes, to := r.Inputs[0].Bytes(), ir.Data[D](r.Outputs[0])
			for ; lo < hi && lo%2 != 0; lo++ {
				to[lo] = table[bytes[lo/2]>>4]
			}
			for ; lo+1 < hi; lo += 2 {
				b := bytes[lo/2]
				to[lo], to[lo+1] = table[b&15], table[b>>4]
			}
			if lo < hi {
				to[lo] = table[bytes[lo/2]&15]
			}
			return nil
		}
	}
	return func(r *ops.Run, lo, hi int) error {
		to := ir.Data[D](r.Outputs[0])
		for i := lo; i < hi; i++ {
			to[i] = table[r.Inputs[0].Packed(i)]
		}
		return nil
	}
}

// encoder returns the conversion from float32 to a type of at most 8 bits other
// than boolean.
func encoder(t ir.ElementType) func(float32) uint8 {
	switch t {
	case ir.F8E4M3:
		return minifloat.F32ToF8E4M3
	case ir.F8E5M2:
		return minifloat.F32ToF8E5M2
	case ir.F8E8M0:
		return minifloat.F32ToF8E8M0
	case ir.F4E2M1:
		return minifloat.F32ToF4E2M1
	case ir.NF4:
		return minifloat.F32ToNF4
	}
	return func(v float32) uint8 { return uint8(toInt32(v)) }
}

// decoder returns the conversion from the codes of a type of at most 8 bits to their values.
func decoder(t ir.ElementType) func(uint8) float32 {
	switch t {
	case ir.F8E4M3:
		return minifloat.F8E4M3ToF32
	case ir.F8E5M2:
		return minifloat.F8E5M2ToF32
	case ir.F8E8M0:
		return minifloat.F8E8M0ToF32
	case ir.F4E2M1:
		return minifloat.F4E2M1ToF32
	case ir.NF4:
		return minifloat.NF4ToF32
	case ir.I4:
		return func(c uint8) float32 { return float32(int8(c<<4) >> 4) }
	case ir.Boolean:
		return func(c uint8) float32 { return float32(min(c, 1)) }
	}
	return func(c uint8) float32 { return float32(c) }
}
