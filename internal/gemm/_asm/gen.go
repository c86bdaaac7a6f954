// Command gen generates the assembly of package gemm for products whose matrices are not packed.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64,!noasm")
	addRows(4)
	addRows(1)
	addNarrow512()
	dot()
	dots512()
	small()
	bytesProducts()
	Generate()
}
