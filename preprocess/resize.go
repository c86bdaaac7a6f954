package preprocess

import (
	"image"
	"math"
)

// weightBits is the number of bits after the point of a weight: with it, the sums of weighted bytes
// have the rounding of Pillow.
const weightBits = 32 - 8 - 2

// window is the pixels that one new pixel is made of: those from first, with their weights.
type window struct {
	first   int
	weights []int32
}

// windows returns the windows that make to pixels of from. The weight falls linearly with the
// distance from the center of the new pixel. It reaches 0 at the distance of a pixel, of the larger
// of the two kinds.
func windows(from, to int) []window {
	step := float64(from) / float64(to)
	reach := max(step, 1)
	list := make([]window, to)
	triangle := make([]float64, 2*int(math.Ceil(reach))+1)
	for i := range list {
		// the conversions keep a processor from fusing operations
		center := float64((float64(i) + 0.5) * step)
		first := max(int(center-reach+0.5), 0)
		n := min(int(center+reach+0.5), from) - first
		sum := 0.0
		for k := range n {
			triangle[k] = max(1-math.Abs(float64((float64(k+first)-center+0.5)*(1/reach))), 0)
			sum += triangle[k]
		}
		list[i] = window{first, make([]int32, n)}
		for k := range n {
			list[i].weights[k] = int32(0.5 + triangle[k]/sum*(1<<weightBits))
		}
	}
	return list
}

// mean returns the weighted mean of bytes that are step apart.
func (w *window) mean(bytes []byte, step int) byte {
	sum := int32(1) << (weightBits - 1)
	at := w.first * step
	for _, weight := range w.weights {
		sum += weight * int32(bytes[at])
		at += step
	}
	return byte(min(max(sum>>weightBits, 0), 255))
}

// resize calls emit with each row of the picture in the new size. It changes the widths of all rows
// first, then the heights, as Pillow does, so that each pixel is rounded twice. The picture and the
// size are within MaxPixels.
func resize(picture image.Image, pixels *pixels, size image.Point, emit func(y int, row []byte)) error {
	from := picture.Bounds().Size()
	// Between the two steps, the picture has the new width and the old height.
	if err := checkSize("picture of the new width", image.Pt(size.X, from.Y), MaxPixels); err != nil {
		return err
	}
	var columns, rows []window
	if size.X != from.X {
		columns = windows(from.X, size.X)
	}
	width := size.X * pixels.channels
	whole := make([]byte, from.X*pixels.channels)
	// widen returns row y in the new width, in memory of at least width bytes.
	widen := func(y int, to []byte) {
		if columns == nil {
			pixels.read(picture, y, to)
			return
		}
		pixels.read(picture, y, whole)
		for x := range columns {
			for c := range pixels.channels {
				to[x*pixels.channels+c] = columns[x].mean(whole[c:], pixels.channels)
			}
		}
	}
	row := make([]byte, width)
	if size.Y == from.Y {
		for y := range size.Y {
			widen(y, row)
			emit(y, row)
		}
		return nil
	}
	rows = windows(from.Y, size.Y)
	between := make([]byte, from.Y*width)
	for y := range from.Y {
		widen(y, between[y*width:(y+1)*width])
	}
	for y := range rows {
		for i := range row {
			row[i] = rows[y].mean(between[i:], width)
		}
		emit(y, row)
	}
	return nil
}
