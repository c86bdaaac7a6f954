// Package widened is the way for a kernel to compute an element type in another one, so that a
// family needs no code of its own for each type. Elements are converted in one of three ways:
//
//   - Prepare runs a kernel of the wider type on whole copies in scratch memory. It is for kernels
//     that read their inputs in any order.
//   - Elementwise calls code of the wider type for blocks that stay in the cache.
//   - Conversion.Load and Store convert the pieces that a kernel picks itself.
package widened

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// Conversion converts the elements of a type to a wider type and back. Both functions get whole
// elements, as many of each type.
type Conversion struct {
	From, To ir.ElementType
	Widen    func(wide, narrow []byte)
	Narrow   func(narrow, wide []byte)
}

// Load sets wide to the elements of t from number at on. It ends early if stop is requested.
func (c *Conversion) Load(stop parallel.Stop, wide []byte, t *ir.Tensor, at int) {
	size, shift := c.sizes()
	narrow := t.Bytes()[at*size:]
	for len(wide) > 0 && !stop.Requested() {
		n := min(len(wide)>>shift, piece)
		c.Widen(wide[:n<<shift], narrow[:n*size])
		wide, narrow = wide[n<<shift:], narrow[n*size:]
	}
}

// Store sets the elements of t from number at on to wide. It ends early if stop is requested.
func (c *Conversion) Store(stop parallel.Stop, t *ir.Tensor, at int, wide []byte) {
	size, shift := c.sizes()
	narrow := t.Bytes()[at*size:]
	for len(wide) > 0 && !stop.Requested() {
		n := min(len(wide)>>shift, piece)
		c.Narrow(narrow[:n*size], wide[:n<<shift])
		wide, narrow = wide[n<<shift:], narrow[n*size:]
	}
}

// sizes returns the size of an element of From in bytes, and the binary logarithm of that of To.
func (c *Conversion) sizes() (from, to int) {
	return c.From.Bits() / 8, bits.TrailingZeros8(uint8(c.To.Bits() / 8))
}

// piece is the number of elements that are converted between two checks for a stop.
const piece = 1 << 16

// Conversions of 16-bit floats to f32. They keep every number, and round to the nearest one.
var (
	F16  = Conversion{ir.F16, ir.F32, widenF16, narrowF16}
	BF16 = Conversion{ir.BF16, ir.F32, widenBF16, narrowBF16}
	// Halves are both of them.
	Halves = []Conversion{F16, BF16}
)

func widenF16(wide, narrow []byte) {
	half.F16sToF32s(cast.Bytes[float32](wide), cast.Bytes[uint16](narrow))
}

func narrowF16(narrow, wide []byte) {
	half.F32sToF16s(cast.Bytes[uint16](narrow), cast.Bytes[float32](wide))
}

func widenBF16(wide, narrow []byte) {
	half.BF16sToF32s(cast.Bytes[float32](wide), cast.Bytes[half.BFloat16](narrow))
}

func narrowBF16(narrow, wide []byte) {
	half.F32sToBF16s(cast.Bytes[half.BFloat16](narrow), cast.Bytes[float32](wide))
}

// Conversions of small integers to i32, and of u32 to i64. They keep every number. A sum,
// difference or product wraps to the same bits as in the type itself.
var (
	I8  = Conversion{ir.I8, ir.I32, convert[int32, int8], convert[uint8, uint32]}
	U8  = Conversion{ir.U8, ir.I32, convert[int32, uint8], convert[uint8, uint32]}
	I16 = Conversion{ir.I16, ir.I32, convert[int32, int16], convert[uint16, uint32]}
	U16 = Conversion{ir.U16, ir.I32, convert[int32, uint16], convert[uint16, uint32]}
	U32 = Conversion{ir.U32, ir.I64, convert[int64, uint32], convert[uint32, uint64]}
)

