package regex

import (
	"slices"
	"unicode/utf8"
)

// dfa finds where a match ends without a second try. It exists for patterns whose alternatives are
// sequences of characters, sets and repeats of them, with assertions about the next character:
// those that tokenizers split words by. Its states are the positions in the pattern that a match
// can have reached, most wanted first, so that the matches are those of the Matcher.
type dfa struct {
	ascii   [utf8.RuneSelf]uint8 // classes of characters
	top     [(maxRune + 1) >> 8]uint16
	pages   [][256]uint8 // of classes of 256 code points
	bad     uint8        // the class of a byte that is no part of UTF-8
	end     uint32       // the class of the end of the text
	newline uint32       // the class of a newline that ends the text
	dollar  bool         // newline is not the class of other newlines
	// next has for each class, from a state on, twice the state that follows, plus 1 if a match
	// ends before the character. A state is the index of its first element, dead is one without a
	// way on.
	next        []uint32
	first, rest uint32 // states at the start of the text, and elsewhere
}

const dead = 0

// The limits of what is worth a dfa.
const (
	maxPositions = 1 << 10
	maxStates    = 1 << 9
	maxClasses   = 250
	maxSets      = 64
)

// position is a place in a pattern: what comes next there.
type position struct {
	op    positionOp
	set   int   // of positionSet, positionNext and positionNotNext
	next  int32 // for positionEither, the one that is wanted more
	other int32
}

type positionOp uint8

const (
	positionMatch   positionOp = iota
	positionSet                // a character of set
	positionEither             // next or other
	positionBegin              // the start of the text
	positionEnd                // the end of the text
	positionDollar             // the end of the text, or a newline that ends it
	positionNext               // the next character is in set
	positionNotNext            // it is not
	positionFail
)

// dfaBuilder makes a dfa.
type dfaBuilder struct {
	positions []position
	sets      []*set
	failed    bool     // the pattern is not one for a dfa
	members   [][]bool // of sets, by class
	d         *dfa
	stride    int
	states    map[string]uint32
	lists     [][]int32 // of states
	// of one transition
	seen  []bool
	found []int32
}

// following is what can follow a part of a pattern.
type following struct {
	set     *set // the characters that it can start with
	nothing bool // it can be nothing, without a condition
	edge    bool // it is the end of the text, and then nothing
}

// newDFA returns the dfa for a pattern, nil if the pattern is not one for it. It is at most most
// bytes long.
func newDFA(root *node, most int) *dfa {
	b := &dfaBuilder{d: &dfa{}, states: map[string]uint32{}}
	b.emit(position{op: positionMatch})
	start := b.node(root, 0, following{&set{}, true, false})
	if b.failed || len(b.sets) > maxSets || !b.classify() || len(b.d.pages)*256 > most {
		return nil
	}
	b.seen = make([]bool, len(b.positions))
	b.state(nil, false)
	b.d.first, b.d.rest = b.state([]int32{start}, true), b.state([]int32{start}, false)
	for i := 1; i < len(b.lists); i++ {
		if i == 1 {
			b.fill(i, true)
		} else {
			b.fill(i, false)
		}
		if len(b.lists) > maxStates || 4*len(b.lists)*b.stride > most {
			return nil
		}
	}
	return b.d
}

func (b *dfaBuilder) emit(p position) int32 {
	if len(b.positions) >= maxPositions {
		b.failed = true
		return 0
	}
	b.positions = append(b.positions, p)
	return int32(len(b.positions) - 1)
}

// set returns the number of a set.
func (b *dfaBuilder) set(s *set) int {
	for i, other := range b.sets {
		if equalSets(s, other) {
			return i
		}
	}
	b.sets = append(b.sets, s)
	return len(b.sets) - 1
}

// one returns the set that n matches a character of, nil if n is something else.
func one(n *node) *set {
	switch n.kind {
	case kindChar:
		return setOf(span{n.r, n.r})
	case kindSet:
		return n.set
	case kindCat, kindAlt:
		if len(n.subs) == 1 {
			return one(n.subs[0])
		}
	}
	return nil
}

// node adds the positions of n and returns the first. next follows n.
func (b *dfaBuilder) node(n *node, next int32, follow following) int32 {
	if b.failed {
		return 0
	}
	switch n.kind {
	case kindEmpty:
		return next
	case kindChar, kindSet:
		return b.emit(position{op: positionSet, set: b.set(one(n)), next: next})
	case kindCat:
		for _, sub := range slices.Backward(n.subs) {
			next = b.node(sub, next, follow)
			follow = b.before(sub, follow)
		}
		return next
	case kindAlt:
		at := b.emit(position{op: positionFail})
		for _, sub := range slices.Backward(n.subs) {
			at = b.emit(position{op: positionEither, next: b.node(sub, next, follow), other: at})
		}
		return at
	case kindGroup:
		return b.node(n.subs[0], next, follow)
	case kindRepeat:
		return b.repeat(n, next, follow)
	case kindBegin:
		return b.emit(position{op: positionBegin, next: next})
	case kindEnd:
		return b.emit(position{op: positionEnd, next: next})
	case kindEndLine:
		b.d.dollar = true
		return b.emit(position{op: positionDollar, next: next})
	case kindFail:
		return b.emit(position{op: positionFail})
	case kindLook:
		if s := one(n.subs[0]); s != nil {
			op := positionNext
			if n.negative {
				op = positionNotNext
			}
			return b.emit(position{op: op, set: b.set(s), next: next})
		}
	}
	b.failed = true
	return 0
}

