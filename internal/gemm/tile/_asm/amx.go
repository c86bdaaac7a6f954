package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The layout of amxTiles in amx_amd64.go.
const (
	amxConfig, amxA, amxB, amxC    = 0, 8, 16, 24
	amxStepA, amxStepB, amxStepC   = 32, 40, 48
	amxBlockA, amxBlockB, amxLower = 56, 64, 72
	amxPanelA, amxPanelC           = 80, 88
	amxSteps, amxCount, amxAdd     = 96, 104, 112
)

// The first tile of each kind; there are 4, 2 and 2.
const amxSums, amxTilesA, amxTilesB int = 0, 4, 6

// amxProducts are the instructions that multiply tiles: VEX.128.0F38.W0 of Intel's manual with the
// given prefix, of which 1 is 66, 2 is F3 and 3 is F2.
var amxProducts = []struct {
	name           string
	prefix, opcode byte
	doc            string
}{
	{"BSUD", 2, 0x5e, "TDPBSUD, of i8 by u8"},
	{"BUSD", 1, 0x5e, "TDPBUSD, of u8 by i8"},
	{"BF16PS", 2, 0x5c, "TDPBF16PS, of pairs of bf16"},
	{"FP16PS", 3, 0x5c, "TDPFP16PS, of pairs of f16"},
}

// amx generates the functions that multiply tiles of AMX, whose instructions Go's assembler and avo
// do not know. The registers are chosen here, as their numbers are in the bytes of the
// instructions.
func amx() {
	for i := range amxProducts {
		for rows := 1; rows <= 2; rows++ {
			for columns := 1; columns <= 2; columns++ {
				amxFunction(i, rows, columns)
			}
		}
	}
}

// emit writes an instruction as bytes. TestEncodings_amd64 compares them with name, whose operands
// are in Go's order.
func emit(name string, bytes ...byte) {
	Comment(name)
	for _, b := range bytes {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(b)}})
	}
}

// The numbers of registers in instructions, and their names.
var (
	amxNumber = map[Register]byte{RAX: 0, RCX: 1, RDX: 2, RBX: 3, RSI: 6, RDI: 7}
	amxName   = map[Register]string{RAX: "AX", RCX: "CX", RDX: "DX", RBX: "BX", RSI: "SI", RDI: "DI"}
)

// tileMemory writes an instruction that moves a tile from or to memory: rows at base + at, step
// bytes apart.
func tileMemory(name string, prefix byte, tile int, base, step Register, at byte) {
	modRM, sib := byte(tile)<<3|4, amxNumber[step]<<3|amxNumber[base]
	memory := fmt.Sprintf("(%s)(%s*1)", amxName[base], amxName[step])
	operands := [2]string{memory, fmt.Sprint("T", tile)}
	if at > 0 {
		operands[0] = fmt.Sprintf("%#x%s", at, memory)
	}
	if name == "TILESTORED" {
		operands[0], operands[1] = operands[1], operands[0]
	}
	name += " " + strings.Join(operands[:], ", ")
	if at == 0 {
		emit(name, 0xc4, 0xe2, prefix, 0x4b, modRM, sib)
	} else {
		emit(name, 0xc4, 0xe2, prefix, 0x4b, 0x40|modRM, sib, at)
	}
}

func tileLoad(tile int, base, step Register, at byte) {
	tileMemory("TILELOADD", 0x7b, tile, base, step, at)
}
func tileStore(tile int, base, step Register, at byte) {
	tileMemory("TILESTORED", 0x7a, tile, base, step, at)
}

// amxFunctionName returns the name of a function.
func amxFunctionName(product string, rows, columns int) string {
	return fmt.Sprintf("amx%s_%dx%d", product, 16*rows, 16*columns)
}

// amxFunction generates a function for one or two tiles below each other, and beside each other.
func amxFunction(product, rows, columns int) {
	p := amxProducts[product]
	name := amxFunctionName(p.name, rows, columns)
	TEXT(name, NOSPLIT, "func(t *byte)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s multiplies by %s: panels of a with up to %d rows below each other by a panel of b with %d columns.",
		name, p.doc, 16*rows, 16*columns), "t is an amxTiles.")
	t, count, steps, a, c := R8, R9, R10, R11, R12
	field := func(at int) Mem { return Mem{Base: t, Disp: at} }
	MOVQ(NewParamAddr("t", 0), t)
	MOVQ(field(amxConfig), RAX)
	emit("LDTILECFG (AX)", 0xc4, 0xe2, 0x78, 0x49, 0x00)
	MOVQ(field(amxCount), count)
	MOVQ(field(amxA), a)
	MOVQ(field(amxC), c)

	// eachSum calls f with the tiles of c.
	eachSum := func(f func(tile int, base, step Register, at byte)) {
		MOVQ(c, RDI)
		MOVQ(field(amxStepC), RCX)
		for i := range rows {
			if i > 0 {
				MOVQ(RCX, RSI)
				SHLQ(Imm(4), RSI)
				ADDQ(RSI, RDI)
			}
			for j := range columns {
				f(amxSums+2*i+j, RDI, RCX, byte(64*j))
			}
		}
	}
	Label("panel")
	CMPQ(field(amxAdd), Imm(0))
	JE(LabelRef("clear"))
	eachSum(tileLoad)
	JMP(LabelRef("sums"))
	Label("clear")
	for i := range rows {
		for j := range columns {
			tile := amxSums + 2*i + j
			emit(fmt.Sprint("TILEZERO T", tile), 0xc4, 0xe2, 0x7b, 0x49, 0xc0|byte(tile)<<3)
		}
	}
	Label("sums")
	bases := []Register{RAX, RSI}[:rows]
	MOVQ(a, RAX)
	if rows > 1 {
		MOVQ(field(amxLower), RSI)
		ADDQ(a, RSI)
	}
	MOVQ(field(amxB), RBX)
	MOVQ(field(amxStepA), RCX)
	MOVQ(field(amxStepB), RDX)
	MOVQ(field(amxSteps), steps)
	Label("step")
	multiply := func(i, j int) {
		sum, a, b := byte(amxSums+2*i+j), byte(amxTilesA+i), byte(amxTilesB+j)
		emit(fmt.Sprintf("TDP%s T%d, T%d, T%d", p.name, b, a, sum), 0xc4, 0xe2, ^b&15<<3|p.prefix, p.opcode, 0xc0|sum<<3|a)
	}
	for i, base := range bases {
		tileLoad(amxTilesA+i, base, RCX, 0)
		for j := range columns {
			if i == 0 {
				tileLoad(amxTilesB+j, RBX, RDX, byte(64*j))
			}
			multiply(i, j)
		}
	}
	for _, base := range bases {
		ADDQ(field(amxBlockA), base)
	}
	ADDQ(field(amxBlockB), RBX)
	DECQ(steps)
	JNE(LabelRef("step"))

	eachSum(tileStore)
	ADDQ(field(amxPanelA), a)
	ADDQ(field(amxPanelC), c)
	DECQ(count)
	JNE(LabelRef("panel"))
	emit("TILERELEASE", 0xc4, 0xe2, 0x78, 0x49, 0xc0)
	RET()
}
