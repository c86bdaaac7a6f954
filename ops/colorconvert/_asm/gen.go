// Command gen writes the assembly of package colorconvert.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pixels is the number of pixels of a step.
const pixels = 16

func main() {
	ConstraintExpr("amd64,!noasm")
	generate("rowI420", "one U and one V for two pixels", "out, y, u, v *uint8, steps int, order *[4][32]uint8", false)
	generate("rowNV12", "alternating U and V", "out, y, uv *uint8, steps int, order *[4][32]uint8", true)
	Generate()
}

// constants are the factors and subtrahends of the formulas, in every lane.
type constants struct {
	luma, black, grey, redV, greenU, greenV, blueU, low Mem
}

func newConstants() constants {
	table := GLOBL("factors", RODATA|NOPTR)
	at := 0
	next := func(word uint32) Mem {
		first := table.Offset(at)
		for range 8 {
			DATA(at, U32(word))
			at += 4
		}
		return first
	}
	float := func(x float32) Mem { return next(math.Float32bits(x)) }
	return constants{
		luma: float(1.164), black: float(16), grey: float(128), redV: float(1.596), greenU: float(0.391),
		greenV: float(0.813), blueU: float(2.018), low: next(0xff),
	}
}

var shared *constants

func generate(name, chroma, parameters string, alternating bool) {
	if shared == nil {
		c := newConstants()
		shared = &c
	}
	c := shared
	TEXT(name, NOSPLIT, "func("+parameters+")")
	Pragma("noescape")
	Doc(
		name+" computes 16 pixels of a row in each step, from 16 elements of Y and "+chroma+".",
		"order holds the shuffles that put the bytes of 8 pixels in a lane into the order of the output. It needs AVX2.",
	)
	out, y := Load(Param("out"), GP64()), Load(Param("y"), GP64())
	var u, v Register
	if alternating {
		u = Load(Param("uv"), GP64())
	} else {
		u, v = Load(Param("u"), GP64()), Load(Param("v"), GP64())
	}
	steps, order := Load(Param("steps"), GP64()), Load(Param("order"), GP64())
	shuffles := make([]VecVirtual, 4)
	for i := range shuffles {
		shuffles[i] = YMM()
		VMOVDQU(Mem{Base: order, Disp: 32 * i}, shuffles[i])
	}
	low := YMM()
	VMOVDQU(c.low, low)
	Label("step")
	d, e := YMM(), YMM()
	if alternating {
		split(Mem{Base: u}, d, e, low)
		ADDQ(U32(16), u)
	} else {
		VPMOVZXBD(Mem{Base: u}, d)
		VPMOVZXBD(Mem{Base: v}, e)
		ADDQ(U32(8), u)
		ADDQ(U32(8), v)
	}
	for _, x := range []VecVirtual{d, e} {
		VCVTDQ2PS(x, x)
		VSUBPS(c.grey, x, x)
	}
	redE, greenD, greenE, blueD := YMM(), YMM(), YMM(), YMM()
	VMULPS(c.redV, e, redE)
	VMULPS(c.greenU, d, greenD)
	VMULPS(c.greenV, e, greenE)
	VMULPS(c.blueU, d, blueD)
	var luma [2]VecVirtual // of the even pixels and of the odd ones
	for i := range luma {
		luma[i] = YMM()
	}
	split(Mem{Base: y}, luma[0], luma[1], low)
	ADDQ(U32(pixels), y)
	var red, green, blue [2]VecVirtual
	for i, x := range luma {
		VCVTDQ2PS(x, x)
		VSUBPS(c.black, x, x)
		VMULPS(c.luma, x, x)
		red[i], green[i], blue[i] = YMM(), YMM(), YMM()
		VADDPS(redE, x, red[i])
		VSUBPS(greenD, x, green[i])
		VSUBPS(greenE, green[i], green[i])
		VADDPS(blueD, x, blue[i])
		for _, channel := range []VecVirtual{red[i], green[i], blue[i]} {
			VCVTPS2DQ(channel, channel) // ties to even
		}
	}
	// Words of the even pixels, then of the odd ones, in each lane; then bytes, limited to 0 to
	// 255.
	for _, channel := range [][2]VecVirtual{red, green, blue} {
		VPACKSSDW(channel[1], channel[0], channel[0])
	}
	both, third := red[0], blue[0]
	VPACKUSWB(green[0], red[0], both)
	VPACKUSWB(blue[0], blue[0], third)
	var parts [2]VecVirtual // bytes 0 to 15 and 16 to 23 of the output of a lane
	for i := range parts {
		parts[i] = YMM()
		rest := YMM()
		VPSHUFB(shuffles[i], both, parts[i])
		VPSHUFB(shuffles[2+i], third, rest)
		VPOR(rest, parts[i], parts[i])
	}
	VMOVDQU(parts[0].AsX(), Mem{Base: out})
	VMOVQ(parts[1].AsX(), Mem{Base: out, Disp: 16})
	for i := range parts {
		VEXTRACTI128(Imm(1), parts[i], parts[i].AsX())
	}
	VMOVDQU(parts[0].AsX(), Mem{Base: out, Disp: 24})
	VMOVQ(parts[1].AsX(), Mem{Base: out, Disp: 40})
	ADDQ(U32(3*pixels), out)
	DECQ(steps)
	JNZ(LabelRef("step"))
	VZEROUPPER()
	RET()
}

// split loads 16 bytes, and sets the lanes of even to bytes 0, 2, 4... and those of odd to the
// others.
func split(from Mem, even, odd, low VecVirtual) {
	VPMOVZXWD(from, odd)
	VPAND(low, odd, even)
	VPSRLD(Imm(8), odd, odd)
}
