// Command gen generates the NEON assembly of package magnitude.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() { neon.Main(magnitudes) }

// magnitudes generates the function that compares the magnitudes of several channels.
func magnitudes(file *neon.File) {
	f := file.Func("func magnitudesNEON(to *uint32, from *float32, n, channels, step int)",
		"magnitudesNEON sets to[i] to the largest of to[i] and the bits of the absolute values of from[c*step + i], for i below n",
		"and c below channels. n is at least 4, channels at least 1.")
	to, from, n, channels, step := f.Arg("to"), f.Arg("from"), f.Arg("n"), f.Arg("channels"), f.Arg("step")
	f.Emit("lsl", step, step, 2)
	// several computes vectors of a group, for all channels.
	several := func(name string, vectors int) {
		most, x := f.Group(vectors), f.Group(vectors)
		operands := func(list []neon.Vec, m neon.Mem) []any {
			var all []any
			for _, v := range list {
				all = append(all, v)
			}
			return append(all, m)
		}
		at, left := f.Reg(), f.Reg()
		f.Emit("mov", at, from)
		f.Emit("mov", left, channels)
		f.Emit("ld1", operands(most, neon.At(to))...)
		f.Label(name)
		f.Emit("ld1", operands(x, neon.At(at).PostReg(step))...)
		for _, v := range x {
			f.Emit("fabs", v, v)
		}
		for i, v := range x {
			f.Emit("umax", most[i], most[i], v)
		}
		f.Emit("subs", left, left, 1)
		f.Branch("bne", name)
		f.Emit("st1", operands(most, neon.At(to).Post(16*vectors))...)
		f.Emit("add", from, from, 16*vectors)
	}
	f.Emit("subs", n, n, 16)
	f.Branch("blt", "few")
	f.Label("sixteen")
	several("channels", 4)
	f.Emit("subs", n, n, 16)
	f.Branch("bge", "sixteen")
	f.Label("few")
	f.Emit("adds", n, n, 16-4)
	f.Branch("blt", "rest")
	f.Label("four")
	several("channelsFew", 1)
	f.Emit("subs", n, n, 4)
	f.Branch("bge", "four")
	f.Label("rest")
	f.Emit("adds", n, n, 4)
	f.Branch("beq", "done")
	f.Comment("The last vector repeats elements of the one before.")
	back := f.Reg()
	f.Move(back, 4)
	f.Emit("sub", back, back, n)
	f.Emit("lsl", back, back, 2)
	f.Emit("sub", to, to, back)
	f.Emit("sub", from, from, back)
	several("channelsRest", 1)
	f.Label("done")
	f.Return()
}
