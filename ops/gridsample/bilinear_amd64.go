//go:build amd64 && !noasm

package gridsample

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../bilinear_amd64.s -stubs ../stubs_amd64.go -pkg gridsample"

// vectors holds the constants of the assembly, one in all lanes of each field. Its layout is known
// there.
type vectors struct {
	x, y  vectorAxis
	width [stepPoints]int32
	// -1 if elements outside take the value of the nearest one, 0 if they are 0
	keep [stepPoints]int32
}

// vectorAxis holds what the positions along an axis of data depend on. Positions from least to
// most, which is not included, are computed.
type vectorAxis struct {
	scale, shift, least, most [stepPoints]float32
	last                      [stepPoints]int32 // element
	pair                      [stepPoints]int32 // the last element that has another one after it
}

// newVectors returns the constants for p, or nil if the assembly does not compute it.
func newVectors(p *plan[float32]) *vectors {
	const far = 1 << 22
	if p.h < 1 || p.w < 2 || max(p.h, p.w) > far || p.h*p.w > math.MaxInt32 || !cpu.AVX2.Available() {
		return nil
	}
	v := &vectors{}
	for i, a := range []*axis[float32]{&p.x, &p.y} {
		least, most := float32(-far), float32(far)
		if a.padding == reflection {
			least, most = 0, float32(a.n-1)
		}
		to := []*vectorAxis{&v.x, &v.y}[i]
		for lane := range stepPoints {
			to.scale[lane], to.shift[lane], to.least[lane], to.most[lane] = a.scale, a.shift, least, most
			to.last[lane], to.pair[lane] = int32(a.n-1), int32(a.n-2)
		}
	}
	for lane := range stepPoints {
		v.width[lane] = int32(p.w)
		if p.x.padding != zeros {
			v.keep[lane] = -1
		}
	}
	return v
}

// sample computes samples with assembly, if there is some for them. It sets bit i%8 of done[i/8],
// which must be 0 before, if it has computed sample i.
func (v *vectors) sample(out, plane, grid []float32, done []uint8) {
	if v == nil {
		return
	}
	steps, rest := len(out)/stepPoints, len(out)%stepPoints
	_ = plane[int(v.y.last[0]+1)*int(v.x.last[0]+1)-1]
	if steps > 0 {
		_, _ = grid[2*stepPoints*steps-1], done[steps-1]
		bilinearAVX2(&out[0], &plane[0], &grid[0], &done[0], steps, (*byte)(unsafe.Pointer(v)))
	}
	if rest > 0 {
		var points [2 * stepPoints]float32
		var samples [stepPoints]float32
		copy(points[:], grid[2*stepPoints*steps:])
		bilinearAVX2(&samples[0], &plane[0], &points[0], &done[steps], 1, (*byte)(unsafe.Pointer(v)))
		copy(out[stepPoints*steps:], samples[:rest])
	}
}
