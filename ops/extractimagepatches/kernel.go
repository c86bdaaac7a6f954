package extractimagepatches

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// kernel computes planes: the elements at i, j of all windows in one channel of one image.
type kernel struct {
	channels     int
	rows, cols   window.Axis
	plane, image int // elements of a plane of the output and of image
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	image := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if out.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &kernel{channels: image[1], plane: out[2] * out[3], image: image[2] * image[3]}
	w := window.Attributes{Strides: at.strides, Dilations: at.rates, AutoPad: at.autoPad}
	if k.rows, err = w.Axis(0, image[2], int(at.sizes[0]), out[2]); err != nil {
		return nil, err
	}
	if k.cols, err = w.Axis(1, image[3], int(at.sizes[1]), out[3]); err != nil {
		return nil, err
	}
	t := p.Outputs[0].Type
	size := t.Size()
	var part ops.Part
	switch {
	case t == ir.String:
		size, part = 16, partOf(k, (*ir.Tensor).Strings)
	case size == 0:
		part = k.packed
	case size == 1:
		part = partOf(k, ir.Data[uint8])
	case size == 2:
		part = partOf(k, ir.Data[uint16])
	case size == 4:
		part = partOf(k, ir.Data[uint32])
	case size == 8:
		part = partOf(k, ir.Data[uint64])
	default:
		part = partOf(k, ir.Data[complex128])
	}
	planes := out[0] * out[1]
	grain := planes // planes of packed elements can share bytes: one thread writes them
	if size > 0 {
		grain = ops.Grain(2 * ops.CopyCost * float64(k.plane*size))
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(planes, grain, part) }}, nil
}

// source returns where the plane of image for plane i of the output starts, and the element of the
// window.
func (k *kernel) source(i int) (start, row, col int) {
	n, element, c := i/k.channels/k.cols.Kernel/k.rows.Kernel, i/k.channels, i%k.channels
	return (n*k.channels + c) * k.image, element / k.cols.Kernel % k.rows.Kernel, element % k.cols.Kernel
}

// partOf returns the function that computes planes lo to hi-1 of elements of type T.
func partOf[T any](k *kernel, elements func(*ir.Tensor) []T) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		out, image := elements(r.Outputs[0]), elements(r.Inputs[0])
		meter := r.Stop.Meter()
		for ; lo < hi; lo++ {
			start, row, col := k.source(lo)
			plane(r.Stop, &meter, k, out[lo*k.plane:][:k.plane], image[start:][:k.image], row, col)
		}
		return nil
	}
}

// plane writes a plane: zeros where the window is outside of image, and elements of image
// elsewhere.
func plane[T any](stop parallel.Stop, meter *parallel.Meter, k *kernel, out, image []T, row, col int) {
	var zero T
	n, step := k.cols.Output, k.cols.Stride
	top, bottom, y := k.rows.Range(row)
	left, right, x := k.cols.Range(col)
	if left == right {
		top = bottom
	}
	if top == bottom {
		top, bottom = 0, 0
	}
	parallel.Clear(stop, out[:top*n])
	for o := top; o < bottom; o++ {
		to := out[o*n:][:n]
		from := image[(o*k.rows.Stride+y)*k.cols.Input:][:k.cols.Input]
		for i := range to[:left] {
			to[i] = zero
		}
		for col := left; col < right; col += window.RowPiece {
			m := min(right-col, window.RowPiece)
			if meter.Spent(m + 8) {
				return
			}
			if first := col*step + x; step == 1 {
				copy(to[col:][:m], from[first:])
			} else {
				strided.Rows(to[col:], from[first:], m, 1, 1, step)
			}
		}
		for i := range to[right:] {
			to[right+i] = zero
		}
	}
	parallel.Clear(stop, out[bottom*n:])
}

// packed writes planes of elements of less than a byte one by one.
func (k *kernel) packed(r *ops.Run, lo, hi int) error {
	out, image, meter := r.Outputs[0], r.Inputs[0], r.Stop.Meter()
	for ; lo < hi; lo++ {
		start, row, col := k.source(lo)
		top, bottom, y := k.rows.Range(row)
		left, right, x := k.cols.Range(col)
		for i := range k.plane {
			if meter.Spent(8) {
				return nil
			}
			v := uint8(0)
			if o, p := i/k.cols.Output, i%k.cols.Output; o >= top && o < bottom && p >= left && p < right {
				v = image.Packed(start + (o*k.rows.Stride+y)*k.cols.Input + p*k.cols.Stride + x)
			}
			out.SetPacked(lo*k.plane+i, v)
		}
	}
	return nil
}
