package neon

import (
	"fmt"
	"strconv"
	"strings"
)

// generalInstructions has the instructions of general registers, in the order of operands of Go's
// assembler from the second on: result, first operand, second operand, which may be a constant.
var generalInstructions = map[string]string{
	"add": "ADD", "sub": "SUB", "adds": "ADDS", "subs": "SUBS", "mul": "MUL", "and": "AND", "orr": "ORR", "eor": "EOR",
	"bic": "BIC", "lsl": "LSL", "lsr": "LSR", "asr": "ASR", "udiv": "UDIV", "sdiv": "SDIV", "ands": "ANDS",
	"addw": "ADDW", "subw": "SUBW",
}

// generalLoads has the loads and stores of general registers.
var generalLoads = map[string]string{
	"ldr": "MOVD", "ldrw": "MOVWU", "ldrsw": "MOVW", "ldrh": "MOVHU", "ldrsh": "MOVH", "ldrb": "MOVBU", "ldrsb": "MOVB",
	"str": "MOVD", "strw": "MOVW", "strh": "MOVH", "strb": "MOVB",
}

// branches has the conditional branches.
var branches = map[string]string{
	"b": "B", "beq": "BEQ", "bne": "BNE", "blt": "BLT", "ble": "BLE", "bgt": "BGT", "bge": "BGE", "blo": "BLO", "bls": "BLS",
	"bhi": "BHI", "bhs": "BHS", "bmi": "BMI", "bpl": "BPL",
}

// Emit adds an instruction. Its operands are vectors, general registers, addresses and integers,
// the result first.
//
// Besides the instructions of Arm's manual for vectors, these are known:
//   - on general registers: add, sub, adds, subs, mul, and, orr, eor, bic, lsl, lsr, asr, udiv,
//     sdiv, madd, cmp, mov, csel with the condition as the last operand, sxtw, uxtw, and the loads
//     and stores ldr, ldrw, ldrsw, ldrh, ldrsh, ldrb, ldrsb, str, strw, strh, strb. A name that
//     ends with w takes the lower 32 bits.
//   - cmgt0 and others for comparisons with 0
//   - scvtf# and ucvtf# for conversions of numbers with bits of fraction
//   - mov of vectors, and of a general register to or from a lane of 64 or 32 bits: mov, umov,
//     smov, ins, dup
func (f *Func) Emit(name string, operands ...any) {
	if len(operands) == 0 {
		panic("neon: " + name + " without operands")
	}
	switch first := operands[0].(type) {
	case Reg:
		if f.laneToGeneral(name, first, operands) {
			return
		}
		f.general(name, first, operands[1:])
	case Vec:
		if !f.memory(name, operands) && !f.moves(name, operands) {
			f.vector(name, operands)
		}
	default:
		panic(fmt.Sprintf("neon: %s with %v", name, operands))
	}
}

// general adds an instruction of general registers.
func (f *Func) general(name string, d Reg, operands []any) {
	var regs []Reg
	imm, hasImm := 0, false
	for _, o := range operands {
		switch o := o.(type) {
		case Reg:
			regs = append(regs, o)
		case int:
			imm, hasImm = o, true
		case Mem:
			f.access(name, d, o)
			return
		case string: // the condition of csel
			if name == "csel" && len(regs) == 2 {
				f.text([]Reg{d}, regs, func(n names) string {
					return fmt.Sprintf("CSEL %s, %s, %s, %s", strings.ToUpper(o), n(regs[0]), n(regs[1]), n(d))
				})
				return
			}
		}
	}
	last := func(n names) string {
		if hasImm {
			return "$" + strconv.Itoa(imm)
		}
		return n(regs[len(regs)-1])
	}
	op, ok := generalInstructions[name]
	switch {
	case ok && len(operands) == 2 && len(regs) > 0:
		f.text([]Reg{d}, regs, func(n names) string { return fmt.Sprintf("%s %s, %s, %s", op, last(n), n(regs[0]), n(d)) })
	case name == "madd" && len(regs) == 3: // d = regs[2] + regs[0]*regs[1]
		f.text([]Reg{d}, regs, func(n names) string {
			return fmt.Sprintf("MADD %s, %s, %s, %s", n(regs[1]), n(regs[2]), n(regs[0]), n(d))
		})
	case name == "cmp" && len(operands) == 1:
		f.text(nil, append([]Reg{d}, regs...), func(n names) string { return fmt.Sprintf("CMP %s, %s", last(n), n(d)) })
	case name == "mov" && len(regs) == 1:
		f.text([]Reg{d}, regs, func(n names) string { return fmt.Sprintf("MOVD %s, %s", n(regs[0]), n(d)) })
	case name == "sxtw" && len(regs) == 1:
		f.text([]Reg{d}, regs, func(n names) string { return fmt.Sprintf("MOVW %s, %s", n(regs[0]), n(d)) })
	case name == "uxtw" && len(regs) == 1:
		f.text([]Reg{d}, regs, func(n names) string { return fmt.Sprintf("MOVWU %s, %s", n(regs[0]), n(d)) })
	default:
		panic(fmt.Sprintf("neon: %s with %v", name, operands))
	}
}

