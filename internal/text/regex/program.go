package regex

import (
	"slices"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// opcode says what an instruction does. Instructions go on at next unless they say otherwise.
type opcode uint8

const (
	opMatch     opcode = iota
	opFail             // nothing matches
	opByte             // the byte x
	opText             // the bytes x to x+y-1 of the texts
	opSet              // one character of set x
	opSetLoop          // characters of a set, as often as loop y says
	opAlt              // the branches of alternation x
	opWords            // one of the texts of trie x
	opSplit            // next first, x later; if lazy, the other way round
	opLoopBegin        // loop y starts
	opLoop             // body x again, or next
	opOpen             // register x is the start of a group
	opClose            // group y from register x to here
	opBarrier          // an atomic group starts; register x is where on the stack
	opCut              // it ends
	// an assertion starts; register x is where on the stack, y is where to go if it fails
	opLook
	opLookEnd // it holds: go back to its start
	opLookNot // it holds, and should not: forget it and go to y
	opBack    // x to y characters back
	opBackEnd // fail unless a lookbehind ends where it started; register x
	opBackref // what group list x has matched
	opIf      // next if one of group list x is set, else y
	opAssert  // the assertion x holds; y is the set of words
	opCluster // an extended grapheme cluster
	opKeep    // the match starts here
)

// nowhere is the target of an assertion that makes the match fail.
const nowhere = -1

// inst is an instruction.
type inst struct {
	op    opcode
	mode  mode
	ascii bool // of opBackref
	fold  bool // of opBackref
	x, y  int32
	next  int32
}

// loop is what a repeat needs beside its instruction.
type loop struct {
	min, max int32  // max is math.MaxInt32 if there is none
	set      int32  // of opSetLoop
	count    int32  // register of opLoop: iterations so far
	start    int32  // register of opLoop: where the last iteration started
	follow   *bytes // bytes that can follow a greedy opSetLoop; nil if all can, and the end
}

// bytes is a set of bytes.
type bytes [256]bool

// table tells members of a set apart by their first byte.
type table struct {
	first [256]uint8 // no, yes, or maybe
	bad   bool
	pages [272]uint16 // of 4096 code points each
}

const (
	no = iota
	yes
	maybe // the character must be decoded
)

// page has a bit for each of 4096 code points.
type page [64]uint64

// alternation has for each byte the branches that can match there.
type alternation struct {
	lists [][]int32
	index [257]uint16 // of lists; 256 is the end of the text
}

// program is a compiled pattern. Nothing changes it.
type program struct {
	code         []inst
	texts        []byte
	tables       []table
	pages        []page
	loops        []loop
	alternations []alternation
	tries        []trie
	groupLists   [][]int32
	registers    int
	groups       int // with group 0
	names        map[string][]int
	first        *bytes // bytes that a match starts with; nil if it can be empty
	inside       bool   // first has bytes that are inside of characters
	literal      []byte // what each match is, nil if that is not known
	anchored     bool   // a match starts at the start of the text
	foreign      bool   // first has no ASCII
	only         int    // the one byte that first has; several if there are more
	needed       int    // a byte that each match has; unneeded if none is known
	dfa          *dfa   // finds the end of a match; nil if there is none
}

// MaxBytes returns the greatest size of the program for a pattern of n bytes.
func MaxBytes(n int) int64 { return min(512<<10+256*int64(n), 32<<20) }

// compiler makes a program from a tree.
type compiler struct {
	program
	sets    []*set
	shared  map[page]uint16
	bytes   int
	most    int64 // bytes
	visits  int
	tooLong bool // the program, or the work to make it
}

// compile returns the program for a tree. words asks for a dfa.
func compile(root *node, groups int, names map[string][]int, most int64, words bool) (*compiler, error) {
	c := &compiler{shared: map[page]uint16{}, most: most}
	c.groups, c.names = groups, names
	c.emit(inst{op: opMatch})
	start := c.node(root, 0, nil)
	// The program starts at instruction 0: the last one is moved there.
	c.code = append(c.code, c.code[start])
	if first, empty := c.firstOf(root); !empty {
		c.setFirst(first)
	}
	c.needed = needed(root)
	c.anchored = anchored(root)
	if texts := literals(&node{subs: []*node{root}}); texts != nil {
		c.literal = texts[0]
	}
	if words && c.literal == nil && !c.tooLong {
		c.dfa = newDFA(root, int(c.most)-c.bytes)
	}
	if c.tooLong {
		return nil, faults.Errorf("regular expression: the program has more than %d bytes", most)
	}
	return c, nil
}

// setFirst sets the bytes that a match starts with.
func (p *program) setFirst(first *bytes) {
	p.first, p.inside, p.foreign, p.only = first, first[utf8.RuneSelf], true, several
	n := 0
	for b, in := range first {
		if in {
			p.foreign = p.foreign && b >= utf8.RuneSelf
			p.only = b
			n++
		}
	}
	if n != 1 {
		p.only = several
	}
}

// several is that a match can start with several bytes.
const several = -1

// start is the first instruction.
func (p *program) start() int32 { return int32(len(p.code) - 1) }

// spend counts bytes of the program, and reports whether there are too many.
func (c *compiler) spend(n int) bool {
	if c.bytes += n; int64(c.bytes) > c.most {
		c.tooLong = true
	}
	return c.tooLong
}

func (c *compiler) emit(i inst) int32 {
	c.spend(24)
	c.code = append(c.code, i)
	return int32(len(c.code) - 1)
}

func (c *compiler) register() int32 {
	c.registers++
	return int32(c.registers - 1)
}

// node emits n and returns its first instruction. The code is made from its end: next is what
// follows n, and follow are the bytes that can start what follows, nil if all can, and the end.
func (c *compiler) node(n *node, next int32, follow *bytes) int32 {
	if c.tooLong {
		return next
	}
	switch n.kind {
	case kindEmpty:
		return next
	case kindChar:
		return c.text(utf8.AppendRune(nil, n.r), next)
	case kindSet:
		return c.emit(inst{op: opSet, x: c.set(n.set), next: next})
	case kindCat:
		return c.cat(n, next, follow)
	case kindAlt:
		return c.alt(n, next, follow)
	case kindRepeat:
		return c.repeat(n, next, follow)
	case kindGroup:
		reg := c.register()
		end := c.emit(inst{op: opClose, x: reg, y: int32(n.number), next: next})
		body := c.node(n.subs[0], end, follow)
		return c.emit(inst{op: opOpen, x: reg, next: body})
	case kindAtomic:
		reg := c.register()
		end := c.emit(inst{op: opCut, x: reg, next: next})
		return c.emit(inst{op: opBarrier, x: reg, next: c.node(n.subs[0], end, nil)})
	case kindLook, kindBehind:
		return c.look(n, next, nowhere)
	case kindBackref:
		return c.emit(inst{op: opBackref, x: c.groupList(n.groups), fold: n.caseless, ascii: n.ascii, next: next})
	case kindIf:
		yes, no := c.node(n.subs[1], next, nil), c.node(n.subs[2], next, nil)
		if n.groups != nil {
			return c.emit(inst{op: opIf, x: c.groupList(n.groups), y: no, next: yes})
		}
		return c.look(n.subs[0], yes, no)
	case kindCluster:
		return c.emit(inst{op: opCluster, next: next})
	case kindFail:
		return c.emit(inst{op: opFail})
	case kindKeep:
		return c.emit(inst{op: opKeep, next: next})
	case kindWord, kindNotWord:
		return c.emit(inst{op: opAssert, x: int32(n.kind), y: c.set(n.set), next: next})
	}
	return c.emit(inst{op: opAssert, x: int32(n.kind), next: next})
}

// text emits bytes that match themselves.
func (c *compiler) text(text []byte, next int32) int32 {
	if len(text) == 1 {
		return c.emit(inst{op: opByte, x: int32(text[0]), next: next})
	}
	c.spend(len(text))
	at := len(c.texts)
	c.texts = append(c.texts, text...)
	return c.emit(inst{op: opText, x: int32(at), y: int32(len(text)), next: next})
}

// cat emits a sequence, from its end.
func (c *compiler) cat(n *node, next int32, follow *bytes) int32 {
	for i := len(n.subs) - 1; i >= 0; {
		// Characters side by side are one text.
		end := i
		for i >= 0 && n.subs[i].kind == kindChar {
			i--
		}
		if i < end {
			var text []byte
			for _, sub := range n.subs[i+1 : end+1] {
				text = utf8.AppendRune(text, sub.r)
			}
			next = c.text(text, next)
			follow = &bytes{}
			follow[text[0]] = true
			continue
		}
		sub := n.subs[i]
		next = c.node(sub, next, follow)
		follow = c.followed(sub, follow)
		i--
	}
	return next
}

// followed returns the bytes that can start n and what follows it.
func (c *compiler) followed(n *node, follow *bytes) *bytes {
	first, empty := c.firstOf(n)
	if !empty {
		return first
	}
	if follow == nil {
		return nil
	}
	for b, in := range follow {
		first[b] = first[b] || in
	}
	return first
}

// alt emits an alternation.
func (c *compiler) alt(n *node, next int32, follow *bytes) int32 {
	if texts := literals(n); texts != nil {
		t := newTrie(texts)
		c.spend(t.size())
		c.tries = append(c.tries, t)
		return c.emit(inst{op: opWords, x: int32(len(c.tries) - 1), next: next})
	}
	var a alternation
	branches := make([]int32, len(n.subs))
	starts := make([]*bytes, len(n.subs))
	for i, sub := range n.subs {
		starts[i] = c.followed(sub, follow)
		branches[i] = c.node(sub, next, follow)
	}
	lists := map[string]uint16{}
	var key []byte
	for b := range a.index {
		var list []int32
		key = key[:0]
		for i, start := range starts {
			// At the end of the text, only what can be empty matches.
			if start == nil || b < len(start) && start[b] {
				list = append(list, branches[i])
				key = append(key, byte(i), byte(i>>8), byte(i>>16))
			}
		}
		at, ok := lists[string(key)]
		if !ok {
			at = uint16(len(a.lists))
			lists[string(key)] = at
			a.lists = append(a.lists, list)
			if c.spend(4*len(list) + 24) {
				return next
			}
		}
		a.index[b] = at
	}
	c.spend(2 * len(a.index))
	c.alternations = append(c.alternations, a)
	return c.emit(inst{op: opAlt, x: int32(len(c.alternations) - 1), next: next})
}

// repeat emits a repeat.
func (c *compiler) repeat(n *node, next int32, follow *bytes) int32 {
	sub := n.subs[0]
	l := loop{min: int32(n.min), max: int32(n.max)}
	if n.max == unlimited {
		l.max = 1<<31 - 1
	}
	switch {
	case n.max == 0:
		return next
	case n.min == 1 && n.max == 1:
		if n.mode == possessive {
			return c.node(&node{kind: kindAtomic, subs: n.subs}, next, follow)
		}
		return c.node(sub, next, follow)
	case sub.kind == kindChar || sub.kind == kindSet:
		s := sub.set
		if s == nil {
			s = setOf(span{sub.r, sub.r})
		}
		l.set = c.set(s)
		l.follow = follow
		m := n.mode
		if first, _ := c.firstOf(sub); m == greedy && follow != nil && disjoint(first, follow) {
			m = possessive // what follows cannot match where the loop could give something back
		}
		return c.emit(inst{op: opSetLoop, mode: m, x: l.set, y: c.loop(l), next: next})
	case n.mode == possessive:
		greedy := *n
		greedy.mode = 0
		return c.node(&node{kind: kindAtomic, subs: []*node{&greedy}}, next, follow)
	case n.min == 0 && n.max == 1:
		return c.emit(inst{op: opSplit, mode: n.mode, x: next, next: c.node(sub, next, follow)})
	}
	l.count, l.start = c.register(), c.register()
	at := c.loop(l)
	again := c.emit(inst{op: opLoop, mode: n.mode, y: at, next: next})
	body := c.node(sub, again, nil)
	c.code[again].x = body
	return c.emit(inst{op: opLoopBegin, y: at, next: again})
}

func (c *compiler) loop(l loop) int32 {
	c.spend(32)
	c.loops = append(c.loops, l)
	return int32(len(c.loops) - 1)
}

func disjoint(a, b *bytes) bool {
	for i := range a {
		if a[i] && b[i] {
			return false
		}
	}
	return true
}

// look emits an assertion that goes on at next if it holds, and at otherwise if not.
func (c *compiler) look(n *node, next, otherwise int32) int32 {
	reg := c.register()
	var end, begin int32
	if n.negative {
		end = c.emit(inst{op: opLookNot, x: reg, y: otherwise})
		begin = next
	} else {
		end = c.emit(inst{op: opLookEnd, x: reg, next: next})
		begin = otherwise
	}
	body := int32(0)
	if n.kind == kindLook {
		body = c.node(n.subs[0], end, nil)
	} else {
		check := c.emit(inst{op: opBackEnd, x: reg, next: end})
		for i := len(n.subs) - 1; i >= 0; i-- {
			branch := n.subs[i]
			to := check
			if branch.min == branch.max {
				to = end
			}
			back := c.emit(inst{op: opBack, x: int32(branch.min), y: int32(branch.max), next: c.node(branch, to, nil)})
			if i == len(n.subs)-1 {
				body = back
			} else {
				body = c.emit(inst{op: opSplit, x: body, next: back})
			}
		}
	}
	return c.emit(inst{op: opLook, x: reg, y: begin, next: body})
}

func (c *compiler) groupList(groups []int) int32 {
	list := make([]int32, len(groups))
	for i, g := range groups {
		list[i] = int32(g)
	}
	c.spend(4*len(list) + 24)
	c.groupLists = append(c.groupLists, list)
	return int32(len(c.groupLists) - 1)
}

// set returns the index of the table of s.
func (c *compiler) set(s *set) int32 {
	for i, other := range c.sets {
		if equalSets(s, other) {
			return int32(i)
		}
		if i == 64 {
			break // more sets than patterns have: sharing is not worth the time
		}
	}
	c.sets = append(c.sets, s)
	t := table{bad: s.bad}
	for b := range 256 {
		switch {
		case b < utf8.RuneSelf:
			t.first[b] = no
			if s.has(rune(b)) {
				t.first[b] = yes
			}
		default:
			t.first[b] = maybe
		}
	}
	c.fill(&t, s)
	c.spend(256 + 2*len(t.pages) + 64)
	c.tables = append(c.tables, t)
	return int32(len(c.tables) - 1)
}

// fill sets the pages of t.
func (c *compiler) fill(t *table, s *set) {
	rest := s.spans
	for i := range t.pages {
		lo, hi := rune(i)<<12, rune(i)<<12|0xfff
		for len(rest) > 0 && rest[0].hi < lo {
			rest = rest[1:]
		}
		var pg page
		for _, r := range rest {
			if r.lo > hi {
				break
			}
			mark(&pg, max(r.lo, lo)-lo, min(r.hi, hi)-lo)
		}
		at, ok := c.shared[pg]
		if !ok {
			if len(c.pages) > 1<<16-1 || c.spend(len(pg)*8) {
				c.tooLong = true
				return
			}
			at = uint16(len(c.pages))
			c.shared[pg] = at
			c.pages = append(c.pages, pg)
		}
		t.pages[i] = at
	}
}

// mark sets the bits lo to hi.
func mark(pg *page, lo, hi rune) {
	for w := lo >> 6; w <= hi>>6; w++ {
		mask := ^uint64(0)
		if w == lo>>6 {
			mask &= ^uint64(0) << (lo & 63)
		}
		if w == hi>>6 {
			mask &= ^uint64(0) >> (63 - hi&63)
		}
		pg[w] |= mask
	}
}

// firstOf returns the bytes that what n matches can start with, and whether n can match nothing.
func (c *compiler) firstOf(n *node) (*bytes, bool) {
	f := &bytes{}
	return f, c.firstBytes(n, f)
}

// maxVisits bounds how many parts of the pattern firstBytes looks at.
const maxVisits = 1 << 24

func (c *compiler) firstBytes(n *node, f *bytes) (empty bool) {
	if c.visits++; c.visits > maxVisits {
		c.tooLong = true
		return true
	}
	switch n.kind {
	case kindChar:
		f[utf8.AppendRune(nil, n.r)[0]] = true
		return false
	case kindSet:
		setBytes(n.set, f)
		return false
	case kindCat:
		for _, sub := range n.subs {
			if !c.firstBytes(sub, f) {
				return false
			}
		}
		return true
	case kindAlt:
		for _, sub := range n.subs {
			empty = c.firstBytes(sub, f) || empty
		}
		return empty
	case kindIf:
		empty = c.firstBytes(n.subs[1], f)
		return c.firstBytes(n.subs[2], f) || empty
	case kindRepeat:
		if n.max == 0 {
			return true
		}
		return c.firstBytes(n.subs[0], f) || n.min == 0
	case kindGroup, kindAtomic:
		return c.firstBytes(n.subs[0], f)
	case kindCluster:
		for i := range f {
			f[i] = true
		}
		return false
	case kindBackref:
		for i := range f {
			f[i] = true
		}
		return true
	case kindFail:
		return false
	}
	return true
}

// setBytes adds the first bytes of the members of s.
func setBytes(s *set, f *bytes) {
	for _, r := range s.spans {
		for lo := r.lo; lo <= r.hi; {
			var buf [utf8.UTFMax]byte
			last := min(r.hi, lastOfLength(lo))
			n := utf8.EncodeRune(buf[:], safe(lo))
			first := buf[0]
			utf8.EncodeRune(buf[:n], safe(last))
			for b := int(first); b <= int(buf[0]); b++ {
				f[b] = true
			}
			lo = last + 1
		}
	}
	if s.bad {
		for b := utf8.RuneSelf; b < len(f); b++ {
			f[b] = true
		}
	}
}

// safe returns r, or a character with the same first byte if r is a surrogate.
func safe(r rune) rune {
	if r >= 0xd800 && r < 0xe000 {
		return 0xd7ff
	}
	return r
}

// lastOfLength returns the greatest code point that has as many bytes in UTF-8 as r.
func lastOfLength(r rune) rune {
	switch {
	case r < 0x80:
		return 0x7f
	case r < 0x800:
		return 0x7ff
	case r < 0x10000:
		return 0xffff
	}
	return maxRune
}

// anchored reports whether n matches only at the start of the text.
func anchored(n *node) bool {
	switch n.kind {
	case kindBegin:
		return true
	case kindCat:
		for _, sub := range n.subs {
			if anchored(sub) {
				return true
			}
			if sub.kind != kindLook && sub.kind != kindBehind {
				return false
			}
		}
	case kindAlt:
		return !slices.ContainsFunc(n.subs, func(sub *node) bool { return !anchored(sub) })
	case kindGroup, kindAtomic:
		return anchored(n.subs[0])
	case kindRepeat:
		return n.min > 0 && anchored(n.subs[0])
	}
	return false
}

// has reports whether r is in table t.
func (p *program) has(t *table, r rune) bool {
	if r < 0 {
		return t.bad
	}
	return p.pages[t.pages[r>>12]][r>>6&63]>>(r&63)&1 != 0
}
