// Command gen writes the assembly of package vmath.
package main

import (
	"flag"
	"log"
	"os"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	arm64 := flag.String("arm64", "", "the assembly `file` for arm64 to write")
	arm64Stubs := flag.String("arm64stubs", "", "the Go `file` for arm64 to write, with the declarations")
	ConstraintExpr("amd64,!noasm")
	for _, wide := range []bool{false, true} {
		for i := range binary {
			for _, mode := range modes {
				binary[i].generate(wide, mode)
			}
		}
		for i := range unary {
			unary[i].generate(wide)
		}
		for i := range reductions {
			reductions[i].generate(wide)
		}
		affine(wide)
		for i := range checked {
			checked[i].generate(wide)
		}
	}
	softmaxRows()
	for _, n := range []int{2, 4} {
		softmaxParts(n, false)
		softmaxParts(n, true)
	}
	for _, t := range []*table{vectors8, longs, masks} {
		t.write()
	}
	Generate() // parses the flags
	file := neonFile(flag.Lookup("pkg").Value.String())
	for path, text := range map[string][]byte{*arm64: file.Assembly(), *arm64Stubs: file.Stubs()} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// suffix returns the end of the names of functions for AVX-512 or AVX2.
func suffix(wide bool) string {
	if wide {
		return "512"
	}
	return ""
}
