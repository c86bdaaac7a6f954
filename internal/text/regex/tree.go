package regex

// kind says what a node matches.
type kind uint8

const (
	kindEmpty     kind = iota
	kindChar           // one character, r
	kindSet            // one character of set
	kindCat            // subs, one after the other
	kindAlt            // one of subs, tried in order
	kindRepeat         // subs[0], min to max times
	kindGroup          // subs[0], as group number
	kindAtomic         // subs[0], without a second try
	kindLook           // subs[0] follows; min is the group number of nothing
	kindBehind         // one of subs precedes
	kindBackref        // what one of groups has matched
	kindIf             // subs[1] if one of groups is set or assertion subs[0] holds, else subs[2]
	kindCluster        // an extended grapheme cluster
	kindFail           // nothing matches
	kindKeep           // the match starts here
	kindBegin          // start of the text
	kindEnd            // end of the text
	kindEndLine        // end of the text, or before a newline that ends it
	kindLineBegin      // start of a line
	kindLineEnd        // end of a line
	kindFirst          // where the search started
	kindWord           // between \w and what is not \w
	kindNotWord        // not there
)

// mode says which number of repeats is tried first.
type mode uint8

const (
	greedy mode = iota
	lazy
	possessive
)

// unlimited is the max of a repeat without a limit.
const unlimited = -1

// node is a part of a pattern.
type node struct {
	kind     kind
	mode     mode // of a repeat
	negative bool // of a look
	caseless bool // of a reference to a group
	ascii    bool // caseless does not cross from ASCII to other characters
	r        rune
	min, max int // of a repeat
	number   int // of a group
	set      *set
	groups   []int
	subs     []*node
}

// lengths returns the least and the greatest number of characters that n matches, unlimited if
// there is no greatest, and false if n must not be in a lookbehind. A number above many is many.
func (p *parser) lengths(n *node) (least, most int, ok bool) {
	switch n.kind {
	case kindChar, kindSet:
		return 1, 1, true
	case kindCat:
		for _, sub := range n.subs {
			lo, hi, ok := p.lengths(sub)
			if !ok {
				return 0, 0, false
			}
			least, most = min(least+lo, many), addLengths(most, hi)
		}
		return least, most, true
	case kindAlt:
		return p.longest(n.subs)
	case kindIf:
		return p.longest(n.subs[1:])
	case kindRepeat:
		lo, hi, ok := p.lengths(n.subs[0])
		switch {
		case !ok:
			return 0, 0, false
		case n.max == 0:
			return 0, 0, true
		case hi == unlimited, n.max == unlimited && hi != 0:
			most = unlimited
		case hi > 0:
			most = min(hi*n.max, many)
		}
		return min(lo*n.min, many), most, true
	case kindGroup, kindAtomic:
		return p.lengths(n.subs[0])
	case kindBackref:
		return p.groupLengths(n)
	case kindCluster:
		return 0, 0, false
	}
	return 0, 0, true
}

// groupLengths returns the lengths of what a reference to a group matches. They are known if one
// group has the number and the reference is not in it.
func (p *parser) groupLengths(n *node) (least, most int, ok bool) {
	if len(n.groups) != 1 || n.caseless {
		return 0, 0, false
	}
	group := &p.groups[n.groups[0]]
	if group.node == nil || group.measuring || group.several {
		return 0, 0, false
	}
	if !group.measured {
		group.measuring = true
		group.least, group.most, group.ok = p.lengths(group.node)
		group.measuring, group.measured = false, true
	}
	return group.least, group.most, group.ok
}

// many is more characters than a lookbehind may have.
const many = 1 << 16

func addLengths(a, b int) int {
	if a == unlimited || b == unlimited {
		return unlimited
	}
	return min(a+b, many)
}

func (p *parser) longest(subs []*node) (least, most int, ok bool) {
	for i, sub := range subs {
		lo, hi, ok := p.lengths(sub)
		if !ok {
			return 0, 0, false
		}
		if i == 0 || lo < least {
			least = lo
		}
		if hi == unlimited || most == unlimited {
			most = unlimited
		} else {
			most = max(most, hi)
		}
	}
	return least, most, true
}
