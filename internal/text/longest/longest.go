// Package longest finds matches of regular expressions in the syntax of RE2, which package regexp
// has too: the leftmost one, and of those the longest. Package regexp finds these as well, but not
// from a place in a text on in such a way that what is before it counts for \b and ^. It takes
// several times longer, because it follows all ways through the expression for each character; a
// Matcher looks for the next state in a table.
//
// A Regexp is made once and can be used by several goroutines. A Matcher holds the table, which it
// fills while it matches.
package longest

import (
	"regexp/syntax"

	"github.com/vinoir/vinoir/internal/faults"
)

// Limits of expressions: the parts with those that are repeated, and how many tests of how many
// ranges of characters make the classes.
const (
	maxParts = 1 << 13
	maxTests = 1 << 24
)

// Regexp is a compiled expression.
type Regexp struct {
	prog *syntax.Prog
	classes
	looks bool // at what is before or after a place
}

// Compile compiles an expression.
func Compile(pattern string) (*Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if parts(tree) > maxParts {
		return nil, faults.Errorf("the expression has more than %d parts, with those that are repeated", maxParts)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	re := &Regexp{prog: prog}
	for i := range prog.Inst {
		re.looks = re.looks || prog.Inst[i].Op == syntax.InstEmptyWidth
	}
	re.classes, err = classesOf(prog, re.looks)
	return re, err
}

// parts returns the number of parts of an expression, at most maxParts+1. The parser bounds how
// deep a tree is.
func parts(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(n+parts(sub), maxParts+1)
	}
	if re.Op == syntax.OpRepeat {
		n = min(n*max(re.Min, re.Max, 1), maxParts+1)
	}
	return n
}
