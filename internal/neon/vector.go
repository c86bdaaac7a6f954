package neon

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// form is how the operands of vector instructions are written and encoded. The names are those of
// the manual's chapter C4.1, "Data Processing -- Scalar Floating-Point and Advanced SIMD".
type form int

const (
	same        form = iota // three registers of one arrangement
	logical                 // three registers of bytes
	float                   // three registers of numbers: f16, f32 or f64
	misc                    // two registers of one arrangement
	bytes2                  // two registers of bytes
	miscFloat               // two registers of numbers
	zero                    // a comparison of a register with 0
	zeroFloat               // a comparison of numbers with 0
	pairLong                // lanes of the result are twice as wide: saddlp
	narrow                  // lanes of the result are half as wide: xtn
	narrowFloat             // fcvtn
	widenFloat              // fcvtl
	across                  // a scalar result
	acrossLong              // a scalar result of twice the width
	acrossFloat             // a scalar result of f32
	long                    // a result of lanes twice as wide as those of both operands: smull
	wide                    // as long, but the first operand has lanes of the result: saddw
	permute                 // three registers of one arrangement, of any size
	dot                     // four lanes of 8 bits make one of 32
	matrix                  // two rows of eight lanes of 8 bits with two such rows: smmla
	dotHalf                 // two lanes of bf16 make one of 32 bits
	matrixHalf              // bfmmla
	shiftLeft               // by a constant
	shiftRight              // by a constant
	shiftNarrow             // to the right by a constant, to lanes half as wide
	shiftLong               // to the left by a constant, to lanes twice as wide
)

// vectorInstruction is the encoding of an instruction for vectors. element, if not 0, is the
// encoding of the one whose last operand is a lane.
type vectorInstruction struct {
	form    form
	word    uint32
	element uint32
	// adds says that the result is read too.
	adds bool
	// sizes has the letters of the lanes that the instruction takes: those of the narrower lanes
	// where there are two. "" is all that the form takes.
	sizes string
}

// same3 and the other functions place an opcode where a class of instructions has it.
func same3(u, opcode uint32) uint32     { return 0x0e200400 | u<<29 | opcode<<11 }
func logic3(u, size uint32) uint32      { return 0x0e201c00 | u<<29 | size<<22 }
func float3(u, a, opcode uint32) uint32 { return 0x0e200400 | u<<29 | a<<23 | opcode<<11 }
func misc2(u, opcode uint32) uint32     { return 0x0e200800 | u<<29 | opcode<<12 }
func float2(u, a, opcode uint32) uint32 { return misc2(u, opcode) | a<<23 }
func lanes1(u, opcode uint32) uint32    { return 0x0e300800 | u<<29 | opcode<<12 }
func long3(u, opcode uint32) uint32     { return 0x0e200000 | u<<29 | opcode<<12 }
func permute3(opcode uint32) uint32     { return 0x0e000800 | opcode<<12 }
func shift2(u, opcode uint32) uint32    { return 0x0f000400 | u<<29 | opcode<<11 }
func element3(u, opcode uint32) uint32  { return 0x0f000000 | u<<29 | opcode<<12 }

