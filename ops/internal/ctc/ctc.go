// Package ctc holds what the decoders of connectionist temporal classification (CTC) share: the
// most probable class of each step, and the sequence without blanks and repetitions.
package ctc

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/extremum"
)

// Types lists the element types of probabilities.
var Types = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}

// Find sets classes[i] to the class of the greatest of the n probabilities in row first+i of data:
// the first one of equal ones. As in OpenVINO, NaN is never greater than another probability, nor
// is another one greater than NaN. Find ends early if the work must stop.
type Find func(stop parallel.Stop, data *ir.Tensor, n, first int, classes []int64)

// Finder returns the function for an element type in Types.
func Finder(t ir.ElementType) Find {
	switch t {
	case ir.F32:
		return finder(rows32)
	case ir.F64:
		return finder(rows64)
	case ir.F16:
		return finder(rows16[uint16])
	case ir.BF16:
		return finder(rows16[half.BFloat16])
	}
	panic("BUG: no probabilities of type " + t.String())
}

// piece is the number of elements between two checks of a Stop.
const piece = 1 << 13

// finder returns a Find that calls rows for pieces of data: for whole rows or, if these are long,
// parts of one row. rows returns the greatest element of each row, and sets its class.
func finder[T ir.Element](rows func(classes []int64, x []T, n int)) Find {
	return func(stop parallel.Stop, data *ir.Tensor, n, first int, classes []int64) {
		x := ir.Data[T](data)[first*n:]
		if n > piece {
			for i := range classes {
				classes[i] = longRow(stop, x[i*n:][:n], rows)
			}
			return
		}
		for len(classes) > 0 && !stop.Requested() {
			count := min(len(classes), max(1, piece/n))
			rows(classes[:count], x[:count*n], n)
			x, classes = x[count*n:], classes[count:]
		}
	}
}

// longRow finds the class of a row by comparing the best one so far with the best one of each
// piece.
func longRow[T ir.Element](stop parallel.Stop, x []T, rows func(classes []int64, x []T, n int)) int64 {
	var class, next [1]int64
	var pair [2]T
	for start := 0; start < len(x) && !stop.Requested(); start += piece {
		part := x[start:min(start+piece, len(x))]
		rows(next[:], part, len(part))
		candidate := int64(start) + next[0]
		if pair[0], pair[1] = x[class[0]], x[candidate]; start == 0 {
			class[0] = candidate
			continue
		}
		if rows(next[:], pair[:], 2); next[0] == 1 {
			class[0] = candidate
		}
	}
	return class[0]
}

func rows32(classes []int64, x []float32, n int) {
	var positions [64]uint32
	for len(classes) > 0 {
		found := positions[:min(len(classes), len(positions))]
		if !extremum.Positions(found, x, n, false) {
			break
		}
		for i, p := range found {
			if first := x[i*n]; first != first {
				p = 0
			}
			classes[i] = int64(p)
		}
		classes, x = classes[len(found):], x[len(found)*n:]
	}
	if sum := vmath.Sum(x); sum != sum { // vmath.Max is not defined for NaN
		for i := range classes {
			classes[i] = scan(x[i*n:][:n])
		}
		return
	}
	for i := range classes {
		row := x[i*n:][:n]
		if best := vmath.Max(row); best != 0 {
			classes[i] = position(cast.Slice[uint32](row), math.Float32bits(best))
		} else {
			classes[i] = scan(row) // 0 and -0 are equal
		}
	}
}

// position returns the position of the first element that is v.
func position(x []uint32, v uint32) int64 {
	i := 0
	for ; i+4 <= len(x); i += 4 {
		if b := x[i : i+4 : i+4]; b[0] == v || b[1] == v || b[2] == v || b[3] == v {
			break
		}
	}
	for x[i] != v {
		i++
	}
	return int64(i)
}

func rows64(classes []int64, x []float64, n int) {
	for i := range classes {
		classes[i] = scan(x[i*n:][:n])
	}
}

func scan[T float32 | float64](x []T) int64 {
	best, class := x[0], 0
	for i, v := range x {
		if v > best {
			best, class = v, i
		}
	}
	return int64(class)
}

// infinity returns the bits of an infinity. Those of NaN, without the sign, are greater.
func infinity[T ~uint16]() int32 {
	if _, ok := any(T(0)).(half.BFloat16); ok {
		return 0x7f80
	}
	return 0x7c00
}

// rows16 compares integers of the same order as the numbers, which is faster than a conversion.
func rows16[T ~uint16](classes []int64, x []T, n int) {
	limit := infinity[T]()
	order := func(v T) int32 {
		sign := int32(int16(v)) >> 31
		magnitude := int32(v & 0x7fff)
		if magnitude > limit {
			return -1 << 16 // NaN
		}
		return (magnitude ^ sign) - sign
	}
	for i := range classes {
		row := x[i*n:][:n]
		best, class := order(row[0]), 0
		if best >= -limit { // not NaN
			for _, v := range row {
				best = max(best, order(v))
			}
			for order(row[class]) != best {
				class++
			}
		}
		classes[i] = int64(class)
	}
}

// Collapse moves the classes of the decoded sequence to the start and returns their number. The
// class of step t is classes[t*stride]. Collapse drops the class blank and, if merge is true,
// classes that equal the one of the step before.
func Collapse(classes []int64, steps, stride int, blank int64, merge bool) int {
	n, last := 0, int64(-1)
	for t := range steps {
		class := classes[t*stride]
		if class != blank && !(merge && class == last) {
			classes[n*stride] = class
			n++
		}
		last = class
	}
	return n
}
