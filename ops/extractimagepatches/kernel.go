package extractimagepatches

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv/lines"
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
	size, part := p.Outputs[0].Type.Size(), k.each
	if size > 0 {
		part = k.bytes(size)
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

// bytes returns the function that computes planes lo to hi-1 of elements of size bytes.
func (k *kernel) bytes(size int) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		out, image := r.Outputs[0].Bytes(), r.Inputs[0].Bytes()
		meter := r.Stop.Meter()
		for ; lo < hi; lo++ {
			start, row, col := k.source(lo)
			k.copyPlane(r.Stop, &meter, out[lo*k.plane*size:][:k.plane*size], image[start*size:][:k.image*size], size, row, col)
		}
		return nil
	}
}

// copyPlane writes a plane: zeros where the window is outside of image, and elements of image
// elsewhere.
func (k *kernel) copyPlane(stop parallel.Stop, meter *parallel.Meter, out, image []byte, size, row, col int) {
	n, step := k.cols.Output, k.cols.Stride
	top, bottom, y := k.rows.Range(row)
	left, right, x := k.cols.Range(col)
	if left == right {
		top = bottom
	}
	if top == bottom {
		top, bottom = 0, 0
	}
	parallel.Clear(stop, out[:top*n*size])
	if size == 4 && n <= window.RowPiece && top < bottom {
		l := lines.Copy{Channels: 1, DstLine: n, SrcLine: k.rows.Stride * k.cols.Input, Left: left, Count: right - left, Right: n - right}
		to, from := cast.Bytes[float32](out), cast.Bytes[float32](image)
		for o := top; o < bottom; o += l.Lines {
			l.Lines = min(bottom-o, window.RowPiece/n)
			if meter.Spent((n + 8) * l.Lines) {
				return
			}
			l.Copy(to[o*n:], from[(o*k.rows.Stride+y)*k.cols.Input+left*step+x:], step)
		}
		top = bottom
	}
	for o := top; o < bottom; o++ {
		to := out[o*n*size:][:n*size]
		from := image[(o*k.rows.Stride+y)*k.cols.Input*size:][:k.cols.Input*size]
		clear(to[:left*size])
		for col := left; col < right; col += window.RowPiece {
			m := min(right-col, window.RowPiece)
			if meter.Spent(m + 8) {
				return
			}
			copyRow(to[col*size:], from[(col*step+x)*size:], m, step, size)
		}
		clear(to[right*size:])
	}
	parallel.Clear(stop, out[bottom*n*size:])
}

// copyRow copies n elements of size bytes, every step-th one of from.
func copyRow(to, from []byte, n, step, size int) {
	switch {
	case step == 1:
		copy(to[:n*size], from)
	case size == 1:
		strided.Rows(to, from, n, 1, 1, step)
	case size == 2:
		strided.Rows(cast.Bytes[uint16](to), cast.Bytes[uint16](from), n, 1, 1, step)
	case size == 4:
		strided.Rows(cast.Bytes[uint32](to), cast.Bytes[uint32](from), n, 1, 1, step)
	default:
		for i := range n {
			copy(to[i*size:][:size], from[i*step*size:])
		}
	}
}

// each writes planes of strings and of elements of less than a byte one by one.
func (k *kernel) each(r *ops.Run, lo, hi int) error {
	out, image, meter := r.Outputs[0], r.Inputs[0], r.Stop.Meter()
	strings := out.ElementType() == ir.String
	for ; lo < hi; lo++ {
		start, row, col := k.source(lo)
		top, bottom, y := k.rows.Range(row)
		left, right, x := k.cols.Range(col)
		for i := range k.plane {
			if meter.Spent(8) {
				return nil
			}
			o, p := i/k.cols.Output, i%k.cols.Output
			inside := o >= top && o < bottom && p >= left && p < right
			from := start + (o*k.rows.Stride+y)*k.cols.Input + p*k.cols.Stride + x
			switch {
			case strings && inside:
				out.Strings()[lo*k.plane+i] = image.Strings()[from]
			case strings:
				out.Strings()[lo*k.plane+i] = ""
			case inside:
				out.SetPacked(lo*k.plane+i, image.Packed(from))
			default:
				out.SetPacked(lo*k.plane+i, 0)
			}
		}
	}
	return nil
}
