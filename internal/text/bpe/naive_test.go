package bpe

import (
	"bytes"
	"fmt"
)

// naive cuts a word as the package comment says, step by step. A pair is remembered with the number
// of pairs that came up before it.
type naive struct {
	ids    map[string]int32 // all words
	starts map[string]int32 // those that no merge makes
	merges map[[2]int32][2]int
	v      *Vocabulary
}

func newNaive(v *Vocabulary) (*naive, error) {
	n := &naive{map[string]int32{}, map[string]int32{}, map[[2]int32][2]int{}, v}
	for i := range v.Words.Len() {
		n.ids[string(v.Words.At(i))] = int32(i)
	}
	for i := range v.Added.Len() {
		if _, ok := n.ids[string(v.Added.At(i))]; !ok {
			n.ids[string(v.Added.At(i))] = v.AddedIDs[i]
		}
	}
	for word, id := range n.ids {
		n.starts[word] = id
	}
	for i := range v.Left.Len() {
		left := v.Left.At(i)
		var right []byte
		if v.Pairs {
			left, right, _ = bytes.Cut(left, []byte(" "))
		} else {
			right = v.Right.At(i)
		}
		l, ok1 := n.ids[string(left)]
		r, ok2 := n.ids[string(right)]
		both, ok3 := n.ids[string(left)+string(right)]
		if !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("merge %d", i)
		}
		n.merges[[2]int32{l, r}] = [2]int{i, int(both)}
		delete(n.starts, string(left)+string(right))
	}
	return n, nil
}

type naivePair struct {
	left, right *naiveToken
	rank, came  int
}

type naiveToken struct{ id int32 }

func (n *naive) tokens(word string) []int32 {
	word += n.v.EndSuffix
	var tokens []*naiveToken
	for len(word) > 0 {
		length := len(word)
		for ; length > 0; length-- {
			if id, ok := n.starts[word[:length]]; ok && id != -1 {
				tokens = append(tokens, &naiveToken{id})
				break
			}
		}
		if length > 0 {
			word = word[length:]
			continue
		}
		id, ok := int32(-1), false
		if n.v.ByteFallback {
			id, ok = n.starts[fmt.Sprintf("<0x%02X>", word[0])]
		}
		if !ok || id == -1 {
			id, ok = n.ids[n.v.Unknown]
		}
		if ok && id != -1 {
			tokens = append(tokens, &naiveToken{id})
		}
		word = word[1:]
	}
	var pairs []naivePair
	add := func(left, right *naiveToken, came int) {
		if merge, ok := n.merges[[2]int32{left.id, right.id}]; ok {
			pairs = append(pairs, naivePair{left, right, merge[0], came})
		}
	}
	came := 0
	for ; came+1 < len(tokens); came++ {
		add(tokens[came], tokens[came+1], came)
	}
	for ; ; came++ {
		best, at := -1, -1
		for i, p := range pairs {
			position := -1
			for k := 0; k+1 < len(tokens); k++ {
				if tokens[k] == p.left && tokens[k+1] == p.right {
					position = k
				}
			}
			if position >= 0 && (best < 0 || p.rank < pairs[best].rank || p.rank == pairs[best].rank && p.came < pairs[best].came) {
				best, at = i, position
			}
		}
		if best < 0 {
			break
		}
		merged := &naiveToken{int32(n.merges[[2]int32{tokens[at].id, tokens[at+1].id}][1])}
		tokens = append(append(append([]*naiveToken{}, tokens[:at]...), merged), tokens[at+2:]...)
		if at > 0 {
			add(tokens[at-1], merged, came)
		}
		if at+1 < len(tokens) {
			add(merged, tokens[at+1], came)
		}
	}
	ids := []int32{}
	for _, token := range tokens {
		ids = append(ids, token.id)
	}
	return ids
}
