package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// many is the number of vectors of columns that are joined at a time.
const many = 4

// evens are the lanes of two vectors that pairs takes.
var evens *Mem

// rows writes the functions that join rows; with pairs those that take every other
// element.
func rows(set *isa, f *function, pairs bool) {
	name, element := f.name+"Rows"+set.name, "in[o*inPitch + r*step + i]"
	if pairs {
		name, element = f.name+"Pairs"+set.name, "in[o*inPitch + r*step + 2*i]"
	}
	TEXT(name, NOSPLIT, "func(out, in, scale *float32, table *int, n, count, step, outs, inPitch, outPitch int) (nan int)")
	Pragma("noescape")
	docs := []string{
		name + " sets, for o below outs, of which there is one, and i below n,", "",
		"\tout[o*outPitch + i] = " + f.name + " over r < count of " + f.formula + ", x = " + element, "",
		"times scale[i] if scale is not nil. count is not 0. If table is not nil, count is",
		"table[3*o+1], table[3*o] is added to the place in in, table[3*o+2] to that in scale.",
	}
	if f.nan {
		docs = append(docs, "nan is 0 if no element is NaN; else the results are any.")
	}
	Doc(docs...)
	w := &rowWriter{set: set, f: f, pairs: pairs}
	w.in, w.out = Load(Param("in"), GP64()), Load(Param("out"), GP64())
	w.step = Load(Param("step"), GP64())
	w.table = Load(Param("table"), GP64())
	n := Load(Param("n"), GP64())
	inPitch, outPitch := Load(Param("inPitch"), GP64()), Load(Param("outPitch"), GP64())
	// There are too few registers for all.
	outs := NewParamAddr("outs", 56)
	for _, r := range []Register{w.step, inPitch, outPitch} {
		SHLQ(Imm(2), r)
	}
	if f.nan {
		w.nan = set.newSeen()
	}
	if pairs {
		w.last = set.mask()
		all := GP64()
		MOVQ(U32(set.lanes-1), all)
		set.first(w.last, all)
		if set.wide() {
			if evens == nil {
				t := table("evens", func(i int) uint32 { return uint32(2 * i) }, 16)
				evens = &t
			}
			w.evens = ZMM()
			VMOVUPS(*evens, w.evens)
		}
	}
	Label("row")
	w.x, w.y, w.scale, w.left = GP64(), GP64(), GP64(), GP64()
	MOVQ(w.in, w.x)
	MOVQ(w.out, w.y)
	MOVQ(n, w.left)
	Load(Param("scale"), w.scale)
	w.count = GP64()
	Load(Param("count"), w.count)
	TESTQ(w.table, w.table)
	JZ(LabelRef("uniform"))
	at := GP64()
	MOVQ(Mem{Base: w.table}, at)
	LEAQ(Mem{Base: w.x, Index: at, Scale: 4}, w.x)
	MOVQ(Mem{Base: w.table, Disp: 8}, w.count)
	ADDQ(Imm(24), w.table)
	TESTQ(w.scale, w.scale)
	JZ(LabelRef("uniform"))
	MOVQ(Mem{Base: w.table, Disp: 16 - 24}, at)
	LEAQ(Mem{Base: w.scale, Index: at, Scale: 4}, w.scale)
	Label("uniform")
	w.columns(many)
	w.columns(1)
	w.rest()
	ADDQ(inPitch, w.in)
	ADDQ(outPitch, w.out)
	DECQ(outs)
	JNZ(LabelRef("row"))
	if f.nan {
		Store(w.nan.bits(), ReturnIndex(0))
	} else {
		zero := GP64()
		XORQ(zero, zero)
		Store(zero, ReturnIndex(0))
	}
	VZEROUPPER()
	RET()
}

// rowWriter writes the columns of one row of the output.
type rowWriter struct {
	set                  *isa
	f                    *function
	pairs                bool
	in, out, step, table Register
	x, y, scale, left    Register // where it is
	count                Register // of rows
	nan                  *seen
	last                 mask
	evens                Register
}

