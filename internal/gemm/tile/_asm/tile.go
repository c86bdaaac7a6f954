package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of tile in float32_amd64.go.
const (
	fieldA, fieldB, fieldC        = 0, 8, 16
	fieldDepth, fieldLDC          = 24, 32
	fieldRowBias, fieldColumnBias = 40, 48
	fieldFlags, fieldColumns      = 56, 64
	fieldLo, fieldHi, fieldMask   = 72, 76, 80
	fieldAhead, fieldRows         = 112, 120
	fieldRowScale, fieldFlip      = 128, 136
	fieldBytes, fieldStepBytes    = 144, 152
	fieldRowStart, fieldTiles     = 160, 168
	fieldLevelScale               = 176
	fieldLevelShift               = 184
	fieldLevelSlope               = 192
	fieldLevelMax                 = 200
)

// The bits of tile.flags, as in float32_amd64.go.
const (
	flagAdd, flagClamp, flagPartial, flagHSwish = 1, 2, 4, 8
)

// unroll is the largest number of steps of the depth in the main loop.
const unroll = 4

// chains is the number of independent sums that hide the latency of an addition.
const chains = 8

// tiles generates the micro-kernels for the numbers of rows and of columns.
func tiles(s *isa) {
	for _, widths := range s.widths {
		for _, rows := range s.tileRows() {
			(&tileKernel{isa: s, rows: rows, widths: widths}).generate()
		}
	}
}

// tileName returns the name of a micro-kernel.
func tileName(s *isa, rows, columns int) string {
	return fmt.Sprintf("tile%s_%dx%d", s.name, rows, columns)
}

// argument is the pointer to the tile that a micro-kernel computes.
type argument struct{ t Register }

// tileKernel generates a micro-kernel. If its tile is small, each element has several sums:
// sums[p%len(sums)] takes the products at depth p.
type tileKernel struct {
	*isa
	argument
	rows   int
	widths []int          // lanes of each vector of a row
	sums   [][]VecVirtual // sets of sums; a set is in row-major order
	// steps of the depth in the main loop: fewer if a step has many instructions
	unroll int
	a      Register   // behind what was read of a
	last   VecVirtual // AVX2: mask of the lanes of the last vector that are written
}

// columns returns the number of columns.
func (k *tileKernel) columns() int {
	n := 0
	for _, w := range k.widths {
		n += w
	}
	return n
}

// vector returns a register with the given number of lanes, 16 or 8.
func vector(lanes int) VecVirtual {
	if lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// part returns the first lanes of x.
func part(x VecVirtual, lanes int) Register {
	if lanes == 16 {
		return x.AsZ()
	}
	return x.AsY()
}

func (k *tileKernel) generate() {
	name := tileName(k.isa, k.rows, k.columns())
	TEXT(name, NOSPLIT, "func(t *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes a tile with %d rows and up to %d columns. t is a tile.", name, k.rows, k.columns()))
	k.t = Load(Param("t"), GP64())
	if k.repeats() {
		Label("next")
	}
	sets := 1
	for k.rows*len(k.widths)*sets < chains && sets < unroll {
		sets *= 2
	}
	k.unroll = unroll
	if k.rows*len(k.widths) >= chains {
		k.unroll = unroll / 2
	}
	for range sets {
		set := make([]VecVirtual, 0, k.rows*len(k.widths))
		for range k.rows {
			for _, w := range k.widths {
				set = append(set, vector(w))
				zero(k.isa, set[len(set)-1])
			}
		}
		k.sums = append(k.sums, set)
	}
	k.prefetch()
	k.loop()
	for sets := len(k.sums); sets > 1; sets /= 2 {
		for i := range sets / 2 {
			for j, sum := range k.sums[i] {
				k.add(k.sums[i+sets/2][j], sum)
			}
		}
	}
	k.store()
	VZEROUPPER()
	RET()
}

// repeats reports whether the micro-kernel computes several tiles below each other, if it writes
// whole vectors of bytes.
func (k *tileKernel) repeats() bool { return k.words && k.rows == k.isa.rows }

