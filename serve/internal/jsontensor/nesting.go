package jsontensor

import (
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// nesting reads the brackets around elements.
type nesting struct {
	data []byte
	// depth is how deep arrays may be nested.
	depth int
	// elements is how many elements there must be, next how many have been read.
	elements, next int
	element        elementReader
	// lengths are those of the arrays at each depth, or -1 where none has ended.
	lengths []int
	// leaf is the depth of the arrays that have elements; -1 if it is not known.
	leaf int
}

// read reads an element or arrays of elements from s.
func (n *nesting) read(s *jsonscan.Scanner) error {
	n.leaf = -1
	pos := jsonscan.Space(n.data, s.Offset())
	var end int
	var err error
	if pos < len(n.data) && n.data[pos] == '[' {
		end, err = n.array(pos, 0)
	} else {
		end, err = n.element(n.data, pos, 0)
		n.next = 1
	}
	if err != nil {
		return err
	}
	if n.next != n.elements {
		return oip.Errorf(oip.Malformed, "the data has %d elements, the shape needs %d", n.next, n.elements)
	}
	s.Seek(end)
	return nil
}

// array reads the array that begins at data[pos], inside of depth others.
func (n *nesting) array(pos, depth int) (end int, err error) {
	if depth == n.depth {
		return pos, oip.Errorf(oip.Malformed, "the JSON is nested deeper than its limit at byte %d", pos)
	}
	if depth == len(n.lengths) {
		n.lengths = append(n.lengths, -1)
	}
	begin, length := pos, 0
	pos = jsonscan.Space(n.data, pos+1)
	switch {
	case pos < len(n.data) && n.data[pos] == '[':
		pos, length, err = n.arrays(pos, depth)
	case pos < len(n.data) && n.data[pos] == ']':
	default:
		if n.leaf >= 0 && n.leaf != depth {
			return pos, jsonscan.Broken(n.data, pos, "expected an array, as elsewhere at this depth")
		}
		n.leaf = depth
		first := n.next
		pos, err = n.run(pos)
		length = n.next - first
	}
	if err != nil {
		return pos, err
	}
	if pos >= len(n.data) || n.data[pos] != ']' {
		return pos, jsonscan.Broken(n.data, pos, "expected ',' or ']'")
	}
	if n.lengths[depth] < 0 {
		n.lengths[depth] = length
	}
	if n.lengths[depth] != length {
		return pos, oip.Errorf(oip.Malformed, "the array at byte %d has %d elements, others at this depth have %d",
			begin, length, n.lengths[depth])
	}
	return pos + 1, nil
}

// arrays reads arrays that follow each other in the array at depth.
func (n *nesting) arrays(pos, depth int) (end, length int, err error) {
	if n.leaf >= 0 && n.leaf <= depth {
		return pos, 0, jsonscan.Broken(n.data, pos, "expected an element, as elsewhere at this depth")
	}
	for {
		if pos, err = n.array(pos, depth+1); err != nil {
			return pos, length, err
		}
		length++
		if pos = jsonscan.Space(n.data, pos); pos >= len(n.data) || n.data[pos] != ',' {
			return pos, length, nil
		}
		if pos = jsonscan.Space(n.data, pos+1); pos >= len(n.data) || n.data[pos] != '[' {
			return pos, length, jsonscan.Broken(n.data, pos, "expected an array, as elsewhere at this depth")
		}
	}
}

// run reads the elements from data[pos] up to a byte that is no comma.
func (n *nesting) run(pos int) (end int, err error) {
	for n.next < n.elements {
		if pos, err = n.element(n.data, pos, n.next); err != nil {
			return pos, err
		}
		n.next++
		if pos = jsonscan.Space(n.data, pos); pos >= len(n.data) || n.data[pos] != ',' {
			return pos, nil
		}
		pos = jsonscan.Space(n.data, pos+1)
	}
	if pos >= len(n.data) || n.data[pos] == ']' {
		return pos, jsonscan.Broken(n.data, pos, "expected an element")
	}
	return pos, oip.Errorf(oip.Malformed, "the data has more elements than the %d that the shape needs", n.elements)
}
