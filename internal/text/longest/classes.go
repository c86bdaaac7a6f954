package longest

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// classes divide the characters into those that no instruction of an expression tells apart.
type classes struct {
	ascii  [utf8.RuneSelf]int32
	starts []rune  // of ranges of characters; the first is 0
	of     []int32 // the class of each range
	member []rune  // a character of each class
	end    int32   // the class of the end of a text, which is the last
}

// noRune stands for what is before and after a text.
const noRune = -1

// The characters that matter for what looks around.
var (
	lineFeed    = []rune{'\n', '\n'}
	wordLetters = []rune{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
)

// classesOf returns the classes of an expression, which may look at what is around a place.
func classesOf(prog *syntax.Prog, looks bool) (classes, error) {
	tests := testsOf(prog)
	if looks {
		tests = append(tests, &syntax.Inst{Rune: lineFeed}, &syntax.Inst{Rune: wordLetters})
	}
	c := classes{starts: []rune{0}}
	for _, test := range tests {
		c.split(test)
	}
	slices.Sort(c.starts)
	c.starts = slices.Compact(c.starts)
	if len(tests)*len(c.starts) > maxTests {
		return c, faults.Errorf("the expression has %d classes of characters, with %d ranges", len(tests), len(c.starts))
	}
	c.of = make([]int32, len(c.starts))
	count := int32(1)
	for _, test := range tests {
		passed := make(map[int32]int32) // the new classes of those that pass
		for i, r := range c.starts {
			if !test.MatchRune(r) {
				continue
			}
			class, ok := passed[c.of[i]]
			if !ok {
				class = count
				passed[c.of[i]] = class
				count++
			}
			c.of[i] = class
		}
	}
	c.number()
	for r := range c.ascii {
		c.ascii[r] = c.class(rune(r))
	}
	return c, nil
}

// split adds the ranges that an instruction tells from others. If it has one character, it can
// match that in each case.
func (c *classes) split(test *syntax.Inst) {
	if len(test.Rune) == 1 {
		r := test.Rune[0]
		c.starts = append(c.starts, r, r+1)
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			c.starts = append(c.starts, other, other+1)
		}
		return
	}
	for i := 0; i < len(test.Rune); i += 2 {
		c.starts = append(c.starts, test.Rune[i], test.Rune[i+1]+1)
	}
}

// number gives the classes that are left numbers in the order of their first characters.
func (c *classes) number() {
	numbers := make(map[int32]int32)
	for i, old := range c.of {
		class, ok := numbers[old]
		if !ok {
			class = int32(len(c.member))
			numbers[old] = class
			c.member = append(c.member, c.starts[i])
		}
		c.of[i] = class
	}
	c.end = int32(len(c.member))
	c.member = append(c.member, noRune)
}

// testsOf returns the instructions that test a character, without those that are equal to another.
func testsOf(prog *syntax.Prog) []*syntax.Inst {
	var tests []*syntax.Inst
	seen := make(map[string]bool)
	var key []byte
	for i := range prog.Inst {
		inst := &prog.Inst[i]
		if !isTest(inst) {
			continue
		}
		key = binary.LittleEndian.AppendUint32(key[:0], inst.Arg)
		for _, r := range inst.Rune {
			key = binary.LittleEndian.AppendUint32(key, uint32(r))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			tests = append(tests, inst)
		}
	}
	return tests
}

// isTest reports whether an instruction tests a character.
func isTest(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// class returns the class of a character.
func (c *classes) class(r rune) int32 {
	at, found := slices.BinarySearch(c.starts, r)
	if !found {
		at--
	}
	return c.of[at]
}
