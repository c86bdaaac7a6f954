package convert

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/ir"
)

// scalar is the value of an element: integer if it is not nil, otherwise float.
type scalar struct {
	integer *big.Int
	float   float64
}

// read returns element i.
func read(t *ir.Tensor, i int) scalar {
	bits, n := uint64(0), t.ElementType().Bits()
	if size := t.ElementType().Size(); size == 0 {
		bits = uint64(t.Packed(i))
	} else {
		var b [8]byte
		copy(b[:], t.Bytes()[i*size:(i+1)*size])
		bits = binary.NativeEndian.Uint64(b[:])
	}
	switch t.ElementType() {
	case ir.Boolean:
		return scalar{integer: big.NewInt(int64(min(bits, 1)))}
	case ir.F64:
		return scalar{float: math.Float64frombits(bits)}
	case ir.F32:
		return scalar{float: float64(math.Float32frombits(uint32(bits)))}
	case ir.F16:
		return scalar{float: float64(float16.Frombits(uint16(bits)).Float32())}
	case ir.BF16:
		return scalar{float: float64(math.Float32frombits(uint32(bits) << 16))}
	case ir.F8E4M3:
		return scalar{float: float64(minifloat.F8E4M3ToF32(uint8(bits)))}
	case ir.F8E5M2:
		return scalar{float: float64(minifloat.F8E5M2ToF32(uint8(bits)))}
	case ir.F8E8M0:
		return scalar{float: float64(minifloat.F8E8M0ToF32(uint8(bits)))}
	case ir.F4E2M1:
		return scalar{float: float64(minifloat.F4E2M1ToF32(uint8(bits)))}
	case ir.NF4:
		return scalar{float: float64(minifloat.NF4ToF32(uint8(bits)))}
	}
	v := new(big.Int).SetUint64(bits)
	if t.ElementType().Kind() == ir.KindSigned && bits>>(n-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return scalar{integer: v}
}

// bitsOf returns v as an element of type t, by the rules in the package comment.
func bitsOf(v scalar, from, t ir.ElementType) uint64 {
	switch {
	case t == ir.Boolean:
		if v.integer != nil && v.integer.Sign() == 0 || v.integer == nil && v.float == 0 {
			return 0
		}
		return 1
	case t.IsInteger() && v.integer != nil:
		return lowBits(v.integer, t)
	case t.IsInteger():
		return lowBits(cutOff(v.float, t), t)
	case t == ir.F64 && v.integer == nil:
		return math.Float64bits(v.float)
	case t == ir.F64:
		f, _ := new(big.Float).SetInt(v.integer).Float64()
		return math.Float64bits(f)
	}
	f := float32(v.float)
	if v.integer != nil {
		f, _ = new(big.Float).SetInt(v.integer).Float32()
	}
	return bitsOfF32(f, from, t)
}

// cutOff truncates f to the integer that the low bits are taken from.
func cutOff(f float64, t ir.ElementType) *big.Int {
	lowest := new(big.Int).Lsh(big.NewInt(-1), 31)
	if t == ir.I64 || t == ir.U32 || t == ir.U64 {
		lowest.Lsh(lowest, 32)
	}
	if math.IsNaN(f) || math.IsInf(f, -1) {
		return lowest
	}
	beyond := lowest
	if t == ir.U64 {
		beyond = new(big.Int) // above the greatest u64
	}
	if math.IsInf(f, 1) {
		return beyond
	}
	v, _ := big.NewFloat(f).Int(nil)
	if v.Cmp(lowest) < 0 {
		return lowest
	}
	above := new(big.Int).Neg(lowest)
	if t == ir.U64 {
		above.Lsh(above, 1)
	}
	if v.Cmp(above) >= 0 {
		return beyond
	}
	return v
}

// lowBits returns the low bits of v in two's complement.
func lowBits(v *big.Int, t ir.ElementType) uint64 {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	return new(big.Int).Mod(v, modulus).Uint64()
}

func bitsOfF32(f float32, from, t ir.ElementType) uint64 {
	switch t {
	case ir.F32:
		return uint64(math.Float32bits(f))
	case ir.F16:
		return uint64(float16.Fromfloat32(f).Bits())
	case ir.BF16:
		low := math.Float32bits(f) & 0xffff
		high := uint64(math.Float32bits(f) >> 16)
		nearest := from == ir.F32 || from == ir.F16
		if f == f && (low > 0x8000 && nearest || low >= 0x8000 && high%2 == 1) {
			high++
		}
		return high
	case ir.F8E4M3:
		return uint64(minifloat.F32ToF8E4M3(f))
	case ir.F8E5M2:
		return uint64(minifloat.F32ToF8E5M2(f))
	case ir.F8E8M0:
		return uint64(minifloat.F32ToF8E8M0(f))
	case ir.F4E2M1:
		return uint64(minifloat.F32ToF4E2M1(f))
	}
	return uint64(minifloat.F32ToNF4(f))
}
