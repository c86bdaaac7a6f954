package regex

import (
	"errors"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// ErrLimit is the error of a match that needs too many steps or too much memory. PCRE2 has limits
// of its own, at which its matches fail as well.
var ErrLimit = errors.New("regular expression: the match needs too many steps")

const (
	stepsAlways  = 1 << 22 // of a text of any length
	stepsPerByte = 1 << 8
	stepsCheck   = 1 << 16 // between two questions whether to stop
	maxStack     = 1 << 16 // entries
)

// Matcher searches a text. It holds all memory that a search needs, and can be used again for other
// texts and patterns. The zero value is ready for Reset. It must not be used by two goroutines at
// the same time.
type Matcher struct {
	// Limits are asked for memory that a text needs, and now and then whether to stop.
	limits.Limits

	program   *program
	text      []byte
	begin     int // where the search has started, for \G
	needed    int // where the byte is that each match has, as far as that is known
	stack     []entry
	registers []int32
	groups    []int32 // two for each group; -1 if it is not set
	steps     int     // left for the text
	check     int     // steps left when Stop is asked next
	err       error
}

// entry is what to do when what follows does not match.
type entry struct {
	kind entryKind
	pc   int32
	at   int32
	x    int32
}

type entryKind int32

const (
	entryTry      entryKind = iota // go on with instruction pc at text position at
	entryBranch                    // the same with branch x of list pc>>8...
	entryShorter                   // a loop gives a character back, down to x
	entryLonger                    // a lazy loop takes one more, of x
	entryForward                   // a lookbehind starts one character later, x times
	entryWord                      // another text of a trie, after number x
	entryGroup                     // set groups[pc] to at
	entryRegister                  // set registers[pc] to at
	entryBarrier                   // an atomic group or an assertion ends without a match
)

// Reset prepares m for searches of re in text, which must not change while they last.
func (m *Matcher) Reset(re *Regexp, text []byte) {
	m.program, m.text, m.err = &re.program, text, nil
	m.needed = -1
	m.steps = stepsAlways + stepsPerByte*len(text)
	m.check = m.steps - stepsCheck
	m.registers = resize(m.registers, re.program.registers)
	m.groups = resize(m.groups, 2*re.program.groups)
}

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}

// Group returns the range of a group in the text, -1 and -1 if it is not set. Group 0 is the match.
func (m *Matcher) Group(i int) (begin, end int) { return int(m.groups[2*i]), int(m.groups[2*i+1]) }

// spend counts steps, and reports whether the search must end.
func (m *Matcher) spend(n int) bool {
	m.steps -= n
	return m.steps <= m.check && m.stopped()
}

// stopped reports whether the search must end, and sets m.err.
func (m *Matcher) stopped() bool {
	switch {
	case m.err != nil:
	case m.steps <= 0:
		m.err = ErrLimit
	case m.Stop.Requested():
		m.err = parallel.ErrStopped
	default:
		m.check = m.steps - stepsCheck
		return false
	}
	return true
}

// grow makes room for an entry on the stack, and reports whether there is none.
func (m *Matcher) grow() bool {
	n := max(2*cap(m.stack), 256)
	if n > maxStack {
		m.err = ErrLimit
		return true
	}
	m.stack, m.err = limits.Grow(&m.Limits, m.stack, n)
	return m.err != nil
}

// push adds an entry to the stack. If there is no room, m.err is set and the search ends soon.
func (m *Matcher) push(kind entryKind, pc, at, x int32) {
	if len(m.stack) == cap(m.stack) && m.grow() {
		m.steps, m.check = 0, 0
		return
	}
	m.stack = append(m.stack, entry{kind, pc, at, x})
}

// setRegister sets a register, and has its value restored when what follows does not match.
func (m *Matcher) setRegister(i, value int32) {
	m.push(entryRegister, i, m.registers[i], 0)
	m.registers[i] = value
}

func (m *Matcher) setGroup(i, value int32) {
	m.push(entryGroup, i, m.groups[i], 0)
	m.groups[i] = value
}