// repeat adds a repeat. One that gives nothing back is a greedy one if what follows cannot match
// where that would give something back.
func (b *dfaBuilder) repeat(n *node, next int32, follow following) int32 {
	sub := n.subs[0]
	if n.mode == possessive && n.max != 0 {
		s := one(sub)
		if s == nil || !follow.edge && (len(s.and(follow.set).spans) > 0 || s.bad && follow.set.bad) {
			b.failed = true
			return 0
		}
	}
	either := func(body, other int32) int32 {
		if n.mode == lazy {
			body, other = other, body
		}
		return b.emit(position{op: positionEither, next: body, other: other})
	}
	// What follows an iteration is another one, too: repeats in it are not to be possessive.
	inner := following{everything(), false, false}
	at := next
	if n.max == unlimited {
		if empty(sub) {
			b.failed = true
			return 0
		}
		loop := b.emit(position{op: positionEither})
		body := b.node(sub, loop, inner)
		if b.failed {
			return 0
		}
		p := &b.positions[loop]
		if p.next, p.other = body, next; n.mode == lazy {
			p.next, p.other = next, body
		}
		at = loop
	} else {
		for range n.max - n.min {
			if b.failed || empty(sub) && n.max > 1 {
				b.failed = true
				return 0
			}
			at = either(b.node(sub, at, inner), next)
		}
	}
	for range n.min {
		if b.failed {
			return 0
		}
		at = b.node(sub, at, inner)
	}
	return at
}

// empty reports whether n can match nothing.
func empty(n *node) bool {
	switch n.kind {
	case kindChar, kindSet, kindFail:
		return false
	case kindCat:
		return !slices.ContainsFunc(n.subs, func(sub *node) bool { return !empty(sub) })
	case kindAlt:
		return slices.ContainsFunc(n.subs, empty)
	case kindGroup:
		return empty(n.subs[0])
	case kindRepeat:
		return n.min == 0 || empty(n.subs[0])
	}
	return true
}

// before returns what n and what follows it can start with.
func (b *dfaBuilder) before(n *node, follow following) following {
	switch n.kind {
	case kindEmpty:
		return follow
	case kindChar, kindSet:
		return following{one(n), false, false}
	case kindEnd, kindEndLine:
		if follow.nothing && len(follow.set.spans) == 0 {
			return following{&set{}, false, true}
		}
	case kindRepeat:
		if s := one(n.subs[0]); s != nil && n.max != 0 && !follow.edge {
			if n.min > 0 {
				return following{s, false, false}
			}
			all := &set{spans: slices.Clone(s.spans), bad: s.bad}
			all.add(follow.set)
			return following{all.normalize(), follow.nothing, false}
		}
	}
	return following{everything(), false, false}
}

