package main

import (
	"github.com/vinoir/vinoir/internal/neon"
)

// halfRows generates the rounding of two rows to pairs of f16.
func halfRows(file *neon.File) {
	f := file.Func("func halfRowsNEON(dst, first, second *float32, n int)",
		"halfRowsNEON sets dst[i] to the pair of the f16 nearest to first[i] and second[i] for i < n, a positive multiple of 8. If second is nil, its elements are 0.")
	dst, first, second, n := f.Arg("dst"), f.Arg("first"), f.Arg("second"), f.Arg("n")
	h := f.Group(2)
	round := func(h neon.Vec, row neon.Reg) {
		x, y := f.Vec(), f.Vec()
		f.Emit("ldp", x.Q(), y.Q(), neon.At(row).Post(32))
		f.Emit("fcvtn", h.H4(), x)
		f.Emit("fcvtn2", h.H8(), y)
	}
	f.SetConstant(h[1], 0)
	f.Label("loop")
	round(h[0], first)
	f.Zero(second, "store")
	round(h[1], second)
	f.Label("store")
	f.Emit("st2", h[0].H8(), h[1].H8(), neon.At(dst).Post(32))
	f.Emit("subs", n, n, 8)
	f.Branch("bne", "loop")
	f.Return()
}
