//go:build amd64 && !noasm

package tile

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return cpu.AMX.Available() }

// amxTiles is the argument of the functions that multiply tiles of AMX. _asm/amx.go depends on its
// layout. The functions configure the tiles and release them, so that no goroutine is moved to
// another thread between.
type amxTiles struct {
	config              *amxConfig
	a, b, c             unsafe.Pointer // to elements of 4 bytes
	stepA, stepB, stepC int            // bytes from one row of a tile to the next
	blockA, blockB      int            // bytes from one tile to the next along the depth
	lower               int            // bytes from a tile of a to the one below
	// bytes from one panel of a to the next one below, and from its rows of c
	panelA, panelC int
	steps          int // tiles along the depth
	count          int // panels of a
	add            int // 1 if c is added to, else 0
}

// amxConfig is the operand of LDTILECFG.
type amxConfig struct {
	palette uint8
	_       [15]uint8  // the row that an interrupted instruction starts at, and reserved ones
	bytes   [16]uint16 // of a row of each tile
	rows    [16]uint8  // of each tile
}

// amxProduct is what the elements of a and b are. _asm/amx.go has the same order.
type amxProduct uint8

const (
	amxBSUD   amxProduct = iota // quads of i8 and of u8
	amxBUSD                     // quads of u8 and of i8
	amxBF16PS                   // pairs of bf16
	amxFP16PS                   // pairs of f16
)

const (
	// AMXRows is the number of rows that are multiplied at once if their sums are not written to c,
	// and amxRows if they are. Tiles are configured for all of these, which takes as long as
	// multiplying several tiles.
	AMXRows, amxRows = 64, 256
	// minAMXRows is the number of rows of bytes from which on tiles pay. Loading those of b takes
	// as long as AVX-512 VNNI takes for a few rows.
	minAMXRows = 8
)

// amxSums are sums of rows and columns of c. Those of row m and column n are data[0].
type amxSums struct {
	data                []float32
	step                int // elements from one row to the next
	m, rows, n, columns int
}

// multiplyAMX multiplies a block, like multiplyTiles and multiplyQuads. finish says that f is
// applied to the sums. inC reports whether the results are written to c, which must be so if c is
// added to. t has the limits.
func multiplyAMX[E, C ~float32](t tile, product amxProduct, p *Product[E, C], inC bool, f *fused, finish bool) {
	add, d, tile := p.Block > 0, t.depth, amxDepth(t.depth)
	c, ldc := cast.Slice[float32](p.C), p.LDC
	var edge [AMXRows * AMXNR]float32
	tiles := amxTiles{stepB: 4 * AMXNR}
	tiles.setBlock(d, tile)
	if add {
		tiles.add = 1
	}
	for n := p.NLo; n < p.NHi; n += AMXNR {
		columns := min(AMXNR, p.NHi-n)
		direct, chunk := inC && columns%amxLines == 0, AMXRows
		if direct {
			chunk = amxRows
		}
		for m := p.MLo; m < p.MHi; m += chunk {
			s := amxSums{edge[:], AMXNR, m, min(chunk, p.MHi-m), n, columns}
			if direct {
				s.data, s.step = c[m*ldc+n:], ldc
			} else if add {
				for i := range s.rows {
					copy(edge[i*AMXNR:][:columns], c[(m+i)*ldc+n:])
				}
			}
			tiles.a, tiles.b, tiles.c = unsafe.Pointer(&p.A[m*d]), unsafe.Pointer(&p.B[n*d]), unsafe.Pointer(&s.data[0])
			tiles.stepC, tiles.panelC = 4*s.step, 4*s.step*AMXMR
			tiles.multiply(product, tile, s.rows, columns)
			switch {
			case !finish:
			case product < amxBF16PS:
				t.finishQuads(f, &p.Integers, &s)
			default:
				t.finishPairs(f, &s)
			}
			if inC && !direct {
				for i := range s.rows {
					copy(c[(m+i)*ldc+n:][:columns], edge[i*AMXNR:])
				}
			}
		}
	}
}

// setBlock sets the fields for panels of a and b that are packed with depth d, and have tiles of
// the given depth.
func (t *amxTiles) setBlock(d, tile int) {
	t.stepA, t.lower = 4*tile, 4*tile*amxLines
	t.blockA, t.blockB = 4*tile*AMXMR, 4*tile*AMXNR
	t.panelA, t.steps = 4*AMXMR*d, d/tile
}

// multiply multiplies rows of panels of a by a panel of b. d is the depth of a tile, columns the
// number of columns of c: 16 or 32 are written.
func (t amxTiles) multiply(product amxProduct, d, rows, columns int) {
	if t.count = rows / AMXMR; t.count > 0 {
		t.run(product, d, AMXMR, columns)
		rows -= t.count * AMXMR
	}
	if rows > 0 {
		t.a = unsafe.Add(t.a, t.count*t.panelA)
		t.c = unsafe.Add(t.c, t.count*t.panelC)
		t.count = 1
		t.run(product, d, rows, columns)
	}
}

