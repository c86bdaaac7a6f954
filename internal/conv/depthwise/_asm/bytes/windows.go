package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// windows generates a function for windows of some rows next to each other, of some quads each,
// whose stride is the same in both axes. It goes down a plane, 16 columns wide, and keeps the quads
// of a window in registers: the next one shares most of its rows, so that each row is read once.
type windows struct {
	call
	rows, quads, stride       int
	window                    []VecVirtual // the quads of its rows
	masks                     []Register   // which bytes of a row are in the input, by quad
	row, at                   GPVirtual    // the next row, and its bytes
	inputWidth, stepQuad, out GPVirtual
	reads                     int // how many times read was called
	// write the code for rows outside of the input, behind the function
	outsides []func()
}

func (w *windows) generate() {
	name := fmt.Sprintf("depthwiseBytes%dBy%d", w.rows, w.stride)
	w.start(name, fmt.Sprintf("%s is depthwiseBytes for windows of %d rows of %d quads and a stride of %d.", name, w.rows, w.quads, w.stride))
	w.masks = []Register{K1, K2}[:w.quads]
	weights := make([]VecVirtual, w.rows*w.quads)
	w.window = make([]VecVirtual, len(weights))
	for i := range weights {
		weights[i], w.window[i] = ZMM(), ZMM()
	}
	w.inputWidth = w.load(fieldInputWidth)
	if w.quads > 1 {
		w.stepQuad = w.load(fieldStepQuad)
	}
	w.row, w.at, w.out = GP64(), GP64(), GP64()

	Label("plane")
	in, filter := w.startPlane()
	for i, x := range weights {
		VPBROADCASTD(Mem{Base: filter, Disp: 4 * i}, x)
	}
	first, vectors, columns := w.load(fieldFirst), w.load(fieldVectors), w.load(fieldWidth)
	dst := w.load(fieldDst)
	Label("columns")
	for i, mask := range w.masks {
		KMOVQ(Mem{Base: vectors, Disp: 8 * i}, mask)
	}
	KMOVW(Mem{Base: vectors, Disp: 8 * w.quads}, K3)
	ADDQ(Imm(uint64(8*w.quads+8)), vectors)
	MOVQ(w.field(fieldTop), w.row)
	MOVQ(w.inputWidth, w.at)
	IMULQ(w.row, w.at)
	ADDQ(in, w.at)
	ADDQ(first, w.at)
	for i := w.stride; i < w.rows; i++ {
		w.read(i)
	}
	MOVQ(dst, w.out)
	rows := w.load(fieldRows)
	Label("row")
	shared := (w.rows - w.stride) * w.quads
	for i := range shared {
		VMOVDQA32(w.window[i+w.stride*w.quads], w.window[i])
	}
	for i := w.rows - w.stride; i < w.rows; i++ {
		w.read(i)
	}
	sum := ZMM()
	VPXORD(sum, sum, sum)
	for i, x := range w.window {
		VPDPBUSD(weights[i], x, sum)
	}
	w.write(sum, w.out)
	ADDQ(w.field(fieldStepRow), w.out)
	DECQ(rows)
	JNE(LabelRef("row"))
	ADDQ(w.field(fieldStepVector), first)
	ADDQ(w.field(fieldStepOut), dst)
	SUBQ(Imm(16), columns)
	JG(LabelRef("columns"))
	plane := w.load(fieldStepPlane)
	ADDQ(plane, w.field(fieldDst))
	w.endPlane()
	for _, outside := range w.outsides {
		outside()
	}
}

// read reads the next row of the input, or of what is outside of it, into row i of the window.
func (w *windows) read(i int) {
	label := fmt.Sprint(w.reads)
	w.reads++
	CMPQ(w.row, w.field(fieldInputRows))
	JCC(LabelRef("outside" + label)) // unsigned: negative rows too
	row := w.window[i*w.quads:][:w.quads]
	for j, x := range row {
		m := Mem{Base: w.at}
		if j > 0 {
			m.Index, m.Scale = w.stepQuad, 1
		}
		// the quads of 16 windows are in 32 bytes, which are in two lines of the cache less often
		if w.stride == 1 {
			VPBLENDMB(m, w.outside.AsY(), w.masks[j], x.AsY())
		} else {
			VPBLENDMB(m, w.outside, w.masks[j], x)
		}
		w.place(x)
	}
	Label("read" + label)
	INCQ(w.row)
	ADDQ(w.inputWidth, w.at)
	w.outsides = append(w.outsides, func() {
		Label("outside" + label)
		for _, x := range row {
			VMOVDQA32(w.outside, x)
		}
		JMP(LabelRef("read" + label))
	})
}
