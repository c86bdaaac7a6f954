// Command gen generates the assembly of package pack.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, width := range []int{6, 12, 16, 32} {
		copyRows(width)
	}
	transpose(4)
	transpose(2)
	pairRows()
	pairPanel()
	roundWords()
	pairHalves()
	words()
	levels()
	Generate()
}
