package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of small in small_amd64.go.
const (
	smallA, smallB, smallC             = 0, 8, 16
	smallStepA, smallStepB, smallStepC = 24, 32, 40
	smallRows, smallDepth, smallMask   = 48, 56, 64
)

// smallRowsOf is the number of rows of a tile, for each number of vectors of a row. The sums take
// up to 28 of the 32 registers.
var smallRowsOf = map[int]int{2: 13, 3: 9, 4: 7}

// smallKernel generates a function that multiplies small matrices in place, without packing. It has
// AVX-512.
type smallKernel struct {
	vectors, rows int
	sums          []VecVirtual // in row-major order
	bases         []GPVirtual  // of rows 0, 3, 6 and so on of a
	a, b, stepA   GPVirtual
	stepB         GPVirtual
}

func small() {
	for vectors := 2; vectors <= 4; vectors++ {
		(&smallKernel{vectors: vectors, rows: smallRowsOf[vectors]}).generate()
	}
}

func (k *smallKernel) generate() {
	TEXT(fmt.Sprintf("smallAVX512_%d", k.vectors), NOSPLIT, "func(s *byte)")
	Pragma("noescape")
	Doc(
		fmt.Sprintf("smallAVX512_%d multiplies matrices with up to %d columns, the last vector of which is not empty. s is a", k.vectors, 16*k.vectors),
		fmt.Sprintf("small with %d rows or more.", k.rows),
	)
	s := Load(Param("s"), GP64())
	load := func(at int) GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: s, Disp: at}, r)
		return r
	}
	mask := load(smallMask)
	KMOVW(mask.As32(), K1)
	k.a, k.stepA, k.stepB = load(smallA), load(smallStepA), load(smallStepB)
	c, left := load(smallC), load(smallRows)
	k.b = GP64()
	for range (k.rows + 2) / 3 {
		k.bases = append(k.bases, GP64())
	}
	for range k.rows * k.vectors {
		k.sums = append(k.sums, ZMM())
	}
	stepC, depth := GP64(), GP64()
	Label("tile")
	CMPQ(left, Imm(uint64(k.rows)))
	JGE(LabelRef("whole"))
	// The last tile starts so that its last row is that of the matrix.
	back, bytes := GP64(), GP64()
	MOVQ(left, back)
	SUBQ(Imm(uint64(k.rows)), back)
	MOVQ(back, bytes)
	IMULQ(k.stepA, bytes)
	ADDQ(bytes, k.a)
	IMULQ(Mem{Base: s, Disp: smallStepC}, back)
	ADDQ(back, c)
	MOVQ(U32(uint32(k.rows)), left)
	Label("whole")
	MOVQ(k.a, k.bases[0])
	for i := 1; i < len(k.bases); i++ {
		LEAQ(Mem{Base: k.bases[i-1], Index: k.stepA, Scale: 2}, k.bases[i])
		ADDQ(k.stepA, k.bases[i])
	}
	MOVQ(Mem{Base: s, Disp: smallB}, k.b)
	MOVQ(Mem{Base: s, Disp: smallDepth}, depth)
	for _, sum := range k.sums {
		VPXORD(sum, sum, sum)
	}
	Label("depth")
	k.step()
	for _, base := range k.bases {
		ADDQ(Imm(4), base)
	}
	DECQ(depth)
	JNE(LabelRef("depth"))
	MOVQ(Mem{Base: s, Disp: smallStepC}, stepC)
	for i := range k.rows {
		for j := range k.vectors - 1 {
			VMOVUPS(k.sums[i*k.vectors+j], Mem{Base: c, Disp: 64 * j})
		}
		VMOVUPS(k.sums[(i+1)*k.vectors-1], K1, Mem{Base: c, Disp: 64 * (k.vectors - 1)})
		ADDQ(stepC, c)
	}
	for range k.rows {
		ADDQ(k.stepA, k.a)
	}
	SUBQ(Imm(uint64(k.rows)), left)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// step adds the products of a column of a and a row of b, and moves b to the next row.
func (k *smallKernel) step() {
	columns := make([]VecVirtual, 3)
	last := Mem{Base: k.b, Disp: 64 * (k.vectors - 1)}
	for j := range min(k.vectors, len(columns)) {
		columns[j] = ZMM()
		if j == k.vectors-1 {
			VMOVUPS_Z(last, K1, columns[j])
		} else {
			VMOVUPS(Mem{Base: k.b, Disp: 64 * j}, columns[j])
		}
	}
	for i := range k.rows {
		m := Mem{Base: k.bases[i/3]}
		if i%3 > 0 {
			m.Index, m.Scale = k.stepA, uint8(i%3)
		}
		x := ZMM()
		VBROADCASTSS(m, x)
		for j := range k.vectors {
			sum := k.sums[i*k.vectors+j]
			if j < len(columns) {
				VFMADD231PS(columns[j], x, sum)
			} else {
				VFMADD231PS(last, x, K1, sum) // there is no register left
			}
		}
	}
	ADDQ(k.stepB, k.b)
}
