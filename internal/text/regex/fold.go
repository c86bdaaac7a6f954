package regex

import (
	"strconv"
	"strings"
	"sync"
)

// folding is simple case folding: the statuses C and S of Unicode's CaseFolding.txt.
type folding struct {
	to    map[rune]rune // where a character is not its own folding
	cases [][]rune      // characters that differ only in case
}

var foldings = sync.OnceValue(func() *folding {
	f := &folding{to: map[rune]rune{}}
	index := map[rune]int{}
	lines("fold ", func(fields []string) bool {
		for _, field := range fields[1:] {
			// A-B/STEP/DELTA: A, A+STEP... up to B fold to the character that is DELTA greater.
			parts := strings.Split(field, "/")
			lo, hi, _ := strings.Cut(parts[0], "-")
			step, _ := strconv.Atoi(parts[1])
			delta, _ := strconv.Atoi(parts[2])
			for r := hexRune(lo); r <= hexRune(hi); r += rune(step) {
				to := r + rune(delta)
				f.to[r] = to
				i, ok := index[to]
				if !ok {
					i = len(f.cases)
					index[to] = i
					f.cases = append(f.cases, []rune{to})
				}
				f.cases[i] = append(f.cases[i], r)
			}
		}
		return true
	})
	return f
})

// orbits returns the groups of characters that differ only in case.
func orbits() [][]rune { return foldings().cases }

// fold returns the folding of r.
func (f *folding) fold(r rune) rune {
	if to, ok := f.to[r]; ok {
		return to
	}
	return r
}

// equal reports whether a and b differ at most in case.
func (f *folding) equal(a, b rune, ascii bool) bool {
	if a == b {
		return true
	}
	if ascii && (a < 0x80) != (b < 0x80) {
		return false
	}
	return a >= 0 && b >= 0 && f.fold(a) == f.fold(b)
}
