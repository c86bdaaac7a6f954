package deformableconvolution

import "github.com/vinoir/vinoir/ops/internal/sampling"

// sample sets the rows of w to the columns of places lo to hi-1 of an image. The channels of a
// group follow each other for each kernel element.
func (k *kernel[T]) sample(w *sampling.Worker[T], image, lo, hi int) {
	data := w.Image(0, image)
	var q sampling.Quad[T]
	taps, points := k.taps(), k.points()
	var buffer [3][sampleRow]T
	var origins [2][sampleRow]T // the places of kernel element 0, without offsets
	for first := lo; first < hi; first += sampleRow {
		n := min(sampleRow, hi-first)
		ys, xs, masks := buffer[0][:n], buffer[1][:n], buffer[2][:n]
		for i := range masks {
			masks[i] = 1
			point := first + i
			origins[0][i] = T(point/k.x.Output*k.y.Stride - k.y.PadBegin)
			origins[1][i] = T(point%k.x.Output*k.x.Stride - k.x.PadBegin)
		}
		for d := range k.deformable {
			for tap := range taps {
				if w.Meter.Spent(n * (8 + k.in/k.deformable)) {
					return
				}
				at := (image*k.deformable+d)*taps + tap
				sampling.Load(ys, w.Run.Inputs[1], 2*at*points+first)
				sampling.Load(xs, w.Run.Inputs[1], (2*at+1)*points+first)
				if k.mask {
					sampling.Load(masks, w.Run.Inputs[3], at*points+first)
				}
				moveY, moveX := T(tap/k.x.Kernel*k.y.Dilation), T(tap%k.x.Kernel*k.x.Dilation)
				for i := range n {
					if k.place(&q, origins[0][i]+moveY+ys[i], origins[1][i]+moveX+xs[i], masks[i]) {
						k.add(&data, w.Row(first+i), &q, d, tap)
					}
				}
			}
		}
	}
}

// sampleRow is the number of places whose offsets are read at once.
const sampleRow = 64

// place sets q to the sample at a position, times mask. It returns false if the sample is 0: if the
// position is not in the image or, with bilinear_interpolation_pad, not less than one element
// before it.
func (k *kernel[T]) place(q *sampling.Quad[T], y, x, mask T) bool {
	h, w := k.y.Input, k.x.Input
	if y >= 0 && y < T(h-1) && x >= 0 && x < T(w-1) {
		row, column := int(y), int(x)
		dy, dx := y-T(row), x-T(column)
		at := row*w + column
		q.At = [4]int{at, at + 1, at + w, at + w + 1}
		top, bottom := (1-dy)*mask, dy*mask
		q.Weights = [4]T{top * (1 - dx), top * dx, bottom * (1 - dx), bottom * dx}
		return true
	}
	if k.pad {
		if !(y > -1 && y < T(h) && x > -1 && x < T(w)) {
			return false
		}
		row, column := int(y+1)-1, int(x+1)-1
		dy, dx := y-T(row), x-T(column)
		q.Set([2]int{row, row + 1}, [2]int{column, column + 1}, [2]T{(1 - dy) * mask, dy * mask}, [2]T{1 - dx, dx}, h, w)
		return true
	}
	if !(y >= 0 && y < T(h) && x >= 0 && x < T(w)) {
		return false
	}
	rows, wy := sampling.Clamped(y, h)
	columns, wx := sampling.Clamped(x, w)
	q.Set(rows, columns, [2]T{wy[0] * mask, wy[1] * mask}, wx, h, w)
	return true
}

// add adds q of the channels of a deformable group, which can be in several groups, to the column
// of a place.
func (k *kernel[T]) add(data *sampling.Image[T], column []T, q *sampling.Quad[T], deformable, tap int) {
	if k.groups == 1 && k.deformable == 1 {
		data.Add(column[tap*k.in:][:k.in], q, 0)
		return
	}
	inGroup, channels := k.inGroup(), k.in/k.deformable
	for c, end := deformable*channels, (deformable+1)*channels; c < end; {
		g := c / inGroup
		next := min((g+1)*inGroup, end)
		data.Add(column[(g*k.taps()+tap)*inGroup+c%inGroup:][:next-c], q, c)
		c = next
	}
}
