package regex

import (
	"unicode/utf8"
)

// trie holds the texts of an alternation that has only texts, such as the special tokens of a
// vocabulary.
type trie struct {
	nodes []trieNode
	edges []trieEdge // sorted by byte within a node
}

type trieNode struct {
	edge, edges int32
	text        int32 // the first text that ends here, none if there is none
}

type trieEdge struct {
	b  byte
	to int32
}

const none = 1<<31 - 1

// literals returns the texts of an alternation that has only texts, nil for another one.
func literals(n *node) [][]byte {
	texts := make([][]byte, len(n.subs))
	for i, sub := range n.subs {
		one := []*node{sub}
		if sub.kind == kindCat {
			one = sub.subs
		}
		if len(one) == 0 {
			return nil
		}
		for _, c := range one {
			if c.kind != kindChar {
				return nil
			}
			texts[i] = utf8.AppendRune(texts[i], c.r)
		}
	}
	return texts
}

// newTrie returns the trie of texts.
func newTrie(texts [][]byte) trie {
	type building struct {
		next map[byte]int32
		text int32
	}
	nodes := []building{{map[byte]int32{}, none}}
	edges := 0
	for i, text := range texts {
		at := int32(0)
		for _, b := range text {
			to, ok := nodes[at].next[b]
			if !ok {
				to = int32(len(nodes))
				if nodes[at].next == nil {
					nodes[at].next = map[byte]int32{}
				}
				nodes[at].next[b] = to
				nodes = append(nodes, building{nil, none})
				edges++
			}
			at = to
		}
		nodes[at].text = min(nodes[at].text, int32(i))
	}
	t := trie{make([]trieNode, len(nodes)), make([]trieEdge, 0, edges)}
	for i, n := range nodes {
		t.nodes[i] = trieNode{int32(len(t.edges)), int32(len(n.next)), n.text}
		for b := range 256 {
			if len(n.next) == 0 {
				break
			}
			if to, ok := n.next[byte(b)]; ok {
				t.edges = append(t.edges, trieEdge{byte(b), to})
			}
		}
	}
	return t
}

func (t *trie) size() int { return 12*len(t.nodes) + 8*len(t.edges) }

// find returns the first text after number last that in starts with, its length, and whether there
// are more. The number is none if there is no text.
func (t *trie) find(in []byte, last int32) (text int32, length int, more bool) {
	text = none
	at := &t.nodes[0]
	for i, b := range in {
		edges := t.edges[at.edge : at.edge+at.edges]
		for len(edges) > 0 && edges[0].b < b {
			edges = edges[1:]
		}
		if len(edges) == 0 || edges[0].b != b {
			break
		}
		at = &t.nodes[edges[0].to]
		if at.text != none && at.text > last {
			more = more || text != none
			if at.text < text {
				text, length = at.text, i+1
			}
		}
	}
	return text, length, more
}
