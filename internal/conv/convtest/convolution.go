package convtest

import (
	"math/rand/v2"

	"github.com/vinoir/vinoir/internal/conv"
)

// Convolution is a convolution of an input [Batch, Groups*In, spatial axes] with filters [Groups,
// Out, In, kernel axes].
type Convolution struct {
	Batch, Groups, In, Out int
	Axes                   [3]conv.Axis
}

// RandomConvolution returns a small convolution.
func RandomConvolution(rng *rand.Rand) *Convolution {
	g := &Convolution{Batch: 1 + rng.IntN(3), Groups: 1, In: 1 + rng.IntN(9), Out: 1 + rng.IntN(40)}
	if rng.IntN(3) == 0 {
		g.Groups, g.In, g.Out = 1+rng.IntN(4), 1+rng.IntN(4), 1+rng.IntN(6)
	}
	first := rng.IntN(3) // the axes before it are missing
	grown := false
	for i := range g.Axes {
		a := conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
		if i >= first {
			a = conv.Axis{Input: 1 + rng.IntN(10), Kernel: 1 + rng.IntN(4), Stride: 1 + rng.IntN(3), Dilation: 1 + rng.IntN(3)}
			if !grown && rng.IntN(4) == 0 {
				a.Input, a.Kernel = 1+rng.IntN(70), 1+rng.IntN(2)
				grown = true
			}
			if rng.IntN(3) > 0 {
				a.PadBegin = rng.IntN(6) - 1
			}
			length := a.Input + a.PadBegin + max(rng.IntN(6)-1, 0) - (a.Kernel-1)*a.Dilation - 1
			if a.Output = length/a.Stride + 1; length < 0 {
				a.Kernel, a.PadBegin, a.Output = 1, 0, (a.Input-1)/a.Stride+1
			}
		}
		g.Axes[i] = a
	}
	return g
}

// Sizes returns the numbers of elements of an input channel, of a filter for one input channel, and
// of an output channel.
func (g *Convolution) Sizes() (in, taps, out int) {
	in, taps, out = 1, 1, 1
	for _, a := range g.Axes {
		in, taps, out = in*a.Input, taps*a.Kernel, out*a.Output
	}
	return in, taps, out
}

// Reference calls f for each product of the definition, with the indexes of the input element, the
// filter element and the output element.
func (g *Convolution) Reference(f func(in, filter, out int)) {
	_, taps, outPlane := g.Sizes()
	at := func(i, axis int, length func(a *conv.Axis) int) int {
		for j := 2; j > axis; j-- {
			i /= length(&g.Axes[j])
		}
		return i % length(&g.Axes[axis])
	}
	for o := range g.Batch * g.Groups * g.Out * outPlane {
		channel := o / outPlane % (g.Groups * g.Out)
		first := o/outPlane/(g.Groups*g.Out)*g.Groups*g.In + channel/g.Out*g.In
		for k := range g.In * taps {
			in, inside := first+k/taps, true
			for axis := range g.Axes {
				a := &g.Axes[axis]
				p := a.At(at(o, axis, func(a *conv.Axis) int { return a.Output }), at(k, axis, func(a *conv.Axis) int { return a.Kernel }))
				inside = inside && p >= 0 && p < a.Input
				in = in*a.Input + p
			}
			if inside {
				f(in, channel*g.In*taps+k, o)
			}
		}
	}
}

// FinishSums returns a random Epilogue and applies it to want.
func FinishSums(rng *rand.Rand, channels, plane int, want []float64) *conv.Epilogue {
	e := &conv.Epilogue{}
	if rng.IntN(2) == 0 {
		e.Bias = Whole(rng, channels)
	}
	if rng.IntN(2) == 0 {
		e.Clamp, e.Lo, e.Hi = true, -5, 20
	}
	if rng.IntN(2) == 0 {
		e.Finish = func(x []float32, at int) {
			for i := range x {
				x[i] = 2*x[i] + float32((at+i)%5)
			}
		}
	}
	for i := range want {
		if e.Bias != nil {
			want[i] += float64(e.Bias[i/plane%channels])
		}
		if e.Clamp {
			want[i] = min(max(want[i], -5), 20)
		}
		if e.Finish != nil {
			want[i] = 2*want[i] + float64(i%5)
		}
	}
	return e
}

// Whole returns small whole numbers: their products and sums are exact.
func Whole(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.IntN(7) - 3)
	}
	return x
}

// Axis returns an axis with all its numbers.
func Axis(input, output, kernel, stride, dilation, padBegin int) conv.Axis {
	return conv.Axis{Input: input, Output: output, Kernel: kernel, Stride: stride, Dilation: dilation, PadBegin: padBegin}
}
