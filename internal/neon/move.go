package neon

import "fmt"

// lane5 is the field imm5 of the instructions that copy lanes: the size of a lane and its number.
func (v Vec) lane5(lane int) uint32 { return (uint32(lane)<<1 | 1) << v.size << 16 }

// moves adds mov, dup, ins, ext, tbl or tbx of vectors. It returns false for other instructions.
func (f *Func) moves(name string, operands []any) bool {
	d := operands[0].(Vec)
	fail := func() { panic(fmt.Sprintf("neon: %s with %v", name, operands)) }
	need := func(cond bool) {
		if !cond {
			fail()
		}
	}
	switch name {
	case "mov", "dup", "ins":
		need(len(operands) == 2)
		switch n := operands[1].(type) {
		case Reg:
			need(name != "mov")
			f.fromGeneral(name, d, n)
		case Vec:
			switch {
			case name == "mov":
				need(n.lane < 0 && d.lane < 0)
				d, n = d.B16(), n.B16()
				i := instruction{defs: []*register{d.r}, uses: []*register{n.r}}
				i.write = func(name func(*register) string) string {
					k := number(name, n.r)
					return written(0x4ea01c00|k<<16|k<<5|number(name, d.r), "orr "+d.text(name)+", "+n.text(name)+", "+n.text(name))
				}
				f.code = append(f.code, i)
			case name == "dup":
				need(n.lane >= 0 && d.lane < 0 && d.size == n.size && d.arrangement != d1)
				f.words(name, "", 0x0e000400|d.full()<<30|n.lane5(n.lane), false, d, n)
			default:
				need(n.lane >= 0 && d.lane >= 0 && d.size == n.size)
				f.words("ins", "", 0x6e000400|d.lane5(d.lane)|uint32(n.lane)<<n.size<<11, true, d, n)
			}
		default:
			fail()
		}
	case "ext":
		v, imm := vectors(name, operands)
		need(len(v) == 3 && imm != nil && d.size == 0 && *imm >= 0 && *imm < d.lanes)
		need(v[1].arrangement == d.arrangement && v[2].arrangement == d.arrangement)
		f.words(name, fmt.Sprintf(", #%d", *imm), 0x2e000000|d.full()<<30|uint32(*imm)<<11, false, v...)
	case "tbl", "tbx": // the result, one to four registers of a table, the indices
		v, _ := vectors(name, operands)
		table, index := v[1:len(v)-1], v[len(v)-1]
		need(d.size == 0 && index.arrangement == d.arrangement && len(table) >= 1 && len(table) <= 4)
		word := 0x0e000000 | d.full()<<30 | uint32(len(table)-1)<<13
		i := instruction{defs: []*register{d.r}}
		if name == "tbx" {
			word |= 1 << 12
			i.uses = append(i.uses, d.r)
		}
		for n, x := range table {
			need(x.arrangement == b16 && (n == 0 || x.r.group != nil && &x.r.group[0] == &table[0].r.group[0] && x.r.place == table[0].r.place+n))
			i.uses = append(i.uses, x.r)
		}
		i.uses = append(i.uses, index.r)
		i.write = func(n func(*register) string) string {
			list := ""
			for k, x := range table {
				if k > 0 {
					list += ", "
				}
				list += x.text(n)
			}
			return written(word|number(n, index.r)<<16|number(n, table[0].r)<<5|number(n, d.r),
				fmt.Sprintf("%s %s, {%s}, %s", name, d.text(n), list, index.text(n)))
		}
		f.code = append(f.code, i)
	default:
		return false
	}
	return true
}

// fromGeneral adds a copy of a general register to all lanes, or to one.
func (f *Func) fromGeneral(name string, d Vec, r Reg) {
	i := instruction{defs: []*register{d.r}, uses: []*register{r.r}}
	var word uint32
	if name == "dup" {
		if d.lane >= 0 {
			panic("neon: dup to a lane")
		}
		word = 0x0e000c00 | d.full()<<30 | d.lane5(0)
	} else {
		if d.lane < 0 {
			panic("neon: ins to all lanes")
		}
		word = 0x4e001c00 | d.lane5(d.lane)
		i.uses = append(i.uses, d.r)
	}
	i.write = func(n func(*register) string) string {
		k := number(n, r.r)
		letter := 'w'
		if d.size == 3 {
			letter = 'x'
		}
		return written(word|k<<5|number(n, d.r), fmt.Sprintf("%s %s, %c%d", name, d.text(n), letter, k))
	}
	f.code = append(f.code, i)
}

// laneToGeneral adds umov or smov, which copy a lane to a general register. It returns false for
// other instructions.
func (f *Func) laneToGeneral(name string, d Reg, operands []any) bool {
	if name != "umov" && name != "smov" {
		return false
	}
	v, ok := operands[1].(Vec)
	if len(operands) != 2 || !ok || v.lane < 0 || name == "smov" && v.size == 3 {
		panic(fmt.Sprintf("neon: %s with %v", name, operands))
	}
	word, letter := uint32(0x0e003c00), 'w'
	switch {
	case name == "smov":
		word, letter = 0x4e002c00, 'x'
	case v.size == 3:
		word, letter = 0x4e003c00, 'x'
	}
	i := instruction{defs: []*register{d.r}, uses: []*register{v.r}}
	i.write = func(n func(*register) string) string {
		k := number(n, d.r)
		return written(word|v.lane5(v.lane)|number(n, v.r)<<5|k, fmt.Sprintf("%s %c%d, %s", name, letter, k, v.text(n)))
	}
	f.code = append(f.code, i)
	return true
}
