package jsontensor

import (
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// floats32 reads FP32, for which most requests are.
type floats32 []float32

// read is an elementReader.
func (f floats32) read(data []byte, pos, i int) (end int, err error) {
	d, end, ok := jsonscan.ReadDecimal(data, pos)
	if !ok {
		return pos, jsonscan.Broken(data, end, "expected a number")
	}
	if f[i], ok = float32Of(d, data[pos:end]); !ok {
		return pos, beyond(i, data[pos:end], "FP32")
	}
	return end, nil
}

// floats reads floating-point numbers of the datatype name.
type floats[T any] struct {
	to   []T
	name oip.Datatype
	// convert returns the nearest number of the type to d, which has the text; false if it is an
	// infinity.
	convert func(d jsonscan.Decimal, text []byte) (T, bool)
}

// read is an elementReader.
func (f floats[T]) read(data []byte, pos, i int) (end int, err error) {
	d, end, ok := jsonscan.ReadDecimal(data, pos)
	if !ok {
		return pos, jsonscan.Broken(data, end, "expected a number")
	}
	if f.to[i], ok = f.convert(d, data[pos:end]); !ok {
		return pos, beyond(i, data[pos:end], f.name)
	}
	return end, nil
}

// beyond returns the error for an element that its type does not have.
func beyond(i int, text []byte, name oip.Datatype) error {
	const most = 40
	if len(text) > most {
		text = append(text[:most:most], "..."...)
	}
	return oip.Errorf(oip.Malformed, "element %d is %s, which %s does not have", i, text, name)
}

func float32Of(d jsonscan.Decimal, text []byte) (float32, bool) {
	f := d.Float32(text)
	return f, f-f == 0
}

func float64Of(d jsonscan.Decimal, text []byte) (float64, bool) {
	f := d.Float64(text)
	return f, f-f == 0
}

// float16Of rounds to a float32 first.
func float16Of(d jsonscan.Decimal, text []byte) (uint16, bool) {
	const exponent = 0x7C00
	h := half.F32ToF16(d.Float32(text))
	return h, h&exponent != exponent
}

// bfloat16Of rounds to a float32 first.
func bfloat16Of(d jsonscan.Decimal, text []byte) (half.BFloat16, bool) {
	b := half.BFloat16Of(d.Float32(text))
	f := b.Float32()
	return b, f-f == 0
}

// integers reads integers whose magnitude is at most max, or, if they are negative, min.
type integers[T cast.Integer] struct {
	to       []T
	name     oip.Datatype
	min, max uint64
}

// integersOf returns the elementReader of integers with bits bits without the sign.
func integersOf[T cast.Integer](t *ir.Tensor, bits int) elementReader {
	name, _ := oip.DatatypeOf(t.ElementType())
	r := integers[T]{to: ir.Data[T](t), name: name, max: math.MaxUint64 >> (64 - bits)}
	if t.ElementType().Bits() > bits {
		r.min = r.max + 1
	}
	return r.read
}

// read is an elementReader.
func (r integers[T]) read(data []byte, pos, i int) (end int, err error) {
	d, end, ok := jsonscan.ReadDecimal(data, pos)
	if !ok {
		return pos, jsonscan.Broken(data, end, "expected a number")
	}
	magnitude, err := d.Mantissa, error(nil)
	if d.Integer && d.Inexact {
		magnitude, err = strconv.ParseUint(strings.TrimPrefix(string(data[pos:end]), "-"), 10, 64)
	}
	n, limit := T(magnitude), r.max
	if d.Negative {
		n, limit = -n, r.min
	}
	if !d.Integer || err != nil || magnitude > limit {
		return pos, beyond(i, data[pos:end], r.name)
	}
	r.to[i] = n
	return end, nil
}

// booleans reads true and false.
type booleans []bool

// read is an elementReader.
func (b booleans) read(data []byte, pos, i int) (end int, err error) {
	const yes, no = "true", "false"
	rest := data[min(pos, len(data)):]
	switch {
	case len(rest) >= len(yes) && string(rest[:len(yes)]) == yes:
		b[i] = true
		return pos + len(yes), nil
	case len(rest) >= len(no) && string(rest[:len(no)]) == no:
		b[i] = false
		return pos + len(no), nil
	default:
		return pos, jsonscan.Broken(data, pos, "expected true or false")
	}
}
