// Package reduction joins float32 of a tensor to fewer: rows to their sums, maxima and the
// like, column by column, and lines to one number each. Pooling, reductions and
// normalizations are made of it. There is vector code for it where the machine has AVX2.
package reduction

// Function names what is made of elements.
type Function uint8

// The functions. The maximum and the minimum are NaN where an element is.
const (
	Sum Function = iota
	Max
	Min
	Product
	Magnitudes // the sum of the absolute values
	Squares    // the sum of the squares
	numFunctions
)

// Rows says which rows are joined. Output o of Outs has N elements; element i of it
// is made of Count elements, those at o*InPitch + r*Step + i of the input for each r
// below Count, and stands at o*OutPitch + i. Pairs takes 2*i for i in the input. No
// number is negative.
type Rows struct {
	N, Count, Step          int
	Outs, InPitch, OutPitch int
	// Table, if not nil, says more of each output.
	Table []Row
}

// Row is what is different for an output: Count stands for Rows.Count, At is added to
// where its elements are in the input, and Scale to where those of scale are.
type Row struct{ At, Count, Scale int }

// row returns what holds for output o.
func (r *Rows) row(o int) Row {
	row := Row{o * r.InPitch, r.Count, 0}
	if r.Table != nil {
		row = Row{row.At + r.Table[o].At, r.Table[o].Count, r.Table[o].Scale}
	}
	return row
}

// Join joins rows. What it makes is multiplied by scale, element i of each output by
// scale[i], if that is not nil. out and in do not overlap.
func (f Function) Join(out, in, scale []float32, r Rows) { f.join(out, in, scale, r, 1) }

// Pairs is Join for every other element of the rows. It takes Sum and Max.
func (f Function) Pairs(out, in, scale []float32, r Rows) { f.join(out, in, scale, r, 2) }

func (f Function) join(out, in, scale []float32, r Rows, stride int) {
	if r.N <= 0 || r.Outs <= 0 {
		return
	}
	// The assembly checks nothing.
	_ = out[(r.Outs-1)*r.OutPitch+r.N-1]
	if r.Table == nil {
		r.check(in, scale, r.Outs-1, stride)
	}
	for o := range r.Table[:min(len(r.Table), r.Outs)] {
		r.check(in, scale, o, stride)
	}
	if vectorRows(f, out, in, scale, r, stride) {
		return
	}
	for o := range r.Outs {
		to, row := out[o*r.OutPitch:][:r.N], r.row(o)
		for k := range row.Count {
			f.take(to, in[row.At+k*r.Step:], stride, k == 0)
		}
		if scale != nil {
			for i, s := range scale[row.Scale:][:r.N] {
				to[i] *= s
			}
		}
	}
}

// check panics unless in and scale hold all of output o.
func (r *Rows) check(in, scale []float32, o, stride int) {
	row := r.row(o)
	if row.Count < 1 || row.At < 0 {
		panic("BUG: an output of no rows, or of rows before the input")
	}
	_ = in[row.At+(row.Count-1)*r.Step+(r.N-1)*stride]
	if scale != nil {
		_, _ = scale[row.Scale], scale[row.Scale+r.N-1]
	}
}

// take joins every stride-th element of a row to out, which holds nothing before the
// first row.
func (f Function) take(out, row []float32, stride int, first bool) {
	for i := range out {
		x := f.term(row[i*stride])
		if !first {
			x = f.of(out[i], x)
		}
		out[i] = x
	}
}

// Lines sets element o of out to what n elements of in from o*step on make, for each
// of out. n is not 0.
func (f Function) Lines(out, in []float32, n, step int) {
	if len(out) == 0 {
		return
	}
	_ = in[(len(out)-1)*step+n-1] // the assembly checks nothing
	if vectorLines(f, out, in, n, step) {
		return
	}
	for o := range out {
		line := in[o*step:][:n]
		acc := f.term(line[0])
		for _, x := range line[1:] {
			acc = f.of(acc, f.term(x))
		}
		out[o] = acc
	}
}

// maxLine bounds the elements that Normalize adds up in float32.
const maxLine = 1 << 14

// Normalizes reports whether Normalize has code for lines of n elements.
func Normalizes(n int) bool { return n > 0 && n <= maxLine && hasVectors() }

// Normalize sets each line of n elements of out to
//
//	(x - mean(x)) / (sqrt(mean((x-mean(x))^2) + inside) + outside)
//
// of the same line of in, which has a whole number of them and as many elements as
// out. It is called where Normalizes says so; out may be in.
func Normalize(out, in []float32, n int, inside, outside float32) {
	if len(in) > 0 {
		_ = out[len(in)-1] // the assembly checks nothing
		vectorNormalize(out, in, n, inside, outside)
	}
}

func (f Function) term(x float32) float32 {
	switch {
	case f == Squares:
		return x * x
	case f == Magnitudes && x < 0:
		return -x
	}
	return x
}

func (f Function) of(a, b float32) float32 {
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
