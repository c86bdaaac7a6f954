// Command _neon generates the NEON assembly of package pack.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		// The rows and columns of panels in package tile.
		for _, width := range []int{8, 12, 24} {
			copyRows(file, width)
		}
		transpose(file)
		halfRows(file)
		quadRows(file)
		flip(file)
	})
}
