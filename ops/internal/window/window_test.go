package window

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestOutput(t *testing.T) {
	for _, c := range []struct {
		w             Attributes
		input, kernel string
		want          string
	}{
		{Attributes{AutoPad: "explicit"}, "7", "3", "5"},
		{Attributes{AutoPad: "explicit", Strides: []int64{2}}, "8", "3", "3"},
		{Attributes{AutoPad: "explicit", Strides: []int64{2}, Rounding: "ceil"}, "8", "3", "4"},
		{Attributes{AutoPad: "explicit", Strides: []int64{3}, PadsEnd: []int64{2}, Rounding: "ceil"}, "4", "2", "3"},
		{Attributes{AutoPad: "explicit", Strides: []int64{3}, PadsEnd: []int64{2}, Rounding: "ceil_torch"}, "4", "2", "2"},
		{Attributes{AutoPad: "explicit", Dilations: []int64{2}}, "7", "3", "3"},
		{Attributes{AutoPad: "explicit", PadsBegin: []int64{-1}}, "7", "3", "4"},
		{Attributes{AutoPad: "valid", PadsBegin: []int64{5}}, "7", "3", "5"},
		{Attributes{AutoPad: "same_upper", Strides: []int64{2}}, "7", "3", "4"},
		{Attributes{AutoPad: "same_lower"}, "2..7", "3", "?"},
		{Attributes{AutoPad: "explicit"}, "1..4", "5", "1"},
		{Attributes{AutoPad: "explicit"}, "?", "3", "1.."},
		{Attributes{AutoPad: "explicit", PadsBegin: []int64{2}, PadsEnd: []int64{1}}, "4..5", "1..2", "6..8"},
		{Attributes{AutoPad: "explicit"}, "4", "3..5", "1..2"},
		{Attributes{AutoPad: "explicit", PadsEnd: []int64{5}}, "9223372036854775806", "3", "9223372036854775805.."},
		{Attributes{AutoPad: "explicit", Strides: []int64{2}, Rounding: "ceil"}, "9223372036854775805", "1", "4611686018427387903"},
		{Attributes{AutoPad: "explicit", Strides: []int64{2}, Rounding: "ceil_torch"}, "9223372036854775805", "1", "4611686018427387903"},
		{Attributes{AutoPad: "same_upper", Strides: []int64{2}}, "9223372036854775806", "3", "4611686018427387903"},
	} {
		if c.w.Rounding == "" {
			c.w.Rounding = "floor"
		}
		input, err := ir.ParseDimension(c.input)
		require.NoError(t, err)
		kernel, err := ir.ParseDimension(c.kernel)
		require.NoError(t, err)
		got, err := c.w.Output(0, input, kernel)
		require.NoError(t, err, "%+v", c)
		assert.Equal(t, c.want, got.String(), "%+v", c)
	}
	w := Attributes{AutoPad: "explicit", Rounding: "floor"}
	_, err := w.Output(0, ir.Dim(2), ir.Dim(3))
	assert.ErrorContains(t, err, "window of 3 elements")
	w.AutoPad = "same_upper"
	_, err = w.Output(0, ir.Dim(0), ir.Dim(3))
	assert.EqualError(t, err, "the input has no element along spatial axis 0 for a window to stand on")
}

// TestAxis compares Range, Clip and Padded with their definitions.
func TestAxis(t *testing.T) {
	for input := 1; input < 7; input++ {
		for kernel := 1; kernel < 4; kernel++ {
			for stride := 1; stride < 4; stride++ {
				for dilation := 1; dilation < 3; dilation++ {
					for pad := -1; pad < 4; pad++ {
						output := (input+pad+1-(kernel-1)*dilation-1)/stride + 1
						if output < 1 {
							continue
						}
						a := Axis{kernel, stride, dilation, pad, 1, input, output}
						checkAxis(t, &a)
					}
				}
			}
		}
	}
}

