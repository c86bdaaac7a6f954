package conv

import "math"

// quadBytes is the number of bytes of a quad.
const quadBytes = 4

// QuadsOf returns the number of quads of a number of channels. The last quad may have bytes without a channel.
func QuadsOf(channels int) int { return ceilDiv(channels, quadBytes) }

// PackQuads sets dst to the quads of up to four channels of the input, the planes of which follow each other in src. dst
// has the elements of a plane. outside is that of Quads.
func PackQuads(dst []float32, src []uint8, outside uint8) {
	var rows [quadBytes][]uint8
	for i := range rows {
		rows[i] = src[min(i, len(src)/len(dst)-1)*len(dst):][:len(dst)] // bytes without a channel are multiplied by 0
	}
	flip := uint32(outside) * 0x01010101
	if quadsVectors(dst, &rows, flip) {
		return
	}
	for i := range dst {
		quad := uint32(rows[0][i]) | uint32(rows[1][i])<<8 | uint32(rows[2][i])<<16 | uint32(rows[3][i])<<24
		dst[i] = math.Float32frombits(quad ^ flip)
	}
}

// FilterQuads returns the quads of filters [Groups*Out, In, taps] in the layout [Groups*Out, QuadsOf(In), taps], which
// PackFilters takes. filters must not be empty.
func FilterQuads(filters []int8, in, taps int) []float32 {
	quads := QuadsOf(in)
	dst := make([]float32, 0, len(filters)/(in*taps)*quads*taps)
	for ; len(filters) > 0; filters = filters[in*taps:] {
		for c := 0; c < in; c += quadBytes {
			planes := filters[c*taps : min(c+quadBytes, in)*taps]
			for tap := range taps {
				bits := uint32(0)
				for at := tap; at < len(planes); at += taps {
					bits = bits>>8 | uint32(uint8(planes[at]))<<24
				}
				bits >>= 8 * (quadBytes - len(planes)/taps)
				dst = append(dst, math.Float32frombits(bits))
			}
		}
	}
	return dst
}
