// Command gen generates the assembly of package lowbit.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, k := range kernels {
		for _, rows := range k.rows {
			k.rowsFunction(rows)
		}
		k.expandFunction()
	}
	spans()
	Generate()
}