var (
	// Small are the conversions of integers of 8 and 16 bits.
	Small = []Conversion{I8, U8, I16, U16}
	// Wrapping are those of Small and of u32.
	Wrapping = []Conversion{I8, U8, I16, U16, U32}
	// Saturating are the conversions of all small integers and of u32 whose Narrow limits numbers
	// to those of the small type. They are for functions that depend on its limits.
	Saturating = []Conversion{
		{ir.I8, ir.I32, convert[int32, int8], saturate[int8, int32]},
		{ir.U8, ir.I32, convert[int32, uint8], saturate[uint8, int32]},
		{ir.I16, ir.I32, convert[int32, int16], saturate[int16, int32]},
		{ir.U16, ir.I32, convert[int32, uint16], saturate[uint16, int32]},
		{ir.U32, ir.I64, convert[int64, uint32], saturate[uint32, int64]},
	}
)

// Long are the conversions of integers to i64. A sum, difference or product wraps to the same bits
// as in the type itself.
var Long = []Conversion{
	{ir.I8, ir.I64, convert[int64, int8], convert[uint8, uint64]},
	{ir.I16, ir.I64, convert[int64, int16], convert[uint16, uint64]},
	{ir.I32, ir.I64, convert[int64, int32], convert[uint32, uint64]},
	{ir.U8, ir.I64, convert[int64, uint8], convert[uint8, uint64]},
	{ir.U16, ir.I64, convert[int64, uint16], convert[uint16, uint64]},
	U32,
}

// Rounded are the conversions of 16-bit floats and of all integers to f32. For integers, Narrow
// rounds to the nearest one, halves to even, and limits numbers to those of the type; NaN becomes
// 0. They are for functions of real numbers, which OpenVINO computes so.
var Rounded = []Conversion{
	F16, BF16,
	{ir.I8, ir.F32, convert[float32, int8], round[int8]},
	{ir.I16, ir.F32, convert[float32, int16], round[int16]},
	{ir.I32, ir.F32, convert[float32, int32], round[int32]},
	{ir.I64, ir.F32, convert[float32, int64], round[int64]},
	{ir.U8, ir.F32, convert[float32, uint8], round[uint8]},
	{ir.U16, ir.F32, convert[float32, uint16], round[uint16]},
	{ir.U32, ir.F32, convert[float32, uint32], round[uint32]},
	{ir.U64, ir.F32, convert[float32, uint64], round[uint64]},
}

// RoundedTypes lists the types of layers of floating-point types that Rounded extends.
var RoundedTypes = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

// round narrows numbers to the nearest integers of N.
func round[N int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](narrow, wide []byte) {
	to, from := cast.Bytes[N](narrow), cast.Bytes[float32](wide)
	lo, hi := N(0), ^N(0)
	if hi < lo { // N is signed
		hi = 1<<(8*unsafe.Sizeof(*new(N))-1) - 1
		lo = ^hi
	}
	to = to[:len(from)]
	for i, v := range from {
		switch x := math.RoundToEven(float64(v)); {
		case x != x:
			to[i] = 0
		case x >= float64(hi):
			to[i] = hi
		case x <= float64(lo):
			to[i] = lo
		default:
			to[i] = N(x)
		}
	}
}

// saturate narrows numbers, and those beyond the limits of N to the limit.
func saturate[N int8 | uint8 | int16 | uint16 | uint32, W int32 | int64](narrow, wide []byte) {
	to, from := cast.Bytes[N](narrow), cast.Bytes[W](wide)
	lo, hi := W(0), W(^N(0))
	if hi < 0 { // N is signed
		hi = 1<<(8*unsafe.Sizeof(*new(N))-1) - 1
		lo = ^hi
	}
	to = to[:len(from)]
	for i, v := range from {
		to[i] = N(min(max(v, lo), hi))
	}
}

func convert[D, S cast.Number](dst, src []byte) { cast.Convert(cast.Bytes[D](dst), cast.Bytes[S](src)) }

// Find returns the conversion from t; nil if there is none.
func Find(conversions []Conversion, t ir.ElementType) *Conversion {
	for i := range conversions {
		if conversions[i].From == t {
			return &conversions[i]
		}
	}
	return nil
}