// classify divides the characters into classes: those of one class are in the same sets.
func (b *dfaBuilder) classify() bool {
	bounds := []rune{0, utf8.RuneSelf}
	for _, s := range b.sets {
		for _, r := range s.spans {
			bounds = append(bounds, r.lo, r.hi+1)
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	if b.d.dollar {
		b.set(setOf(span{'\n', '\n'}))
	}
	classes := map[uint64]uint8{}
	class := func(members uint64) (uint8, bool) {
		c, ok := classes[members]
		if !ok {
			if len(classes) >= maxClasses {
				return 0, false
			}
			c = uint8(len(classes))
			classes[members] = c
			in := make([]bool, len(b.sets))
			for i := range in {
				in[i] = members>>i&1 != 0
			}
			b.members = append(b.members, in)
		}
		return c, true
	}
	pages := pager{d: b.d, shared: map[[256]uint8]uint16{}, uniform: map[uint8]uint16{}}
	rest := make([][]span, len(b.sets))
	for i, s := range b.sets {
		rest[i] = s.spans
	}
	bad := uint64(0)
	for i, s := range b.sets {
		if s.bad {
			bad |= 1 << i
		}
	}
	for i, lo := range bounds {
		hi := rune(maxRune + 1)
		if i+1 < len(bounds) {
			hi = bounds[i+1]
		}
		members := uint64(0)
		for k := range rest {
			for len(rest[k]) > 0 && rest[k][0].hi < lo {
				rest[k] = rest[k][1:]
			}
			if len(rest[k]) > 0 && rest[k][0].lo <= lo {
				members |= 1 << k
			}
		}
		c, ok := class(members)
		if !ok {
			return false
		}
		pages.fill(lo, hi, c)
	}
	c, ok := class(bad)
	if !ok {
		return false
	}
	d := b.d
	d.bad = c
	copy(d.ascii[:], d.pages[d.top[0]][:])
	d.newline = uint32(len(b.members))
	d.end = d.newline + 1
	b.members = append(b.members, b.members[d.ascii['\n']], make([]bool, len(b.sets)))
	b.stride = len(b.members)
	return true
}

// pager fills the pages of a dfa, from the first code point to the last.
type pager struct {
	d       *dfa
	page    [256]uint8
	shared  map[[256]uint8]uint16
	uniform map[uint8]uint16 // pages of one class
}

// fill gives the code points lo to hi-1 a class.
func (p *pager) fill(lo, hi rune, class uint8) {
	for lo < hi {
		at, ok := p.uniform[class]
		if last := lo | 255; lo&255 != 0 || last >= hi {
			for last = min(last, hi-1); lo <= last; lo++ {
				p.page[lo&255] = class
			}
			if lo&255 != 0 {
				return
			}
			lo -= 256
			at, ok = p.shared[p.page]
		} else if !ok {
			for i := range p.page {
				p.page[i] = class
			}
		}
		if !ok {
			at = uint16(len(p.d.pages))
			p.d.pages = append(p.d.pages, p.page)
			p.shared[p.page] = at
			if p.page == ([256]uint8)(slices.Repeat([]uint8{class}, 256)) {
				p.uniform[class] = at
			}
		}
		p.d.top[lo>>8] = at
		lo = lo&^255 + 256
	}
}

// state returns the state for positions, most wanted first.
func (b *dfaBuilder) state(positions []int32, begin bool) uint32 {
	key := make([]byte, 0, 2*len(positions)+1)
	for _, p := range positions {
		key = append(key, byte(p), byte(p>>8))
	}
	if begin {
		key = append(key, 1)
	}
	at, ok := b.states[string(key)]
	if !ok {
		at = uint32(len(b.lists) * b.stride)
		b.states[string(key)] = at
		b.lists = append(b.lists, slices.Clone(positions))
		b.d.next = append(b.d.next, make([]uint32, b.stride)...)
	}
	return at
}

// fill sets the transitions of state i.
func (b *dfaBuilder) fill(i int, begin bool) {
	for class := range b.stride {
		clear(b.seen)
		b.found = b.found[:0]
		matched := uint32(0)
		for _, p := range b.lists[i] {
			if b.follow(p, class, begin) {
				matched = 1
				break
			}
		}
		to := b.state(b.found, false)
		b.d.next[i*b.stride+class] = to<<1 | matched
	}
}

// follow adds the positions that a character of a class leads to from p. It reports whether a match
// ends at p, so that what is wanted less does not matter.
func (b *dfaBuilder) follow(at int32, class int, begin bool) bool {
	if b.seen[at] {
		return false
	}
	b.seen[at] = true
	p := &b.positions[at]
	end := class == int(b.d.end)
	holds := false
	switch p.op {
	case positionMatch:
		return true
	case positionSet:
		if b.members[class][p.set] && !slices.Contains(b.found, p.next) {
			b.found = append(b.found, p.next)
		}
		return false
	case positionEither:
		return b.follow(p.next, class, begin) || b.follow(p.other, class, begin)
	case positionBegin:
		holds = begin
	case positionEnd:
		holds = end
	case positionDollar:
		holds = end || class == int(b.d.newline)
	case positionNext:
		holds = b.members[class][p.set]
	case positionNotNext:
		holds = !b.members[class][p.set]
	}
	return holds && b.follow(p.next, class, begin)
}

// chunk is the number of bytes between two questions whether to stop.
const chunk = 1 << 14

// run returns where the match that starts at position start ends, -1 if there is none.
func (d *dfa) run(m *Matcher, start int) int {
	text, next := m.text, d.next
	limit := len(text)
	if d.dollar && limit > 0 && text[limit-1] == '\n' {
		limit--
	}
	s, end, at := d.rest, -1, start
	if at == 0 {
		s = d.first
	}
	for at < limit {
		from, stop := at, limit
		if limit-at > chunk {
			stop = at + chunk
		}
		for at < stop {
			var t uint32
			n := 1
			if b := text[at]; b < utf8.RuneSelf {
				t = next[s+uint32(d.ascii[b])]
			} else {
				var r rune
				class := d.bad
				if r, n = decode(text, at); r >= 0 {
					class = d.pages[d.top[r>>8]][r&255]
				}
				t = next[s+uint32(class)]
			}
			if t&1 != 0 {
				end = at
			}
			if s = t >> 1; s == dead {
				m.spend(1 + (at-from)>>3)
				return end
			}
			at += n
		}
		if m.spend(1 + (at-from)>>3) {
			return -1
		}
	}
	if at < len(text) {
		t := next[s+d.newline]
		if t&1 != 0 {
			end = at
		}
		if s = t >> 1; s == dead {
			return end
		}
		at++
	}
	if next[s+d.end]&1 != 0 {
		end = at
	}
	return end
}
