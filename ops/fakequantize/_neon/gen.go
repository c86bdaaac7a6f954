// Command _neon generates the NEON assembly of package fakequantize.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		quantizeRow(file)
		quantizeBytes(file)
		dequantizeBytes(file)
	})
}

// quantizeRow generates level.apply, with the operations of the portable code.
func quantizeRow(file *neon.File) {
	f := file.Func("func quantizeRowNEON(out, x *float32, n int, least, greatest, low, width, outLow, outHigh, span, levels float32)",
		"quantizeRowNEON computes out[i] = level.apply(x[i]) for n elements, a positive multiple of 4.")
	out, x, n := f.Arg("out"), f.Arg("x"), f.Arg("n")
	least, greatest, low, width := f.ArgVec("least"), f.ArgVec("greatest"), f.ArgVec("low"), f.ArgVec("width")
	outLow, outHigh, span, levels := f.ArgVec("outLow"), f.ArgVec("outHigh"), f.ArgVec("span"), f.ArgVec("levels")
	f.Label("loop")
	v, y, below, above := f.Vec(), f.Vec(), f.Vec(), f.Vec()
	f.Emit("ldr", v.Q(), neon.At(x).Post(16))
	f.Emit("fsub", y, v, low)
	f.Emit("fdiv", y, y, width)
	f.Emit("fmul", y, y, levels)
	f.Emit("frintn", y, y)
	f.Emit("fdiv", y, y, levels)
	f.Emit("fmul", y, y, span)
	f.Emit("fadd", y, y, outLow)
	f.Emit("fcmge", below, least, v)
	f.Emit("fcmgt", above, v, greatest)
	f.Emit("bit", y.B16(), outHigh.B16(), above.B16())
	f.Emit("bit", y.B16(), outLow.B16(), below.B16())
	f.Emit("str", y.Q(), neon.At(out).Post(16))
	f.Emit("subs", n, n, 4)
	f.Branch("bne", "loop")
	f.Return()
}

// quantizeBytes generates byteLevels.code.
func quantizeBytes(file *neon.File) {
	f := file.Func("func quantizeBytesNEON(out *uint8, x *float32, n int, scale, shift, most float32)",
		"quantizeBytesNEON computes out[i] = byteLevels.code(x[i]) for n elements, a positive multiple of 16.")
	out, x, n := f.Arg("out"), f.Arg("x"), f.Arg("n")
	scale, shift, most, zero := f.ArgVec("scale"), f.ArgVec("shift"), f.ArgVec("most"), f.Constant(0)
	f.Label("loop")
	v := f.Group(4)
	f.Emit("ld1", v[0], v[1], v[2], v[3], neon.At(x).Post(64))
	for _, y := range v {
		f.Emit("fmul", y, y, scale)
		f.Emit("fadd", y, y, shift)
		f.Emit("fmaxnm", y, y, zero) // 0 if y is NaN
		f.Emit("fmin", y, y, most)
		f.Emit("fcvtns", y, y)
	}
	f.Emit("uzp1", v[0].H8(), v[0].H8(), v[1].H8())
	f.Emit("uzp1", v[2].H8(), v[2].H8(), v[3].H8())
	f.Emit("uzp1", v[0].B16(), v[0].B16(), v[2].B16())
	f.Emit("str", v[0].Q(), neon.At(out).Post(16))
	f.Emit("subs", n, n, 16)
	f.Branch("bne", "loop")
	f.Return()
}

// dequantizeBytes generates the numbers of levels.
func dequantizeBytes(file *neon.File) {
	f := file.Func("func dequantizeBytesNEON(out *float32, x *uint8, n int, low, step float32)",
		"dequantizeBytesNEON computes out[i] = low + x[i]*step for n elements, a positive multiple of 16.")
	out, x, n := f.Arg("out"), f.Arg("x"), f.Arg("n")
	low, step := f.ArgVec("low"), f.ArgVec("step")
	f.Label("loop")
	b, h, v := f.Vec(), f.Vecs(2), f.Group(4)
	f.Emit("ldr", b.Q(), neon.At(x).Post(16))
	f.Emit("ushll", h[0].H8(), b.B8(), 0)
	f.Emit("ushll2", h[1].H8(), b.B16(), 0)
	for i := range 2 {
		f.Emit("ushll", v[2*i], h[i].H4(), 0)
		f.Emit("ushll2", v[2*i+1], h[i].H8(), 0)
	}
	for _, y := range v {
		f.Emit("ucvtf", y, y)
		f.Emit("fmul", y, y, step)
		f.Emit("fadd", y, y, low)
	}
	f.Emit("st1", v[0], v[1], v[2], v[3], neon.At(out).Post(64))
	f.Emit("subs", n, n, 16)
	f.Branch("bne", "loop")
	f.Return()
}
