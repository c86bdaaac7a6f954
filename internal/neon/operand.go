package neon

import "fmt"

// Reg is a general register.
type Reg struct{ r *register }

// Vec is a vector register seen in an arrangement, one lane of it, or its lowest bits alone (Q to
// B).
type Vec struct {
	r *register
	arrangement
	lane int // -1 for all
}

// arrangement is a number of lanes of a size: size is the logarithm of the bytes of a lane.
type arrangement struct {
	size  int
	lanes int // 0: the lowest 1<<size bytes of the register
}

var (
	b8, b16    = arrangement{0, 8}, arrangement{0, 16}
	h4, h8     = arrangement{1, 4}, arrangement{1, 8}
	s2, s4     = arrangement{2, 2}, arrangement{2, 4}
	d1, d2     = arrangement{3, 1}, arrangement{3, 2}
	scalarB    = arrangement{0, 0}
	scalarH    = arrangement{1, 0}
	scalarS    = arrangement{2, 0}
	scalarD    = arrangement{3, 0}
	scalarQ    = arrangement{4, 0}
	sizeLetter = "bhsdq"
)

func (a arrangement) String() string { return fmt.Sprintf("%d%c", a.lanes, sizeLetter[a.size]) }

// full is 1 if all 16 bytes of the register are lanes.
func (a arrangement) full() uint32 {
	if a.lanes<<a.size == 16 {
		return 1
	}
	return 0
}

func (v Vec) as(a arrangement) Vec { return Vec{v.r, a, -1} }

// The arrangements of a vector.
func (v Vec) B8() Vec  { return v.as(b8) }
func (v Vec) B16() Vec { return v.as(b16) }
func (v Vec) H4() Vec  { return v.as(h4) }
func (v Vec) H8() Vec  { return v.as(h8) }
func (v Vec) S2() Vec  { return v.as(s2) }
func (v Vec) S4() Vec  { return v.as(s4) }
func (v Vec) D1() Vec  { return v.as(d1) }
func (v Vec) D2() Vec  { return v.as(d2) }

// The lowest bits of a register, for ldr, str, ldp and stp.
func (v Vec) Q() Vec { return v.as(scalarQ) }
func (v Vec) D() Vec { return v.as(scalarD) }
func (v Vec) S() Vec { return v.as(scalarS) }
func (v Vec) H() Vec { return v.as(scalarH) }
func (v Vec) B() Vec { return v.as(scalarB) }

// Lane returns lane i. Of a dot product by element, a lane is four bytes of 8 bits: v.S4().Lane(i).
func (v Vec) Lane(i int) Vec { return Vec{v.r, v.arrangement, i} }

// Half says that every lane is half as wide as those of the arrangement: B16 for H8, H8 for S4, and
// so on. Double is the opposite.
func (v Vec) Half() Vec   { return v.as(arrangement{v.size - 1, v.lanes * 2}) }
func (v Vec) Double() Vec { return v.as(arrangement{v.size + 1, v.lanes / 2}) }

// text is the operand in Arm's syntax.
func (v Vec) text(name func(*register) string) string {
	switch {
	case v.lanes == 0:
		return fmt.Sprintf("%c%s", sizeLetter[v.size], name(v.r))
	case v.lane >= 0:
		return fmt.Sprintf("v%s.%c[%d]", name(v.r), sizeLetter[v.size], v.lane)
	}
	return fmt.Sprintf("v%s.%v", name(v.r), v.arrangement)
}

// Mem is an address: a base register, and at most one of an offset in bytes, an index register, and
// an update of the base.
type Mem struct {
	base  Reg
	off   int
	index *register
	shift int
	mode  mode
}

type mode int

const (
	plain mode = iota
	post
	pre
)

// At is the address in base.
func At(base Reg) Mem { return Mem{base: base} }

// Plus adds an offset in bytes.
func (m Mem) Plus(off int) Mem { m.off += off; return m }

// Index adds a register that is shifted to the left: by 0, or by the logarithm of the bytes that
// are loaded.
func (m Mem) Index(i Reg, shift int) Mem { m.index, m.shift = i.r, shift; return m }

// Post adds off to the base after the access, Pre before it.
func (m Mem) Post(off int) Mem { m.off, m.mode = off, post; return m }
func (m Mem) Pre(off int) Mem  { m.off, m.mode = off, pre; return m }

// PostReg adds a register to the base after the access. Only ld1 to ld4 and st1 to st4 can do that.
func (m Mem) PostReg(r Reg) Mem { m.index, m.mode = r.r, post; return m }

// registers returns what an access reads and what it sets.
func (m Mem) registers() (uses, defs []*register) {
	uses = []*register{m.base.r}
	if m.index != nil {
		uses = append(uses, m.index)
	}
	if m.mode != plain {
		defs = []*register{m.base.r}
	}
	return uses, defs
}

// text is the address in Arm's syntax.
func (m Mem) text(name func(*register) string) string {
	x := func(r *register) string { return "x" + name(r)[1:] }
	base := x(m.base.r)
	switch {
	case m.mode == post && m.index != nil:
		return fmt.Sprintf("[%s], %s", base, x(m.index))
	case m.mode == post:
		return fmt.Sprintf("[%s], #%d", base, m.off)
	case m.mode == pre:
		return fmt.Sprintf("[%s, #%d]!", base, m.off)
	case m.index != nil && m.shift > 0:
		return fmt.Sprintf("[%s, %s, lsl #%d]", base, x(m.index), m.shift)
	case m.index != nil:
		return fmt.Sprintf("[%s, %s]", base, x(m.index))
	case m.off != 0:
		return fmt.Sprintf("[%s, #%d]", base, m.off)
	}
	return fmt.Sprintf("[%s]", base)
}
