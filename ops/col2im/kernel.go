package col2im

import (
	"errors"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// kernel computes planes: the sums of one channel of one image.
type kernel struct {
	rows, cols  window.Axis
	plane       int  // elements of a plane of the output
	data        int  // elements of data for a plane
	withoutData bool // data has no elements
}

// prepare returns a kernel that adds rows of the places of one element of the window, in the order
// of the elements.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	data := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	size, known := p.Inputs[2].Ints()
	if !known || len(size) != 2 {
		return nil, errors.New("kernel_size is not known")
	}
	if out.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &kernel{plane: out[len(out)-2] * out[len(out)-1]}
	planes := out.Elements() / k.plane
	if n := data.Elements(); n == 0 {
		k.withoutData = true
	} else {
		k.data = n / planes
		w := window.Attributes{Strides: at.strides[:], Dilations: at.dilations[:], PadsBegin: at.padsBegin[:], PadsEnd: at.padsEnd[:], AutoPad: "explicit"}
		for i, axis := range []*window.Axis{&k.rows, &k.cols} {
			length := out[len(out)-2+i]
			// If there are elements of data, the window has places, and its size fits an int.
			var err error
			if *axis, err = w.Axis(i, length, int(size[i]), int(at.placesAlong(i, ir.Dim(int64(length)), size[i]).Min)); err != nil {
				return nil, err
			}
		}
	}
	grain := ops.Grain(float64(max(k.data, k.plane)) / 2)
	switch p.Outputs[0].Type {
	// Sums that wrap have the same bits for signed and unsigned integers.
	case ir.I32, ir.U32:
		return integers[uint32](k, planes, grain)
	case ir.I64, ir.U64:
		return integers[uint64](k, planes, grain)
	}
	return floats.Kernel(p, 1, planes, grain, planesOf(k, addFloats[float32]), planesOf(k, addFloats[float64])), nil
}

type number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// integers returns the kernel of an integer type.
func integers[T number](k *kernel, planes, grain int) (*ops.Prepared, error) {
	compute := planesOf(k, addRow[T])
	part := func(r *ops.Run, lo, hi int) error {
		compute(r.Stop, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), nil, lo, hi)
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(planes, grain, part) }}, nil
}

// addRow adds n elements of in to every step-th element of out.
func addRow[T number](out, in []T, n, step int) {
	if step == 1 {
		out, in = out[:n], in[:n]
		for i, v := range in {
			out[i] += v
		}
		return
	}
	for i, v := range in[:n] {
		out[i*step] += v
	}
}

func addFloats[T float32 | float64](out, in []T, n, step int) {
	window.AddRow(out, in, n, 1, step, 1)
}

// planesOf returns the function that computes planes lo to hi-1.
func planesOf[T number](k *kernel, add func(out, in []T, n, step int)) func(stop parallel.Stop, out, data, _ []T, lo, hi int) {
	return func(stop parallel.Stop, out, data, _ []T, lo, hi int) {
		meter := stop.Meter()
		for ; lo < hi; lo++ {
			plane := out[lo*k.plane:][:k.plane]
			parallel.Clear(stop, plane)
			if k.withoutData {
				continue
			}
			from := data[lo*k.data:][:k.data]
			for i := range k.rows.Kernel {
				for j := range k.cols.Kernel {
					if meter.Spent(8) {
						return
					}
					addPlaces(&meter, k, plane, from, i, j, add)
					from = from[k.rows.Output*k.cols.Output:]
				}
			}
		}
	}
}

// addPlaces adds the elements of all places for element i, j of the window.
func addPlaces[T number](meter *parallel.Meter, k *kernel, out, data []T, i, j int, add func(out, in []T, n, step int)) {
	top, bottom, y := k.rows.Range(i)
	left, right, x := k.cols.Range(j)
	if left == right {
		return
	}
	for row := top; row < bottom; row++ {
		to := out[(row*k.rows.Stride+y)*k.cols.Input:][:k.cols.Input]
		for col := left; col < right; col += window.RowPiece {
			n := min(right-col, window.RowPiece)
			if meter.Spent(n + 8) {
				return
			}
			add(to[col*k.cols.Stride+x:], data[row*k.cols.Output+col:], n, k.cols.Stride)
		}
	}
}