// vectorInstructions has the instructions of vectors. Those of extensions say which: FEAT_DotProd,
// FEAT_I8MM, FEAT_BF16, and FEAT_FP16 for all of lanes of 16 bits in the forms float and miscFloat.
var vectorInstructions = map[string]vectorInstruction{
	"add":      {form: same, word: same3(0, 0x10)},
	"sub":      {form: same, word: same3(1, 0x10)},
	"mul":      {form: same, word: same3(0, 0x13), element: element3(0, 8), sizes: "bhs"},
	"mla":      {form: same, word: same3(0, 0x12), element: element3(1, 0), adds: true, sizes: "bhs"},
	"mls":      {form: same, word: same3(1, 0x12), element: element3(1, 4), adds: true, sizes: "bhs"},
	"smax":     {form: same, word: same3(0, 0x0c), sizes: "bhs"},
	"umax":     {form: same, word: same3(1, 0x0c), sizes: "bhs"},
	"smin":     {form: same, word: same3(0, 0x0d), sizes: "bhs"},
	"umin":     {form: same, word: same3(1, 0x0d), sizes: "bhs"},
	"smaxp":    {form: same, word: same3(0, 0x14), sizes: "bhs"},
	"umaxp":    {form: same, word: same3(1, 0x14), sizes: "bhs"},
	"sminp":    {form: same, word: same3(0, 0x15), sizes: "bhs"},
	"uminp":    {form: same, word: same3(1, 0x15), sizes: "bhs"},
	"addp":     {form: same, word: same3(0, 0x17)},
	"cmgt":     {form: same, word: same3(0, 0x06)},
	"cmhi":     {form: same, word: same3(1, 0x06)},
	"cmge":     {form: same, word: same3(0, 0x07)},
	"cmhs":     {form: same, word: same3(1, 0x07)},
	"cmtst":    {form: same, word: same3(0, 0x11)},
	"cmeq":     {form: same, word: same3(1, 0x11)},
	"sshl":     {form: same, word: same3(0, 0x08)},
	"ushl":     {form: same, word: same3(1, 0x08)},
	"srshl":    {form: same, word: same3(0, 0x0a)},
	"urshl":    {form: same, word: same3(1, 0x0a)},
	"sqadd":    {form: same, word: same3(0, 0x01)},
	"uqadd":    {form: same, word: same3(1, 0x01)},
	"sqsub":    {form: same, word: same3(0, 0x05)},
	"uqsub":    {form: same, word: same3(1, 0x05)},
	"sabd":     {form: same, word: same3(0, 0x0e), sizes: "bhs"},
	"uabd":     {form: same, word: same3(1, 0x0e), sizes: "bhs"},
	"uhadd":    {form: same, word: same3(1, 0x00), sizes: "bhs"},
	"urhadd":   {form: same, word: same3(1, 0x02), sizes: "bhs"},
	"sqdmulh":  {form: same, word: same3(0, 0x16), sizes: "hs"},
	"sqrdmulh": {form: same, word: same3(1, 0x16), sizes: "hs"},

	"and": {form: logical, word: logic3(0, 0)},
	"bic": {form: logical, word: logic3(0, 1)},
	"orr": {form: logical, word: logic3(0, 2)},
	"orn": {form: logical, word: logic3(0, 3)},
	"eor": {form: logical, word: logic3(1, 0)},
	"bsl": {form: logical, word: logic3(1, 1), adds: true},
	"bit": {form: logical, word: logic3(1, 2), adds: true},
	"bif": {form: logical, word: logic3(1, 3), adds: true},

	"fmaxnm":  {form: float, word: float3(0, 0, 0x18)},
	"fmla":    {form: float, word: float3(0, 0, 0x19), element: element3(0, 1), adds: true},
	"fadd":    {form: float, word: float3(0, 0, 0x1a)},
	"fcmeq":   {form: float, word: float3(0, 0, 0x1c)},
	"fmax":    {form: float, word: float3(0, 0, 0x1e)},
	"frecps":  {form: float, word: float3(0, 0, 0x1f)},
	"fminnm":  {form: float, word: float3(0, 1, 0x18)},
	"fmls":    {form: float, word: float3(0, 1, 0x19), element: element3(0, 5), adds: true},
	"fsub":    {form: float, word: float3(0, 1, 0x1a)},
	"fmin":    {form: float, word: float3(0, 1, 0x1e)},
	"frsqrts": {form: float, word: float3(0, 1, 0x1f)},
	"fmaxnmp": {form: float, word: float3(1, 0, 0x18)},
	"faddp":   {form: float, word: float3(1, 0, 0x1a)},
	"fmul":    {form: float, word: float3(1, 0, 0x1b), element: element3(0, 9)},
	"fcmge":   {form: float, word: float3(1, 0, 0x1c)},
	"facge":   {form: float, word: float3(1, 0, 0x1d)},
	"fmaxp":   {form: float, word: float3(1, 0, 0x1e)},
	"fdiv":    {form: float, word: float3(1, 0, 0x1f)},
	"fminnmp": {form: float, word: float3(1, 1, 0x18)},
	"fabd":    {form: float, word: float3(1, 1, 0x1a)},
	"fcmgt":   {form: float, word: float3(1, 1, 0x1c)},
	"facgt":   {form: float, word: float3(1, 1, 0x1d)},
	"fminp":   {form: float, word: float3(1, 1, 0x1e)},

	"rev64": {form: misc, word: misc2(0, 0), sizes: "bhs"},
	"rev32": {form: misc, word: misc2(1, 0), sizes: "bh"},
	"rev16": {form: misc, word: misc2(0, 1), sizes: "b"},
	"cls":   {form: misc, word: misc2(0, 4), sizes: "bhs"},
	"clz":   {form: misc, word: misc2(1, 4), sizes: "bhs"},
	"abs":   {form: misc, word: misc2(0, 0x0b)},
	"neg":   {form: misc, word: misc2(1, 0x0b)},
	"cnt":   {form: bytes2, word: misc2(0, 5)},
	"not":   {form: bytes2, word: misc2(1, 5)},

	"frintn":  {form: miscFloat, word: float2(0, 0, 0x18)},
	"frintm":  {form: miscFloat, word: float2(0, 0, 0x19)},
	"frintp":  {form: miscFloat, word: float2(0, 1, 0x18)},
	"frintz":  {form: miscFloat, word: float2(0, 1, 0x19)},
	"frinta":  {form: miscFloat, word: float2(1, 0, 0x18)},
	"fcvtns":  {form: miscFloat, word: float2(0, 0, 0x1a)},
	"fcvtnu":  {form: miscFloat, word: float2(1, 0, 0x1a)},
	"fcvtms":  {form: miscFloat, word: float2(0, 0, 0x1b)},
	"fcvtas":  {form: miscFloat, word: float2(0, 0, 0x1c)},
	"scvtf":   {form: miscFloat, word: float2(0, 0, 0x1d)},
	"ucvtf":   {form: miscFloat, word: float2(1, 0, 0x1d)},
	"fcvtzs":  {form: miscFloat, word: float2(0, 1, 0x1b)},
	"fcvtzu":  {form: miscFloat, word: float2(1, 1, 0x1b)},
	"fabs":    {form: miscFloat, word: float2(0, 1, 0x0f)},
	"fneg":    {form: miscFloat, word: float2(1, 1, 0x0f)},
	"fsqrt":   {form: miscFloat, word: float2(1, 1, 0x1f)},
	"frecpe":  {form: miscFloat, word: float2(0, 1, 0x1d)},
	"frsqrte": {form: miscFloat, word: float2(1, 1, 0x1d)},

	"cmgt0":  {form: zero, word: misc2(0, 0x08)},
	"cmge0":  {form: zero, word: misc2(1, 0x08)},
	"cmeq0":  {form: zero, word: misc2(0, 0x09)},
	"cmle0":  {form: zero, word: misc2(1, 0x09)},
	"cmlt0":  {form: zero, word: misc2(0, 0x0a)},
	"fcmgt0": {form: zeroFloat, word: float2(0, 1, 0x0c)},
	"fcmge0": {form: zeroFloat, word: float2(1, 1, 0x0c)},
	"fcmeq0": {form: zeroFloat, word: float2(0, 1, 0x0d)},
	"fcmle0": {form: zeroFloat, word: float2(1, 1, 0x0d)},
	"fcmlt0": {form: zeroFloat, word: float2(0, 1, 0x0e)},

	"saddlp": {form: pairLong, word: misc2(0, 2)},
	"uaddlp": {form: pairLong, word: misc2(1, 2)},
	"sadalp": {form: pairLong, word: misc2(0, 6), adds: true},
	"uadalp": {form: pairLong, word: misc2(1, 6), adds: true},

	"xtn":    {form: narrow, word: misc2(0, 0x12)},
	"sqxtun": {form: narrow, word: misc2(1, 0x12)},
	"sqxtn":  {form: narrow, word: misc2(0, 0x14)},
	"uqxtn":  {form: narrow, word: misc2(1, 0x14)},
	"fcvtn":  {form: narrowFloat, word: misc2(0, 0x16)},
	"bfcvtn": {form: narrowFloat, word: misc2(0, 0x16) | 1<<23, sizes: "h"}, // FEAT_BF16
	"fcvtl":  {form: widenFloat, word: misc2(0, 0x17)},

	"addv":    {form: across, word: lanes1(0, 0x1b)},
	"smaxv":   {form: across, word: lanes1(0, 0x0a)},
	"umaxv":   {form: across, word: lanes1(1, 0x0a)},
	"sminv":   {form: across, word: lanes1(0, 0x1a)},
	"uminv":   {form: across, word: lanes1(1, 0x1a)},
	"saddlv":  {form: acrossLong, word: lanes1(0, 3)},
	"uaddlv":  {form: acrossLong, word: lanes1(1, 3)},
	"fmaxv":   {form: acrossFloat, word: lanes1(1, 0x0f)},
	"fminv":   {form: acrossFloat, word: lanes1(1, 0x0f) | 1<<23},
	"fmaxnmv": {form: acrossFloat, word: lanes1(1, 0x0c)},
	"fminnmv": {form: acrossFloat, word: lanes1(1, 0x0c) | 1<<23},

	"saddl": {form: long, word: long3(0, 0)},
	"uaddl": {form: long, word: long3(1, 0)},
	"ssubl": {form: long, word: long3(0, 2)},
	"usubl": {form: long, word: long3(1, 2)},
	"smull": {form: long, word: long3(0, 0x0c), element: element3(0, 0x0a)},
	"umull": {form: long, word: long3(1, 0x0c), element: element3(1, 0x0a)},
	"smlal": {form: long, word: long3(0, 0x08), element: element3(0, 0x02), adds: true},
	"umlal": {form: long, word: long3(1, 0x08), element: element3(1, 0x02), adds: true},
	"saddw": {form: wide, word: long3(0, 1)},
	"uaddw": {form: wide, word: long3(1, 1)},
	"ssubw": {form: wide, word: long3(0, 3)},
	"usubw": {form: wide, word: long3(1, 3)},

	"uzp1": {form: permute, word: permute3(1)},
	"trn1": {form: permute, word: permute3(2)},
	"zip1": {form: permute, word: permute3(3)},
	"uzp2": {form: permute, word: permute3(5)},
	"trn2": {form: permute, word: permute3(6)},
	"zip2": {form: permute, word: permute3(7)},

	"sdot":   {form: dot, word: 0x0e809400, element: 0x0f80e000, adds: true},     // FEAT_DotProd
	"udot":   {form: dot, word: 0x2e809400, element: 0x2f80e000, adds: true},     // FEAT_DotProd
	"usdot":  {form: dot, word: 0x0e809c00, element: 0x0f80f000, adds: true},     // FEAT_I8MM
	"sudot":  {form: dot, element: 0x0f00f000, adds: true},                       // FEAT_I8MM
	"smmla":  {form: matrix, word: 0x4e80a400, adds: true},                       // FEAT_I8MM
	"ummla":  {form: matrix, word: 0x6e80a400, adds: true},                       // FEAT_I8MM
	"usmmla": {form: matrix, word: 0x4e80ac00, adds: true},                       // FEAT_I8MM
	"bfdot":  {form: dotHalf, word: 0x2e40fc00, element: 0x0f40f000, adds: true}, // FEAT_BF16
	"bfmmla": {form: matrixHalf, word: 0x6e40ec00, adds: true},                   // FEAT_BF16

	// of a number with bits of fraction
	"scvtf#":   {form: shiftRight, word: shift2(0, 0x1c), sizes: "sd"},
	"ucvtf#":   {form: shiftRight, word: shift2(1, 0x1c), sizes: "sd"},
	"sshr":     {form: shiftRight, word: shift2(0, 0x00)},
	"ushr":     {form: shiftRight, word: shift2(1, 0x00)},
	"ssra":     {form: shiftRight, word: shift2(0, 0x02), adds: true},
	"usra":     {form: shiftRight, word: shift2(1, 0x02), adds: true},
	"srshr":    {form: shiftRight, word: shift2(0, 0x04)},
	"urshr":    {form: shiftRight, word: shift2(1, 0x04)},
	"sri":      {form: shiftRight, word: shift2(1, 0x08), adds: true},
	"shl":      {form: shiftLeft, word: shift2(0, 0x0a)},
	"sli":      {form: shiftLeft, word: shift2(1, 0x0a), adds: true},
	"shrn":     {form: shiftNarrow, word: shift2(0, 0x10)},
	"rshrn":    {form: shiftNarrow, word: shift2(0, 0x11)},
	"sqshrn":   {form: shiftNarrow, word: shift2(0, 0x12)},
	"uqshrn":   {form: shiftNarrow, word: shift2(1, 0x12)},
	"sqshrun":  {form: shiftNarrow, word: shift2(1, 0x10)},
	"sqrshrun": {form: shiftNarrow, word: shift2(1, 0x11)},
	"sshll":    {form: shiftLong, word: shift2(0, 0x14)},
	"ushll":    {form: shiftLong, word: shift2(1, 0x14)},
}