// decode returns the character at position at, -1 for a byte that is no part of one, and its
// length.
func decode(text []byte, at int) (rune, int) {
	if b := text[at]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	r, n := utf8.DecodeRune(text[at:])
	if r == utf8.RuneError && n == 1 {
		return -1, 1
	}
	return r, n
}

// before returns the character that ends at position at, and its length.
func before(text []byte, at int) (rune, int) {
	if b := text[at-1]; b < utf8.RuneSelf {
		return rune(b), 1
	}
	r, n := utf8.DecodeLastRune(text[:at])
	if r == utf8.RuneError && n == 1 {
		return -1, 1
	}
	return r, n
}

// run matches at position start, and sets the groups.
func (m *Matcher) run(start int, notEmpty bool) bool {
	for i := range m.groups {
		m.groups[i] = -1
	}
	m.stack = m.stack[:0]
	m.groups[0] = int32(start)
	p, text := m.program, m.text
	pc, at := p.start(), start
	for {
		if m.spend(1) {
			return false
		}
		i := &p.code[pc]
		switch i.op {
		case opMatch:
			if !notEmpty || at != start || int(m.groups[0]) != start {
				m.groups[1] = int32(at)
				return true
			}
			goto back
		case opFail:
			goto back
		case opByte:
			if at >= len(text) || text[at] != byte(i.x) {
				goto back
			}
			at++
		case opText:
			want := p.texts[i.x : i.x+i.y]
			if len(text)-at < len(want) || string(text[at:at+len(want)]) != string(want) {
				goto back
			}
			at += len(want)
		case opSet:
			n := m.one(&p.tables[i.x], at)
			if n == 0 {
				goto back
			}
			at += n
		case opSetLoop:
			end, ok := m.setLoop(pc, i, at)
			if !ok {
				goto back
			}
			at = end
		case opAlt:
			a := &p.alternations[i.x]
			b := 256
			if at < len(text) {
				b = int(text[at])
			}
			list := a.lists[a.index[b]]
			if len(list) == 0 {
				goto back
			}
			if len(list) > 1 {
				m.push(entryBranch, pc, int32(at), int32(a.index[b])<<16|1)
			}
			pc = list[0]
			continue
		case opWords:
			word, n, more := p.tries[i.x].find(text[at:], -1)
			if word == none {
				goto back
			}
			if more {
				m.push(entryWord, pc, int32(at), word)
			}
			at += n
		case opSplit:
			if i.mode == lazy {
				m.push(entryTry, i.next, int32(at), 0)
				pc = i.x
			} else {
				m.push(entryTry, i.x, int32(at), 0)
				pc = i.next
			}
			continue
		case opLoopBegin:
			l := &p.loops[i.y]
			m.setRegister(l.count, 0)
			m.setRegister(l.start, -1)
		case opLoop:
			l := &p.loops[i.y]
			count := m.registers[l.count]
			switch {
			case count < l.min:
			case count >= l.max || int(m.registers[l.start]) == at:
				pc = i.next
				continue
			case i.mode == lazy:
				m.push(entryTry, pc|again, int32(at), 0)
				pc = i.next
				continue
			default:
				m.push(entryTry, i.next, int32(at), 0)
			}
			m.setRegister(l.count, count+1)
			m.setRegister(l.start, int32(at))
			pc = i.x
			continue
		case opOpen:
			m.setRegister(i.x, int32(at))
		case opClose:
			m.setGroup(2*i.y, m.registers[i.x])
			m.setGroup(2*i.y+1, int32(at))
		case opBarrier:
			m.registers[i.x] = int32(len(m.stack))
			m.push(entryBarrier, nowhere, int32(at), 0)
		case opCut:
			m.cut(int(m.registers[i.x]))
		case opLook:
			m.registers[i.x] = int32(len(m.stack))
			m.push(entryBarrier, i.y, int32(at), 0)
		case opLookEnd:
			at = m.cut(int(m.registers[i.x]))
		case opLookNot:
			at = m.unwind(int(m.registers[i.x]))
			if i.y == nowhere {
				goto back
			}
			pc = i.y
			continue
		case opBack:
			var ok bool
			if at, ok = m.goBack(pc, i, at); !ok {
				goto back
			}
		case opBackEnd:
			if at != int(m.stack[m.registers[i.x]].at) {
				goto back
			}
		case opBackref:
			n := m.reference(i, at)
			if n < 0 {
				goto back
			}
			at += n
		case opIf:
			if m.setOf(i.x) < 0 {
				pc = i.y
				continue
			}
		case opAssert:
			if !m.holds(kind(i.x), i.y, at) {
				goto back
			}
		case opCluster:
			if at >= len(text) {
				goto back
			}
			at = m.cluster(at)
		case opKeep:
			m.setGroup(0, int32(at))
		}
		pc = i.next
		continue
	back:
		for {
			if len(m.stack) == 0 || m.spend(1) {
				return false
			}
			e := &m.stack[len(m.stack)-1]
			switch e.kind {
			case entryGroup:
				m.groups[e.pc] = e.at
				m.stack = m.stack[:len(m.stack)-1]
				continue
			case entryRegister:
				m.registers[e.pc] = e.at
				m.stack = m.stack[:len(m.stack)-1]
				continue
			case entryBarrier:
				m.stack = m.stack[:len(m.stack)-1]
				if e.pc == nowhere {
					continue
				}
				pc, at = e.pc, int(e.at)
			case entryTry:
				pc, at = e.pc, int(e.at)
				m.stack = m.stack[:len(m.stack)-1]
				if pc&again != 0 {
					// A lazy loop runs once more.
					pc &^= again
					l := &p.loops[p.code[pc].y]
					m.setRegister(l.count, m.registers[l.count]+1)
					m.setRegister(l.start, int32(at))
					pc = p.code[pc].x
				}
			case entryBranch:
				list := p.alternations[p.code[e.pc].x].lists[e.x>>16]
				next := e.x & 0xffff
				at = int(e.at)
				pc = list[next]
				if int(next)+1 < len(list) {
					e.x++
				} else {
					m.stack = m.stack[:len(m.stack)-1]
				}
			case entryWord:
				i := &p.code[e.pc]
				word, n, more := p.tries[i.x].find(text[e.at:], e.x)
				pc, at = i.next, int(e.at)+n
				if more {
					e.x = word
				} else {
					m.stack = m.stack[:len(m.stack)-1]
				}
			case entryShorter:
				if !m.shorter(e) {
					m.stack = m.stack[:len(m.stack)-1]
					continue
				}
				pc, at = p.code[e.pc].next, int(e.at)
				if e.at == e.x {
					m.stack = m.stack[:len(m.stack)-1]
				}
			case entryLonger:
				i := &p.code[e.pc]
				n := m.one(&p.tables[i.x], int(e.at))
				if n == 0 {
					m.stack = m.stack[:len(m.stack)-1]
					continue
				}
				e.at += int32(n)
				pc, at = i.next, int(e.at)
				if e.x--; e.x == 0 {
					m.stack = m.stack[:len(m.stack)-1]
				}
			case entryForward:
				_, n := decode(text, int(e.at))
				e.at += int32(n)
				pc, at = p.code[e.pc].next, int(e.at)
				if e.x--; e.x == 0 {
					m.stack = m.stack[:len(m.stack)-1]
				}
			}
			break
		}
	}
}

