//go:build amd64 && !noasm

package strided

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../squares_amd64.s -stubs ../stubs_amd64.go -pkg strided"

// side is the number of rows of the squares of vectorSquares.
const side = 8

// vectorSquares transposes a plane of elements of 4 bytes. The lengths k.n and l.n count
// elements here and must be multiples of side. It returns false if there is no vector code.
func vectorSquares(dst, src []byte, p plane) bool {
	if !cpu.AVX2.Available() {
		return false
	}
	// The assembly does no bounds checks.
	_, _ = dst[(p.k.n-1)*p.k.dst+4*p.l.n-1], src[(p.l.n-1)*p.l.src+4*p.k.n-1]
	transpose8(&dst[0], &src[0], p.k.dst, p.l.src, p.k.n, p.l.n)
	return true
}