// run multiplies t.count panels of a, with up to AMXMR rows each.
func (t amxTiles) run(product amxProduct, d, rows, columns int) {
	config := amxConfig{palette: 1}
	set := func(tile, rows, elements int) {
		config.rows[tile], config.bytes[tile] = uint8(rows), uint16(4*elements)
	}
	below, beside := (rows+amxLines-1)/amxLines, (columns+amxLines-1)/amxLines
	for i := range below {
		n := min(rows-amxLines*i, amxLines)
		for j := range beside {
			set(2*i+j, n, amxLines)
		}
		set(4+i, n, d)
	}
	for j := range beside {
		set(6+j, d, amxLines)
	}
	if !cpu.AMX.Available() || product == amxFP16PS && !cpu.AMXFP16.Available() { // in tests
		t.runPortable(product, d, rows, beside*amxLines)
		return
	}
	t.config = &config
	runAMX((*byte)(unsafe.Pointer(&t)), product, below, beside)
}

// runPortable does what the instructions do, bit by bit.
func (t *amxTiles) runPortable(product amxProduct, d, rows, columns int) {
	for panel := range t.count {
		for i := range rows {
			for j := range columns {
				sum := amxElement(t.c, panel*t.panelC+i*t.stepC+4*j)
				if t.add == 0 {
					*sum = 0
				}
				for step := range t.steps {
					a := panel*t.panelA + i/amxLines*t.lower + i%amxLines*t.stepA + step*t.blockA
					b := 4*j + step*t.blockB
					if product >= amxBF16PS {
						t.addPairs(product == amxFP16PS, sum, a, b, d)
						continue
					}
					for p := range d {
						x, y := math.Float32bits(*amxElement(t.a, a+4*p)), math.Float32bits(*amxElement(t.b, b+p*t.stepB))
						if product == amxBUSD {
							x, y = y, x
						}
						*sum = math.Float32frombits(math.Float32bits(*sum) + uint32(dotQuad(x, y)))
					}
				}
			}
		}
	}
}

// addPairs adds the products of d pairs to sum: those of the first numbers of the pairs, and those
// of the second, are sums of their own. The numbers are f16 or bf16.
func (t *amxTiles) addPairs(f16 bool, sum *float32, a, b, d int) {
	var sums [2]float32
	for p := range d {
		x, y := math.Float32bits(*amxElement(t.a, a+4*p)), math.Float32bits(*amxElement(t.b, b+p*t.stepB))
		for i := range sums {
			v, w := pack.PairNumber(f16, x>>(16*i)), pack.PairNumber(f16, y>>(16*i))
			if !f16 { // the subnormal numbers of f16 count
				v, w = flush(v), flush(w)
			}
			// A product is exact in float64, and the sum differs from the exact one only where that
			// does not change its rounding to float32.
			sums[i] = flush(float32(float64(v)*float64(w) + float64(sums[i])))
		}
	}
	*sum = flush(flush(*sum) + flush(sums[0]+sums[1]))
}

// flush returns 0 in the place of a subnormal number, with the same sign.
func flush(x float32) float32 {
	if bits := math.Float32bits(x); bits&0x7f800000 == 0 {
		return math.Float32frombits(bits & (1 << 31))
	}
	return x
}

// amxElement returns the element some bytes behind another.
func amxElement(base unsafe.Pointer, bytes int) *float32 {
	return (*float32)(unsafe.Add(base, bytes))
}

// AMXRowsPay reports whether MultiplyAMXRows is faster than products by AVX-512 VNNI, for a number
// of rows of bytes that have the given number of quads.
func AMXRowsPay(rows, quads int) bool {
	return rows >= minAMXRows && amxDepth(quads) >= minAMXDepth && HasAMX()
}

// MultiplyAMXRows sets c to the product of up to AMXRows rows of a, u8 that are stride elements
// apart, and a panel of 32 columns of b, whose quads of i8 follow each other. Rows of c are step
// elements apart. It does not check bounds.
func MultiplyAMXRows(c []pack.Sum, step int, a []uint8, stride, rows int, b []int8) {
	quads := len(b) / (4 * AMXNR)
	d := amxDepth(quads)
	tiles := amxTiles{
		a: unsafe.Pointer(&a[0]), b: unsafe.Pointer(&b[0]), c: unsafe.Pointer(&c[0]),
		stepA: stride, stepB: 4 * AMXNR, stepC: 4 * step,
		blockA: 4 * d, blockB: 4 * AMXNR * d, lower: amxLines * stride, panelA: AMXMR * stride, panelC: 4 * AMXMR * step,
		steps: quads / d,
	}
	tiles.multiply(amxBUSD, d, rows, AMXNR)
}
