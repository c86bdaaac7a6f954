package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of job in kernel_amd64.go.
const (
	jobCodes, jobX, jobOut        = 0, 8, 16
	jobScales, jobZeros, jobTable = 24, 32, 40
	jobGroups, jobOctets          = 48, 56
	jobStepX, jobStepOut          = 64, 72
	jobStepScales, jobStepZeros   = 80, 88
	jobHalves                     = 96
	jobStepX2, jobStepX3          = 104, 112
)

// The bits of job.halves.
const (
	halfScales = 1
	halfZeros  = 2
)

// columns is the number of columns of a block.
const columns = 32

// decoding is how codes become numbers.
type decoding int

const (
	nibbles decoding = iota // unsigned integers of 4 bits
	looked                  // 4 bits, the index of a number in a table
	bytes                   // unsigned integers of 8 bits
	floats                  // floating-point numbers of 8 bits
)

// kernel generates the functions for one instruction set and one kind of codes.
type kernel struct {
	set      string
	name     string
	decoding decoding
	lanes    int   // of a vector
	rows     []int // of x, for which there are functions

	codes   GPVirtual
	vectors []VecVirtual // the codes of an octet, one lane for each column
	table   GPVirtual
	numbers VecVirtual // the table, if it fits a vector
	mask    VecVirtual
	shift   VecVirtual // of floats
	zeros   []VecVirtual
}

// Table lookups are as fast as masks with AVX-512, so that codes of 4 bits have one function.
var kernels = []*kernel{
	{set: "AVX512", name: "Table", decoding: looked, lanes: 16, rows: []int{1, 4}},
	{set: "AVX512", name: "Bytes", decoding: bytes, lanes: 16, rows: []int{1, 4}},
	{set: "AVX512", name: "Floats", decoding: floats, lanes: 16, rows: []int{1, 4}},
	{set: "AVX2", name: "Floats", decoding: floats, lanes: 8, rows: []int{1, 4}},
	{set: "AVX2", name: "Nibbles", decoding: nibbles, lanes: 8, rows: []int{1, 4}},
	{set: "AVX2", name: "Table", decoding: looked, lanes: 8, rows: []int{1}},
	{set: "AVX2", name: "Bytes", decoding: bytes, lanes: 8, rows: []int{1, 4}},
}

