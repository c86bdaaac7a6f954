package tile

// Product is a block of the depth of a product. Rows MLo to MHi-1 and columns NLo to NHi-1 of c
// become the product of a and b:
//
//	c[i,j] = sum over p of a[i,p]*b[p,j]
//
// E is the type of the elements of a and b, C that of the results.
type Product[E, C ~float32] struct {
	C    []C
	LDC  int // elements from one row of c to the next
	A, B []E // all panels of the block, as package pack writes them
	// Depth is that of all blocks. Block 0 sets c, the other blocks add to it. Between the blocks
	// of quads, c holds sums.
	Depth, Block int
	// MLo is a multiple of MR, NLo of NR.
	MLo, MHi, NLo, NHi int
	// Steps is what is done with the last block.
	Steps []Step
	Integers
}

// Integers is what a product of quads has besides.
type Integers struct {
	// Flip is combined with each byte of b by exclusive or before b is multiplied, so that a byte
	// that was cleared counts as Flip. Where b has i8 or i16, it is ignored, and so it is where
	// IgnoresFlip is true.
	Flip uint8
	// Start[i] is added to the sums of row i, where b has i8 or i16, from which a zero point can be
	// subtracted. nil adds nothing.
	Start []int32
	// Bytes, if it is not nil, takes the results of the last block in the place of c, rounded to
	// the nearest integers, halves to even. Element i, j is Bytes[i*BytesStride + j]. A product of
	// one block does not use c then.
	Bytes       []uint8
	BytesStride int
}

// Empty reports whether p has no element of c.
func (p *Product[E, C]) Empty() bool { return p.MLo >= p.MHi || p.NLo >= p.NHi }

// Step is something that is done to the elements of c when their sums are complete.
type Step struct {
	Op Op
	// Values has a number for each row of c, or for each column.
	Values []float32
	Shift  []float32 // of ToLevels
	Lo, Hi float32
}

// Op is the operation of a Step, on an element x. The steps of a product are in this order, each
// operation once at most. Those marked with Q are for quads only, and those marked with F for
// float32 and pairs.
type Op uint8

const (
	ScaleRows  Op = iota // Q: x*Values[row]; always there
	AddRows              // x + Values[row]
	AddColumns           // F: x + Values[column]
	// Clamp is min(max(x, Lo), Hi), and Lo for NaN. Results that become bytes without ToLevels must
	// be clamped to 0 to 255 or a part of that.
	Clamp
	// HSwish is x*(min(max(x+3, 0), 6)/6), with 1/6 rounded. Q, with ToLevels behind it.
	HSwish
	// SlopeRows multiplies negative x by Values[row], which is finite. Q, with ToLevels behind it.
	SlopeRows
	// ToLevels is x*Values[row] + Shift[row], clamped to 0 to Hi, which is at most 255, and 0 for
	// NaN. Q, for results that are bytes, where HasLevels is true.
	ToLevels
)

// MaxSteps is the largest number of steps that a Product can have.
const MaxSteps = int(ToLevels) + 1

// fused are steps in the places that the assembly has for them. nil means that there is no such
// step.
type fused struct {
	scale, rowBias, columnBias    []float32
	clamp, hSwish                 bool
	lo, hi                        float32
	slope, levelScale, levelShift []float32
	levelMax                      float32
}

// checked returns x. It panics if x has less than n elements: the assembly does not check bounds.
func checked(x []float32, n int) []float32 {
	_ = x[n-1]
	return x
}

// fuse returns the fused steps for rows up to rows-1 and columns up to columns-1.
func fuse(steps []Step, rows, columns int) (f fused) {
	next := ScaleRows
	for i := range steps {
		s := &steps[i]
		if s.Op < next {
			panic("BUG: steps of a product in another order")
		}
		next = s.Op + 1
		switch s.Op {
		case ScaleRows:
			f.scale = checked(s.Values, rows)
		case AddRows:
			f.rowBias = checked(s.Values, rows)
		case AddColumns:
			f.columnBias = checked(s.Values, columns)
		case Clamp:
			f.clamp, f.lo, f.hi = true, s.Lo, s.Hi
		case HSwish:
			f.hSwish = true
		case SlopeRows:
			f.slope = checked(s.Values, rows)
		case ToLevels:
			f.levelScale, f.levelShift, f.levelMax = checked(s.Values, rows), checked(s.Shift, rows), s.Hi
		}
	}
	return f
}

// fuse returns the fused steps of p if its block is the last one, and whether it is.
func (p *Product[E, C]) fuse(t *Tiling) (f fused, last bool) {
	if p.Block < t.Blocks(p.Depth)-1 {
		return f, false
	}
	return fuse(p.Steps, p.MHi, p.NHi), true
}

// Apply applies the steps of a product of float32 or pairs to rows mLo to mHi-1 and columns nLo to
// nHi-1 of c.
func Apply(steps []Step, c []float32, ldc, mLo, mHi, nLo, nHi int) {
	if len(steps) > 0 {
		f := fuse(steps, mHi, nHi)
		f.apply(c[mLo*ldc+nLo:], ldc, mLo, mHi, nLo, nHi)
	}
}

// apply applies the steps to rows mLo to mHi-1 and columns nLo to nHi-1. c starts with them.
func (f *fused) apply(c []float32, ldc, mLo, mHi, nLo, nHi int) {
	var zero float32
	for m := mLo; m < mHi; m++ {
		row := c[(m-mLo)*ldc:][:nHi-nLo]
		bias := -zero // which changes no number that it is added to
		if f.rowBias != nil {
			bias = f.rowBias[m]
		}
		if f.columnBias != nil {
			for j, columnBias := range f.columnBias[nLo:nHi] {
				row[j] = row[j] + bias + columnBias
			}
			bias = -zero
		}
		if f.clamp {
			clamp(row, bias, f.lo, f.hi)
		} else if f.columnBias == nil {
			for j := range row {
				row[j] += bias
			}
		}
	}
}

// clamp adds bias to the elements of x, and limits the sums to the range from lo to hi. NaN becomes
// lo.
func clamp(x []float32, bias, lo, hi float32) {
	for i, v := range x {
		v += bias
		if !(v > lo) {
			v = lo
		}
		if v > hi { // the function min is a call on wasm
			v = hi
		}
		x[i] = v
	}
}

// result returns the result of quads for a sum of row m.
func (f *fused) result(sum int32, m int) float32 {
	v := float32(float32(sum) * f.scale[m])
	if f.rowBias != nil {
		v += f.rowBias[m]
	}
	if f.clamp {
		if !(v > f.lo) { // NaN too
			v = f.lo
		}
		v = min(v, f.hi)
	}
	if f.hSwish {
		v *= float32(min(max(v+3, 0), 6) * float32(1./6))
	}
	if f.slope != nil && v < 0 {
		v *= f.slope[m]
	}
	if f.levelScale == nil {
		return v
	}
	if v = float32(v*f.levelScale[m]) + f.levelShift[m]; !(v > 0) { // NaN too
		return 0
	}
	return min(v, f.levelMax)
}