// columns writes the loop over vectors, several at a time.
func (w *rowWriter) columns(vectors int) {
	label := map[int]string{many: "many", 1: "one"}[vectors]
	count := vectors * w.set.lanes
	Label(label)
	CMPQ(w.left, U32(count))
	JL(LabelRef("after_" + label))
	w.join(label, vectors, mask{}, mask{}, w.last)
	width := 4 * count
	ADDQ(U32(width), w.y)
	if w.pairs {
		width *= 2
	}
	ADDQ(U32(width), w.x)
	SUBQ(U32(count), w.left)
	JMP(LabelRef(label))
	Label("after_" + label)
}

// rest writes the columns behind the last whole vector.
func (w *rowWriter) rest() {
	TESTQ(w.left, w.left)
	JZ(LabelRef("end"))
	out, low, high := w.set.mask(), mask{}, mask{}
	w.set.first(out, w.left)
	if w.pairs {
		low, high = w.set.mask(), w.set.mask()
		// The last element that is needed is at 2*left-2.
		first, second, lanes, zero := GP64(), GP64(), GP64(), GP64()
		LEAQ(Mem{Base: w.left, Index: w.left, Scale: 1, Disp: -1}, second)
		MOVQ(U32(w.set.lanes), lanes)
		MOVQ(second, first)
		CMPQ(first, lanes)
		CMOVQGT(lanes, first)
		w.set.first(low, first)
		XORQ(zero, zero)
		SUBQ(lanes, second)
		CMOVQLT(zero, second)
		w.set.first(high, second)
	} else {
		low = out
	}
	w.join("rest", 1, out, low, high)
	Label("end")
}

// join writes the loop over the rows for some vectors of columns.
func (w *rowWriter) join(label string, vectors int, out, low, high mask) {
	acc := make([]VecVirtual, vectors)
	x, left := GP64(), GP64()
	MOVQ(w.x, x)
	MOVQ(w.count, left)
	for i := range acc {
		acc[i] = w.set.vector()
		w.load(x, i, low, high, acc[i])
	}
	Label(label + "_join")
	DECQ(left)
	JZ(LabelRef(label + "_joined"))
	ADDQ(w.step, x)
	for i := range acc {
		v := w.set.vector()
		w.load(x, i, low, high, v)
		w.f.join(w.set, v, acc[i])
	}
	JMP(LabelRef(label + "_join"))
	Label(label + "_joined")
	TESTQ(w.scale, w.scale)
	JZ(LabelRef(label + "_store"))
	for i := range acc {
		v := w.set.vector()
		w.set.load(out, Mem{Base: w.scale, Disp: 4 * i * w.set.lanes}, v)
		VMULPS(v, acc[i], acc[i])
	}
	ADDQ(U32(4*vectors*w.set.lanes), w.scale)
	Label(label + "_store")
	for i := range acc {
		w.set.store(out, acc[i], Mem{Base: w.y, Disp: 4 * i * w.set.lanes})
	}
}

// load loads vector i of a row.
func (w *rowWriter) load(x Register, i int, low, high mask, v VecVirtual) {
	lanes := w.set.lanes
	if !w.pairs {
		w.set.load(low, Mem{Base: x, Disp: 4 * i * lanes}, v)
	} else {
		second := w.set.vector()
		w.set.load(low, Mem{Base: x, Disp: 8 * i * lanes}, v)
		w.set.load(high, Mem{Base: x, Disp: 8*i*lanes + 4*lanes}, second)
		if w.set.wide() {
			VPERMT2PS(second, w.evens, v)
		} else {
			VSHUFPS(Imm(0x88), second, v, v)
			VPERMPD(Imm(0xd8), v, v)
		}
	}
	if w.nan != nil {
		w.nan.look(v)
	}
	if w.f.term != nil {
		w.f.term(w.set, v)
	}
}
