package longest

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Matcher finds matches of one expression in one goroutine.
//
// A state is a set of instructions that can be next, and what kind of character is before. next has
// a row of classes for each state: what follows a character of that class, see step. It is filled
// as it is needed, and emptied when there are too many states.
type Matcher struct {
	re     *Regexp
	stride int // classes
	next   []int32
	states [][]int32        // the instructions, sorted, and the character before as the last
	index  map[string]int32 // the states by their bytes
	first  [beforeCount]int32

	// Memory of step. Marked are the instructions in seen.
	marked           []bool
	stack, seen, set []int32
	key              []byte
}

// States that are no rows.
const (
	unknown = iota
	dead    // there is no way on
	ready   // the first state
)

// Limits of the table.
const (
	maxStates = 1 << 9
	maxCells  = 1 << 16 // of all rows, but for maxStates/8 rows
)

// What is before a place, if that matters.
const (
	beforeStart = iota
	beforeLine
	beforeWord
	beforeOther
	beforeCount
)

// examples has a character for each kind of what is before a place.
var examples = [beforeCount]rune{noRune, '\n', 'a', ' '}

// Matcher returns a Matcher. Bytes says how much memory it takes.
func (re *Regexp) Matcher() *Matcher {
	m := &Matcher{re: re, stride: len(re.member), marked: make([]bool, len(re.prog.Inst))}
	m.reset()
	return m
}

// Bytes returns the size of a Matcher with a full table.
func (re *Regexp) Bytes() int64 {
	states := int64(re.limit())
	return memory.Sum(memory.Size[int32](int(states)*len(re.member)), states*(2*4*int64(len(re.prog.Inst))+100), int64(16*len(re.prog.Inst)))
}

// limit returns the number of states of a table.
func (re *Regexp) limit() int {
	return ready + max(16, min(maxStates, maxCells/len(re.member), maxCells/len(re.prog.Inst)))
}

// reset empties the table.
func (m *Matcher) reset() {
	m.next, m.states = slices.Grow(m.next[:0], m.stride*(ready+1))[:m.stride*ready], make([][]int32, ready)
	m.index, m.first = make(map[string]int32), [beforeCount]int32{}
}

// before returns what is before a place in a text.
func (re *Regexp) before(text string, at int) int {
	if !re.looks {
		return beforeOther
	}
	if at == 0 {
		return beforeStart
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return kindOf(r)
}

// kindOf returns what a character is for the place behind it.
func kindOf(r rune) int {
	switch {
	case r == '\n':
		return beforeLine
	case syntax.IsWordChar(r):
		return beforeWord
	}
	return beforeOther
}

// Find returns the range of the first match that starts at from or later. It returns -1 twice if
// there is none. What is before from counts for what looks there. The error is parallel.ErrStopped.
func (m *Matcher) Find(text string, from int, meter *parallel.Meter) (begin, end int, err error) {
	for at := from; at <= len(text); {
		at = m.skip(text, at)
		end, err := m.from(text, at, meter)
		if end >= 0 || err != nil {
			return at, end, err
		}
		_, n := utf8.DecodeRuneInString(text[at:])
		at += max(n, 1)
	}
	return -1, -1, nil
}

// Matches reports whether the expression matches all of a text. The error is parallel.ErrStopped.
func (m *Matcher) Matches(text string, meter *parallel.Meter) (bool, error) {
	end, err := m.from(text, 0, meter)
	return end == len(text), err
}

// skip returns the first place from at on where a match can start, as far as the table knows and
// there is only ASCII before it.
func (m *Matcher) skip(text string, at int) int {
	if m.re.looks {
		return at
	}
	row := m.next[int(m.start(beforeOther))*m.stride:][:m.stride]
	for at < len(text) && text[at] < utf8.RuneSelf && row[m.re.ascii[text[at]]] == dead<<1 {
		at++
	}
	return at
}

// from returns where the longest match that starts at a place ends; -1 if there is none.
func (m *Matcher) from(text string, start int, meter *parallel.Meter) (end int, err error) {
	state, end := m.start(m.re.before(text, start)), -1
	for at := start; ; {
		class, n := m.re.end, 1
		if at < len(text) {
			if b := text[at]; b < utf8.RuneSelf {
				class = m.re.ascii[b]
			} else {
				var r rune
				r, n = utf8.DecodeRuneInString(text[at:])
				class = m.re.class(r)
			}
		}
		step := m.next[int(state)*m.stride+int(class)]
		if step == unknown {
			if meter.Spent(10 * len(m.re.prog.Inst)) {
				return -1, parallel.ErrStopped
			}
			step = m.step(state, class)
		}
		if step&1 != 0 {
			end = at
		}
		if state = step >> 1; state == dead {
			return end, nil
		}
		if meter.Spent(n) {
			return -1, parallel.ErrStopped
		}
		at += n
	}
}

// start returns the state at the start of a match.
func (m *Matcher) start(before int) int32 {
	if m.first[before] == unknown {
		m.set = append(m.set[:0], int32(m.re.prog.Start))
		state := m.state(before) // which may empty the table
		m.first[before] = state
	}
	return m.first[before]
}

// state returns the state of the instructions in set, which are sorted, after a kind of character.
func (m *Matcher) state(before int) int32 {
	if len(m.set) == 0 {
		return dead
	}
	m.set = append(m.set, int32(before))
	m.key = m.key[:0]
	for _, inst := range m.set {
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(inst))
	}
	if state, ok := m.index[string(m.key)]; ok {
		return state
	}
	if len(m.states) >= m.re.limit() {
		m.reset()
	}
	state := int32(len(m.states))
	m.states = append(m.states, slices.Clone(m.set))
	m.index[string(m.key)] = state
	m.next = append(m.next, make([]int32, m.stride)...)
	return state
}

// step returns twice the state that follows a character of a class, plus 1 if a match ends before
// it, and writes that into the table.
func (m *Matcher) step(state, class int32) int32 {
	of, member := m.states[state], m.re.member[class]
	last := len(of) - 1
	around := syntax.EmptyOpContext(examples[of[last]], member)
	m.stack, m.seen, m.set = m.stack[:0], m.seen[:0], m.set[:0]
	for _, pc := range of[:last] {
		m.push(uint32(pc))
	}
	step := int32(0)
	for len(m.stack) > 0 {
		inst := &m.re.prog.Inst[m.stack[len(m.stack)-1]]
		m.stack = m.stack[:len(m.stack)-1]
		switch inst.Op {
		case syntax.InstMatch:
			step = 1
		case syntax.InstAlt, syntax.InstAltMatch:
			m.push(inst.Out)
			m.push(inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			m.push(inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^around == 0 {
				m.push(inst.Out)
			}
		default:
			if isTest(inst) && member != noRune && inst.MatchRune(member) {
				m.set = append(m.set, int32(inst.Out))
			}
		}
	}
	for _, pc := range m.seen {
		m.marked[pc] = false
	}
	slices.Sort(m.set)
	m.set = slices.Compact(m.set)
	before := beforeOther
	if m.re.looks {
		before = kindOf(member)
	}
	known := len(m.states)
	step |= m.state(before) << 1
	if len(m.states) >= known { // or else the table was emptied
		m.next[int(state)*m.stride+int(class)] = step
	}
	return step
}

// push adds an instruction to those that step looks at, once.
func (m *Matcher) push(pc uint32) {
	if !m.marked[pc] {
		m.marked[pc] = true
		m.stack, m.seen = append(m.stack, int32(pc)), append(m.seen, int32(pc))
	}
}
