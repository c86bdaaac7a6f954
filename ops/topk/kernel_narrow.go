package topk

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// conversions are those of types of 8 and 16 bits. Halves become numbers of f32 in the same order.
var conversions = []widened.Conversion{
	{From: ir.F16, To: ir.F32, Widen: ordersOfF16, Narrow: halves},
	{From: ir.BF16, To: ir.F32, Widen: ordersOfBF16, Narrow: halves},
	widened.I8, widened.U8, widened.I16, widened.U16,
}

func ordersOfF16(wide, narrow []byte) { orders(wide, narrow, 0x1f<<10) }

func ordersOfBF16(wide, narrow []byte) { orders(wide, narrow, 0xff<<7) }

const (
	halfSign = 1 << 15
	// halfShift and firstOrder move the magnitude of a half into the bits of a normal float32: a
	// processor may treat subnormal ones as 0.
	halfShift  = 12
	firstOrder = 1 << 28
	floatInf   = 0xff << 23
)

// orders sets wide to float32 that compare as the halves in narrow do and from which halves
// restores all bits. inf has the bits of infinity; those of NaN are greater.
func orders(wide, narrow []byte, inf uint32) {
	to, from := cast.Bytes[uint32](wide), cast.Bytes[uint16](narrow)
	to = to[:len(from)]
	for i, h := range from {
		magnitude := uint32(h &^ halfSign)
		order := magnitude<<halfShift + firstOrder
		if magnitude == 0 {
			order = 0
		}
		if magnitude > inf {
			order = floatInf | magnitude
		}
		to[i] = uint32(h&halfSign)<<16 | order
	}
}

// halves sets narrow to the halves from which orders made wide.
func halves(narrow, wide []byte) {
	to, from := cast.Bytes[uint16](narrow), cast.Bytes[uint32](wide)
	to = to[:len(from)]
	for i, v := range from {
		magnitude := (v&^(1<<31) - firstOrder) >> halfShift
		if v<<1 == 0 {
			magnitude = 0
		}
		if v&floatInf == floatInf {
			magnitude = v &^ halfSign
		}
		to[i] = uint16(v>>16)&halfSign | uint16(magnitude)&^halfSign
	}
}
