//go:build amd64 && !noasm

package colorconvert

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../rows_amd64.s -stubs ../stubs_amd64.go -pkg colorconvert"

// stepPixels is the number of pixels that a step of the assembly computes.
const stepPixels = 16

// vectorRow computes the first pixels of a row with assembly, and returns their number. The
// arguments start at the row; u and v are as long as the row needs.
func (l *layout) vectorRow(out, y, u, v []uint8, order *byteOrder) int {
	steps := len(y) / stepPixels
	if steps == 0 || !cpu.AVX2.Available() {
		return 0
	}
	_ = out[3*stepPixels*steps-1]
	_, _ = u[l.u.step*(stepPixels/2*steps-1)], v[l.v.step*(stepPixels/2*steps-1)]
	if l.u.step == 2 {
		rowNV12(&out[0], &y[0], &u[0], steps, (*[4][32]uint8)(order))
	} else {
		rowI420(&out[0], &y[0], &u[0], &v[0], steps, (*[4][32]uint8)(order))
	}
	return steps * stepPixels
}

// byteOrder holds the shuffles of the assembly. In a lane, the operand of the first two has 8 bytes
// of the channel red, and 8 of channel 1, each those of the even pixels first; the operand of the
// others has the bytes of the third channel.
type byteOrder [4][32]uint8

// newOrder returns the shuffles for pixels whose first, second and third byte are red, green and
// blue if red is 0, and the reverse if it is 2.
func newOrder(red int) *byteOrder {
	const none = 0x80 // a byte of zeros
	order := &byteOrder{}
	for i := range order {
		for k := range order[i] {
			order[i][k] = none
			at := i%2*16 + k%16 // in the 24 bytes of a lane
			if at >= 24 {
				continue
			}
			pixel, channel := at/3, at%3
			from := uint8(pixel%2*4 + pixel/2)
			switch {
			case i < 2 && channel == red:
				order[i][k] = from
			case i < 2 && channel == 1:
				order[i][k] = 8 + from
			case i >= 2 && channel == 2-red:
				order[i][k] = from
			}
		}
	}
	return order
}