// formSizes has the sizes of the forms that do not take all.
var formSizes = map[form]string{
	float: "hsd", miscFloat: "hsd", zeroFloat: "hsd", narrowFloat: "hs", widenFloat: "hs",
	pairLong: "bhs", narrow: "bhs", across: "bhs", acrossLong: "bhs", long: "bhs", wide: "bhs", shiftNarrow: "bhs", shiftLong: "bhs",
}

// upper are the forms of which there is a second instruction, whose name ends with 2: it works on
// the upper half of the register with the narrower lanes.
var upper = []form{narrow, narrowFloat, widenFloat, long, wide, shiftNarrow, shiftLong}

// vector writes an instruction of vectorInstructions.
func (f *Func) vector(name string, operands []any) {
	i, ok := vectorInstructions[name]
	second := false
	if !ok {
		short, cut := strings.CutSuffix(name, "2")
		i, ok = vectorInstructions[short]
		if second = cut && ok && slices.Contains(upper, i.form); !second {
			panic(fmt.Sprintf("neon: unknown instruction %s", name))
		}
	}
	v, imm := vectors(name, operands)
	d := v[0]
	word, n, element := i.word, v[1:], false
	if last := v[len(v)-1]; last.lane >= 0 {
		element, word = true, i.element
	}
	// The lanes that the encoding speaks of are those of the operand that is not widened or
	// narrowed.
	of := d.arrangement
	bad := func() { panic(fmt.Sprintf("neon: %s with %v", name, operands)) }
	need := func(cond bool) {
		if !cond {
			bad()
		}
	}
	count := func(n int) { need(len(v) == n) }
	equal := func(list ...Vec) {
		for _, x := range list {
			need(x.lane >= 0 && x.size == of.size || x.lane < 0 && x.arrangement == of)
		}
	}
	need(word != 0 && d.arrangement != d1 && n[0].arrangement != d1)
	shifts := i.form == shiftLeft || i.form == shiftRight || i.form == shiftNarrow || i.form == shiftLong
	need(shifts == (imm != nil))
	switch i.form {
	case across, acrossLong, acrossFloat:
	default:
		need(d.lanes > 0 && d.lane < 0)
	}
	size := uint32(of.size)
	switch i.form {
	case same, permute:
		count(3)
		equal(n...)
	case logical, bytes2:
		if i.form == logical {
			count(3)
		} else {
			count(2)
		}
		need(of.size == 0)
		equal(n...)
	case float, miscFloat, zeroFloat:
		if i.form == float {
			count(3)
		} else {
			count(2)
		}
		equal(n...)
		need(of.size > 0)
		size = uint32(of.size) - 2
		if of.size == 1 && !element {
			size = 0
			if i.form == float { // the class of three registers of f16
				word = 0x0e400400 | word&(1<<29|1<<23) | word&(7<<11)
			} else { // two registers of f16
				word |= 0x0e780800 &^ 0x0e200800
			}
		}
	case misc, zero:
		count(2)
		equal(n...)
	case pairLong:
		count(2)
		need(n[0].size == of.size-1 && n[0].lanes == of.lanes*2)
		of = n[0].arrangement
		size = uint32(of.size)
	case narrow, narrowFloat:
		count(2)
		need(n[0].size == of.size+1 && n[0].full() == 1 && (of.full() == 1) == second)
		if i.form == narrowFloat {
			size--
			if name == "bfcvtn" || name == "bfcvtn2" { // its size is in the word
				size = 0
			}
		}
	case widenFloat:
		count(2)
		of = n[0].arrangement
		need(d.size == of.size+1 && d.full() == 1 && (of.full() == 1) == second)
		size = uint32(of.size) - 1
	case across, acrossLong, acrossFloat:
		count(2)
		of = n[0].arrangement
		want := of.size
		if i.form == acrossLong {
			want++
		}
		need(d.lanes == 0 && d.size == want && of != s2 && of != d2)
		size = uint32(of.size)
		if i.form == acrossFloat {
			need(of == s4)
			size = 0
		}
	case long, wide:
		count(3)
		narrower := n[len(n)-1].arrangement
		if element {
			narrower = n[0].arrangement
		}
		need(d.size == narrower.size+1 && d.full() == 1)
		if i.form == wide {
			equal(n[0])
		} else {
			need(n[0].arrangement == narrower)
		}
		need(n[len(n)-1].size == narrower.size)
		of = narrower
		need((of.full() == 1) == second)
		size = uint32(of.size)
	case dot, matrix, dotHalf, matrixHalf:
		count(3)
		need(d.size == 2)
		part := 0
		if i.form == dotHalf || i.form == matrixHalf {
			part = 1
		}
		need(n[0].size == part && n[0].full() == d.full())
		need(element && n[1].size == 2 || !element && n[1].arrangement == n[0].arrangement)
		size = 0
		if i.form == matrix || i.form == matrixHalf {
			need(d.full() == 1)
		}
	case shiftLeft, shiftRight:
		count(2)
		equal(n...)
	case shiftNarrow:
		count(2)
		need(n[0].size == of.size+1 && n[0].full() == 1 && (of.full() == 1) == second)
	case shiftLong:
		count(2)
		of = n[0].arrangement
		need(d.size == of.size+1 && d.full() == 1 && (of.full() == 1) == second)
	}
	sizes := i.sizes
	if sizes == "" {
		sizes = formSizes[i.form]
	}
	if element && (i.form == same || i.form == long) {
		sizes = "hs"
	}
	need(sizes == "" || strings.IndexByte(sizes, sizeLetter[of.size]) >= 0)
	word |= of.full() << 30
	shown := strings.TrimRight(name, "0#")
	text := ""
	switch i.form {
	case shiftLeft, shiftRight, shiftNarrow, shiftLong:
		bits := 8 << of.size
		right := i.form == shiftRight || i.form == shiftNarrow
		need(*imm >= 0 && *imm <= bits && (right && *imm > 0 || !right && *imm < bits))
		if right {
			word |= uint32(2*bits-*imm) << 16
		} else {
			word |= uint32(bits+*imm) << 16
		}
		text = fmt.Sprintf(", #%d", *imm)
	case zero:
		text = ", #0"
	case zeroFloat:
		text = ", #0.0"
	}
	switch i.form {
	case shiftLeft, shiftRight, shiftNarrow, shiftLong, logical, bytes2, dot, matrix, dotHalf, matrixHalf:
	default:
		if element {
			break
		}
		word |= size << 22
	}
	if element {
		word |= elementBits(v[len(v)-1], i.form, of, bad)
	}
	f.words(shown, text, word, i.adds, v...)
}

