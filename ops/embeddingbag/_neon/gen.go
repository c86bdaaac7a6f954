// Command _neon generates the NEON assembly of package embeddingbag.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

func main() {
	neon.Main(func(file *neon.File) {
		f := file.Func("func sumBagsNEON(out, table, weights *float32, indices, starts *int64, row, bags int)",
			"sumBagsNEON sets each row of out to the sum of the rows of table that the indices from starts[b] to",
			"starts[b+1]-1 name. Each is multiplied by its weight, unless weights is nil. row is the number of elements",
			"of a row, a positive multiple of 4. bags must be positive.")
		out, table, weights := f.Arg("out"), f.Arg("table"), f.Arg("weights")
		indices, starts, row, bags := f.Arg("indices"), f.Arg("starts"), f.Arg("row"), f.Arg("bags")
		f.Emit("lsl", row, row, 2)
		first, end, left := f.Reg(), f.Reg(), f.Reg()
		f.Label("bag")
		f.Emit("ldr", first, neon.At(starts).Post(8))
		f.Emit("ldr", end, neon.At(starts))
		f.Emit("sub", end, end, first) // the number of members
		f.Emit("lsl", left, first, 3)
		member := f.Reg()
		f.Emit("add", member, indices, left)
		memberWeight := f.Reg()
		f.Emit("lsl", left, first, 2)
		f.Emit("add", memberWeight, weights, left)
		f.Emit("mov", left, row)
		for _, count := range []int{16, 4, 1} { // vectors that are summed together
			columns(f, count, out, table, weights, member, memberWeight, end, row, left)
		}
		f.Emit("sub", table, table, row)
		f.Emit("subs", bags, bags, 1)
		f.Branch("bne", "bag")
		f.Return()
	})
}

// columns generates the sums of count vectors of columns, as long as there are as many.
func columns(f *neon.Func, count int, out, table, weights, member, memberWeight, members, row, left neon.Reg) {
	label := func(name string) string { return fmt.Sprint(name, count) }
	bytes := 16 * count
	f.Label(label("columns"))
	f.Emit("cmp", left, bytes)
	f.Branch("blt", label("after"))
	sums := f.Vecs(count)
	for _, z := range sums {
		f.SetConstant(z, 0)
	}
	n, at, by, from := f.Reg(), f.Reg(), f.Reg(), f.Reg()
	f.Emit("mov", n, members)
	f.Emit("mov", at, member)
	f.Emit("mov", by, memberWeight)
	f.Zero(n, label("sum"))
	add := func(name string, weighted bool) {
		f.Label(label(name))
		f.Emit("ldr", from, neon.At(at).Post(8))
		f.Emit("madd", from, from, row, table)
		var weight neon.Vec
		if weighted {
			weight = f.Vec()
			f.Emit("ld1r", weight, neon.At(by).Post(4))
		}
		x := f.Vecs(2)
		for i, z := range sums {
			if i%2 == 0 {
				if count == 1 {
					f.Emit("ldr", x[0].Q(), neon.At(from))
				} else {
					f.Emit("ldp", x[0].Q(), x[1].Q(), neon.At(from).Plus(16*i))
				}
			}
			if weighted {
				f.Emit("fmla", z, x[i%2], weight)
			} else {
				f.Emit("fadd", z, z, x[i%2])
			}
		}
		f.Emit("subs", n, n, 1)
		f.Branch("bne", label(name))
	}
	f.NotZero(weights, label("weighted"))
	add("row", false)
	f.Branch("b", label("sum"))
	add("weighted", true)
	f.Label(label("sum"))
	for i := 0; i+1 < count; i += 2 {
		f.Emit("stp", sums[i].Q(), sums[i+1].Q(), neon.At(out).Post(32))
	}
	if count == 1 {
		f.Emit("str", sums[0].Q(), neon.At(out).Post(16))
	}
	f.Emit("add", table, table, bytes)
	f.Emit("sub", left, left, bytes)
	f.Branch("b", label("columns"))
	f.Label(label("after"))
}
