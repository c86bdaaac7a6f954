package neon

import (
	"fmt"
	"strconv"
	"strings"
)

// memory adds a load or a store of vectors. It returns false for other instructions.
func (f *Func) memory(name string, operands []any) bool {
	m, ok := operands[len(operands)-1].(Mem)
	if !ok {
		return false
	}
	v := make([]Vec, len(operands)-1)
	for n, o := range operands[:len(operands)-1] {
		if v[n], ok = o.(Vec); !ok {
			panic(fmt.Sprintf("neon: %s with %v", name, operands))
		}
		if n > 0 && (v[n].arrangement != v[0].arrangement || v[n].lane != v[0].lane) {
			panic(fmt.Sprintf("neon: %s with different arrangements", name))
		}
	}
	switch name {
	case "ldr", "str", "ldp", "stp":
		f.plainAccess(name, v, m)
	default:
		f.structure(name, v, m)
	}
	return true
}

// plainAccess adds ldr, str, ldp or stp of the lowest bits of registers.
func (f *Func) plainAccess(name string, v []Vec, m Mem) {
	load, pair := name[0] == 'l', name[2] == 'p'
	fail := func() { panic(fmt.Sprintf("neon: %s %v %d", name, v, m.off)) }
	size := v[0].size
	if v[0].lanes != 0 || v[0].lane >= 0 || pair != (len(v) == 2) || len(v) > 2 {
		fail()
	}
	var word uint32
	mnemonic := name
	if pair {
		if size < 2 || m.index != nil || m.off%(1<<size) != 0 || m.off>>size < -64 || m.off>>size > 63 {
			fail()
		}
		word = 0x2c000000 | uint32(size-2)<<30 | uint32(m.off>>size)&0x7f<<15
		word |= map[mode]uint32{plain: 2, post: 1, pre: 3}[m.mode] << 23
		if load {
			word |= 1 << 22
		}
	} else {
		word = 0x3c000000 | uint32(size&3)<<30
		if size == 4 {
			word |= 1 << 23
		}
		if load {
			word |= 1 << 22
		}
		switch {
		case m.index != nil && m.mode != plain:
			fail()
		case m.index != nil:
			if m.shift != 0 && m.shift != size {
				fail()
			}
			word |= 0x00206800
			if m.shift > 0 {
				word |= 1 << 12
			}
		case m.mode == plain && m.off >= 0 && m.off%(1<<size) == 0 && m.off>>size < 4096:
			word |= 1<<24 | uint32(m.off>>size)<<10
		case m.off >= -256 && m.off < 256:
			word |= uint32(m.off) & 0x1ff << 12
			switch m.mode {
			case plain:
				mnemonic = map[bool]string{true: "ldur", false: "stur"}[load]
			case post:
				word |= 1 << 10
			case pre:
				word |= 3 << 10
			}
		default:
			fail()
		}
	}
	i := instruction{}
	i.uses, i.defs = m.registers()
	for _, x := range v {
		if load {
			i.defs = append(i.defs, x.r)
		} else {
			i.uses = append(i.uses, x.r)
		}
	}
	i.write = func(name func(*register) string) string {
		w := word | number(name, m.base.r)<<5 | number(name, v[0].r)
		text := mnemonic + " " + v[0].text(name)
		if pair {
			w |= number(name, v[1].r) << 10
			text += ", " + v[1].text(name)
		} else if m.index != nil {
			w |= number(name, m.index) << 16
		}
		return written(w, text+", "+m.text(name))
	}
	f.code = append(f.code, i)
}

// number is the number of a register of the processor.
func number(name func(*register) string, r *register) uint32 {
	n, err := strconv.ParseUint(strings.TrimPrefix(name(r), "R"), 10, 5)
	if err != nil {
		panic(err)
	}
	return uint32(n)
}

// structure adds ld1 to ld4, st1 to st4 of whole registers, ld1 and st1 of a lane, or ld1r.
func (f *Func) structure(name string, v []Vec, m Mem) {
	fail := func() { panic(fmt.Sprintf("neon: %s %v", name, v)) }
	a, lane := v[0].arrangement, v[0].lane
	if a.lanes == 0 || len(v) > 4 || m.index != nil && m.mode != post || m.mode == pre || m.mode == plain && m.off != 0 {
		fail()
	}
	for n := 1; n < len(v); n++ {
		if v[n].r.group == nil || &v[n].r.group[0] != &v[0].r.group[0] || v[n].r.place != v[0].r.place+n {
			fail()
		}
	}
	load := strings.HasPrefix(name, "ld")
	var word uint32
	bytes := len(v) << a.size
	switch {
	case name == "ld1r":
		if len(v) != 1 || lane >= 0 {
			fail()
		}
		word = 0x0d40c000 | a.full()<<30 | uint32(a.size)<<10
	case lane >= 0:
		if len(name) != 3 || int(name[2]-'0') != len(v) {
			fail()
		}
		// The lane is in the bits Q, S and size, as many as there are lanes.
		index := uint32(lane) << a.size
		word = 0x0d000000 | index>>3&1<<30 | index>>2&1<<12 | index&3<<10
		word |= []uint32{0, 2, 4, 4}[a.size] << 13
		if a.size == 3 {
			word |= 1 << 10
		}
		word |= uint32(len(v)-1)>>1<<13 | uint32(len(v)-1)&1<<21
	default:
		opcode := map[string][]uint32{"1": {7, 10, 6, 2}, "2": {0, 8}, "3": {0, 0, 4}, "4": {0, 0, 0, 0}}[name[2:]]
		if len(opcode) < len(v) || name[2] != '1' && int(name[2]-'0') != len(v) || len(name) != 3 {
			fail()
		}
		word = 0x0c000000 | a.full()<<30 | opcode[len(v)-1]<<12 | uint32(a.size)<<10
		bytes = len(v) * a.lanes << a.size
	}
	if load {
		word |= 1 << 22
	}
	if m.mode == post {
		word |= 1 << 23
		if m.index == nil {
			if m.off != bytes {
				fail()
			}
			word |= 31 << 16
		}
	}
	i := instruction{}
	i.uses, i.defs = m.registers()
	for _, x := range v {
		if load {
			i.defs = append(i.defs, x.r)
		}
		if !load || lane >= 0 {
			i.uses = append(i.uses, x.r)
		}
	}
	i.write = func(n func(*register) string) string {
		w := word | number(n, m.base.r)<<5 | number(n, v[0].r)
		if m.index != nil {
			w |= number(n, m.index) << 16
		}
		list := make([]string, len(v))
		for k, x := range v {
			list[k] = x.as(x.arrangement).text(n)
		}
		text := "{" + strings.Join(list, ", ") + "}"
		if lane >= 0 {
			for k, x := range v {
				list[k] = fmt.Sprintf("v%s.%c", n(x.r), sizeLetter[a.size])
			}
			text = fmt.Sprintf("{%s}[%d]", strings.Join(list, ", "), lane)
		}
		return written(w, name+" "+text+", "+m.text(n))
	}
	f.code = append(f.code, i)
}
