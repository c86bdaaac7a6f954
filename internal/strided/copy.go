package strided

import "github.com/vinoir/vinoir/ir"

// grainBytes is the number of bytes below which a copy is not worth another
// thread.
const grainBytes = 1 << 17

// Copier is a copy that is ready to run: a view cut into rows along its last
// axis. It is immutable.
type Copier struct {
	// Rows is the number of rows, Grain how many are worth a thread.
	Rows, Grain int

	offset           int
	lengths, strides []int // of the axes but the last
	n, step          int   // the elements of a row and the distance between them
	move             func(c *Copier, dst, src *ir.Tensor, lo, hi int)
}

// Copy returns the copier that sets a tensor of element type t to view of
// another:
//
//	for each i: dst[i] = src[view.At(i)]
func Copy(t ir.ElementType, view View) *Copier {
	v := view.Merge()
	c := &Copier{Rows: 1, offset: v.Offset, n: 1, step: 1}
	last := len(v.Lengths) - 1
	if last >= 0 && !(last == 0 && v.Strides[0] == 1) { // one run is split inside of it
		c.n, c.step = v.Lengths[last], v.Strides[last]
		last--
	}
	c.lengths, c.strides = v.Lengths[:last+1], v.Strides[:last+1]
	for _, d := range c.lengths {
		c.Rows *= d
	}
	if c.n == 0 {
		c.Rows = 0
	}
	size := t.Size()
	switch size {
	case 1:
		c.move = moveBytes[uint8]
	case 2:
		c.move = moveBytes[uint16]
	case 4:
		c.move = moveBytes[uint32]
	case 8:
		c.move = moveBytes[uint64]
	case 16:
		c.move = moveBytes[complex128]
	default:
		size = 16
		if t != ir.String {
			// Rows share bytes with their neighbours: one thread for all of them.
			c.move, c.Grain = movePacked, max(c.Rows, 1)
			return c
		}
		c.move = moveStrings
	}
	c.Grain = max(grainBytes/(max(c.n, 1)*size), 1)
	return c
}

// Run copies rows lo to hi-1.
func (c *Copier) Run(dst, src *ir.Tensor, lo, hi int) { c.move(c, dst, src, lo, hi) }

func moveBytes[T ir.Element](c *Copier, dst, src *ir.Tensor, lo, hi int) {
	move(c, ir.Data[T](dst), ir.Data[T](src), lo, hi)
}

func moveStrings(c *Copier, dst, src *ir.Tensor, lo, hi int) {
	move(c, dst.Strings(), src.Strings(), lo, hi)
}

// movePacked copies elements of less than a byte.
func movePacked(c *Copier, dst, src *ir.Tensor, lo, hi int) {
	i := lo * c.n
	for row := lo; row < hi; row++ {
		at, rest := c.offset, row
		for k := len(c.lengths) - 1; k >= 0; k-- {
			at += rest % c.lengths[k] * c.strides[k]
			rest /= c.lengths[k]
		}
		for range c.n {
			dst.SetPacked(i, src.Packed(at))
			at += c.step
			i++
		}
	}
}

// move copies rows lo to hi-1. It goes along the innermost axis of rows and looks
// up the others once for each pass.
func move[T any](c *Copier, dst, src []T, lo, hi int) {
	inner, stride := 1, 0
	outer := len(c.lengths) - 1
	if outer >= 0 {
		inner, stride = c.lengths[outer], c.strides[outer]
	}
	for lo < hi {
		at, rest := c.offset, lo/inner
		for k := outer - 1; k >= 0; k-- {
			at += rest % c.lengths[k] * c.strides[k]
			rest /= c.lengths[k]
		}
		first := lo % inner
		count := min(inner-first, hi-lo)
		block(dst[lo*c.n:(lo+count)*c.n], src, at+first*stride, stride, c.n, c.step)
		lo += count
	}
}

// block fills dst with rows of n elements, step apart, of which the first starts
// at src[at] and each following one stride behind the one before it.
func block[T any](dst, src []T, at, stride, n, step int) {
	switch {
	case n == 1 && stride == 1:
		copy(dst, src[at:at+len(dst)])
	case n == 1:
		for i := range dst {
			dst[i] = src[at+i*stride]
		}
	case step == 1 && stride == 0:
		row := src[at : at+n]
		for ; len(dst) > 0; dst = dst[n:] {
			copy(dst, row)
		}
	case step == 1 && stride > 0:
		Rows(dst, src[at:], len(dst)/n, n, n, stride)
	case step == 0:
		for ; len(dst) > 0; at += stride {
			fill(dst[:n], src[at])
			dst = dst[n:]
		}
	case step == 1:
		for ; len(dst) > 0; at += stride {
			copy(dst[:n], src[at:at+n])
			dst = dst[n:]
		}
	default:
		for ; len(dst) > 0; at += stride {
			j := at
			for i := range dst[:n] {
				dst[i] = src[j]
				j += step
			}
			dst = dst[n:]
		}
	}
}

// fill sets all of dst to v: a few by a loop, the rest by copies of those.
func fill[T any](dst []T, v T) {
	const few = 64
	for i := range dst[:min(len(dst), few)] {
		dst[i] = v
	}
	for done := few; done < len(dst); done *= 2 {
		copy(dst[done:], dst[:done])
	}
}
