package levels

import (
	"encoding/binary"
	"math"
)

// RowExtra is the number of bytes of an encoded row besides its levels: low and step, as f32 in
// little-endian order.
const RowExtra = 8

// EncodeRows stores rows of n numbers, each row as 256 levels from its least number to its
// greatest: the n levels, low and step. dst must have n + RowExtra bytes for each row of src. A row
// becomes NaN if its greatest number minus its least is not finite.
func EncodeRows(dst []byte, src []float32, n int) {
	for ; n > 0 && len(src) >= n; src = src[n:] {
		row := src[:n]
		low, high := row[0], row[0]
		for _, v := range row[1:] {
			low, high = min(low, v), max(high, v) // NaN if an element is
		}
		const most = 255
		width := high - low
		step, scale := width/most, most/width
		switch {
		case !(width <= math.MaxFloat32):
			step = float32(math.NaN())
		case scale > math.MaxFloat32: // all numbers are equal, or differ by next to nothing
			step, scale = 0, 0
		}
		Codes(dst[:n], row, scale, float32(-float64(low)*float64(scale)), most)
		binary.LittleEndian.PutUint32(dst[n:], math.Float32bits(low))
		binary.LittleEndian.PutUint32(dst[n+4:], math.Float32bits(step))
		dst = dst[n+RowExtra:]
	}
}

// DecodeRows sets dst to the rows of n numbers that EncodeRows has stored in src.
func DecodeRows(dst []float32, src []byte, n int) {
	if n == 0 || len(dst) < n || vectorRows(dst, src[:len(dst)/n*(n+RowExtra)], n) {
		return
	}
	for ; len(dst) >= n; dst = dst[n:] {
		low, step := binary.LittleEndian.Uint32(src[n:]), binary.LittleEndian.Uint32(src[n+4:])
		Values(dst[:n], src[:n], math.Float32frombits(low), math.Float32frombits(step))
		src = src[n+RowExtra:]
	}
}