// again marks the instruction of a loop whose body is to run once more.
const again = 1 << 30

// one returns the length of the character at position at if it is in t, else 0.
func (m *Matcher) one(t *table, at int) int {
	if at >= len(m.text) {
		return 0
	}
	switch t.first[m.text[at]] {
	case yes:
		return 1
	case no:
		return 0
	}
	r, n := decode(m.text, at)
	if m.program.has(t, r) {
		return n
	}
	return 0
}

// setLoop matches characters of a set from position at on. It returns the end, and whether there
// were enough.
func (m *Matcher) setLoop(pc int32, i *inst, at int) (end int, ok bool) {
	t, l := &m.program.tables[i.x], &m.program.loops[i.y]
	text := m.text
	n, most := int32(0), l.max
	if i.mode == lazy {
		most = l.min
	}
	start, least := at, at
	for n < most && at < len(text) {
		if class := t.first[text[at]]; class == yes {
			at++
		} else if class == no {
			break
		} else {
			r, size := decode(text, at)
			if !m.program.has(t, r) {
				break
			}
			at += size
		}
		if n++; n == l.min {
			least = at
		}
	}
	if n < l.min || m.spend((at-start)>>3) {
		return 0, false
	}
	switch {
	case i.mode == lazy && l.max > l.min:
		m.push(entryLonger, pc, int32(at), l.max-l.min)
	case i.mode == greedy && at > least:
		m.push(entryShorter, pc, int32(at), int32(least))
	}
	return at, true
}