func (k *kernel) vector() VecVirtual {
	if k.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// width returns the number of columns of a call: two vectors.
func (k *kernel) width() int { return 2 * k.lanes }

// wide reports whether codes have 8 bits.
func (k *kernel) wide() bool { return k.decoding == bytes || k.decoding == floats }

// octetBytes returns the bytes of eight codes of each column of a block.
func (k *kernel) octetBytes() int {
	if k.wide() {
		return 8 * columns
	}
	return 4 * columns
}

func (k *kernel) doc(name, what string) {
	Doc(fmt.Sprintf("%s %s, for %d columns of a block. p is a job.", name, what, k.width()))
}

func field(job Register, at int) GPVirtual {
	r := GP64()
	MOVQ(Mem{Base: job, Disp: at}, r)
	return r
}

// begin loads what does not change.
func (k *kernel) begin(job Register) {
	k.codes = field(job, jobCodes)
	k.zeros = []VecVirtual{k.vector(), k.vector()}
	k.vectors = []VecVirtual{k.vector(), k.vector()}
	switch k.decoding {
	case looked:
		k.table = field(job, jobTable)
		if k.lanes == 16 {
			k.numbers = ZMM()
			VMOVUPS(Mem{Base: k.table}, k.numbers)
		}
	case floats:
		k.table = field(job, jobTable)
		k.shift, k.mask = XMM(), XMM()
		if k.lanes == 16 {
			k.mask = YMM()
		}
		VMOVQ(Mem{Base: k.table}, k.shift)
		VPBROADCASTW(Mem{Base: k.table, Disp: 8}, k.mask)
	case nibbles:
		k.mask = YMM()
		VPCMPEQD(k.mask, k.mask, k.mask)
		VPSRLD(Imm(28), k.mask, k.mask)
	}
}

// factors loads the numbers of two vectors of columns, from f16 if the bit of job.halves is set.
func (k *kernel) factors(job Register, name string, from GPVirtual, bit uint64, to []VecVirtual) {
	TESTQ(U32(uint32(bit)), Mem{Base: job, Disp: jobHalves})
	JNZ(LabelRef(name + "_half"))
	for i, v := range to {
		VMOVUPS(Mem{Base: from, Disp: 4 * k.lanes * i}, v)
	}
	JMP(LabelRef(name + "_loaded"))
	Label(name + "_half")
	for i, v := range to {
		VCVTPH2PS(Mem{Base: from, Disp: 2 * k.lanes * i}, v)
	}
	Label(name + "_loaded")
}

// load loads the codes of an octet if they are of 4 bits.
func (k *kernel) load() {
	if k.wide() {
		return
	}
	for i, v := range k.vectors {
		if m := (Mem{Base: k.codes, Disp: 4 * k.lanes * i}); k.lanes == 16 {
			VMOVDQU32(m, v)
		} else {
			VMOVDQU(m, v)
		}
	}
}

// decode returns row j of an octet, minus the zero points, for vector i of columns.
func (k *kernel) decode(i, j int) VecVirtual {
	v := k.vector()
	switch {
	case k.decoding == bytes:
		VPMOVZXBD(Mem{Base: k.codes, Disp: columns*j + k.lanes*i}, v)
		VCVTDQ2PS(v, v)
	case k.decoding == floats: // the bits of f16
		var h VecVirtual = XMM()
		if k.lanes == 16 {
			h = YMM()
		}
		VPMOVSXBW(Mem{Base: k.codes, Disp: columns*j + k.lanes*i}, h)
		VPSLLW(k.shift, h, h)
		VPAND(k.mask, h, h)
		VCVTPH2PS(h, v)
	case k.decoding == nibbles:
		switch j {
		case 0:
			VPAND(k.mask, k.vectors[i], v)
		case 7:
			VPSRLD(Imm(28), k.vectors[i], v)
		default:
			VPSRLD(Imm(uint64(4*j)), k.vectors[i], v)
			VPAND(k.mask, v, v)
		}
		VCVTDQ2PS(v, v)
	case k.lanes == 16: // only the low four bits of an index count
		from := k.vectors[i]
		if j > 0 {
			VPSRLD(Imm(uint64(4*j)), from, v)
			from = v
		}
		VPERMPS(k.numbers, from, v)
	default: // only the low three bits of an index count; the fourth becomes the sign that blends
		sign, high := YMM(), YMM()
		index := k.vectors[i]
		if j > 0 {
			index = sign
			VPSRLD(Imm(uint64(4*j)), k.vectors[i], index)
		}
		VPERMPS(Mem{Base: k.table, Disp: 32}, index, high)
		VPERMPS(Mem{Base: k.table}, index, v)
		VPSLLD(Imm(28), index, sign)
		VBLENDVPS(sign, high, v, v)
	}
	VSUBPS(k.zeros[i], v, v)
	return v
}

// loop generates the loop over the octets of a group. each generates the code for row j of an
// octet, next that which moves pointers on by a number of rows. The code is for half of an octet if
// whole is false: that takes less room.
func (k *kernel) loop(job Register, whole bool, each, next func(rows int)) {
	octets, halves := field(job, jobOctets), GP64()
	rows := 8
	if !whole {
		rows = 4
	}
	Label("octet")
	k.load()
	if !whole {
		MOVQ(U32(2), halves)
		Label("half")
	}
	for j := range rows {
		each(j)
	}
	if k.wide() {
		ADDQ(U32(uint32(columns*rows)), k.codes)
	}
	next(rows)
	if !whole {
		if !k.wide() {
			for _, v := range k.vectors {
				VPSRLD(Imm(16), v, v)
			}
		}
		DECQ(halves)
		JNE(LabelRef("half"))
	}
	if !k.wide() {
		ADDQ(U32(uint32(k.octetBytes())), k.codes)
	}
	DECQ(octets)
	JNE(LabelRef("octet"))
}

// rowsFunction generates the function that multiplies rows of x by columns of a block.
func (k *kernel) rowsFunction(rows int) {
	name := fmt.Sprintf("rows%s%s_%d", k.set, k.name, rows)
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	k.doc(name, fmt.Sprintf("adds the products of %d rows to out", rows))
	job := Load(Param("p"), GP64())
	k.begin(job)
	x, stepX := field(job, jobX), field(job, jobStepX)
	scales, zeros := field(job, jobScales), field(job, jobZeros)
	groups := field(job, jobGroups)
	steps := []GPVirtual{nil, stepX, nil, nil}
	if rows == 4 {
		steps[2], steps[3] = field(job, jobStepX2), field(job, jobStepX3)
	}
	at := func(row, j int) Mem {
		m := Mem{Base: x, Disp: 4 * j}
		if row > 0 {
			m.Index, m.Scale = steps[row], 1
		}
		return m
	}
	// Few rows have several sums for each column, since a single one waits for the latency of the
	// addition.
	parts := 1
	for 2*parts*2*rows <= 8 && (k.lanes == 16 || 2*parts*2*rows <= 4) {
		parts *= 2
	}
	sums := make([][][]VecVirtual, rows)
	for row := range sums {
		sums[row] = make([][]VecVirtual, 2)
		for i := range sums[row] {
			for range parts {
				sums[row][i] = append(sums[row][i], k.vector())
			}
		}
	}
	Label("group")
	k.factors(job, "zeros", zeros, halfZeros, k.zeros)
	ADDQ(Mem{Base: job, Disp: jobStepZeros}, zeros)
	for _, row := range sums {
		for _, column := range row {
			for _, sum := range column {
				if k.lanes == 16 {
					VPXORD(sum, sum, sum)
				} else {
					VXORPS(sum, sum, sum)
				}
			}
		}
	}
	k.loop(job, rows == 1, func(j int) {
		if j == 0 {
			for i := 0; i < k.octetBytes(); i += 64 * 32 / k.width() {
				PREFETCHT0(Mem{Base: k.codes, Disp: ahead + i})
			}
		}
		v := []VecVirtual{k.decode(0, j), k.decode(1, j)}
		for row := range rows {
			if k.lanes == 16 {
				for i := range v {
					VFMADD231PS_BCST(at(row, j), v[i], sums[row][i][j%parts])
				}
				continue
			}
			factor := YMM()
			VBROADCASTSS(at(row, j), factor)
			for i := range v {
				VFMADD231PS(factor, v[i], sums[row][i][j%parts])
			}
		}
	}, func(rows int) { ADDQ(Imm(uint64(4*rows)), x) })
	out := field(job, jobOut)
	factors := k.vectors
	k.factors(job, "scales", scales, halfScales, factors)
	ADDQ(Mem{Base: job, Disp: jobStepScales}, scales)
	for row := range rows {
		for i := range factors {
			sum := sums[row][i]
			for n := parts / 2; n > 0; n /= 2 {
				for p := range n {
					VADDPS(sum[p+n], sum[p], sum[p])
				}
			}
			to := Mem{Base: out, Disp: 4 * (columns*row + k.lanes*i)}
			VFMADD213PS(to, factors[i], sum[0])
			VMOVUPS(sum[0], to)
		}
	}
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// ahead is the number of bytes between the codes that are decoded and those that are prefetched.
const ahead = 4096

// expandFunction generates the function that writes columns of a block as rows of a panel.
func (k *kernel) expandFunction() {
	name := "expand" + k.set + k.name
	TEXT(name, NOSPLIT, "func(p *byte)")
	Pragma("noescape")
	k.doc(name, "sets out to the numbers")
	job := Load(Param("p"), GP64())
	k.begin(job)
	scales, zeros := field(job, jobScales), field(job, jobZeros)
	groups := field(job, jobGroups)
	first, out := field(job, jobOut), GP64()
	factors := []VecVirtual{k.vector(), k.vector()}
	Label("group")
	k.factors(job, "zeros", zeros, halfZeros, k.zeros)
	ADDQ(Mem{Base: job, Disp: jobStepZeros}, zeros)
	k.factors(job, "scales", scales, halfScales, factors)
	ADDQ(Mem{Base: job, Disp: jobStepScales}, scales)
	MOVQ(first, out)
	k.loop(job, false, func(j int) {
		for i := range 2 {
			v := k.decode(i, j)
			VMULPS(factors[i], v, v)
			VMOVUPS(v, Mem{Base: out, Disp: 4 * (k.width()*j + k.lanes*i)})
		}
	}, func(rows int) { ADDQ(U32(uint32(4*rows*k.width())), out) })
	ADDQ(Mem{Base: job, Disp: jobStepOut}, first)
	DECQ(groups)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}
