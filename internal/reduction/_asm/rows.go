package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// unroll is the number of vectors that the main loops process at a time.
const unroll = 4

// evens holds the even lane numbers of two vectors, for AVX-512.
var evens *Mem

// rows generates the function that reduces rows to one row. With stride2 it reads every
// second element of the input rows.
func rows(set *isa, f *function, stride2 bool) {
	name, element := f.name+"Rows"+set.name, "in[o*inPitch + r*step + i]"
	if stride2 {
		name, element = f.name+"Stride2"+set.name, "in[o*inPitch + r*step + 2*i]"
	}
	TEXT(name, NOSPLIT, "func(out, in, scale *float32, table *int, n, count, step, outputs, inPitch, outPitch int) (nan int)")
	Pragma("noescape")
	docs := []string{
		name + " sets, for each o < outputs and i < n,", "",
		"\tout[o*outPitch + i] = " + f.operator + " over r < count of " + f.formula + ", x = " + element, "",
		"times scale[i] if scale is not nil. If table is not nil, table[3*o+1] replaces count,",
		"table[3*o] is added to the index of in, and table[3*o+2] to the index of scale.",
		"count and outputs must be positive.",
	}
	docs = append(docs, nanDoc(f)...)
	Doc(docs...)
	w := &rowWriter{set: set, f: f, stride2: stride2}
	w.in, w.out = Load(Param("in"), GP64()), Load(Param("out"), GP64())
	w.step = Load(Param("step"), GP64())
	w.table = Load(Param("table"), GP64())
	n := Load(Param("n"), GP64())
	inPitch, outPitch := Load(Param("inPitch"), GP64()), Load(Param("outPitch"), GP64())
	// There are too few registers: the counter stays in memory.
	outputs := NewParamAddr("outputs", 56)
	for _, r := range []Register{w.step, inPitch, outPitch} {
		SHLQ(Imm(2), r)
	}
	if f.nan {
		w.nan = set.newNaNCheck()
	}
	if stride2 {
		w.allButLast = set.mask()
		lanes := GP64()
		MOVQ(U32(set.lanes-1), lanes)
		set.firstLanes(w.allButLast, lanes)
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
	// An entry of table is a reduction.Row: Offset, Count and ScaleOffset.
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
	w.columns(unroll)
	w.columns(1)
	w.rest()
	ADDQ(inPitch, w.in)
	ADDQ(outPitch, w.out)
	DECQ(outputs)
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

// rowWriter generates the code for one output row.
type rowWriter struct {
	set                  *isa
	f                    *function
	stride2              bool
	in, out, step, table Register
	x, y, scale          Register // the next elements of in, out and scale
	left                 Register // the number of elements of the row that are left
	count                Register // the number of input rows
	nan                  *nanCheck
	// allButLast keeps the load of a second vector within the row: with stride2 its last
	// lane is not needed.
	allButLast mask
	evens      Register
}

// columns generates the loop over the row, a number of vectors at a time.
func (w *rowWriter) columns(vectors int) {
	label := map[int]string{unroll: "many", 1: "one"}[vectors]
	count := vectors * w.set.lanes
	Label(label)
	CMPQ(w.left, U32(count))
	JL(LabelRef("after_" + label))
	w.reduce(label, vectors, mask{}, mask{}, w.allButLast)
	width := 4 * count
	ADDQ(U32(width), w.y)
	if w.stride2 {
		width *= 2
	}
	ADDQ(U32(width), w.x)
	SUBQ(U32(count), w.left)
	JMP(LabelRef(label))
	Label("after_" + label)
}

// rest generates the code for the elements after the last whole vector.
func (w *rowWriter) rest() {
	TESTQ(w.left, w.left)
	JZ(LabelRef("end"))
	out, low, high := w.set.mask(), mask{}, mask{}
	w.set.firstLanes(out, w.left)
	if w.stride2 {
		low, high = w.set.mask(), w.set.mask()
		// The elements that are needed end at 2*left-2, so 2*left-1 elements are loaded.
		first, second, lanes, zero := GP64(), GP64(), GP64(), GP64()
		LEAQ(Mem{Base: w.left, Index: w.left, Scale: 1, Disp: -1}, second)
		MOVQ(U32(w.set.lanes), lanes)
		MOVQ(second, first)
		CMPQ(first, lanes)
		CMOVQGT(lanes, first)
		w.set.firstLanes(low, first)
		XORQ(zero, zero)
		SUBQ(lanes, second)
		CMOVQLT(zero, second)
		w.set.firstLanes(high, second)
	} else {
		low = out
	}
	w.reduce("rest", 1, out, low, high)
	Label("end")
}

// reduce generates the loop over the input rows for a number of vectors. out selects the lanes to
// store; low and high select the lanes of a vector of an input row that are loaded, high with
// stride2, for every second vector.
//
// With stride2, all elements of two vectors are reduced, and the even lanes of the results are
// kept. A comparison for NaN takes two rows at once: combine keeps the NaN of its first operand, so
// that acc has that of the last row.
func (w *rowWriter) reduce(label string, vectors int, out, low, high mask) {
	loads := vectors
	if w.stride2 {
		loads *= 2
	}
	acc := make([]VecVirtual, loads)
	x, left := GP64(), GP64()
	MOVQ(w.x, x)
	MOVQ(w.count, left)
	for i := range acc {
		acc[i] = w.set.vector()
		w.load(x, i, low, high, acc[i])
	}
	row := func(check bool) {
		ADDQ(w.step, x)
		for i := range acc {
			v := w.set.vector()
			w.load(x, i, low, high, v)
			if check {
				w.nan.add(acc[i], v)
			}
			w.f.combine(w.set, v, acc[i])
		}
	}
	if w.nan == nil {
		Label(label + "_reduce")
		DECQ(left)
		JZ(LabelRef(label + "_reduced"))
		row(false)
		JMP(LabelRef(label + "_reduce"))
	} else {
		DECQ(left)
		Label(label + "_reduce")
		CMPQ(left, Imm(2))
		JL(LabelRef(label + "_few"))
		row(true)
		row(false)
		SUBQ(Imm(2), left)
		JMP(LabelRef(label + "_reduce"))
		Label(label + "_few")
		TESTQ(left, left)
		JZ(LabelRef(label + "_check"))
		row(true)
		JMP(LabelRef(label + "_reduced"))
		Label(label + "_check")
		for _, v := range acc {
			w.nan.add(v, v)
		}
	}
	Label(label + "_reduced")
	if w.stride2 {
		for i := range vectors {
			w.evenLanes(acc[2*i], acc[2*i+1])
			acc[i] = acc[2*i]
		}
		acc = acc[:vectors]
	}
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

// load loads vector i of an input row and replaces it with its terms.
func (w *rowWriter) load(x Register, i int, low, high mask, v VecVirtual) {
	m := low
	if w.stride2 && i%2 == 1 {
		m = high
	}
	w.set.load(m, Mem{Base: x, Disp: 4 * i * w.set.lanes}, v)
	if w.f.term != nil {
		w.f.term(w.set, v)
	}
}

// evenLanes sets v to the even lanes of v and second.
func (w *rowWriter) evenLanes(v, second VecVirtual) {
	if w.set.wide() {
		VPERMT2PS(second, w.evens, v)
	} else {
		VSHUFPS(Imm(0x88), second, v, v)
		VPERMPD(Imm(0xd8), v, v)
	}
}