func TestAttributes_Axis(t *testing.T) {
	for _, c := range []struct {
		w                     Attributes
		input, kernel, output int
		begin, end            int
	}{
		{Attributes{AutoPad: "explicit", PadsBegin: []int64{-1}, PadsEnd: []int64{2}}, 5, 3, 4, -1, 2},
		{Attributes{AutoPad: "valid", PadsBegin: []int64{1}, PadsEnd: []int64{2}}, 5, 3, 3, 0, 0},
		{Attributes{AutoPad: "same_upper"}, 5, 4, 5, 1, 2},
		{Attributes{AutoPad: "same_lower"}, 5, 4, 5, 2, 1},
		{Attributes{AutoPad: "same_lower", Strides: []int64{2}, Dilations: []int64{2}}, 5, 3, 3, 2, 2},
		{Attributes{AutoPad: "same_upper", Strides: []int64{3}}, 5, 1, 2, 0, 0},
		{Attributes{AutoPad: "same_upper"}, 0, 3, 0, 1, 1},
	} {
		a, err := c.w.Axis(0, c.input, c.kernel, c.output)
		require.NoError(t, err)
		assert.Equal(t, []int{c.begin, c.end}, []int{a.PadBegin, a.PadEnd}, "%+v", c)
	}
	w := Attributes{AutoPad: "same_upper", Dilations: []int64{maxStep}}
	_, err := w.Axis(0, 1, math.MaxInt, 1)
	assert.ErrorContains(t, err, "along spatial axis 0 of 1 elements")
	assert.ErrorContains(t, err, "is beyond an int")
}

// TestAttributes_Volume has columns, whose axis of one element comes first.
func TestAttributes_Volume(t *testing.T) {
	w := Attributes{AutoPad: "explicit", PadsBegin: []int64{2, 0}, PadsEnd: []int64{1, 0}}
	for _, c := range []struct {
		input, kernel, output ir.Shape
		want                  [3]int
	}{
		{ir.Shape{7, 1}, ir.Shape{3, 1}, ir.Shape{8, 1}, [3]int{1, 1, 7}},
		{ir.Shape{7, 5}, ir.Shape{3, 1}, ir.Shape{8, 5}, [3]int{1, 7, 5}},
		{ir.Shape{7, 2}, ir.Shape{3, 2}, ir.Shape{8, 1}, [3]int{1, 7, 2}},
	} {
		v, err := w.Volume(c.input, c.kernel, c.output)
		require.NoError(t, err)
		assert.Equal(t, c.want, [3]int{v[0].Input, v[1].Input, v[2].Input})
	}
	w = Attributes{AutoPad: "explicit"}
	v, err := w.Volume(ir.Shape{4, 1, 1}, ir.Shape{2, 1, 1}, ir.Shape{3, 1, 1})
	require.NoError(t, err)
	assert.Equal(t, 4, v[2].Input)
	w.PadsEnd = []int64{0, 1}
	v, err = w.Volume(ir.Shape{4, 1}, ir.Shape{2, 1}, ir.Shape{3, 2})
	require.NoError(t, err)
	assert.Equal(t, 1, v[2].Input, "windows stand on padding")
}

func checkAxis(t *testing.T, a *Axis) {
	t.Helper()
	for k := range a.Kernel {
		for o := range a.Output {
			at := o*a.Stride + k*a.Dilation - a.PadBegin
			inside := at >= 0 && at < a.Input
			lo, hi, first := a.Range(k)
			require.Equal(t, inside, lo <= o && o < hi, "%+v Range(%d) is %d to %d at %d", *a, k, lo, hi, o)
			require.Equal(t, at, o*a.Stride+first)
			require.Equal(t, at < a.Input+a.PadEnd, k < a.Padded(o), "%+v Padded(%d) at %d", *a, o, k)
			lo, hi, first = a.Clip(o)
			require.Equal(t, inside, lo <= k && k < hi, "%+v Clip(%d) is %d to %d at %d", *a, o, lo, hi, k)
			require.Equal(t, at, k*a.Dilation+first)
		}
	}
}
