package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// output generates a function that transforms the products of neighbouring tiles for the output
// channels of a panel, one vector of channels after another. It writes the rows of each channel
// four columns at a time: a tile of 4 by 4 outputs, or two tiles of 2 by 2.
type output struct {
	vectors
	tile      int
	constants []Register
}

// The layout of outputCall in winograd_amd64.go.
const (
	outM, outStepE, outOut, outStepO, outStepRow = 0, 8, 16, 24, 32
	outCount, outTemporary, outConstants         = 40, 48, 56
	outBias, outPanel, outLo, outHi, outClamp    = 64, 72, 80, 84, 88
)

func (t *output) generate() {
	name := fmt.Sprintf("output%d%s", t.tile, t.name)
	TEXT(name, NOSPLIT, "func(call *byte)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s transforms products into %d rows of each output channel, four columns at a time.", name, t.tile),
		"call is a outputCall.",
	)
	call := Load(Param("call"), GP64())
	vector := GP64()
	XORQ(vector, vector)
	if t.tile == 4 {
		p := GP64()
		MOVQ(Mem{Base: call, Disp: outConstants}, p)
		t.constants = t.broadcast(p, 6)
	}
	Label("vector")
	m, out, count := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: call, Disp: outM}, m)
	ADDQ(vector, m)
	MOVQ(Mem{Base: call, Disp: outOut}, out)
	MOVQ(Mem{Base: call, Disp: outCount}, count)
	step, step3 := GP64(), GP64()
	MOVQ(Mem{Base: call, Disp: outStepO}, step)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, step3)
	temporary := GP64()
	MOVQ(Mem{Base: call, Disp: outTemporary}, temporary)

	Label("columns")
	for i := range 4 / t.tile {
		t.columns(call, m, temporary, i)
		ADDQ(Mem{Base: call, Disp: outPanel}, m)
	}
	row := GP64()
	MOVQ(out, row)
	for y := range t.tile {
		t.row(call, vector, temporary, row, step, step3, y)
		if y < t.tile-1 {
			ADDQ(Mem{Base: call, Disp: outStepRow}, row)
		}
	}
	ADDQ(Imm(16), out)
	DECQ(count)
	JNE(LabelRef("columns"))
	// The next vector of channels.
	MOVQ(Mem{Base: call, Disp: outOut}, out)
	for range t.lanes / 4 {
		LEAQ(Mem{Base: out, Index: step, Scale: 4}, out)
	}
	MOVQ(out, Mem{Base: call, Disp: outOut})
	ADDQ(Imm(uint64(t.bytes())), vector)
	CMPQ(vector, Mem{Base: call, Disp: outPanel})
	JL(LabelRef("vector"))
	VZEROUPPER()
	RET()
}

// columns transforms the columns of tile i, and stores the results in the temporary rows.
func (t *output) columns(call, m, temporary Register, i int) {
	n := t.tile + 2
	element, step := GP64(), GP64()
	MOVQ(m, element)
	MOVQ(Mem{Base: call, Disp: outStepE}, step)
	stepRow := GP64() // distance between rows of transform elements
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, stepRow)
	if t.tile == 4 {
		ADDQ(stepRow, stepRow)
	} else {
		ADDQ(step, stepRow)
	}
	for j := range n {
		x := make([]Register, n)
		at := GP64()
		MOVQ(element, at)
		for k := range x {
			x[k] = t.new()
			VMOVUPS(Mem{Base: at}, x[k])
			if k < n-1 {
				ADDQ(stepRow, at)
			}
		}
		for y, r := range t.transform(x) {
			VMOVUPS(r, Mem{Base: temporary, Disp: ((y*2+i)*n + j) * t.bytes()})
		}
		if j < n-1 {
			ADDQ(step, element)
		}
	}
}

// row transforms temporary row y, adds the bias, clamps, and writes four elements of each channel.
func (t *output) row(call, vector, temporary, row, step, step3 Register, y int) {
	n := t.tile + 2
	var q []Register
	for i := range 4 / t.tile {
		x := make([]Register, n)
		for j := range x {
			x[j] = t.new()
			VMOVUPS(Mem{Base: temporary, Disp: ((y*2+i)*n + j) * t.bytes()}, x[j])
		}
		q = append(q, t.transform(x)...)
	}
	bias, address := t.new(), GP64()
	MOVQ(Mem{Base: call, Disp: outBias}, address)
	VMOVUPS(Mem{Base: address, Index: vector, Scale: 1}, bias)
	for _, r := range q {
		VADDPS(bias, r, r)
	}
	label := fmt.Sprintf("row%d", y)
	CMPL(Mem{Base: call, Disp: outClamp}, Imm(0))
	JE(LabelRef(label))
	bound := t.new()
	VBROADCASTSS(Mem{Base: call, Disp: outLo}, bound)
	for _, r := range q {
		VMAXPS(bound, r, r)
	}
	VBROADCASTSS(Mem{Base: call, Disp: outHi}, bound)
	for _, r := range q {
		VMINPS(bound, r, r)
	}
	Label(label)
	channel := GP64()
	MOVQ(row, channel)
	rows := t.transpose([4]Register{q[0], q[1], q[2], q[3]})
	for quarter := range t.lanes / 4 {
		places := []Mem{{Base: channel}, {Base: channel, Index: step, Scale: 1}, {Base: channel, Index: step, Scale: 2}, {Base: channel, Index: step3, Scale: 1}}
		for i, r := range rows {
			switch {
			case quarter == 0:
				VMOVUPS(r.(Vec).AsX(), places[i])
			case t.lanes == 8:
				VEXTRACTF128(Imm(1), r, places[i])
			default:
				VEXTRACTF32X4(Imm(uint64(quarter)), r, places[i])
			}
		}
		if quarter < t.lanes/4-1 {
			LEAQ(Mem{Base: channel, Index: step, Scale: 4}, channel)
		}
	}
}

// transform returns the output transform of x, as outputTile in winograd_transform.go. It
// overwrites x.
func (t *output) transform(x []Register) []Register {
	if t.tile == 2 {
		r := t.new()
		VADDPS(x[2], x[1], r)
		VADDPS(r, x[0], x[0])
		VSUBPS(x[2], x[1], x[1])
		VADDPS(x[3], x[1], x[1])
		return []Register{x[0], x[1]}
	}
	a, b := t.constants[0], t.constants[1]
	aa, bb := t.constants[2], t.constants[3]
	aaa, bbb := t.constants[4], t.constants[5]
	s, u := t.new(), t.new()
	VADDPS(x[2], x[1], s)
	VSUBPS(x[2], x[1], x[1])
	VADDPS(x[4], x[3], u)
	VSUBPS(x[4], x[3], x[3])
	VADDPS(s, x[0], x[0])
	VADDPS(u, x[0], x[0])
	VFMADD231PS(aaa, x[1], x[5])
	VFMADD231PS(bbb, x[3], x[5])
	VMULPS(a, x[1], x[1])
	VFMADD231PS(b, x[3], x[1])
	VMULPS(aa, s, s)
	VFMADD231PS(bb, u, s)
	return []Register{x[0], x[1], s, x[5]}
}