// repeat moves the tile down by its rows and jumps to the start, unless it was the last one. bytes
// is where it writes.
func (k *tileKernel) repeat(bytes Register) {
	DECQ(k.field(fieldTiles))
	JE(LabelRef("end"))
	MOVQ(k.a, k.field(fieldA))
	MOVQ(bytes, k.field(fieldBytes))
	ldc := k.load(fieldLDC)
	IMUL3Q(Imm(uint64(k.rows)), ldc, ldc)
	ADDQ(ldc, k.field(fieldC))
	ADDQ(Imm(uint64(4*k.rows)), k.field(fieldRowScale))
	for _, field := range []int{fieldRowBias, fieldRowStart} {
		numbers := k.load(field)
		next := GP64()
		LEAQ(Mem{Base: numbers, Disp: 4 * k.rows}, next)
		TESTQ(numbers, numbers)
		CMOVQNE(next, numbers)
		MOVQ(numbers, k.field(field))
	}
	JMP(LabelRef("next"))
	Label("end")
}

// add adds x to sum.
func (s *isa) add(x Op, sum VecVirtual) {
	if s.quads {
		VPADDD(x, sum, sum)
	} else {
		VADDPS(x, sum, sum)
	}
}

// field returns a field of the tile.
func (a argument) field(at int) Mem { return Mem{Base: a.t, Disp: at} }

// load loads a field of the tile.
func (a argument) load(at int) Register {
	r := GP64()
	MOVQ(a.field(at), r)
	return r
}

// zero sets a vector to zero.
func zero(s *isa, v VecVirtual) {
	if s.masks {
		VPXORD(v, v, v)
		return
	}
	VXORPS(v, v, v)
}

// prefetch prefetches the tile of c, which is read and written after the loop.
func (k *tileKernel) prefetch() {
	c, ldc := k.load(fieldC), k.load(fieldLDC)
	for i := range k.rows {
		if i > 0 {
			ADDQ(ldc, c)
		}
		PREFETCHT0(Mem{Base: c})
		PREFETCHT0(Mem{Base: c, Disp: k.columns()*4 - 4})
	}
}

// loop adds up the products. Panels always have the rows and columns of the largest tile, even if
// this micro-kernel uses fewer.
func (k *tileKernel) loop() {
	a, b, depth, ahead := k.load(fieldA), k.load(fieldB), k.load(fieldDepth), k.load(fieldAhead)
	k.a = a
	stepA, stepB := k.isa.rows*4, k.isa.columns*k.size()
	var flip VecVirtual
	if k.quads && !k.words {
		flip = vector(k.widths[0])
		VPBROADCASTD(k.field(fieldFlip), flip)
	}
	step := func(p int) {
		set := k.sums[p%len(k.sums)]
		vectors := make([]VecVirtual, len(k.widths))
		for j, w := range k.widths {
			vectors[j] = vector(w)
			m := Mem{Base: b, Disp: p*stepB + j*k.widths[0]*k.size()}
			switch {
			case k.half == "f16":
				VCVTPH2PS(m, vectors[j])
			case k.half == "bf16":
				VPMOVZXWD(m, vectors[j])
				VPSLLD(Imm(16), vectors[j], vectors[j])
			case flip == nil:
				VMOVUPS(m, vectors[j])
			case k.masks:
				VPXORD(m, flip, vectors[j])
			default:
				VPXOR(m, flip, vectors[j])
			}
		}
		for i := range k.rows {
			x := vector(k.widths[0])
			VBROADCASTSS(Mem{Base: a, Disp: p*stepA + i*4}, x)
			for j, v := range vectors {
				switch sum := set[i*len(vectors)+j]; {
				case k.quads && !k.words:
					VPDPBUSD(x, v, sum) // with VEX without masks: see internal/vex
				case k.quads:
					product := YMM()
					VPMADDWD(x, v, product)
					VPADDD(product, sum, sum)
				case k.pairs:
					VPDPWSSD(part(x, k.widths[j]), v, sum) // VDPBF16PS: see encode
				default:
					VFMADD231PS(v, part(x, k.widths[j]), sum)
				}
			}
		}
	}
	CMPQ(depth, Imm(uint64(k.unroll)))
	JL(LabelRef("rest"))
	Label("loop")
	prefetchA(a, stepA, k.unroll)
	lines := k.linesAhead()
	for p := range k.unroll {
		for i := p * lines / k.unroll; i < (p+1)*lines/k.unroll; i++ {
			PREFETCHT1(Mem{Base: ahead, Disp: i * 64})
		}
		step(p)
	}
	ADDQ(U32(uint32(lines*64)), ahead)
	ADDQ(U32(uint32(k.unroll*stepA)), a)
	ADDQ(U32(uint32(k.unroll*stepB)), b)
	SUBQ(Imm(uint64(k.unroll)), depth)
	CMPQ(depth, Imm(uint64(k.unroll)))
	JGE(LabelRef("loop"))
	Label("rest")
	TESTQ(depth, depth)
	JE(LabelRef("done"))
	Label("one")
	step(0)
	ADDQ(U32(uint32(stepA)), a)
	ADDQ(U32(uint32(stepB)), b)
	DECQ(depth)
	JNE(LabelRef("one"))
	Label("done")
}

