package dynamicquantizelstm

import (
	"math"

	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ops"
)

// roundedRows are the rows that a matrix is multiplied with, rounded to integers from 0 to 255.
type roundedRows struct {
	depth int
	// Both are of each direction. codes is empty if the products are of float32; floats are the
	// integers minus zero.
	codes   ops.Area[uint8]   // in rows of codeStride
	floats  ops.Area[float32] // in rows of floatStride
	numbers ops.Area[float32] // of each direction: see rounded

	codeStride, floatStride int
	divide                  func(out, a, b []float32)
	toEven                  func(out, x []float32)
}

// rounded are the rows of a direction in a run. The numbers are their scale and zero, which is the
// integer of 0.
type rounded struct {
	codes   []uint8
	floats  []float32
	numbers []float32
}

// The places of numbers.
const (
	scaleAt = iota
	zeroAt
	minusZeroAt
	lowestAt
	highestAt
	countOfNumbers
)

func newRoundedRows(s *ops.Scratch, m *matrix, directions, rows int) *roundedRows {
	q := &roundedRows{depth: m.depth, divide: vmath.Binary(vmath.Divide, vmath.ScalarB), toEven: vmath.Unary(vmath.RoundHalfToEven)}
	q.codeStride, q.floatStride = m.strides()
	q.codes = ops.AreasOf[uint8](s, directions, rows, q.codeStride)
	q.floats, q.numbers = ops.AreasOf[float32](s, directions, rows, q.floatStride), ops.AreasOf[float32](s, directions, countOfNumbers)
	return q
}

// of returns the rows of a direction.
func (q *roundedRows) of(r *ops.Run, d int) rounded {
	return rounded{q.codes.Of(r, d), q.floats.Of(r, d), q.numbers.Of(r, d)}
}

// round rounds x to the rows of a direction. It ends early if the run must stop.
func (q *roundedRows) round(r *ops.Run, d int, x []float32) {
	to := q.of(r, d)
	setRange(to.numbers, x)
	meter := r.Stop.Meter()
	for i := 0; len(x) > 0 && q.depth > 0 && !meter.Spent(8*q.depth); i++ {
		row := to.floats[i*q.floatStride:][:q.floatStride]
		q.roundRow(row[:q.depth], x[:q.depth], to.numbers)
		clear(row[q.depth:])
		if q.codeStride > 0 {
			codes := to.codes[i*q.codeStride:][:q.codeStride]
			levels.Codes(codes[:q.depth], row[:q.depth], 1, to.numbers[zeroAt], math.MaxUint8)
			clear(codes[q.depth:])
		}
		x = x[q.depth:]
	}
}

// setRange sets the numbers of x. It divides as ONNX Runtime does: an integer depends on the last
// bit of the scale.
func setRange(numbers, x []float32) {
	lowest, highest := numbers[lowestAt:][:1], numbers[highestAt:][:1]
	lowest[0], highest[0] = 0, 0
	if len(x) > 0 {
		reduction.Min.ReduceSegments(lowest, x, len(x), len(x))
		reduction.Max.ReduceSegments(highest, x, len(x), len(x))
	}
	low, high := min(lowest[0], 0), max(highest[0], 0)
	scale := (high - low) / math.MaxUint8
	if !(scale > 0) { // NaN too
		scale = 1
	}
	zero := float32(math.RoundToEven(float64(min(-low/scale, math.MaxUint8))))
	if !(zero >= 0) {
		zero = 0
	}
	numbers[scaleAt], numbers[zeroAt], numbers[minusZeroAt] = scale, zero, -zero
}

// roundRow sets out to the integers of x minus zero.
func (q *roundedRows) roundRow(out, x, numbers []float32) {
	if q.divide != nil && q.toEven != nil {
		q.divide(out, x, numbers[scaleAt:])
		q.toEven(out, out)
		return
	}
	for i, v := range x {
		out[i] = float32(math.RoundToEven(float64(v / numbers[scaleAt])))
	}
}
