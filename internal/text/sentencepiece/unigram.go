package sentencepiece

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// unigram finds the pieces with the largest sum of scores.
type unigram struct {
	model *Model
	// pieces has the id of each piece that a text can have. Those that are not used are not in it.
	pieces  *trie.Trie
	best    float32 // the greatest score of a normal piece
	defined bool    // there are symbols that the user defined
	unknown float32 // the score of an unknown character
	latest  bool    // ParseOptions.Latest
}

// unknownPenalty is how much lower the score of an unknown character is than the least of a piece.
const unknownPenalty = 10

// least is the value that the library starts the search of the greatest score with.
const least = 0x1p-126

func newUnigram(m *Model, reserve func(int64) error, stop parallel.Stop) (*unigram, error) {
	u := &unigram{model: m, best: least, defined: m.kept != nil, latest: m.latest}
	low := float32(math.MaxFloat32)
	keys := trie.NewKeys(len(m.normal.ids))
	for _, id := range m.normal.ids {
		if m.types[id] == normal {
			low, u.best = min(low, m.scores[id]), max(u.best, m.scores[id])
		}
		if m.types[id] != unused {
			keys.Add(m.Piece(id), id)
		}
	}
	if len(m.normal.ids) == 0 {
		return nil, faults.Errorf("none of the %d pieces is one that a text can have", m.Len())
	}
	u.unknown = low - unknownPenalty
	var err error
	u.pieces, err = trie.New(keys, reserve, stop)
	return u, err
}

// pathNode is the best way to a position of the text.
type pathNode struct {
	score float32
	start int32 // where the last piece of it starts; -1 if no way is known
	id    int32
}

// score returns the score of a piece of a length in bytes. A symbol that the user defined has
// nearly the best score for each of its bytes. The library adds scores as float64, and keeps sums
// as float32.
func (u *unigram) score(id int32, length int) float64 {
	if u.defined && u.model.types[id] == userDefined {
		return float64(float32(length)*u.best) - 0.1
	}
	return float64(u.model.scores[id])
}

// sum adds the score of a piece of a length in bytes to that of the way to its start, and reports
// whether it is better than another sum.
func (u *unigram) sum(id int32, length int, before, other float32) (sum float32, better bool) {
	if !u.latest {
		sum := u.score(id, length) + float64(before)
		return float32(sum), sum > float64(other)
	}
	score := u.model.scores[id]
	if u.defined && u.model.types[id] == userDefined {
		score = float32(0.1*float64(length) - 0.1)
	}
	sum = score + before
	return sum, sum > other
}

// encode is the library's EncodeOptimized.
func (u *unigram) encode(w *writer, s *Scratch) error {
	text := s.text
	if len(text) >= math.MaxInt32 {
		return faults.Errorf("the text has %d bytes, expected fewer than %d", len(text), math.MaxInt32)
	}
	var err error
	if s.nodes, err = limits.Grow(&s.Limits, s.nodes[:0], len(text)+1); err != nil {
		return err
	}
	nodes := s.nodes[:len(text)+1]
	for i := range nodes {
		nodes[i] = pathNode{start: -1}
	}
	for at := 0; at < len(text); {
		score := nodes[at].score
		size := charLen(text[at:])
		known := false
		node := u.pieces.Root()
		end := at
		for more := true; more && end < len(text); {
			next, id, found, longer, ok := u.pieces.Next(node, text[end])
			if !ok {
				break
			}
			end++
			node, more = next, longer
			if found {
				known = known || end-at == size
				target := &nodes[end]
				if sum, better := u.sum(id, end-at, score, target.score); better || target.start < 0 {
					*target = pathNode{sum, int32(at), id}
				}
			}
		}
		if !known {
			target := &nodes[at+size]
			if sum := u.unknown + score; target.start < 0 || sum > target.score {
				*target = pathNode{sum, int32(at), u.model.unknown}
			}
		}
		if s.meter.Spent(8 * (end - at + 2)) {
			return parallel.ErrStopped
		}
		at += size
	}
	return u.write(w, nodes, text)
}

// write appends the ids of the best way to the end. It follows the starts back, and turns them into
// ends on the way.
func (u *unigram) write(w *writer, nodes []pathNode, text []byte) error {
	end := int32(-1)
	for at := int32(len(text)); at > 0; {
		start := nodes[at].start
		nodes[at].start, end, at = end, at, start
	}
	for at := int32(0); end >= 0; {
		node := nodes[end]
		if err := w.add(text[at:end], node.id); err != nil {
			return err
		}
		if w.scratch.meter.Spent(4) {
			return parallel.ErrStopped
		}
		at, end = end, node.start
	}
	return nil
}
