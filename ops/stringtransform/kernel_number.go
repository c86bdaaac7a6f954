package stringtransform

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/heldtext"
)

// numberLength is the length of the longest text of a number: that of the lowest i64.
const numberLength = 20

// prepareFormat returns a kernel that writes all numbers into one text.
func prepareFormat(p *ops.Preparation) (*ops.Prepared, error) {
	switch p.Inputs[0].Type {
	case ir.I64:
		return formatting(func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) })
	case ir.U64:
		return formatting(func(dst []byte, v uint64) []byte { return strconv.AppendUint(dst, v, 10) })
	}
	return formatting(appendFloat)
}

// formatting returns a kernel for numbers of type T, which appendTo appends.
func formatting[T float64 | int64 | uint64](appendTo func([]byte, T) []byte) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		in, out := ir.Data[T](r.Inputs[0]), r.Outputs[0].Strings()
		parallel.Clear(r.Stop, out)
		bytes := int64(len(out)) * numberLength
		if err := heldtext.Reserve(r, bytes); err != nil {
			return err
		}
		var all strings.Builder
		all.Grow(int(bytes))
		meter := r.Stop.Meter()
		var buffer [2 * numberLength]byte
		for i, v := range in {
			if meter.Spent(100) {
				return parallel.ErrStopped
			}
			at := all.Len()
			all.Write(appendTo(buffer[:0], v))
			out[i] = all.String()[at:]
		}
		return nil
	}}, nil
}

// appendFloat appends v with 8 digits, as printf writes it by %.8g, but for what is no number.
func appendFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "INF"...)
	case math.IsInf(v, -1):
		return append(dst, "-INF"...)
	}
	return strconv.AppendFloat(dst, v, 'g', 8, 64)
}

// prepareParse returns a kernel that reads one string after the other.
func prepareParse(p *ops.Preparation) (*ops.Prepared, error) {
	switch p.Outputs[0].Type {
	case ir.I64:
		return parsing(parseInt)
	case ir.U64:
		return parsing(parseUint)
	}
	return parsing(parseFloat)
}

// parsing returns a kernel for numbers of type T, which parse reads from strings without white
// space around them.
func parsing[T float64 | int64 | uint64](parse func(string) (T, error)) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		out := ir.Data[T](r.Outputs[0])
		meter := r.Stop.Meter()
		for i, s := range r.Inputs[0].Strings() {
			if meter.Spent(50 + len(s)) {
				return parallel.ErrStopped
			}
			v, err := parse(strings.TrimSpace(s))
			if err != nil {
				return faults.Errorf("element %d is %s, %w", i, printable.Quote(s, maxText), err)
			}
			out[i] = v
		}
		return nil
	}}, nil
}

var (
	errNoNumber = errors.New("which is no number")
	errRange    = errors.New("which is out of range")
)

// parseFloat reads a number, which is infinite if it is too large.
func parseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, errNoNumber
	}
	return v, nil
}

// parseInt reads an integer, or a number whose fraction is dropped.
func parseInt(s string) (int64, error) {
	v, err := strconv.ParseInt(s, 10, 64)
	if err == nil {
		return v, nil
	}
	f, ferr := parseFloat(s)
	switch {
	case ferr != nil:
		return 0, ferr
	case errors.Is(err, strconv.ErrRange) || !(f > -1<<63 && f < 1<<63):
		return 0, errRange
	}
	return int64(f), nil
}

// parseUint is parseInt for u64. A negative number has the bits of the i64.
func parseUint(s string) (uint64, error) {
	if v, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64); err == nil {
		return v, nil
	}
	v, err := parseInt(s)
	return uint64(v), err
}
