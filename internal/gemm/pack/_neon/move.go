package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// copyRows generates the packing of rows whose elements follow each other.
func copyRows(file *neon.File, width int) {
	name := fmt.Sprintf("copyRows%d", width)
	f := file.Func("func "+name+"(out, src *float32, step, depth int)",
		fmt.Sprintf("%s sets out[p*%d + l] = src[p*step + l] for l below %[2]d and p below depth, which is at least 1.", name, width))
	out, src, step, depth := f.Arg("out"), f.Arg("src"), f.Arg("step"), f.Arg("depth")
	// LD1 loads up to four vectors.
	const part = 12
	f.Emit("lsl", step, step, 2)
	if width > part {
		f.Emit("sub", step, step, 4*(width-part))
	}
	row := func() {
		for at := 0; at < width; at += part {
			x := f.Group(min(part, width-at) / 4)
			next := neon.At(src).PostReg(step)
			if at+part < width {
				next = neon.At(src).Post(4 * part)
			}
			f.Emit("ld1", neon.Operands(x, next)...)
			f.Emit("st1", neon.Operands(x, neon.At(out).Post(16*len(x)))...)
		}
	}
	f.BitClear(depth, 0, "pairs")
	row()
	f.Emit("subs", depth, depth, 1)
	f.Branch("beq", "done")
	f.Label("pairs")
	row()
	row()
	f.Emit("subs", depth, depth, 2)
	f.Branch("bne", "pairs")
	f.Label("done")
	f.Return()
}

// transpose generates the packing of four lines. ST4 of a lane writes the same position of all of
// them.
func transpose(file *neon.File) {
	f := file.Func("func transpose4(out, src *float32, line, width, n int)",
		"transpose4 sets out[p*width + l] = src[l*line + p] for l below 4 and p below n, a positive multiple of 4.")
	out, src, line, width, n := f.Arg("out"), f.Arg("src"), f.Arg("line"), f.Arg("width"), f.Arg("n")
	f.Emit("lsl", line, line, 2)
	f.Emit("lsl", width, width, 2)
	lines := []neon.Reg{src}
	for i := range 3 {
		next := f.Reg()
		f.Emit("add", next, lines[i], line)
		lines = append(lines, next)
	}
	f.Label("loop")
	x := f.Group(4)
	for i, l := range lines {
		f.Emit("ldr", x[i].Q(), neon.At(l).Post(16))
	}
	for p := range 4 {
		f.Emit("st4", x[0].Lane(p), x[1].Lane(p), x[2].Lane(p), x[3].Lane(p), neon.At(out).PostReg(width))
	}
	f.Emit("subs", n, n, 4)
	f.Branch("bne", "loop")
	f.Return()
}
