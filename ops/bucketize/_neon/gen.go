// Command _neon generates the NEON assembly of package bucketize.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// lanes is the number of elements that are counted for at once. It must equal lanes in
// kernel_arm64.go.
const lanes = 16

func main() {
	neon.Main(func(file *neon.File) {
		for _, data := range []struct{ name, typeName, below, notAbove string }{
			{"Ints", "int32", "cmgt", "cmge"}, {"Floats", "float32", "fcmgt", "fcmge"},
		} {
			for _, to := range []string{"int32", "int64"} {
				count(file, "below"+data.name, data.typeName, to, "less than", data.below)
				count(file, "notAbove"+data.name, data.typeName, to, "not greater than", data.notAbove)
			}
		}
	})
}

// count generates a function that counts boundaries.
func count(file *neon.File, name, from, to, relation, comparison string) {
	name += map[string]string{"int32": "32", "int64": "64"}[to]
	f := file.Func(fmt.Sprintf("func %s(out *%s, values, boundaries *%s, n, count int, first int32)", name, to, from),
		fmt.Sprintf("%s sets out[i] to first plus the number of the count boundaries that are %s values[i], for", name, relation),
		fmt.Sprintf("each i < n. n must be a positive multiple of %d, and count positive.", lanes))
	out, values, boundaries, n, all := f.Arg("out"), f.Arg("values"), f.Arg("boundaries"), f.Arg("n"), f.Arg("count")
	first := f.ArgVec("first")
	f.Label("loop")
	v, sums := f.Group(4), f.Group(4)
	f.Emit("ld1", v[0], v[1], v[2], v[3], neon.At(values).Post(64))
	for _, s := range sums {
		f.Emit("mov", s, first)
	}
	at, left := f.Reg(), f.Reg()
	f.Emit("mov", at, boundaries)
	f.Emit("mov", left, all)
	f.Label("boundary")
	b, is := f.Vec(), f.Vecs(len(v))
	f.Emit("ld1r", b, neon.At(at).Post(4))
	for i := range v {
		f.Emit(comparison, is[i], v[i], b)
	}
	for i := range v {
		f.Emit("sub", sums[i], sums[i], is[i]) // which is -1 or 0
	}
	f.Emit("subs", left, left, 1)
	f.Branch("bne", "boundary")
	if to == "int32" {
		f.Emit("st1", sums[0], sums[1], sums[2], sums[3], neon.At(out).Post(64))
	} else {
		for _, s := range sums {
			low, high := f.Vec(), f.Vec()
			f.Emit("sshll", low.D2(), s.S2(), 0)
			f.Emit("sshll2", high.D2(), s, 0)
			f.Emit("stp", low.Q(), high.Q(), neon.At(out).Post(32))
		}
	}
	f.Emit("subs", n, n, lanes)
	f.Branch("bne", "loop")
	f.Return()
}
