// Package convtest has what the tests of the plans of package conv share.
package convtest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
)

// Finish applies the bias and the clamp of e to an element of channel o.
func Finish(v float64, o int, e *conv.Epilogue) float64 {
	if e.Bias != nil {
		v += float64(e.Bias[o])
	}
	if e.Clamp {
		v = min(max(v, float64(e.Lo)), float64(e.Hi))
	}
	return v
}

// SmallFloats returns small whole numbers: their products and sums are exact.
func SmallFloats(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.IntN(15) - 7)
	}
	return list
}

// RandomEpilogue returns an epilogue that may have a bias and a clamp.
func RandomEpilogue(r *rand.Rand, channels int) *conv.Epilogue {
	e := &conv.Epilogue{}
	if r.IntN(2) == 0 {
		e.Bias = SmallFloats(r, channels)
	}
	if r.IntN(2) == 0 {
		e.Clamp, e.Lo, e.Hi = true, -20, 30
	}
	return e
}

// guard is the number of elements before and after a Guarded slice.
const guard = 40

// Guarded returns middle, n elements of 99, and the slice all, which has guard more elements of 99
// on either side.
func Guarded(n int) (all, middle []float32) {
	all = make([]float32, n+2*guard)
	for i := range all {
		all[i] = 99
	}
	return all, all[guard : guard+n : guard+n]
}

// RequireGuards fails if the elements around a Guarded slice have changed.
func RequireGuards(t testing.TB, all []float32) {
	t.Helper()
	for i := range guard {
		require.Equal(t, []float32{99, 99}, []float32{all[i], all[len(all)-1-i]}, "written outside")
	}
}

// WithFeatures runs f with all instruction sets, with AVX2 as the widest, and without assembly.
func WithFeatures(t *testing.T, f func(t *testing.T)) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.FMA}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			f(t)
		})
	}
}

// Outputs returns the length of the output of an axis with the given padding at the end.
func Outputs(a conv.Axis, padEnd int) int {
	return max((a.Input+a.PadBegin+padEnd-(a.Kernel-1)*a.Dilation-1)/a.Stride+1, 0)
}

// NormalFloats returns numbers of the standard normal distribution.
func NormalFloats(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}
