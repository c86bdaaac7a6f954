//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run ./lines -out ../lines_amd64.s -stubs ../lines_stubs_amd64.go -pkg conv"

// copyVectors is copy by assembly. It returns false, and does nothing, if the assembly does not
// support the copy.
func (l *lineCopy) copyVectors(dst, src []float32, step int) bool {
	if step > 2 || l.count == 0 || !cpu.AVX2.Available() {
		return false
	}
	// The assembly does not check bounds.
	channel, line := l.channels-1, l.lines-1
	_ = dst[channel*l.dstChannel+line*l.dstLine+l.left+l.count+l.right-1]
	_ = src[channel*l.srcChannel+line*l.srcLine+(l.count-1)*step]
	c := lineCall{dst: &dst[0], src: &src[0], lineCopy: *l}
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

// lineCall is the argument of the assembly. _asm/lines depends on its layout. Its distances are in
// bytes.
type lineCall struct {
	dst, src *float32
	lineCopy
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

// quadsVectors sets quad i of to to element i of each of the rows, with flip by exclusive or. It returns false if
// there is no assembly.
func quadsVectors(to []float32, rows *[4][]uint8, flip uint32) bool {
	if len(to) == 0 || !cpu.AVX512.Available() {
		return false
	}
	for _, row := range rows {
		_ = row[len(to)-1] // the assembly does not check bounds
	}
	quads512(&to[0], &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], len(to), flip)
	return true
}

// wordsVectors sets quad i of to to a[i] and b[i] minus zero, as i16, for all i below n, and returns n. It returns 0 if there is no
// assembly.
func wordsVectors(to []float32, a, b []uint8, zero uint16) int {
	n := len(to) &^ 7
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	_, _ = a[n-1], b[n-1] // the assembly does not check bounds
	wordsAVX2(&to[0], &a[0], &b[0], n, uint32(zero)*0x10001)
	return n
}

// flipVectors is flipQuads by assembly. It returns the number of quads that it has combined.
func flipVectors(quads []float32, flip uint32) int {
	n := len(quads) &^ 7
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	flipAVX2(&quads[0], n, flip)
	return n
}
