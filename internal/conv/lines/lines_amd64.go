//go:build amd64 && !noasm

package lines

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../lines_amd64.s -stubs ../stubs_amd64.go -pkg lines"

// copyVectors is Copy by assembly. It returns false, and does nothing, if the assembly does not
// support the copy.
func (l *Copy) copyVectors(dst, src []float32, step int) bool {
	if step > 2 || l.Count == 0 || !cpu.AVX2.Available() {
		return false
	}
	// The assembly does not check bounds.
	channel, line := l.Channels-1, l.Lines-1
	_ = dst[channel*l.DstChannel+line*l.DstLine+l.Left+l.Count+l.Right-1]
	_ = src[channel*l.SrcChannel+line*l.SrcLine+(l.Count-1)*step]
	c := lineCall{dst: &dst[0], src: &src[0], Copy: *l}
	for _, n := range []*int{&c.DstChannel, &c.SrcChannel, &c.DstLine, &c.SrcLine} {
		*n *= 4
	}
	p := (*byte)(unsafe.Pointer(&c))
	if step == 2 {
		copyEvens(p)
	} else {
		copyLines(p)
	}
	return true
}

// lineCall is the argument of the assembly. _asm depends on its layout. Its distances are in
// bytes.
type lineCall struct {
	dst, src *float32
	Copy
}

// interleaveVectors sets to[2*i] to a[i] and to[2*i+1] to b[i] for all i below n, and returns n.
// It returns 0 if there is no assembly or too little to do.
func interleaveVectors(to, a, b []float32) int {
	n := len(to) / 2
	if n < 8 || !cpu.AVX2.Available() {
		return 0
	}
	_, _ = a[n-1], b[n-1] // the assembly does not check bounds
	interleaveAVX2(&to[0], &a[0], &b[0], n)
	return n
}

// interleaveByteVectors is interleaveVectors for bytes.
func interleaveByteVectors(to, a, b []uint8) int {
	n := len(to) / 2
	if n < 32 || !cpu.AVX2.Available() {
		return 0
	}
	_, _ = a[n-1], b[n-1] // the assembly does not check bounds
	interleaveBytesAVX2(&to[0], &a[0], &b[0], n)
	return n
}

// copyStrided sets to[i] to from[i*step].
func copyStrided(to, from []float32, step int) {
	_ = from[(len(to)-1)*step] // the assembly does not check bounds
	copySteps(&to[0], &from[0], len(to), step)
}
