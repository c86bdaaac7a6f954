// Command gen generates the NEON assembly of package implicit that packs quads and panels of
// windows.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		packRun(file)
	})
}

// packRun generates the copy of the same columns of several rows.
func packRun(file *neon.File) {
	f := file.Func("func packRunNEON(dst, src *float32, rows *int, depth, width, n int)",
		"packRunNEON sets dst[p*width + i] to src[rows[p] + i] for p < depth and i < n. depth and n are at least 1, n is at most 12.")
	dst, src, rows, depth, width, n := f.Arg("dst"), f.Arg("src"), f.Arg("rows"), f.Arg("depth"), f.Arg("width"), f.Arg("n")
	f.Emit("lsl", width, width, 2)
	from := f.Reg()
	next := func() {
		f.Emit("ldr", from, neon.At(rows).Post(8))
		f.Emit("lsl", from, from, 2)
		f.Emit("add", from, from, src)
	}
	f.Emit("cmp", n, 12)
	f.Branch("bne", "part")
	f.Label("whole")
	next()
	x := f.Group(3)
	f.Emit("ld1", x[0], x[1], x[2], neon.At(from))
	f.Emit("st1", x[0], x[1], x[2], neon.At(dst).PostReg(width))
	f.Emit("subs", depth, depth, 1)
	f.Branch("bne", "whole")
	f.Return()

	f.Label("part")
	next()
	to, v := f.Reg(), f.Vecs(2)
	f.Emit("mov", to, dst)
	f.BitClear(n, 3, "four")
	f.Emit("ldp", v[0].Q(), v[1].Q(), neon.At(from).Post(32))
	f.Emit("stp", v[0].Q(), v[1].Q(), neon.At(to).Post(32))
	f.Label("four")
	f.BitClear(n, 2, "two")
	f.Emit("ldr", v[0].Q(), neon.At(from).Post(16))
	f.Emit("str", v[0].Q(), neon.At(to).Post(16))
	f.Label("two")
	f.BitClear(n, 1, "one")
	f.Emit("ldr", v[0].D(), neon.At(from).Post(8))
	f.Emit("str", v[0].D(), neon.At(to).Post(8))
	f.Label("one")
	f.BitClear(n, 0, "next")
	f.Emit("ldr", v[0].S(), neon.At(from))
	f.Emit("str", v[0].S(), neon.At(to))
	f.Label("next")
	f.Emit("add", dst, dst, width)
	f.Emit("subs", depth, depth, 1)
	f.Branch("bne", "part")
	f.Return()
}
