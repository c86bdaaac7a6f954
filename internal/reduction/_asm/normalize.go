package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// normalize generates the function that normalizes segments. With centred, it reads each segment
// three times: for the mean, for the variance, and for the results. Without, it divides by the
// norm.
func normalize(set *isa, centred bool) {
	name, parameters := "normalizeSegments"+set.name, "epsInside, epsOutside"
	formula := "(x - mean(x)) / (sqrt(mean((x-mean(x))^2) + epsInside) + epsOutside)"
	if !centred {
		name, parameters = "divideByNorms"+set.name, "eps, least"
		formula = "x / sqrt(max(sum(x^2) + eps, least))"
	}
	TEXT(name, NOSPLIT, "func(out, in *float32, n, segments int, "+parameters+" float32)")
	Pragma("noescape")
	Doc(
		name+" sets each segment of n elements of out to", "",
		"\t"+formula, "",
		"for the same segment x of in. n and segments must be positive, and n below 2^24.",
		"out may be in.",
	)
	in, out := Load(Param("in"), GP64()), Load(Param("out"), GP64())
	n, count := Load(Param("n"), GP64()), Load(Param("segments"), GP64())
	inside, outside, length, one := XMM(), XMM(), XMM(), XMM()
	names := strings.Split(parameters, ", ")
	Load(Param(names[0]), inside)
	Load(Param(names[1]), outside)
	if centred {
		VXORPS(length, length, length)
		VCVTSI2SSQ(n, length, length)
	}
	VMOVSS(constant(math.Float32bits(1)), one)
	part, rest := set.mask(), GP64()
	MOVQ(n, rest)
	ANDQ(U32(set.lanes-1), rest)
	set.firstLanes(part, rest)
	add := &functions[0]
	acc := make([]VecVirtual, unroll)
	for i := range acc {
		acc[i] = set.vector()
	}
	x, y, left := GP64(), GP64(), GP64()
	// pass generates a loop over the segment. step processes vector i from x on; m selects
	// the lanes that hold elements.
	pass := func(label string, step func(m mask, i int)) {
		MOVQ(in, x)
		MOVQ(out, y)
		MOVQ(n, left)
		for _, loop := range []struct {
			label   string
			vectors int
		}{{label + "_many", unroll}, {label + "_one", 1}} {
			Label(loop.label)
			CMPQ(left, U32(loop.vectors*set.lanes))
			JL(LabelRef("after_" + loop.label))
			for i := range loop.vectors {
				step(mask{}, i)
			}
			ADDQ(U32(4*loop.vectors*set.lanes), x)
			ADDQ(U32(4*loop.vectors*set.lanes), y)
			SUBQ(U32(loop.vectors*set.lanes), left)
			JMP(LabelRef(loop.label))
			Label("after_" + loop.label)
		}
		TESTQ(left, left)
		JZ(LabelRef(label + "_end"))
		step(part, 0)
		Label(label + "_end")
	}
	load := func(m mask, i int) VecVirtual {
		v := set.vector()
		set.load(m, Mem{Base: x, Disp: 4 * i * set.lanes}, v)
		return v
	}
	// total returns the sum of all lanes of acc in the lowest lane, mean divides it by n.
	total := func() VecVirtual {
		VADDPS(acc[1], acc[0], acc[0])
		VADDPS(acc[3], acc[2], acc[2])
		VADDPS(acc[2], acc[0], acc[0])
		reduceLanes(set, add, acc[0])
		return acc[0]
	}
	mean := func() VecVirtual {
		m := total()
		VDIVSS(length, m.AsX(), m.AsX())
		return m
	}
	clear := func() {
		for _, a := range acc {
			set.clear(a)
		}
	}
	middle, factor := set.vector(), set.vector()

	Label("segment")
	clear()
	var f Register
	if centred {
		pass("sum", func(m mask, i int) {
			VADDPS(load(m, i), acc[i], acc[i])
		})
		VBROADCASTSS(mean().AsX(), middle)
		clear()
		pass("squares", func(m mask, i int) {
			v := load(m, i)
			VSUBPS(middle, v, v)
			if m.r != nil { // the lanes without elements must not add to the variance
				if set.wide() {
					VMOVAPS_Z(v, m.r, v)
				} else {
					VANDPS(m.r, v, v)
				}
			}
			VFMADD231PS(v, v, acc[i])
		})
		f = mean().AsX()
		VADDSS(inside, f, f)
		VSQRTSS(f, f, f)
		VADDSS(outside, f, f)
	} else {
		pass("squares", func(m mask, i int) {
			v := load(m, i)
			VFMADD231PS(v, v, acc[i])
		})
		f = total().AsX()
		VADDSS(inside, f, f)
		VMAXSS(f, outside, f) // keeps NaN
		VSQRTSS(f, f, f)
	}
	VDIVSS(f, one, f)
	VBROADCASTSS(f, factor)
	pass("scale", func(m mask, i int) {
		v := load(m, i)
		if centred {
			VSUBPS(middle, v, v)
		}
		VMULPS(factor, v, v)
		set.store(m, v, Mem{Base: y, Disp: 4 * i * set.lanes})
	})
	LEAQ(Mem{Base: in, Index: n, Scale: 4}, in)
	LEAQ(Mem{Base: out, Index: n, Scale: 4}, out)
	DECQ(count)
	JNZ(LabelRef("segment"))
	VZEROUPPER()
	RET()
}