// shorter gives characters back, until what follows can match.
func (m *Matcher) shorter(e *entry) bool {
	follow := m.program.loops[m.program.code[e.pc].y].follow
	for e.at > e.x {
		_, n := before(m.text, int(e.at))
		e.at -= int32(n)
		if follow == nil || follow[m.text[e.at]] {
			return true
		}
		if m.spend(1) {
			return false
		}
	}
	return false
}

// cut removes what the entries from height on would try, but not what they would restore. It
// returns the position of the entry at height.
func (m *Matcher) cut(height int) int {
	at := int(m.stack[height].at)
	kept := m.stack[:height]
	for _, e := range m.stack[height+1:] {
		if e.kind == entryGroup || e.kind == entryRegister {
			kept = append(kept, e)
		}
	}
	m.stack = kept
	return at
}

// unwind removes the entries from height on, and restores what they have kept. It returns the
// position of the entry at height.
func (m *Matcher) unwind(height int) int {
	for len(m.stack) > height+1 {
		switch e := &m.stack[len(m.stack)-1]; e.kind {
		case entryGroup:
			m.groups[e.pc] = e.at
		case entryRegister:
			m.registers[e.pc] = e.at
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
	at := int(m.stack[height].at)
	m.stack = m.stack[:height]
	return at
}

// goBack goes i.y characters back, or as many as there are, if that is at least i.x.
func (m *Matcher) goBack(pc int32, i *inst, at int) (int, bool) {
	n := int32(0)
	for n < i.y && at > 0 {
		_, size := before(m.text, at)
		at -= size
		n++
	}
	if n < i.x || m.spend(int(n)>>3) {
		return 0, false
	}
	if n > i.x {
		m.push(entryForward, pc, int32(at), n-i.x)
	}
	return at, true
}

// setOf returns the first group of a list that is set, -1 if there is none.
func (m *Matcher) setOf(list int32) int32 {
	for _, g := range m.program.groupLists[list] {
		if m.groups[2*g+1] >= 0 {
			return g
		}
	}
	return -1
}

// reference returns the length of what is at position at and equal to a group, -1 if it is not.
func (m *Matcher) reference(i *inst, at int) int {
	g := m.setOf(i.x)
	if g < 0 {
		return -1
	}
	want, text := m.text[m.groups[2*g]:m.groups[2*g+1]], m.text[at:]
	if m.spend(len(want) >> 3) {
		return -1
	}
	if !i.fold {
		if len(text) < len(want) || string(text[:len(want)]) != string(want) {
			return -1
		}
		return len(want)
	}
	f, n := foldings(), 0
	for len(want) > 0 {
		if n >= len(text) {
			return -1
		}
		a, size := decode(want, 0)
		b, other := decode(text, n)
		if !f.equal(a, b, i.ascii) || a < 0 && want[0] != text[n] {
			return -1
		}
		want, n = want[size:], n+other
	}
	return n
}

// holds reports whether an assertion holds at position at.
func (m *Matcher) holds(k kind, set int32, at int) bool {
	text := m.text
	switch k {
	case kindBegin:
		return at == 0
	case kindEnd:
		return at == len(text)
	case kindEndLine:
		return at == len(text) || at == len(text)-1 && text[at] == '\n'
	case kindLineBegin:
		return at == 0 || at < len(text) && text[at-1] == '\n'
	case kindLineEnd:
		return at == len(text) || text[at] == '\n'
	case kindFirst:
		return at == m.begin
	}
	t := &m.program.tables[set]
	left, right := false, m.one(t, at) > 0
	if at > 0 {
		r, _ := before(text, at)
		left = m.program.has(t, r)
	}
	return (left != right) == (k == kindWord)
}
