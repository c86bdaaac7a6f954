// Command _neon generates the NEON assembly of package fakequantize.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		quantizeRow(file)
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
