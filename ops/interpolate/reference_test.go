package interpolate

import (
	"math"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// layer is a random layer of version 11.
type layer struct {
	mode, coordinates, nearest string
	antialias                  bool
	coeff                      float64
	begin, end                 []int
	image                      ir.Shape
	axes                       []int
	scales                     []float32 // of axes; nil if the layer has sizes
	output                     ir.Shape
}

// padded returns the image with its padding, and its shape.
func (l *layer) padded(image []float64) ([]float64, ir.Shape) {
	shape := make(ir.Shape, len(l.image))
	for i := range shape {
		shape[i] = l.begin[i] + l.image[i] + l.end[i]
	}
	out := make([]float64, shape.Elements())
	for i, v := range image {
		at := index.Position(i, l.image)
		for j := range at {
			at[j] += l.begin[j]
		}
		out[place(shape, at)] = v
	}
	return out, shape
}

// place returns the index of the element at the given position.
func place(shape ir.Shape, at []int) int {
	i := 0
	for axis, n := range shape {
		i = i*n + at[axis]
	}
	return i
}

// reference computes the weight of every element of the padded image for every element of the
// output.
func (l *layer) reference(image []float64) []float64 {
	data, shape := l.padded(image)
	antialias := false
	for i := range l.axes {
		antialias = antialias || l.antialias && l.scale(shape, i) < 1
	}
	out := make([]float64, l.output.Elements())
	for i := range out {
		to := index.Position(i, l.output)
		total, weights := 0.0, 0.0
		for j, v := range data {
			w := 1.0
			at := index.Position(j, shape)
			for axis := range shape {
				if resized := slices.Index(l.axes, axis); resized >= 0 {
					w *= l.weight(to[axis], at[axis], shape[axis], l.output[axis], l.scale(shape, resized), antialias)
				} else if at[axis] != to[axis] {
					w = 0
				}
			}
			total, weights = total+w*v, weights+w
		}
		if out[i] = total; l.mode == "linear" || strings.HasSuffix(l.mode, "pillow") {
			if out[i] = 0; weights != 0 {
				out[i] = total / weights
			}
		}
	}
	return out
}

// roundedReference is reference for integers from lo to hi in the Pillow modes: they resize one
// axis after the other, the last one first, and round and limit the result of each.
func (l *layer) roundedReference(image []float64, lo, hi float64) []float64 {
	data, shape := l.padded(image)
	for axis := range slices.Backward(shape) {
		i := slices.Index(l.axes, axis)
		if i < 0 {
			continue
		}
		output := slices.Clone(shape)
		output[axis] = l.output[axis]
		out := make([]float64, output.Elements())
		for k := range out {
			at := index.Position(k, output)
			to, total, weights := at[axis], 0.0, 0.0
			for at[axis] = range shape[axis] {
				w := l.weight(to, at[axis], shape[axis], output[axis], l.scale(shape, i), false)
				total, weights = total+w*data[place(shape, at)], weights+w
			}
			if weights != 0 {
				out[k] = math.Max(lo, math.Min(math.Round(total/weights), hi))
			}
		}
		data, shape = out, output
	}
	return data
}

func (l *layer) scale(padded ir.Shape, i int) float32 {
	if l.scales != nil {
		return l.scales[i]
	}
	return float32(l.output[l.axes[i]]) / float32(padded[l.axes[i]])
}

// weight returns the weight of element at of an axis for element to of the output.
func (l *layer) weight(to, at, length, output int, scale float32, antialias bool) float64 {
	if strings.HasSuffix(l.mode, "pillow") {
		ratio := float64(length) / float64(output)
		stretch := math.Max(ratio, 1)
		d := math.Abs(float64(at)+0.5-(float64(to)+0.5)*ratio) / stretch
		if l.mode == "bilinear_pillow" {
			return math.Max(0, 1-d)
		}
		return l.keys(d)
	}
	x := source(l.coordinates, float32(to), scale, float32(length), float32(output))
	last := length - 1
	edge := func(i float64) bool { return at == int(math.Max(0, math.Min(i, float64(last)))) }
	switch l.mode {
	case "nearest":
		if edge(l.round(float64(x), scale)) {
			return 1
		}
		return 0
	case "linear":
		a := float32(1)
		if antialias {
			a = scale
		}
		return math.Max(0, 1-math.Abs(float64(a*(x-float32(at)))))
	case "linear_onnx":
		inside := math.Max(0, math.Min(float64(x), float64(last)))
		return math.Max(0, 1-math.Abs(inside-float64(at)))
	}
	w := 0.0
	for k := -1; k <= 2; k++ {
		if i := math.Floor(float64(x)) + float64(k); edge(i) {
			w += l.keys(math.Abs(float64(x) - i))
		}
	}
	return w
}

// keys is the cubic convolution kernel.
func (l *layer) keys(d float64) float64 {
	a := l.coeff
	switch {
	case d < 1:
		return (a+2)*d*d*d - (a+3)*d*d + 1
	case d < 2:
		return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
	}
	return 0
}

// source returns the position in the image of element y of the output.
func source(mode string, y, scale, length, output float32) float32 {
	if scale == 1 || length == output {
		return y
	}
	half := float32((y+0.5)/scale) - 0.5
	corner := float32(0)
	if output > 1 {
		corner = float32(y*(length-1)) / (output - 1)
	}
	pytorch := half
	if output == 1 {
		pytorch = 0
	}
	return map[string]float32{
		"half_pixel": half, "pytorch_half_pixel": pytorch, "asymmetric": y / scale,
		"tf_half_pixel_for_nn": (y + 0.5) / scale, "align_corners": corner,
	}[mode]
}

func (l *layer) round(x float64, scale float32) float64 {
	floor := math.Floor(x)
	switch l.nearest {
	case "floor":
		return floor
	case "ceil":
		return math.Ceil(x)
	case "simple":
		if scale < 1 {
			return math.Ceil(x)
		}
		return floor // values below 0 are clamped to the edge
	case "round_prefer_ceil":
		return math.Floor(x + 0.5)
	}
	return math.Ceil(x - 0.5)
}