// elementBits encodes the lane of an instruction by element, and the size of lanes.
func elementBits(e Vec, i form, of arrangement, bad func()) uint32 {
	lane := uint32(e.lane)
	switch {
	case i == dot || i == dotHalf || e.size == 2:
		if lane > 3 {
			bad()
		}
		bits := lane&1<<21 | lane>>1<<11
		if i != dot && i != dotHalf {
			bits |= 2 << 22
		}
		return bits
	case e.size == 3:
		if lane > 1 {
			bad()
		}
		return 3<<22 | lane<<11
	case e.size == 1:
		if lane > 7 {
			bad()
		}
		e.r.below = 16
		bits := lane&1<<20 | lane>>1&1<<21 | lane>>2<<11
		if i != float { // f16 has size 0
			bits |= 1 << 22
		}
		return bits
	}
	bad()
	return 0
}

// vectors splits operands into vectors and at most one integer at the end.
func vectors(name string, operands []any) (v []Vec, imm *int) {
	for n, o := range operands {
		switch o := o.(type) {
		case Vec:
			v = append(v, o)
		case int:
			if n != len(operands)-1 {
				panic(fmt.Sprintf("neon: %s with %v", name, operands))
			}
			imm = &o
		default:
			panic(fmt.Sprintf("neon: %s with %v", name, operands))
		}
	}
	if len(v) < 2 {
		panic(fmt.Sprintf("neon: %s with %v", name, operands))
	}
	return v, imm
}

