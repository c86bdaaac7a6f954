// Command gen writes the assembly of package window.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, rows := range []int{1, 4} {
		addRows(rows)
	}
	Generate()
}

const (
	lanes  = 8 // of a YMM register
	unroll = 4
)

// addRows writes the function that adds the given number of weighted rows to out.
func addRows(rows int) {
	name, signature, formula := fmt.Sprintf("addRows%d", rows), "out", "out[i] +="
	for r, plus := 0, ""; r < rows; r, plus = r+1, "+ " {
		signature += fmt.Sprintf(", in%d", r)
		formula += fmt.Sprintf(" %sw%d*in%d[i]", plus, r, r)
	}
	signature += " *float32"
	for r := range rows {
		signature += fmt.Sprintf(", w%d", r)
	}
	TEXT(name, NOSPLIT, "func("+signature+" float32, n int)")
	Doc(name+" computes", "", "\tfor i < n: "+formula, "", "It needs AVX2 and FMA.")
	out := Load(Param("out"), GP64())
	ins, weights := make([]Register, rows), make([]VecVirtual, rows)
	for r := range rows {
		ins[r] = Load(Param(fmt.Sprintf("in%d", r)), GP64())
		weights[r] = YMM()
		address, err := Param(fmt.Sprintf("w%d", r)).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSS(address.Addr, weights[r])
	}
	n := Load(Param("n"), GP64()).(GPVirtual)
	loop(name+"_many", out, ins, weights, n, unroll, lanes)
	loop(name+"_few", out, ins, weights, n, 1, lanes)
	loop(name+"_one", out, ins, weights, n, 1, 1)
	VZEROUPPER()
	RET()
}

// loop writes the loop that processes vectors*width elements at a time, as long as there are
// that many.
func loop(label string, out Register, ins []Register, weights []VecVirtual, n GPVirtual, vectors, width int) {
	step := vectors * width
	Label(label)
	CMPQ(n, Imm(uint64(step)))
	JL(LabelRef(label + "_end"))
	sums := make([]VecVirtual, vectors)
	for v := range sums {
		sums[v] = YMM()
		if width == 1 {
			VMOVSS(Mem{Base: out}, sums[v].AsX())
		} else {
			VMOVUPS(Mem{Base: out, Disp: 4 * v * width}, sums[v])
		}
	}
	for r, in := range ins {
		for v := range sums {
			if width == 1 {
				VFMADD231SS(Mem{Base: in}, weights[r].AsX(), sums[v].AsX())
			} else {
				VFMADD231PS(Mem{Base: in, Disp: 4 * v * width}, weights[r], sums[v])
			}
		}
	}
	for v := range sums {
		if width == 1 {
			VMOVSS(sums[v].AsX(), Mem{Base: out})
		} else {
			VMOVUPS(sums[v], Mem{Base: out, Disp: 4 * v * width})
		}
	}
	ADDQ(Imm(uint64(4*step)), out)
	for _, in := range ins {
		ADDQ(Imm(uint64(4*step)), in)
	}
	SUBQ(Imm(uint64(step)), n)
	JMP(LabelRef(label))
	Label(label + "_end")
}