// size returns the bytes of an element of b.
func (s *isa) size() int {
	if s.half != "" {
		return 2
	}
	return 4
}

// prefetchA prefetches what a number of steps of the loop reads of a, 64 steps before. The filters
// of a convolution are panels of a, and come from memory while they are used.
func prefetchA(a Register, stepA, steps int) {
	for at := 0; at < steps*stepA; at += 64 {
		PREFETCHT0(Mem{Base: a, Disp: 64*stepA + at})
	}
}

// linesAhead returns the number of cache lines of the next panel of b that are prefetched in an
// iteration of the loop. A panel of b usually has many tiles with all rows, which share the work. A
// tile with fewer rows may be the only one of its panel.
func (k *tileKernel) linesAhead() int {
	lines := k.unroll * k.isa.columns * k.size() / 64
	if k.rows == k.isa.rows {
		return lines / 4
	}
	return lines
}

// store adds c and the biases, clamps, and writes the tile. AVX-512 always masks the last vector.
// AVX2 has separate code for a partial vector, since its masked stores are slow.
func (k *tileKernel) store() {
	flags := k.load(fieldFlags)
	if k.masks {
		columns := k.load(fieldColumns)
		KMOVW(columns.(GPVirtual).As32(), K1)
		k.epilogue("", flags, false)
		return
	}
	TESTQ(U32(flagPartial), flags)
	JNE(LabelRef("part"))
	k.epilogue("", flags, false)
	VZEROUPPER()
	RET()
	Label("part")
	k.last = YMM()
	VMOVUPS(k.field(fieldMask), k.last)
	k.epilogue("part_", flags, true)
}

// epilogue does the work of store. Its labels start with prefix. masked reports whether the last
// vector is partial.
func (k *tileKernel) epilogue(prefix string, flags Register, masked bool) {
	sums, vectors := k.sums[0], len(k.widths)
	c, ldc := k.load(fieldC), k.load(fieldLDC)

	TESTQ(U32(flagAdd), flags)
	JE(LabelRef(prefix + "rows"))
	k.eachRow(c, ldc, func(i, j int, m Mem) { k.addMemory(m, sums[i*vectors+j], j, masked) })

	Label(prefix + "rows")
	if k.quads {
		k.scale(prefix, sums)
	}
	bias := k.load(fieldRowBias)
	TESTQ(bias, bias)
	JE(LabelRef(prefix + "columns"))
	for i := range k.rows {
		x := vector(k.widths[0])
		VBROADCASTSS(Mem{Base: bias, Disp: 4 * i}, x)
		for j, w := range k.widths {
			VADDPS(part(x, w), sums[i*vectors+j], sums[i*vectors+j])
		}
	}

	Label(prefix + "columns")
	bias = k.load(fieldColumnBias)
	TESTQ(bias, bias)
	JE(LabelRef(prefix + "clamp"))
	for j, w := range k.widths {
		x := vector(w)
		k.read(Mem{Base: bias, Disp: j * k.widths[0] * 4}, x, j, masked)
		for i := range k.rows {
			VADDPS(x, sums[i*vectors+j], sums[i*vectors+j])
		}
	}

	Label(prefix + "clamp")
	TESTQ(U32(flagClamp), flags)
	if k.levels() {
		JE(LabelRef("levels"))
	} else {
		JE(LabelRef(prefix + "write"))
	}
	lo, hi := vector(k.widths[0]), vector(k.widths[0])
	VBROADCASTSS(k.field(fieldLo), lo)
	VBROADCASTSS(k.field(fieldHi), hi)
	for i, sum := range sums {
		w := k.widths[i%vectors]
		VMAXPS(part(lo, w), sum, sum) // lo if sum is NaN
		VMINPS(part(hi, w), sum, sum)
	}

	if k.levels() {
		k.setLevels(sums, flags)
	}
	if k.quads && !masked {
		k.writeBytes(prefix, sums, masked)
	}
	Label(prefix + "write")
	k.eachRow(c, ldc, func(i, j int, m Mem) { k.write(sums[i*vectors+j], m, j, masked) })
}

