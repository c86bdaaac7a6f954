package convert

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// blockLen is the number of elements that are converted at a time by way of a wider type: a loop
// for each type instead of one for each pair of types.
const blockLen = 256

// throughIntegers returns the conversion from integers of whole bytes by way of int64. Unsigned
// numbers of 64 bits keep their bits, so that dst must be an integer type or boolean for them.
func throughIntegers(src, dst ir.ElementType) ops.Part {
	encode := encoder(dst)
	return func(r *ops.Run, lo, hi int) error {
		// functions are called by name: with this memory, function values would allocate it
		var block [blockLen]int64
		for ; lo < hi; lo += blockLen {
			storeIntegers(r, dst, lo, loadIntegers(block[:min(blockLen, hi-lo)], r, src, lo), encode)
		}
		return nil
	}
}

// loadIntegers returns elements of the input from element lo on, in block or in the memory of the
// input.
func loadIntegers(block []int64, r *ops.Run, src ir.ElementType, lo int) []int64 {
	switch src {
	case ir.U8:
		load[uint8](block, r, lo)
	case ir.U16:
		load[uint16](block, r, lo)
	case ir.U32:
		load[uint32](block, r, lo)
	case ir.I8:
		load[int8](block, r, lo)
	case ir.I16:
		load[int16](block, r, lo)
	case ir.I32:
		load[int32](block, r, lo)
	default: // i64 and u64
		return input[int64](r, lo, lo+len(block))
	}
	return block
}

// load sets block to elements of the input from element lo on.
func load[S, W cast.Number](block []W, r *ops.Run, lo int) {
	for i, v := range input[S](r, lo, lo+len(block)) {
		block[i] = W(v)
	}
}

// storeIntegers converts block to elements of the output from element lo on.
func storeIntegers(r *ops.Run, dst ir.ElementType, lo int, block []int64, encode func(float32) uint8) {
	switch dst {
	// Signed and unsigned integers of one size have the same low bits.
	case ir.U8, ir.I8:
		store[uint8](r, lo, block)
	case ir.U16, ir.I16:
		store[uint16](r, lo, block)
	case ir.U32, ir.I32:
		store[uint32](r, lo, block)
	case ir.U64, ir.I64:
		store[uint64](r, lo, block)
	case ir.F32:
		to := output[float32](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = roundLong(v)
		}
	case ir.F64:
		store[float64](r, lo, block)
	case ir.F16:
		to := output[uint16](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = half.F32ToF16(roundLong(v))
		}
	case ir.BF16:
		to := output[half.BFloat16](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = referenceBF16(roundLong(v))
		}
	case ir.Boolean:
		storeNonZero(r, lo, block)
	default:
		for i, v := range block {
			c := uint8(v)
			if !dst.IsInteger() {
				c = encode(roundLong(v))
			}
			storeCode(r, dst, lo+i, c)
		}
	}
}

// store converts block to elements of the output from element lo on, with Go conversions. D must
// not be an integer if W is a float.
func store[D, W cast.Number](r *ops.Run, lo int, block []W) {
	to := output[D](r, lo, lo+len(block))
	for i, v := range block {
		to[i] = D(v)
	}
}

func storeNonZero[W cast.Number](r *ops.Run, lo int, block []W) {
	to := output[bool](r, lo, lo+len(block))
	for i, v := range block {
		to[i] = v != 0
	}
}

// storeCode sets element i of the output, whose type has at most 8 bits.
func storeCode(r *ops.Run, dst ir.ElementType, i int, c uint8) {
	if dst.Size() > 0 {
		r.Outputs[0].Bytes()[i] = c
	} else {
		r.Outputs[0].SetPacked(i, c)
	}
}

// throughFloats returns the conversion from floats of any size and from types of at most 8 bits by
// way of float64, which holds all their numbers. u64 is rounded to float32 first. bf16 rounds to
// that type.
func throughFloats(src, dst ir.ElementType, bf16 func(float32) half.BFloat16) ops.Part {
	encode := encoder(dst)
	var table *[256]float64
	if src.Bits() <= 8 {
		table = tableOf(src, func(v float32) float64 { return float64(v) })
	}
	return func(r *ops.Run, lo, hi int) error {
		var block [blockLen]float64
		for ; lo < hi; lo += blockLen {
			storeFloats(r, dst, lo, loadFloats(block[:min(blockLen, hi-lo)], r, src, lo, table), bf16, encode)
		}
		return nil
	}
}

// loadFloats returns elements of the input from element lo on, in block or in the memory of the
// input. table has the numbers of all codes of a type of at most 8 bits.
func loadFloats(block []float64, r *ops.Run, src ir.ElementType, lo int, table *[256]float64) []float64 {
	switch src {
	case ir.F64:
		return input[float64](r, lo, lo+len(block))
	case ir.F32:
		load[float32](block, r, lo)
	case ir.F16:
		var wide [blockLen]float32
		half.F16sToF32s(wide[:len(block)], input[uint16](r, lo, lo+len(block)))
		for i := range block {
			block[i] = float64(wide[i])
		}
	case ir.BF16:
		for i, v := range input[half.BFloat16](r, lo, lo+len(block)) {
			block[i] = float64(v.Float32())
		}
	case ir.U64:
		for i, v := range input[uint64](r, lo, lo+len(block)) {
			block[i] = float64(roundLong(v))
		}
	default:
		for i := range block {
			block[i] = table[code(r, src, lo+i)]
		}
	}
	return block
}

// code returns element i of the input, whose type has at most 8 bits.
func code(r *ops.Run, src ir.ElementType, i int) uint8 {
	if src.Size() > 0 {
		return r.Inputs[0].Bytes()[i]
	}
	return r.Inputs[0].Packed(i)
}

// storeFloats converts block to elements of the output from element lo on.
func storeFloats(r *ops.Run, dst ir.ElementType, lo int, block []float64, bf16 func(float32) half.BFloat16, encode func(float32) uint8) {
	switch dst {
	case ir.U8, ir.I8:
		to := output[uint8](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = uint8(toInt32(v))
		}
	case ir.U16, ir.I16:
		to := output[uint16](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = uint16(toInt32(v))
		}
	case ir.I32:
		to := output[int32](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = toInt32(v)
		}
	case ir.U32:
		to := output[uint32](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = uint32(toInt64(v))
		}
	case ir.I64:
		to := output[int64](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = toInt64(v)
		}
	case ir.U64:
		to := output[uint64](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = toUint64(v)
		}
	case ir.F32:
		store[float32](r, lo, block)
	case ir.F64:
		store[float64](r, lo, block)
	case ir.F16:
		to := output[uint16](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = half.F32ToF16(float32(v))
		}
	case ir.BF16:
		to := output[half.BFloat16](r, lo, lo+len(block))
		for i, v := range block {
			to[i] = bf16(float32(v))
		}
	case ir.Boolean:
		storeNonZero(r, lo, block)
	default:
		for i, v := range block {
			c := uint8(toInt32(v))
			if !dst.IsInteger() {
				c = encode(float32(v))
			}
			storeCode(r, dst, lo+i, c)
		}
	}
}
