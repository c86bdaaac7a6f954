package neon

import (
	"fmt"
	"slices"
)

// register is a register of a function, which allocate gives a number.
type register struct {
	vector bool
	// number is the register of the processor, or -1 before the allocation; fixed registers have it
	// from the start.
	number int
	// below is the number of the first register that some instruction cannot name.
	below int
	// group and place say where the register is in a list of registers that follow each other.
	group []*register
	place int
	index int // in Func.registers
}

// instruction is an instruction, a label or a comment.
type instruction struct {
	label, comment string
	defs, uses     []*register
	// target is the label that the instruction can go on at; ends says that it does not go on at
	// the next one.
	target string
	ends   bool
	write  func(func(*register) string) string
}

// names gives the names of general registers in the text of an instruction.
type names func(Reg) string

// general lists the registers of the processor that a function may use, in the order in which they
// are given out. R18 belongs to the platform, R26 to closures, R27 to the assembler, R28 to the
// goroutine.
var general = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25}

func (f *Func) newRegister(vector bool) *register {
	r := &register{vector: vector, number: -1, below: 32, index: len(f.registers)}
	f.registers = append(f.registers, r)
	return r
}

// Reg returns a new general register of 64 bits.
func (f *Func) Reg() Reg { return Reg{f.newRegister(false)} }

// Vec returns a new vector register. Its arrangement is 4S until a method of Vec says otherwise.
func (f *Func) Vec() Vec { return Vec{f.newRegister(true), s4, -1} }

// Vecs returns n new vector registers.
func (f *Func) Vecs(n int) []Vec {
	v := make([]Vec, n)
	for i := range v {
		v[i] = f.Vec()
	}
	return v
}

// Group returns n new vector registers that follow each other, as ld1 to ld4, st1 to st4 and tbl
// want them.
func (f *Func) Group(n int) []Vec {
	v := f.Vecs(n)
	group := make([]*register, n)
	for i := range v {
		group[i] = v[i].r
		v[i].r.group, v[i].r.place = group, i
	}
	return v
}

// allocate gives each register a number: registers that hold a value at the same time have
// different ones. It returns the names.
func (f *Func) allocate() func(*register) string {
	live := f.liveness()
	conflicts := make([]map[*register]bool, len(f.registers))
	for i := range conflicts {
		conflicts[i] = make(map[*register]bool)
	}
	conflict := func(a, b *register) {
		if a != b && a.vector == b.vector {
			conflicts[a.index][b], conflicts[b.index][a] = true, true
		}
	}
	for n, i := range f.code {
		for _, d := range i.defs {
			for _, other := range i.defs {
				conflict(d, other)
			}
			for k, alive := range live[n] {
				if alive {
					conflict(d, f.registers[k])
				}
			}
		}
	}
	for _, grouped := range []bool{true, false} { // groups first, while there are neighbours
		for _, r := range f.registers {
			if r.number < 0 && (r.group != nil) == grouped {
				f.place(r, conflicts)
			}
		}
	}
	return func(r *register) string {
		if r.vector {
			return fmt.Sprint(r.number)
		}
		return fmt.Sprintf("R%d", r.number)
	}
}

// place gives a number to a register and the others of its group.
func (f *Func) place(r *register, conflicts []map[*register]bool) {
	group := r.group
	if group == nil {
		group = []*register{r}
	}
	numbers := general
	if r.vector {
		numbers = make([]int, 32)
		for i := range numbers {
			numbers[i] = i
		}
	}
	for at := 0; at+len(group) <= len(numbers); at++ {
		free := true
		for i, member := range group {
			number := numbers[at+i]
			free = free && number < member.below
			for other := range conflicts[member.index] {
				free = free && other.number != number
			}
		}
		if free {
			for i, member := range group {
				member.number = numbers[at+i]
			}
			return
		}
	}
	panic(fmt.Sprintf("neon: %s uses too many registers at once", f.name))
}

// liveness returns for each instruction which registers hold a value after it that is still read.
func (f *Func) liveness() [][]bool {
	labels := make(map[string]int)
	for n, i := range f.code {
		if i.label != "" {
			if _, ok := labels[i.label]; ok {
				panic(fmt.Sprintf("neon: %s has the label %s twice", f.name, i.label))
			}
			labels[i.label] = n
		}
	}
	before, after := make([][]bool, len(f.code)+1), make([][]bool, len(f.code))
	for n := range before {
		before[n] = make([]bool, len(f.registers))
	}
	for n := range after {
		after[n] = make([]bool, len(f.registers))
	}
	for changed := true; changed; {
		changed = false
		for n := len(f.code) - 1; n >= 0; n-- {
			i := f.code[n]
			merge := func(from []bool) {
				for k, alive := range from {
					if alive && !after[n][k] {
						after[n][k], changed = true, true
					}
				}
			}
			if !i.ends {
				merge(before[n+1])
			}
			if i.target != "" {
				to, ok := labels[i.target]
				if !ok {
					panic(fmt.Sprintf("neon: %s has no label %s", f.name, i.target))
				}
				merge(before[to])
			}
			copy(before[n], after[n])
			for _, d := range i.defs {
				before[n][d.index] = false
			}
			for _, u := range i.uses {
				before[n][u.index] = true
			}
		}
	}
	if k := slices.Index(before[0], true); k >= 0 {
		for n, i := range f.code {
			if slices.Contains(i.uses, f.registers[k]) {
				panic(fmt.Sprintf("neon: %s reads a register before it is set: instruction %d", f.name, n))
			}
		}
	}
	return after
}

// Operands returns registers and an address as the operands of an instruction.
func Operands(list []Vec, m Mem) []any {
	all := make([]any, 0, len(list)+1)
	for _, v := range list {
		all = append(all, v)
	}
	return append(all, m)
}
