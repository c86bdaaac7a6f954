// Command gen generates the NEON assembly of package winograd.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The panels of U have panelLanes output channels, in two vectors; a product takes up to
// productTiles tiles. They are the same in winograd_arm64.go.
const (
	panelLanes   = 8
	productTiles = 12
)

func main() {
	neon.Main(func(file *neon.File) {
		for tiles := 1; tiles <= productTiles; tiles++ {
			product(file, tiles)
		}
		for _, tile := range []int{2, 4} {
			for _, shifted := range []bool{false, true} {
				(&input{file: file, tile: tile, shifted: shifted}).generate()
			}
			(&output{file: file, tile: tile}).generate()
			weights(file, tile)
		}
	})
}

// product generates a function that multiplies a number of tiles by a panel of output channels.
func product(file *neon.File, tiles int) {
	name := fmt.Sprintf("productNEONx%d", tiles)
	f := file.Func("func "+name+"(depth int, v *float32, step int, u, m *float32)",
		fmt.Sprintf("%s multiplies tiles by a panel of %d output channels. For t < %d and o < %[2]d,", name, panelLanes, tiles),
		"",
		fmt.Sprintf("\tm[t*%d + o] = sum over c < depth of v[c*step + t]*u[c*%[1]d + o]", panelLanes),
		"",
		"It reads whole vectors of v.")
	depth, v, step, u, m := f.Arg("depth"), f.Arg("v"), f.Arg("step"), f.Arg("u"), f.Arg("m")
	f.Emit("lsl", step, step, 2)
	sums := f.Vecs(2 * tiles)
	for _, s := range sums {
		f.SetConstant(s, 0)
	}
	vectors := (tiles + 3) / 4
	one := func(panel []neon.Vec) {
		x := f.Group(vectors)
		operands := make([]any, 0, 4)
		for _, r := range x {
			operands = append(operands, r)
		}
		f.Emit("ld1", append(operands, neon.At(v).PostReg(step))...)
		for t := range tiles {
			for i, p := range panel {
				f.Emit("fmla", sums[2*t+i], p, x[t/4].Lane(t%4))
			}
		}
	}
	f.Emit("subs", depth, depth, 2)
	f.Branch("blt", "rest")
	f.Label("loop")
	if tiles <= 10 {
		panel := f.Group(4)
		f.Emit("ld1", panel[0], panel[1], panel[2], panel[3], neon.At(u).Post(64))
		one(panel[:2])
		one(panel[2:])
	} else { // the registers do not suffice for four vectors
		for range 2 {
			panel := f.Vecs(2)
			f.Emit("ldp", panel[0].Q(), panel[1].Q(), neon.At(u).Post(32))
			one(panel)
		}
	}
	f.Emit("subs", depth, depth, 2)
	f.Branch("bge", "loop")
	f.Label("rest")
	f.BitClear(depth, 0, "store") // -2, or -1 if one is left
	panel := f.Vecs(2)
	f.Emit("ldp", panel[0].Q(), panel[1].Q(), neon.At(u).Post(32))
	one(panel)
	f.Label("store")
	for t := range tiles {
		f.Emit("stp", sums[2*t].Q(), sums[2*t+1].Q(), neon.At(m).Post(32))
	}
	f.Return()
}
