package regex

import (
	"math"
	"sync"
	"unicode/utf8"
)

// clusterTable finds Grapheme_Cluster_Break, and Extended_Pictographic.
type clusterTable struct{ control, extend, mark, prepend, l, v, t, pictographic *set }

var clusters = sync.OnceValue(func() *clusterTable {
	found := map[string]*set{}
	lines("cluster ", func(fields []string) bool {
		found[fields[1]] = spans(fields[2:])
		return true
	})
	pictographic, _ := binary("extpict")
	return &clusterTable{found["Control"], found["Extend"], found["SpacingMark"], found["Prepend"], found["L"], found["V"], found["T"], pictographic}
})

// classOfCluster is the value of Grapheme_Cluster_Break.
type classOfCluster uint8

const (
	clusterOther classOfCluster = iota
	clusterControl
	clusterExtend
	clusterJoiner
	clusterMark
	clusterPrepend
	clusterL
	clusterV
	clusterT
	clusterLV
	clusterLVT
	clusterRegional
	clusterPictographic
)

func (c *clusterTable) class(r rune) classOfCluster {
	switch {
	case r >= ' ' && r < 0x7f:
		return clusterOther
	case r < 0:
		return clusterOther
	case r >= 0xac00 && r <= 0xd7a3:
		if (r-0xac00)%28 == 0 {
			return clusterLV
		}
		return clusterLVT
	case r == 0x200d:
		return clusterJoiner
	case r >= 0x1f1e6 && r <= 0x1f1ff:
		return clusterRegional
	case c.control.has(r):
		return clusterControl
	case c.extend.has(r):
		return clusterExtend
	case c.mark.has(r):
		return clusterMark
	case c.prepend.has(r):
		return clusterPrepend
	case c.l.has(r):
		return clusterL
	case c.v.has(r):
		return clusterV
	case c.t.has(r):
		return clusterT
	case c.pictographic.has(r):
		return clusterPictographic
	}
	return clusterOther
}

// cluster returns the end of the extended grapheme cluster that starts at position at: UAX #29 with
// the rules that PCRE2 has, which are all but GB9c.
func (m *Matcher) cluster(at int) int {
	table := clusters()
	r, n := decode(m.text, at)
	bad := r < 0
	at += n
	left := table.class(r)
	regional := left == clusterRegional   // an odd number of regional indicators
	joined := left == clusterPictographic // a pictograph and what extends it
	for at < len(m.text) && !bad && !m.spend(1) {
		r, n = decode(m.text, at)
		right := table.class(r)
		if r < 0 {
			break
		}
		switch {
		case left == clusterControl:
			if m.text[at-1] == '\r' && r == '\n' {
				return at + n
			}
			return at
		case right == clusterControl:
			return at
		case left == clusterL && (right == clusterL || right == clusterV || right == clusterLV || right == clusterLVT):
		case (left == clusterLV || left == clusterV) && (right == clusterV || right == clusterT):
		case (left == clusterLVT || left == clusterT) && right == clusterT:
		case right == clusterExtend || right == clusterJoiner || right == clusterMark:
		case left == clusterPrepend:
		case left == clusterJoiner && joined && right == clusterPictographic:
		case left == clusterRegional && right == clusterRegional && regional:
		default:
			return at
		}
		joined = right == clusterPictographic || joined && (right == clusterExtend || right == clusterJoiner)
		regional = right == clusterRegional && !(left == clusterRegional && regional)
		left = right
		at += n
	}
	return at
}

// GraphemeLength returns the length of the extended grapheme cluster at the start of text, which
// must not be empty: what \X matches.
func GraphemeLength(text []byte) int {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[0] != '\r' && text[1] < utf8.RuneSelf) {
		return 1
	}
	m := Matcher{text: text, steps: math.MaxInt32}
	return m.cluster(0)
}
