package jsontensor

import (
	"math"
	"strconv"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Append appends the elements of t as a flat array. It returns an error with the code Malformed if
// an element has no JSON: NaN, an infinity, or a text that is no UTF-8.
func Append(b []byte, t *ir.Tensor) ([]byte, error) {
	return appendAxes(b, writerOf(t, false), ir.Shape{t.Len()}, 0)
}

// AppendNested appends the elements of t as arrays for each axis, or as one element if t has none.
// Texts that are no UTF-8 become {"b64": "…"}.
func AppendNested(b []byte, t *ir.Tensor) ([]byte, error) {
	return appendAxes(b, writerOf(t, true), t.Shape(), 0)
}

// AppendRow is AppendNested for row i of t, which has at least one axis.
func AppendRow(b []byte, t *ir.Tensor, i int) ([]byte, error) {
	row := t.Shape()[1:]
	return appendAxes(b, writerOf(t, true), row, i*row.Elements())
}

// An elementWriter appends element i of a tensor; false if it has no JSON.
type elementWriter func(b []byte, i int) ([]byte, bool)

// appendAxes appends the elements from number first in arrays of the lengths shape.
func appendAxes(b []byte, write elementWriter, shape ir.Shape, first int) ([]byte, error) {
	if len(shape) == 0 {
		b, ok := write(b, first)
		if !ok {
			return b, oip.Errorf(oip.Malformed, "element %d is NaN, an infinity, or a text that is no UTF-8: "+
				"JSON has none of these", first)
		}
		return b, nil
	}
	b = append(b, '[')
	length := shape[1:].Elements()
	for i := range shape[0] {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendAxes(b, write, shape[1:], first+i*length); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// writerOf returns the elementWriter for t. With base64, any text has JSON.
func writerOf(t *ir.Tensor, base64 bool) elementWriter {
	switch t.ElementType() {
	case ir.F32:
		data := ir.Data[float32](t)
		return func(b []byte, i int) ([]byte, bool) { return appendFloat(b, float64(data[i]), 32) }
	case ir.F64:
		data := ir.Data[float64](t)
		return func(b []byte, i int) ([]byte, bool) { return appendFloat(b, data[i], 64) }
	case ir.F16:
		data := ir.Data[uint16](t)
		return func(b []byte, i int) ([]byte, bool) { return appendFloat(b, float64(half.F16ToF32(data[i])), 32) }
	case ir.BF16:
		data := ir.Data[half.BFloat16](t)
		return func(b []byte, i int) ([]byte, bool) { return appendFloat(b, float64(data[i].Float32()), 32) }
	case ir.I8:
		return signed[int8](t)
	case ir.I16:
		return signed[int16](t)
	case ir.I32:
		return signed[int32](t)
	case ir.I64:
		return signed[int64](t)
	case ir.U8:
		return unsigned[uint8](t)
	case ir.U16:
		return unsigned[uint16](t)
	case ir.U32:
		return unsigned[uint32](t)
	case ir.U64:
		return unsigned[uint64](t)
	case ir.Boolean:
		data := ir.Data[uint8](t)
		return func(b []byte, i int) ([]byte, bool) { return strconv.AppendBool(b, data[i] != 0), true }
	case ir.String:
		data := t.Strings()
		if base64 {
			return func(b []byte, i int) ([]byte, bool) { return appendAnyText(b, data[i]), true }
		}
		return func(b []byte, i int) ([]byte, bool) { return jsonscan.AppendText(b, data[i]) }
	default:
		return func(b []byte, _ int) ([]byte, bool) { return b, false }
	}
}

func signed[T int8 | int16 | int32 | int64](t *ir.Tensor) elementWriter {
	data := ir.Data[T](t)
	return func(b []byte, i int) ([]byte, bool) { return strconv.AppendInt(b, int64(data[i]), 10), true }
}

func unsigned[T uint8 | uint16 | uint32 | uint64](t *ir.Tensor) elementWriter {
	data := ir.Data[T](t)
	return func(b []byte, i int) ([]byte, bool) { return strconv.AppendUint(b, uint64(data[i]), 10), true }
}

// appendFloat appends the shortest number that reads as f with the given bits, always as one with a
// fraction or an exponent; false if f is not finite.
func appendFloat(b []byte, f float64, bits int) ([]byte, bool) {
	switch size := math.Abs(f); {
	case f-f != 0:
		return b, false
	case f == math.Trunc(f) && size < 1e15 && (f != 0 || !math.Signbit(f)):
		return append(strconv.AppendInt(b, int64(f), 10), ".0"...), true
	case size >= 1e-6 && size < 1e15:
		return strconv.AppendFloat(b, f, 'f', -1, bits), true
	default:
		return strconv.AppendFloat(b, f, 'e', -1, bits), true
	}
}