// access adds a load or a store of a general register.
func (f *Func) access(name string, r Reg, m Mem) {
	op, ok := generalLoads[name]
	if !ok || m.mode == post && m.index != nil {
		panic(fmt.Sprintf("neon: %s of a general register", name))
	}
	uses, defs := m.registers()
	i := instruction{uses: uses, defs: defs}
	store := strings.HasPrefix(name, "st")
	if store {
		i.uses = append(i.uses, r.r)
	} else {
		i.defs = append(i.defs, r.r)
	}
	i.write = func(n func(*register) string) string {
		address, suffix := fmt.Sprintf("(%s)", n(m.base.r)), ""
		switch {
		case m.index != nil && m.shift > 0:
			address += fmt.Sprintf("(%s<<%d)", n(m.index), m.shift)
		case m.index != nil:
			address += fmt.Sprintf("(%s)", n(m.index))
		case m.off != 0:
			address = strconv.Itoa(m.off) + address
		}
		switch m.mode {
		case post:
			suffix = ".P"
		case pre:
			suffix = ".W"
		}
		if store {
			return fmt.Sprintf("%s%s %s, %s", op, suffix, n(r.r), address)
		}
		return fmt.Sprintf("%s%s %s, %s", op, suffix, address, n(r.r))
	}
	f.code = append(f.code, i)
}

// Move sets a general register to a constant.
func (f *Func) Move(r Reg, x int64) {
	f.text([]Reg{r}, nil, func(n names) string { return fmt.Sprintf("MOVD $%d, %s", x, n(r)) })
}

// text adds an instruction in the syntax of Go's assembler.
func (f *Func) text(defs, uses []Reg, write func(names) string) {
	i := instruction{write: func(n func(*register) string) string { return write(func(r Reg) string { return n(r.r) }) }}
	for _, d := range defs {
		i.defs = append(i.defs, d.r)
	}
	for _, u := range uses {
		i.uses = append(i.uses, u.r)
	}
	f.code = append(f.code, i)
}

// Label sets a label.
func (f *Func) Label(name string) { f.code = append(f.code, instruction{label: name}) }

// Unique returns a label that no other call returns: prefix and a number.
func (f *Func) Unique(prefix string) string {
	f.unique++
	return prefix + strconv.Itoa(f.unique)
}

// Branch goes to a label: b always, and beq, bne, blt, ble, bgt, bge, blo, bls, bhi, bhs, bmi and
// bpl by the result of the last cmp, adds, subs or ands.
func (f *Func) Branch(name, label string) {
	op, ok := branches[name]
	if !ok {
		panic("neon: unknown branch " + name)
	}
	f.code = append(f.code, instruction{target: label, ends: name == "b", write: func(func(*register) string) string { return op + " " + label }})
}

// Zero goes to a label if r is 0, NotZero if it is not.
func (f *Func) Zero(r Reg, label string)    { f.test("CBZ", r, label) }
func (f *Func) NotZero(r Reg, label string) { f.test("CBNZ", r, label) }

// BitClear goes to a label if a bit of r is 0, BitSet if it is 1.
func (f *Func) BitClear(r Reg, bit int, label string) { f.test(fmt.Sprintf("TBZ $%d,", bit), r, label) }
func (f *Func) BitSet(r Reg, bit int, label string)   { f.test(fmt.Sprintf("TBNZ $%d,", bit), r, label) }

func (f *Func) test(op string, r Reg, label string) {
	f.code = append(f.code, instruction{uses: []*register{r.r}, target: label,
		write: func(n func(*register) string) string { return fmt.Sprintf("%s %s, %s", op, n(r.r), label) }})
}

// Return returns to the caller.
func (f *Func) Return() {
	f.code = append(f.code, instruction{ends: true, write: func(func(*register) string) string { return "RET" }})
}
