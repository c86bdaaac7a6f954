// Package reduction reduces float32 elements to sums, maxima and the like, for pooling,
// reductions and normalizations. Rows are reduced element by element to one row, and
// segments of contiguous elements to one element each. The package also computes the
// weighted sums of interpolations. It has vector code for amd64 with AVX2 or AVX-512 and for arm64,
// and portable loops for most functions.
//
// Sums and products are accumulated in float32. The order of the operations, and so
// the rounding, depends on the instruction set.
package reduction

//go:generate go run ./_neon -out reduction_arm64.s -stubs stubs_arm64.go -pkg reduction

// Function is a reduction function.
type Function uint8

// The reduction functions. Max and Min are NaN if an element is NaN.
const (
	Sum Function = iota
	Max
	Min
	Product
	SumAbs     // the sum of the absolute values
	SumSquares // the sum of the squares
	numFunctions
)

// Rows describes the rows of a call of Reduce. It writes Outputs rows of N elements and
// reduces Count input rows to each of them: out[o*OutPitch+i] is the reduction of
// in[o*InPitch+r*Step+i] for r from 0 to Count-1. ReduceStride2 reads element 2*i of an
// input row instead of element i. No field may be negative.
type Rows struct {
	N, Count, Step             int
	Outputs, InPitch, OutPitch int
	// Table, if not nil, has an entry for each output row, and Count is ignored.
	Table []Row
}

// Row holds the parameters of one output row. Count is the number of input rows, which
// must be positive. Offset is added to the index of the first input element. ScaleOffset
// is the index of the first element of scale. The assembly reads the fields as three ints
// in this order.
type Row struct{ Offset, Count, ScaleOffset int }

// row returns the parameters of output row o; Offset includes o*InPitch.
func (r *Rows) row(o int) Row {
	row := Row{o * r.InPitch, r.Count, 0}
	if r.Table != nil {
		row = Row{row.Offset + r.Table[o].Offset, r.Table[o].Count, r.Table[o].ScaleOffset}
	}
	return row
}

// Reduce reduces rows of in to rows of out, as r describes. If scale is not nil, element
// i of each output row is multiplied by scale[i], or by scale[ScaleOffset+i] if r has a
// Table. out and in must not overlap. Reduce does nothing if r.N or r.Outputs is 0.
func (f Function) Reduce(out, in, scale []float32, r Rows) { f.reduce(out, in, scale, r, 1) }

// ReduceStride2 is Reduce for every second element of the input rows. Only Sum and Max
// have vector code.
func (f Function) ReduceStride2(out, in, scale []float32, r Rows) { f.reduce(out, in, scale, r, 2) }

func (f Function) reduce(out, in, scale []float32, r Rows, stride int) {
	if r.N <= 0 || r.Outputs <= 0 {
		return
	}
	// The assembly does no bounds checks.
	_ = out[(r.Outputs-1)*r.OutPitch+r.N-1]
	if r.Table == nil {
		r.check(in, scale, r.Outputs-1, stride)
	}
	for o := range r.Table[:min(len(r.Table), r.Outputs)] {
		r.check(in, scale, o, stride)
	}
	if vectorRows(f, out, in, scale, r, stride) {
		return
	}
	for o := range r.Outputs {
		to, row := out[o*r.OutPitch:][:r.N], r.row(o)
		for k := range row.Count {
			f.accumulate(to, in[row.Offset+k*r.Step:], stride, k == 0)
		}
		if scale != nil {
			for i, s := range scale[row.ScaleOffset:][:r.N] {
				to[i] *= s
			}
		}
	}
}

// check panics if in or scale is too short for output row o.
func (r *Rows) check(in, scale []float32, o, stride int) {
	row := r.row(o)
	if row.Count < 1 || row.Offset < 0 {
		panic("BUG: an output of no rows, or of rows before the input")
	}
	_ = in[row.Offset+(row.Count-1)*r.Step+(r.N-1)*stride]
	if scale != nil {
		_, _ = scale[row.ScaleOffset], scale[row.ScaleOffset+r.N-1]
	}
}

// accumulate combines out with every stride-th element of row. The first row overwrites
// out.
func (f Function) accumulate(out, row []float32, stride int, first bool) {
	for i := range out {
		x := f.term(row[i*stride])
		if !first {
			x = f.combine(out[i], x)
		}
		out[i] = x
	}
}

// ReduceSegments sets out[o] to the reduction of the n elements in[o*step:o*step+n], for
// each element of out. n must be positive. Segments may overlap.
func (f Function) ReduceSegments(out, in []float32, n, step int) {
	if len(out) == 0 {
		return
	}
	_ = in[(len(out)-1)*step+n-1] // the assembly does no bounds checks
	if vectorSegments(f, out, in, n, step) {
		return
	}
	for o := range out {
		segment := in[o*step:][:n]
		acc := f.term(segment[0])
		for _, x := range segment[1:] {
			acc = f.combine(acc, f.term(x))
		}
		out[o] = acc
	}
}

// maxNormalize is the length of the longest segment that Normalize accepts: its sums are
// accumulated in float32.
const maxNormalize = 1 << 14

// CanNormalize reports whether Normalize and DivideByNorms have code for segments of n elements.
func CanNormalize(n int) bool { return n > 0 && n <= maxNormalize && hasNormalize() }

// Normalize sets each segment of n elements of out to
//
//	(x - mean(x)) / (sqrt(mean((x-mean(x))^2) + epsInside) + epsOutside)
//
// for the same segment x of in. len(in) must be a multiple of n, and out must be as long
// as in. CanNormalize(n) must be true. out may be in.
func Normalize(out, in []float32, n int, epsInside, epsOutside float32) {
	if len(in) > 0 {
		_ = out[len(in)-1] // the assembly does no bounds checks
		vectorNormalize(out, in, n, epsInside, epsOutside)
	}
}

// DivideByNorms sets each segment of n elements of out to
//
//	x / sqrt(max(sum(x^2)+eps, least))
//
// for the same segment x of in. len(in) must be a multiple of n, and out must be as long
// as in. CanNormalize(n) must be true. out may be in.
func DivideByNorms(out, in []float32, n int, eps, least float32) {
	if len(in) > 0 {
		_ = out[len(in)-1] // the assembly does no bounds checks
		vectorDivideByNorms(out, in, n, eps, least)
	}
}

// term returns what x contributes to the reduction.
func (f Function) term(x float32) float32 {
	switch {
	case f == SumSquares:
		return x * x
	case f == SumAbs && x < 0:
		return -x
	}
	return x
}

// combine returns the reduction of the terms a and b.
func (f Function) combine(a, b float32) float32 {
	switch f {
	case Max:
		return max(a, b)
	case Min:
		return min(a, b)
	case Product:
		return a * b
	}
	return a + b
}
