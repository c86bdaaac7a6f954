// Package window holds the arithmetic of windows that slide over the spatial axes of a tensor.
// Convolution and pooling share it.
package window

import (
	"math"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Attributes holds the parsed attributes of a sliding window. A list is empty if the file has
// none, and otherwise has an element for each spatial axis.
type Attributes struct {
	Strides, Dilations, PadsBegin, PadsEnd []int64
	AutoPad                                string // "explicit", "same_upper", "same_lower", "valid"
	Rounding                               string // "floor", "ceil", "ceil_torch"
}

// Parse reads strides, pads_begin, pads_end and auto_pad.
func Parse(a *ir.Attributes) Attributes {
	a.Expect("strides")
	w := Attributes{
		Strides:   Sizes(a, "strides"),
		PadsBegin: Shifts(a, "pads_begin"), PadsEnd: Shifts(a, "pads_end"),
		AutoPad:  a.Enum("auto_pad", "explicit", "explicit", "same_upper", "same_lower", "valid"),
		Rounding: "floor",
	}
	if w.AutoPad == "explicit" { // other modes ignore the pads
		a.Expect("pads_begin")
		a.Expect("pads_end")
	}
	return w
}

// Sizes reads a list of positive integers, such as kernel and dilations.
func Sizes(a *ir.Attributes, name string) []int64 { return within(a, name, 1) }

// Pads reads a list of integers that are not negative.
func Pads(a *ir.Attributes, name string) []int64 { return within(a, name, 0) }

// Shifts reads a list of integers that may be negative, such as paddings.
func Shifts(a *ir.Attributes, name string) []int64 { return within(a, name, -maxStep) }

// within reads a list of integers from lowest to maxStep.
func within(a *ir.Attributes, name string, lowest int64) []int64 {
	list := a.Ints(name)
	for _, v := range list {
		if v < lowest || v > maxStep {
			a.Fail(name, "%d is outside [%d,%d]", v, lowest, maxStep)
		}
	}
	return list
}

// Rank returns the number of spatial axes according to the lists, or -1 if all are empty.
func (w *Attributes) Rank() int {
	if n := max(len(w.Strides), len(w.Dilations), len(w.PadsBegin), len(w.PadsEnd)); n > 0 {
		return n
	}
	return -1
}

// Check returns an error unless every list is empty or of n elements.
func (w *Attributes) Check(n int) error {
	for _, list := range []struct {
		name   string
		values []int64
	}{{"strides", w.Strides}, {"dilations", w.Dilations}, {"pads_begin", w.PadsBegin}, {"pads_end", w.PadsEnd}} {
		if len(list.values) != 0 && len(list.values) != n {
			return faults.Errorf("%s has %d elements for %d spatial axes", list.name, len(list.values), n)
		}
	}
	return nil
}

// Axis describes the window along one axis.
type Axis struct {
	Kernel, Stride, Dilation int
	// PadBegin and PadEnd are the numbers of elements of padding before and after the input. If
	// they are negative, elements of the input are cut off.
	PadBegin, PadEnd int
	Input, Output    int
}

// Output returns the range of the output's length along spatial axis i, for an input and a
// kernel of the given lengths. It is for pooling, and for convolutions that auto_pad does not
// pad.
func (w *Attributes) Output(i int, input, kernel ir.Dimension) (ir.Dimension, error) {
	stride := At(w.Strides, i, 1)
	if w.same() {
		if input.IsDynamic() {
			return ir.AnyDim, nil
		}
		if input.Min == 0 {
			return ir.Dimension{}, faults.Errorf("the input has no element along spatial axis %d for a window to stand on", i)
		}
		if w.Rounding == "floor" || kernel.IsDynamic() {
			return ir.Dim(ceil(input.Min, stride)), nil
		}
		// The padding is computed for the quotient rounded down, and Rounding is applied after
		// that.
		extent := w.extent(i, kernel).Min
		slack := max((ceil(input.Min, stride)-1)*stride, input.Min-extent, 0)
		return ir.Dim(w.count(i, slack, input.Min)), nil
	}
	extent := w.extent(i, kernel)
	padded := w.padded(i, input)
	if input.IsStatic() && extent.IsStatic() && padded.Max < extent.Min {
		return ir.Dimension{}, faults.Errorf("the window of %v elements along spatial axis %d is longer than the padded input of %v", extent, i, padded)
	}
	// A kernel longer than the input is not valid, so such lengths do not count.
	out := ir.DimRange(w.count(i, max(padded.Min-extent.Max, 0), input.Min), ir.Unbounded)
	if padded.Max != ir.Unbounded {
		out.Max = w.count(i, max(padded.Max-extent.Min, 0), input.Max)
	}
	return out, nil
}

// same reports whether auto_pad pads the input so that only the stride reduces its length.
func (w *Attributes) same() bool { return strings.HasPrefix(w.AutoPad, "same") }

// Padding returns the explicit padding along spatial axis i, and the number of elements from
// the first to the last that a window covers.
func (w *Attributes) Padding(i int, kernel ir.Dimension) (begin, end int64, extent ir.Dimension) {
	return w.pad(w.PadsBegin, i), w.pad(w.PadsEnd, i), w.extent(i, kernel)
}

// count returns the number of positions of a window that can move by slack elements.
func (w *Attributes) count(i int, slack, input int64) int64 {
	stride := At(w.Strides, i, 1)
	n := slack/stride + 1
	if w.Rounding != "floor" && slack%stride != 0 {
		n++
	}
	if w.Rounding == "ceil_torch" && n > 1 && n-1 >= ceil(shift(input, w.pad(w.PadsBegin, i)), stride) {
		n-- // PyTorch leaves out a window that starts in the padding at the end
	}
	return n
}

// extent returns the number of elements from the first to the last that a window covers.
func (w *Attributes) extent(i int, kernel ir.Dimension) ir.Dimension {
	dilation := At(w.Dilations, i, 1)
	length := func(n int64) int64 {
		if n == ir.Unbounded || n > (ir.Unbounded-1)/dilation {
			return ir.Unbounded
		}
		return (max(n, 1)-1)*dilation + 1
	}
	return ir.DimRange(length(kernel.Min), length(kernel.Max))
}

// padded returns the length of the input with its explicit padding.
func (w *Attributes) padded(i int, input ir.Dimension) ir.Dimension {
	pads := w.pad(w.PadsBegin, i) + w.pad(w.PadsEnd, i)
	return ir.DimRange(shift(input.Min, pads), shift(input.Max, pads))
}

// shift returns length+n, but at least 0. Unbounded stays Unbounded.
func shift(length, n int64) int64 {
	if length > ir.Unbounded-max(n, 0) || length == ir.Unbounded {
		return ir.Unbounded
	}
	return max(length+n, 0)
}

// ceil returns n/d rounded up. n must not be negative.
func ceil(n, d int64) int64 {
	if n%d != 0 {
		return n/d + 1
	}
	return n / d
}

// maxStep bounds kernels, strides, dilations and padding, so that each fits an int.
const maxStep = 1 << 30

// pad returns the explicit padding of axis i, which is 0 unless auto_pad is explicit.
func (w *Attributes) pad(pads []int64, i int) int64 {
	if w.AutoPad != "explicit" {
		return 0
	}
	return At(pads, i, 0)
}

// Axis returns the window along spatial axis i for static lengths. It returns an error if
// positions of the window do not fit an int.
func (w *Attributes) Axis(i, input, kernel, output int) (Axis, error) {
	a := Axis{
		Kernel: kernel, Stride: int(At(w.Strides, i, 1)), Dilation: int(At(w.Dilations, i, 1)),
		Input: input, Output: output,
	}
	extent := w.extent(i, ir.Dim(int64(kernel))).Max
	begin, end := w.pad(w.PadsBegin, i), w.pad(w.PadsEnd, i)
	if w.same() {
		// start of the last window
		last := (ceil(int64(input), int64(a.Stride)) - 1) * int64(a.Stride)
		missing := max(shift(extent, last-int64(input)), 0)
		begin = missing / 2
		if w.AutoPad == "same_lower" {
			begin = missing - missing/2
		}
		end = missing - begin
	}
	// No result of the methods of Axis is greater than this.
	most := shift(max(extent, int64(input)), 2*max(int64(a.Stride), int64(a.Dilation)))
	if most = shift(shift(most, max(begin, 0)), max(end, 0)); most >= math.MaxInt {
		return a, faults.Errorf("a window of %d elements along spatial axis %d of %d elements, padded by %d and %d, is beyond an int", extent, i, input, begin, end)
	}
	a.PadBegin, a.PadEnd = int(begin), int(end)
	return a, nil
}

// Volume describes a window along three axes. If there are fewer spatial axes, the first axes
// have length 1. So they have if the last spatial axes have length 1: the order of elements is the
// same, and kernels run along the last axis.
type Volume [3]Axis

// Volume returns the window for static lengths of the spatial axes. There must be at most
// three.
func (w *Attributes) Volume(input, kernel, output ir.Shape) (Volume, error) {
	var v Volume
	missing := len(v) - len(input)
	for i := range v {
		v[i] = Axis{Kernel: 1, Stride: 1, Dilation: 1, Input: 1, Output: 1}
		if j := i - missing; j >= 0 {
			var err error
			if v[i], err = w.Axis(j, input[j], kernel[j], output[j]); err != nil {
				return v, err
			}
		}
	}
	for range len(v) - 1 {
		if v[2].isPoint() {
			v[0], v[1], v[2] = v[2], v[0], v[1]
		}
	}
	return v, nil
}

// isPoint reports whether the axis has one element, which is one window.
func (a *Axis) isPoint() bool {
	return a.Input == 1 && a.Output == 1 && a.Kernel == 1 && a.PadBegin == 0 && a.PadEnd == 0
}

// Input returns the number of elements of an input plane.
func (v *Volume) Input() int { return v[0].Input * v[1].Input * v[2].Input }

// Output returns the number of elements of an output plane.
func (v *Volume) Output() int { return v[0].Output * v[1].Output * v[2].Output }

// Range returns the outputs lo to hi-1 whose window has an element of the input at kernel element
// k. For output o this is element o*Stride + first. It is not inlined: its callers would be 3.4 KiB
// larger.
//
//go:noinline
func (a *Axis) Range(k int) (lo, hi, first int) {
	first = k*a.Dilation - a.PadBegin
	if first < 0 {
		lo = (-first + a.Stride - 1) / a.Stride
	}
	if last := a.Input - 1 - first; last >= 0 {
		hi = min(last/a.Stride+1, a.Output)
	}
	return min(lo, hi), hi, first
}

// Clip returns the kernel elements lo to hi-1 of the window of output o that lie in the input.
// Kernel element k is at input element k*Dilation + first.
func (a *Axis) Clip(o int) (lo, hi, first int) {
	first = o*a.Stride - a.PadBegin
	if a.Dilation == 1 {
		hi = max(min(a.Input-first, a.Kernel), 0)
		return min(max(-first, 0), hi), hi, first
	}
	if first < 0 {
		lo = (-first + a.Dilation - 1) / a.Dilation
	}
	if last := a.Input - 1 - first; last >= 0 {
		hi = min(last/a.Dilation+1, a.Kernel)
	}
	return min(lo, hi), hi, first
}

// Padded returns the number of elements of the window of output o that lie in the input or its
// padding.
func (a *Axis) Padded(o int) int {
	first := o*a.Stride - a.PadBegin
	room := a.Input + a.PadEnd - first
	if room <= 0 {
		return 0
	}
	return min((room-1)/a.Dilation+1, a.Kernel)
}

// At returns element i of a list, or def if the list is shorter.
func At(list []int64, i int, def int64) int64 {
	if i < len(list) {
		return list[i]
	}
	return def
}
