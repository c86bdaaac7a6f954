// Command _neon generates the NEON assembly of package selectop.
package main

import "github.com/vinoir/vinoir/internal/neon"

// lanes is the number of elements that are selected at once. It must equal lanes in
// select_arm64.go.
const lanes = 16

func main() {
	neon.Main(func(file *neon.File) {
		f := file.Func("func selectWords(dst *uint32, cond *uint8, a, b *uint32, stepA, stepB, n int)",
			"selectWords sets dst[i] to a[i] if cond[i] is not 0, else to b[i], for n elements. n must be a positive",
			"multiple of 16. After each 16 elements, a advances by stepA bytes, and b by stepB.")
		dst, cond, a, b := f.Arg("dst"), f.Arg("cond"), f.Arg("a"), f.Arg("b")
		stepA, stepB, n := f.Arg("stepA"), f.Arg("stepB"), f.Arg("n")
		f.Label("loop")
		c, halves, words := f.Vec(), f.Vecs(2), f.Vecs(4)
		f.Emit("ldr", c.Q(), neon.At(cond).Post(16))
		f.Emit("cmeq0", c.B16(), c.B16())
		f.Emit("sshll", halves[0].H8(), c.B8(), 0)
		f.Emit("sshll2", halves[1].H8(), c.B16(), 0)
		for i, h := range halves {
			f.Emit("sshll", words[2*i], h.H4(), 0)
			f.Emit("sshll2", words[2*i+1], h.H8(), 0)
		}
		x, y := f.Group(4), f.Group(4)
		f.Emit("ld1", x[0], x[1], x[2], x[3], neon.At(a))
		f.Emit("ld1", y[0], y[1], y[2], y[3], neon.At(b))
		for i, w := range words {
			f.Emit("bit", x[i].B16(), y[i].B16(), w.B16())
		}
		f.Emit("st1", x[0], x[1], x[2], x[3], neon.At(dst).Post(64))
		f.Emit("add", a, a, stepA)
		f.Emit("add", b, b, stepB)
		f.Emit("subs", n, n, lanes)
		f.Branch("bne", "loop")
		f.Return()
	})
}
