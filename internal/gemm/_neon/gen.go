// Command _neon generates the NEON assembly of package gemm for products whose matrices are not
// packed.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		dots(file, 4)
		dots(file, 1)
		addRows(file, 4)
		addRows(file, 1)
		for rows := 1; rows <= 3; rows++ {
			bytesRows(file, rows)
		}
	})
}