// scale converts the sums of quads to float32 and multiplies each row by its scale. Without scales,
// it ends the micro-kernel with the sums as they are. It adds the start of each row to its sums of
// i16 first.
func (k *tileKernel) scale(prefix string, sums []VecVirtual) {
	scale := k.load(fieldRowScale)
	TESTQ(scale, scale)
	JE(LabelRef(prefix + "write"))
	if k.words {
		start := k.load(fieldRowStart)
		TESTQ(start, start)
		JE(LabelRef(prefix + "scale"))
		for i := range k.rows {
			x := YMM()
			VPBROADCASTD(Mem{Base: start, Disp: 4 * i}, x)
			for j := range k.widths {
				VPADDD(x, sums[i*len(k.widths)+j], sums[i*len(k.widths)+j])
			}
		}
		Label(prefix + "scale")
	}
	for i := range k.rows {
		x := vector(k.widths[0])
		VBROADCASTSS(Mem{Base: scale, Disp: 4 * i}, x)
		for j := range k.widths {
			sum := sums[i*len(k.widths)+j]
			VCVTDQ2PS(sum, sum)
			VMULPS(x, sum, sum)
		}
	}
}

// levels reports whether the micro-kernels of quads compute levels: those with enough registers do.
func (s *isa) levels() bool { return s.quads && s.masks }

// setLevels replaces the results by their levels, if the tile asks for that.
func (k *tileKernel) setLevels(sums []VecVirtual, flags Register) {
	Label("levels")
	scale, shift := k.load(fieldLevelScale), k.load(fieldLevelShift)
	TESTQ(scale, scale)
	JE(LabelRef("bytes"))
	hswish(sums, flags)
	x, y := ZMM(), ZMM()
	n := len(k.widths)
	slope := k.load(fieldLevelSlope)
	TESTQ(slope, slope)
	JE(LabelRef("sloped"))
	VPXORD(y, y, y)
	for i := range k.rows {
		VBROADCASTSS(Mem{Base: slope, Disp: 4 * i}, x)
		for _, sum := range sums[i*n:][:n] {
			multiplyNegative(sum, x, y)
		}
	}
	Label("sloped")
	for i := range k.rows {
		VBROADCASTSS(Mem{Base: scale, Disp: 4 * i}, x)
		VBROADCASTSS(Mem{Base: shift, Disp: 4 * i}, y)
		for _, sum := range sums[i*n:][:n] {
			VMULPS(x, sum, sum)
			VADDPS(y, sum, sum)
		}
	}
	VPXORD(x, x, x)
	VBROADCASTSS(k.field(fieldLevelMax), y)
	for _, sum := range sums {
		VMAXPS(x, sum, sum) // 0 if sum is NaN
		VMINPS(y, sum, sum)
	}
	Label("bytes")
}

// multiplyNegative multiplies the negative elements of sum by those of slope.
func multiplyNegative(sum, slope, zero VecVirtual) {
	negative := ZMM()
	VMINPS(zero, sum, negative)
	VMULPS(slope, negative, negative)
	VMAXPS(zero, sum, sum)
	VADDPS(negative, sum, sum)
}