// words adds an instruction whose operands v are encoded as Rd, Rn and Rm.
func (f *Func) words(name, tail string, word uint32, adds bool, v ...Vec) {
	i := instruction{defs: []*register{v[0].r}}
	for n, x := range v {
		if n > 0 || adds {
			i.uses = append(i.uses, x.r)
		}
	}
	i.write = func(number func(*register) string) string {
		w := word
		list := make([]string, len(v))
		for n, x := range v {
			r, err := strconv.ParseUint(number(x.r), 10, 32)
			if err != nil {
				panic(err)
			}
			w |= uint32(r) << [...]int{0, 5, 16}[n]
			list[n] = x.text(number)
		}
		return written(w, name+" "+strings.Join(list, ", ")+tail)
	}
	f.code = append(f.code, i)
}

// written is an instruction as a word, with Arm's syntax.
func written(word uint32, text string) string { return fmt.Sprintf("WORD $0x%08x // %s", word, text) }

// Constant sets all lanes of 32 bits of a new register to bits.
func (f *Func) Constant(bits uint32) Vec {
	v := f.Vec()
	f.SetConstant(v, bits)
	return v
}

// SetConstant sets all lanes of 32 bits of v to bits, in one instruction if there is one.
func (f *Func) SetConstant(v Vec, bits uint32) {
	for shift := 0; shift < 32; shift += 8 {
		if bits&^(0xff<<shift) == 0 {
			f.immediate("movi", v, bits>>shift, 0x0f000400|uint32(shift/8)<<13, fmt.Sprintf("#0x%x", bits>>shift), shift)
			return
		}
		if ^bits&^(0xff<<shift) == 0 {
			f.immediate("mvni", v, ^bits>>shift, 0x2f000400|uint32(shift/8)<<13, fmt.Sprintf("#0x%x", ^bits>>shift), shift)
			return
		}
	}
	// the numbers of fmov: a sign, three bits of exponent, four of fraction
	for b := range uint32(256) {
		if expand(b) == bits {
			f.immediate("fmov", v, b, 0x0f00f400, fmt.Sprintf("#%.18e", math.Float32frombits(bits)), 0)
			return
		}
	}
	r := f.Reg()
	f.Move(r, int64(bits))
	f.Emit("dup", v.S4(), r)
}

// expand returns the bits of the float32 that fmov makes of 8 bits.
func expand(b uint32) uint32 {
	sign, top, rest := b>>7, b>>6&1, b&0x3f
	exponent := (top^1)<<7 | top*0x1f<<2 | rest>>4
	return sign<<31 | exponent<<23 | rest&15<<19
}

// immediate writes movi, mvni or fmov with 8 bits.
func (f *Func) immediate(name string, v Vec, bits, word uint32, text string, shift int) {
	word |= 1<<30 | bits>>5<<16 | bits&31<<5
	if shift > 0 {
		text += fmt.Sprintf(", lsl #%d", shift)
	}
	f.words(name, ", "+text, word, false, v.S4())
}
