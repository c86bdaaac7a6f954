//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run ./lines -out ../lines_amd64.s -stubs ../lines_stubs_amd64.go -pkg conv"

// copyVectors copies lines by assembly; false where there is none for the step.
func (l *lines) copyVectors(dst, src []float32, step int) bool {
	if step > 2 || l.count == 0 || !cpu.AVX2.Available() {
		return false
	}
	// The assembly checks nothing.
	channel, line := l.channels-1, l.lines-1
	_ = dst[channel*l.dstChannel+line*l.dstLine+l.left+l.count+l.right-1]
	_ = src[channel*l.srcChannel+line*l.srcLine+(l.count-1)*step]
	c := lineCall{dst: &dst[0], src: &src[0], lines: *l}
	for _, n := range []*int{&c.dstChannel, &c.srcChannel, &c.dstLine, &c.srcLine} {
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

// lineCall is the argument of the assembly, known to _asm/lines. Its distances are
// in bytes.
type lineCall struct {
	dst, src *float32
	lines
}

// interleaveVectors sets to[2*i] to a[i] and to[2*i+1] to b[i], for as many i as it
// returns.
func interleaveVectors(to, a, b []float32) int {
	n := len(to) / 2
	if n < 8 || !cpu.AVX2.Available() {
		return 0
	}
	_, _ = a[n-1], b[n-1] // the assembly checks nothing
	interleaveAVX2(&to[0], &a[0], &b[0], n)
	return n
}

// copyApart sets to[i] to from[i*step].
func copyApart(to, from []float32, step int) {
	_ = from[(len(to)-1)*step] // the assembly checks nothing
	copySteps(&to[0], &from[0], len(to), step)
}