// hswish replaces each element x of sums by x*(min(max(x+3, 0), 6)/6), with 1/6 rounded, if flags
// has flagHSwish.
func hswish(sums []VecVirtual, flags Register) {
	TESTQ(U32(flagHSwish), flags)
	JE(LabelRef("scaled"))
	number := func(x float32) VecVirtual {
		bits, v := GP32(), ZMM()
		MOVL(U32(math.Float32bits(x)), bits)
		VPBROADCASTD(bits, v)
		return v
	}
	three, zero, six, sixth := number(3), number(0), number(6), number(1./6)
	for _, sum := range sums {
		x := ZMM()
		VADDPS(three, sum, x)
		VMAXPS(zero, x, x)
		VMINPS(six, x, x)
		VMULPS(sixth, x, x)
		VMULPS(x, sum, sum)
	}
	Label("scaled")
}

// writeBytes rounds the results and writes them as bytes, if the tile asks for that, and ends the
// micro-kernel. Without masks, it writes all columns.
func (k *tileKernel) writeBytes(prefix string, sums []VecVirtual, masked bool) {
	row, step := k.load(fieldBytes), k.load(fieldStepBytes)
	TESTQ(row, row)
	JE(LabelRef(prefix + "write"))
	for i := range k.rows {
		of := sums[i*len(k.widths):][:len(k.widths)]
		for _, sum := range of {
			VCVTPS2DQ(sum, sum)
		}
		if k.masks {
			for j, sum := range of {
				if m := (Mem{Base: row, Disp: j * 16}); k.whole(j, false) {
					VPMOVDB(sum, m)
				} else {
					VPMOVDB(sum, K1, m)
				}
			}
		} else {
			packBytes(of, Mem{Base: row})
		}
		ADDQ(step, row)
	}
	if k.repeats() && !masked {
		k.repeat(row)
	}
	VZEROUPPER()
	RET()
}

// packBytes writes one or two vectors of eight integers of 0 to 255 as bytes. Packing works on
// halves of the vectors, so that the first halves of both follow each other; VPUNPCKLDQ puts them
// in order.
func packBytes(of []VecVirtual, m Mem) {
	first, last := of[0], of[len(of)-1]
	VPACKSSDW(last, first, first)
	VPACKUSWB(first, first, first)
	half := XMM()
	VEXTRACTI128(Imm(1), first, half)
	VPUNPCKLDQ(half, first.AsX(), half)
	if len(of) > 1 {
		VMOVDQU(half, m)
	} else {
		VMOVQ(half, m)
	}
}

// eachRow calls f with every vector of c, row by row.
func (k *tileKernel) eachRow(c, ldc Register, f func(i, j int, m Mem)) {
	row := GP64()
	MOVQ(c, row)
	for i := range k.rows {
		if i > 0 {
			ADDQ(ldc, row)
		}
		for j := range k.widths {
			f(i, j, Mem{Base: row, Disp: j * k.widths[0] * 4})
		}
	}
}

// whole reports whether vector j of a row is read and written without a mask.
func (k *tileKernel) whole(j int, masked bool) bool {
	return j < len(k.widths)-1 || !k.masks && !masked
}

// addMemory adds vector j of a row to sum.
func (k *tileKernel) addMemory(m Mem, sum VecVirtual, j int, masked bool) {
	if k.whole(j, masked) {
		k.add(m, sum)
		return
	}
	x := vector(k.widths[j])
	k.read(m, x, j, masked)
	k.add(x, sum)
}

// read loads vector j of a row.
func (k *tileKernel) read(m Mem, x VecVirtual, j int, masked bool) {
	switch {
	case k.whole(j, masked):
		VMOVUPS(m, x)
	case k.masks:
		VMOVUPS_Z(m, K1, x)
	default:
		VMASKMOVPS(m, k.last, x)
	}
}

// write stores vector j of a row.
func (k *tileKernel) write(x VecVirtual, m Mem, j int, masked bool) {
	switch {
	case k.whole(j, masked):
		VMOVUPS(x, m)
	case k.masks:
		VMOVUPS(x, K1, m)
	default:
		VMASKMOVPS(x, k.last, m)
	}
}
