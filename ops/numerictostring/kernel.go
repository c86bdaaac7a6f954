package numerictostring

import (
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/heldtext"
)

// longest is the length of the longest text of a number: that of -3.40282e+38.
const longest = 12

// prepare returns a kernel that writes all numbers into one text, of which the strings are parts.
// Strings need memory that outlives the run: this text, which counts until the next run.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	switch p.Inputs[0].Type {
	case ir.F32:
		return of(appendFloat[float32])
	case ir.F64:
		return of(appendFloat[float64])
	case ir.I8:
		return of(appendInt[int8])
	case ir.I16:
		return of(appendInt[int16])
	case ir.I32:
		return of(appendInt[int32])
	case ir.I64:
		return of(appendInt[int64])
	case ir.U16:
		return of(appendInt[uint16])
	case ir.U32:
		return of(appendInt[uint32])
	case ir.U64:
		return of(appendInt[uint64])
	}
	return of(appendInt[uint8]) // boolean too
}

// of returns a kernel for numbers of type T, which appendTo appends.
func of[T ir.Element](appendTo func([]byte, T) []byte) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		in, out := ir.Data[T](r.Inputs[0]), r.Outputs[0].Strings()
		if r.Inputs[0].ElementType() == ir.Boolean {
			return write(r, len(in), out, func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(r.Inputs[0].Bytes()[i]), 10) })
		}
		return write(r, len(in), out, func(dst []byte, i int) []byte { return appendTo(dst, in[i]) })
	}}, nil
}

// write writes n numbers.
func write(r *ops.Run, n int, out []string, appendTo func(dst []byte, i int) []byte) error {
	parallel.Clear(r.Stop, out)
	bytes := int64(n) * longest
	if err := heldtext.Reserve(r, bytes); err != nil {
		return err
	}
	var b strings.Builder
	b.Grow(int(bytes))
	meter := r.Stop.Meter()
	var buffer [2 * longest]byte
	for i := range out {
		if meter.Spent(10) {
			return parallel.ErrStopped
		}
		at := b.Len()
		b.Write(appendTo(buffer[:0], i))
		out[i] = b.String()[at:]
	}
	return nil
}

func appendInt[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](dst []byte, x T) []byte {
	return strconv.AppendInt(dst, int64(int32(x)), 10)
}

func appendFloat[T float32 | float64](dst []byte, x T) []byte {
	f := float64(x)
	switch {
	case math.IsNaN(f) && math.Signbit(f):
		return append(dst, "-nan"...)
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	f = max(-math.MaxFloat32, min(math.MaxFloat32, f))
	return strconv.AppendFloat(dst, float64(float32(f)), 'g', 6, 64)
}
