// Command _neon generates the NEON assembly of package levels.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		codes(file)
		values(file)
	})
}

// codes generates code.
func codes(file *neon.File) {
	f := file.Func("func codesNEON(out *uint8, x *float32, n int, scale, shift, most float32)",
		"codesNEON computes out[i] = code(x[i], scale, shift, most) for n elements, a positive multiple of 16.")
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

// values generates Values.
func values(file *neon.File) {
	f := file.Func("func valuesNEON(out *float32, x *uint8, n int, low, step float32)",
		"valuesNEON computes out[i] = low + x[i]*step for n elements, a positive multiple of 16.")
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
