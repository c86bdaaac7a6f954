package tile

import (
	"math"

	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/levels"
)

// NewQuads returns the tiling for quads.
func NewQuads() Tiling {
	if t, ok := quadsTiling(); ok {
		return t
	}
	return NewPortable()
}

// Quads is what MultiplyQuads does besides multiplying.
type Quads struct {
	// Flip is combined with each byte of b by exclusive or before b is multiplied, so that a byte
	// that was cleared counts as Flip. Where b has i8 or i16, it is ignored, and so it is where
	// IgnoresFlip is true.
	Flip uint8
	// Start[i] is added to the sums of row i, where b has i8 or i16, from which a zero point can be
	// subtracted. nil adds nothing.
	Start []int32
	// Scale[i] multiplies row i of c when the last block has been added, before Epilogue is
	// applied.
	Scale    []float32
	Epilogue Epilogue[float32] // without a ColumnBias
	// Bytes, if it is not nil, takes the results in the place of c, rounded to the nearest
	// integers, halves to even. Element i, j is Bytes[i*BytesStride + j]. The results are then
	// always clamped to Epilogue.Lo and Hi, which are 0 to 255 or a part of that.
	Bytes       []uint8
	BytesStride int
	// Levels, if it is not nil, means that Bytes takes the levels of the results. They are then
	// clamped only if Epilogue says so, to limits of any size. It is nil where HasLevels is false.
	Levels *Levels
}

// Levels are the bytes for the results of rows: the level of a result in row i is Level(x, i).
type Levels = levels.Levels

// MultiplyQuadBlock multiplies a block of quads. last reports whether it is the last one of the
// depth: then q is applied. block.Epilogue is nil. Sums are exact as long as they fit an int32.
// Between the blocks, c holds them in the place of float32. With Quads.Bytes, a product of one
// block does not use c.
func (k *Tiling) MultiplyQuadBlock(block *Block[float32], last bool, q *Quads) {
	if k.ISA != Portable {
		multiplyQuads(k, block, last, q)
		return
	}
	c, ldc, a, b, d, add := block.C, block.LDC, block.A, block.B, block.Depth, block.Add
	mLo, mHi, nLo, nHi := block.MLo, block.MHi, block.NLo, block.NHi
	for n := nLo; n < nHi; n++ {
		panelB, column := b[n/k.NR*k.NR*d:][:k.NR*d], n%k.NR
		for m := mLo; m < mHi; m++ {
			panelA, row := a[m/k.MR*k.MR*d:][:k.MR*d], m%k.MR
			sum := int32(0)
			if add {
				sum = int32(math.Float32bits(c[m*ldc+n]))
			}
			for p := range d {
				sum += dotQuad(math.Float32bits(panelA[p*k.MR+row]), math.Float32bits(panelB[p*k.NR+column])^q.Flips())
			}
			switch {
			case !last:
				c[m*ldc+n] = math.Float32frombits(uint32(sum))
			case q.Bytes != nil:
				q.Bytes[m*q.BytesStride+n] = uint8(math.RoundToEven(float64(q.finish(sum, m))))
			default:
				c[m*ldc+n] = q.finish(sum, m)
			}
		}
	}
}

// finish returns the result for a sum of row m.
func (q *Quads) finish(sum int32, m int) float32 {
	v := float32(float32(sum) * q.Scale[m])
	e := &q.Epilogue
	if e.RowBias != nil {
		v += e.RowBias[m]
	}
	if e.Clamp || q.Bytes != nil && q.Levels == nil {
		if !(v > e.Lo) { // NaN too
			v = e.Lo
		}
		v = min(v, e.Hi)
	}
	if q.Levels != nil {
		v = q.Levels.Level(v, m)
	}
	return v
}

// flips returns Flip for each byte of a quad.
func (q *Quads) Flips() uint32 { return pack.Flips(q.Flip) }

// dotQuad returns the sum of the products of four i8 and four u8.
func dotQuad(a, b uint32) int32 {
	sum := int32(0)
	for range 4 {
		sum += int32(int8(a)) * int32(uint8(b))
		a, b = a>>8, b>>8
	}
	return sum
}
