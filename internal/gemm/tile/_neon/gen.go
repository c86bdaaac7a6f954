// Command _neon generates the NEON assembly of package tile.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// The largest tile: rows of a panel of a, and columns of a panel of b. They are the same in
// float32_arm64.go.
const (
	tileRows    = 8
	tileColumns = 12
)

func main() {
	neon.Main(func(file *neon.File) {
		for vectors := 1; vectors <= tileColumns/4; vectors++ {
			for rows := 1; rows <= tileRows; rows++ {
				tile(file, "", rows, vectors)
			}
		}
		for rows := 1; rows <= tileRows; rows++ {
			tile(file, "f16", rows, tileColumns/4)
			tile(file, "bf16", rows, tileColumns/4)
		}
		for vectors := 1; vectors <= tileColumns/4; vectors++ {
			for rows := 1; rows <= tileRows; rows *= 2 {
				quads(file, rows, vectors)
				halves(file, rows, vectors)
			}
		}
	})
}

// The layout of tile in float32_arm64.go.
const (
	fieldA, fieldB, fieldC        = 0, 8, 16
	fieldDepth, fieldLDC          = 24, 32
	fieldRowBias, fieldColumnBias = 40, 48
	fieldFlags                    = 56
	fieldLo, fieldHi              = 64, 68
)

// The bits of tile.flags.
const (
	flagAdd = iota
	flagClamp
)

const (
	// unroll is the number of steps of the depth in the main loop.
	unroll = 4
	// chains is the number of independent sums that hide the latency of an addition.
	chains = 8
)

// tile generates the micro-kernel for a number of rows and of vectors of four columns. If the tile
// is small, each element has several sums, which take the products of different steps. half is the
// type of b, f16 or bf16, or empty for float32.
func tile(file *neon.File, half string, rows, vectors int) {
	name := fmt.Sprintf("tileNEON%s_%dx%d", half, rows, 4*vectors)
	f := file.Func("func "+name+"(t *byte)",
		fmt.Sprintf("%s computes a tile with %d rows and %d columns. t is a tile.", name, rows, 4*vectors))
	t := f.Arg("t")
	load := func(at int) neon.Reg {
		r := f.Reg()
		f.Emit("ldr", r, neon.At(t).Plus(at))
		return r
	}
	a, b, depth := load(fieldA), load(fieldB), load(fieldDepth)
	var sums [][]neon.Vec
	for len(sums) == 0 || len(sums)*rows*vectors < chains && len(sums) < unroll {
		sums = append(sums, f.Vecs(rows*vectors))
	}
	if len(sums) == 3 {
		sums = append(sums, f.Vecs(rows*vectors))
	}
	for _, set := range sums {
		for _, s := range set {
			f.SetConstant(s, 0)
		}
	}
	stepA, stepB := f.Reg(), f.Reg()
	f.Move(stepA, 4*tileRows)
	if half == "" {
		f.Move(stepB, 4*tileColumns)
	} else {
		f.Move(stepB, 2*tileColumns)
	}
	step := func(p int) {
		x, y := f.Group((rows+3)/4), f.Group(vectors)
		f.Emit("ld1", neon.Operands(x, neon.At(a).PostReg(stepA))...)
		if half == "" {
			f.Emit("ld1", neon.Operands(y, neon.At(b).PostReg(stepB))...)
		} else {
			narrow := make([]neon.Vec, vectors)
			for j, v := range y {
				narrow[j] = v.H4()
			}
			f.Emit("ld1", neon.Operands(narrow, neon.At(b).PostReg(stepB))...)
		}
		for _, v := range y {
			switch half {
			case "f16":
				f.Emit("fcvtl", v, v.H4())
			case "bf16":
				f.Emit("ushll", v, v.H4(), 0)
				f.Emit("shl", v, v, 16)
			}
		}
		set := sums[p%len(sums)]
		for i := range rows {
			for j, v := range y {
				f.Emit("fmla", set[i*vectors+j], v, x[i/4].Lane(i%4))
			}
		}
	}
	f.Emit("subs", depth, depth, unroll)
	f.Branch("blt", "rest")
	f.Label("loop")
	for p := range unroll {
		step(p)
	}
	f.Emit("subs", depth, depth, unroll)
	f.Branch("bge", "loop")
	f.Label("rest")
	f.Emit("adds", depth, depth, unroll)
	f.Branch("beq", "done")
	f.Label("one")
	step(0)
	f.Emit("subs", depth, depth, 1)
	f.Branch("bne", "one")
	f.Label("done")
	for n := len(sums); n > 1; n /= 2 {
		for i := range n / 2 {
			for j, s := range sums[i] {
				f.Emit("fadd", s, s, sums[i+n/2][j])
			}
		}
	}
	c, ldc, flags := load(fieldC), load(fieldLDC), load(fieldFlags)
	store(f, sums[0], rows, vectors, c, ldc, flags, load)
	f.Return()
}

// store adds c and the biases, clamps, and writes the tile.
func store(f *neon.Func, sums []neon.Vec, rows, vectors int, c, ldc, flags neon.Reg, load func(int) neon.Reg) {
	// eachRow calls an access for the vectors of each row of c.
	eachRow := func(access func(row []neon.Vec, m func(j int) neon.Mem)) {
		at := f.Reg()
		f.Emit("mov", at, c)
		for i := range rows {
			access(sums[i*vectors:][:vectors], func(j int) neon.Mem { return neon.At(at).Plus(16 * j) })
			if i < rows-1 {
				f.Emit("add", at, at, ldc)
			}
		}
	}
	f.BitClear(flags, flagAdd, "rows")
	eachRow(func(row []neon.Vec, m func(int) neon.Mem) {
		for j, s := range row {
			x := f.Vec()
			f.Emit("ldr", x.Q(), m(j))
			f.Emit("fadd", s, s, x)
		}
	})
	f.Label("rows")
	bias := load(fieldRowBias)
	f.Zero(bias, "columns")
	for i := range rows {
		x := f.Vec()
		f.Emit("ld1r", x, neon.At(bias).Post(4))
		for j := range vectors {
			f.Emit("fadd", sums[i*vectors+j], sums[i*vectors+j], x)
		}
	}
	f.Label("columns")
	bias = load(fieldColumnBias)
	f.Zero(bias, "clamp")
	for j := range vectors {
		x := f.Vec()
		f.Emit("ldr", x.Q(), neon.At(bias).Plus(16*j))
		for i := range rows {
			f.Emit("fadd", sums[i*vectors+j], sums[i*vectors+j], x)
		}
	}
	f.Label("clamp")
	f.BitClear(flags, flagClamp, "write")
	limits := load(fieldLo)
	lo, hi := f.Vec(), f.Vec()
	f.Emit("dup", lo, limits)
	f.Emit("lsr", limits, limits, 32)
	f.Emit("dup", hi, limits)
	for _, s := range sums {
		f.Emit("fmaxnm", s, s, lo) // lo if s is NaN
	}
	for _, s := range sums {
		f.Emit("fminnm", s, s, hi)
	}
	f.Label("write")
	eachRow(func(row []neon.Vec, m func(int) neon.Mem) {
		j := 0
		for ; j+2 <= len(row); j += 2 {
			f.Emit("stp", row[j].Q(), row[j+1].Q(), m(j))
		}
		if j < len(row) {
			f.Emit("str", row[j].Q(), m(j))
		}
	})
}
