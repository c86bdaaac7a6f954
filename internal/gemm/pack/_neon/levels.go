package main

import "github.com/vinoir/vinoir/internal/neon"

// quadRows generates the interleaving of four rows of bytes.
func quadRows(file *neon.File) {
	f := file.Func("func quadRowsNEON(dst *float32, a, b, c, d *uint8, n int, flip uint32)",
		"quadRowsNEON sets quad i of dst to a[i], b[i], c[i] and d[i], with flip by exclusive or, for i < n, a positive multiple of 16.")
	dst, rows, n, flip := f.Arg("dst"), []neon.Reg{f.Arg("a"), f.Arg("b"), f.Arg("c"), f.Arg("d")}, f.Arg("n"), f.ArgVec("flip")
	f.Label("loop")
	x := f.Group(4)
	for i, row := range rows {
		f.Emit("ldr", x[i].Q(), neon.At(row).Post(16))
	}
	for _, v := range x {
		f.Emit("eor", v.B16(), v.B16(), flip.B16())
	}
	f.Emit("st4", x[0].B16(), x[1].B16(), x[2].B16(), x[3].B16(), neon.At(dst).Post(64))
	f.Emit("subs", n, n, 16)
	f.Branch("bne", "loop")
	f.Return()
}

// flip generates the exclusive or of all quads.
func flip(file *neon.File) {
	f := file.Func("func flipNEON(x *float32, n int, flip uint32)",
		"flipNEON combines each of n quads, a positive multiple of 16, with flip by exclusive or.")
	x, n, flip := f.Arg("x"), f.Arg("n"), f.ArgVec("flip")
	f.Label("loop")
	v := f.Group(4)
	f.Emit("ld1", v[0], v[1], v[2], v[3], neon.At(x))
	for _, v := range v {
		f.Emit("eor", v.B16(), v.B16(), flip.B16())
	}
	f.Emit("st1", v[0], v[1], v[2], v[3], neon.At(x).Post(64))
	f.Emit("subs", n, n, 16)
	f.Branch("bne", "loop")
	f.Return()
}
