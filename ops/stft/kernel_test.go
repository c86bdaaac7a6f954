package stft

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// padded returns the window with zeros at both ends.
func padded(window []float64, size int) []float64 {
	w := make([]float64, size)
	copy(w[(size-len(window))/2:], window)
	return w
}

// forwardReference computes STFT of one signal; result[m][k] is frame m, bin k.
func forwardReference(signal, window []float64, size, step int) [][]complex128 {
	w := padded(window, size)
	var out [][]complex128
	for start := 0; start+size <= len(signal); start += step {
		frame := make([]complex128, size/2+1)
		for k := range frame {
			for n := range size {
				frame[k] += complex(signal[start+n]*w[n], 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(n*k)/float64(size)))
			}
		}
		out = append(out, frame)
	}
	return out
}

// inverseReference computes ISTFT of one signal; data[k][m] is bin k of frame m.
func inverseReference(data [][]complex128, window []float64, size, step, length int, center, normalized bool) []float64 {
	w := padded(window, size)
	frames := len(data[0])
	full := make([]float64, max(length+size, (frames-1)*step+size))
	norm := make([]float64, len(full))
	for m := range frames {
		for n := range size {
			sum := real(data[0][m])
			for k := 1; k < size; k++ {
				v := complex128(0)
				switch {
				case 2*k == size:
					v = complex(real(data[k][m]), 0)
				case 2*k < size:
					v = data[k][m]
				default:
					v = cmplx.Conj(data[size-k][m])
				}
				sum += real(v * cmplx.Exp(complex(0, 2*math.Pi*float64(n*k)/float64(size))))
			}
			sum /= float64(size)
			if normalized {
				sum *= math.Sqrt(float64(size))
			}
			full[m*step+n] += sum * w[n]
			norm[m*step+n] += w[n] * w[n]
		}
	}
	for i := range full {
		if norm[i] != 0 {
			full[i] /= norm[i]
		}
	}
	if center {
		full = full[size/2:]
	}
	return full[:length]
}

var tolerances = map[ir.ElementType]float64{ir.F64: 1e-12, ir.F32: 1e-5, ir.F16: 4e-3, ir.BF16: 3e-2}

func largest(x []float64) float64 {
	m := 1.0
	for _, v := range x {
		m = max(m, v, -v)
	}
	return m
}

func scalarOf(t *testing.T, v int) *ir.Tensor { return layertest.Ints(t, ir.I64, ir.Shape{}, int64(v)) }

func randomFrames(rng *rand.Rand) (window []float64, size, step int) {
	size = 1 + rng.IntN(20)
	window = layertest.RandomNumbers(rng, 4, 0.25, 1+rng.IntN(size))
	for i := range window {
		window[i] = math.Abs(window[i]) + 0.5
	}
	return window, size, 1 + rng.IntN(size+3)
}

func TestForwardAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkForward) }

func FuzzForward(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkForward)
}

func checkForward(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	window, size, step := randomFrames(rng)
	length, batches := size+rng.IntN(60), 1+rng.IntN(3)
	signal := layertest.RandomNumbers(rng, 8, 0.25, batches*length)
	transposed := rng.IntN(2) == 0
	var want []float64
	shape := ir.Shape{batches, 0, size/2 + 1, 2}
	for b := range batches {
		frames := forwardReference(signal[b*length:][:length], window, size, step)
		shape[1] = len(frames)
		for i := range len(frames) * (size/2 + 1) {
			v := frames[i/(size/2+1)][i%(size/2+1)]
			if transposed {
				v = frames[i%len(frames)][i/len(frames)]
			}
			want = append(want, real(v), imag(v))
		}
	}
	if transposed {
		shape[1], shape[2] = shape[2], shape[1]
	}
	for elementType, tolerance := range tolerances {
		layertest.CheckNear(t, layertest.FindType(t, Ops, "STFT-15"), layertest.Attributes{"transpose_frames", strconv.FormatBool(transposed)},
			shape, want, tolerance*largest(want), layertest.Numbers(t, elementType, ir.Shape{batches, length}, signal...),
			layertest.Numbers(t, elementType, ir.Shape{len(window)}, window...), scalarOf(t, size), scalarOf(t, step))
	}
}

func TestInverseAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 100, checkInverse) }

func FuzzInverse(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkInverse)
}

func checkInverse(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	window, size, step := randomFrames(rng)
	frames, batches := 1+rng.IntN(40), 1+rng.IntN(3)
	bins := size/2 + 1
	center, normalized, given := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
	length := (frames-1)*step + size
	if center {
		length -= size &^ 1
	}
	if given {
		length = rng.IntN(length + 20)
	} else if length < 0 {
		return
	}
	numbers := layertest.RandomNumbers(rng, 8, 0.25, batches*bins*frames*2)
	var want []float64
	for b := range batches {
		data := make([][]complex128, bins)
		for k := range data {
			for m := range frames {
				at := 2 * ((b*bins+k)*frames + m)
				data[k] = append(data[k], complex(numbers[at], numbers[at+1]))
			}
		}
		want = append(want, inverseReference(data, window, size, step, length, center, normalized)...)
	}
	for elementType, tolerance := range tolerances {
		inputs := []*ir.Tensor{
			layertest.Numbers(t, elementType, ir.Shape{batches, bins, frames, 2}, numbers...),
			layertest.Numbers(t, elementType, ir.Shape{len(window)}, window...), scalarOf(t, size), scalarOf(t, step),
		}
		if given {
			inputs = append(inputs, scalarOf(t, length))
		}
		at := layertest.Attributes{"center", strconv.FormatBool(center), "normalized", strconv.FormatBool(normalized)}
		layertest.CheckNear(t, layertest.FindType(t, Ops, "ISTFT-16"), at, ir.Shape{batches, length}, want, tolerance*largest(want), inputs...)
	}
}

// The results are OpenVINO's.
func TestInverse_borders(t *testing.T) {
	numbers := make([]float64, 30)
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	data := layertest.Numbers(t, ir.F32, ir.Shape{3, 3, 2}, numbers[:18]...)
	window := func(n int) *ir.Tensor {
		w := []float64{1, 1, 1, 1, 1}
		return layertest.Numbers(t, ir.F32, ir.Shape{n}, w[:n]...)
	}
	for _, c := range []struct {
		center, normalized string
		data               *ir.Tensor
		window, step       int
		length             []int
		want               []float64
	}{
		{"true", "true", data, 4, 2, nil, []float64{9, -7, 11, -7}},
		{"true", "false", data, 4, 2, []int{9}, []float64{4.5, -3.5, 5.5, -3.5, 0, 3, 0, 0, 0}},
		{"true", "false", data, 4, 2, []int{5}, []float64{4.5, -3.5, 5.5, -3.5, 0}},
		{"false", "false", data, 4, 6, nil, []float64{7, -7, 0, 1, 0, 0, 9, -8, 0, 2, 0, 0, 11, -9, 0, 3}},
		{"false", "false", layertest.Numbers(t, ir.F32, ir.Shape{3, 2, 2}, numbers[:12]...), 2, 4, nil, []float64{0, -5, 0, 0, 0, -6, 0, 0}},
	} {
		inputs := []*ir.Tensor{c.data, window(c.window), scalarOf(t, 4), scalarOf(t, c.step)}
		for _, n := range c.length {
			inputs = append(inputs, scalarOf(t, n))
		}
		at := layertest.Attributes{"center", c.center, "normalized", c.normalized}
		layertest.CheckNear(t, layertest.FindType(t, Ops, "ISTFT-16"), at, ir.Shape{len(c.want)}, c.want, 1e-5, inputs...)
	}
}

func TestInverse_errors(t *testing.T) {
	_, err := layertest.Run(layertest.FindType(t, Ops, "ISTFT-16"), layertest.Attributes{"center", "false", "normalized", "false"}, 1,
		layertest.Counted(t, ir.F32, 3, 2, 3), layertest.Counted(t, ir.F32, 4), scalarOf(t, 4), scalarOf(t, 2))
	assert.ErrorContains(t, err, "data has shape [3,2,3], expected 3 pairs in each frame for frame_size 4")
}

// TestKernel_allocations has frames for several threads.
func TestKernel_allocations(t *testing.T) {
	for _, elementType := range Ops[0].Types {
		layertest.CheckAllocations(t, layertest.FindType(t, Ops, "STFT-15"), layertest.Attributes{"transpose_frames", "true"},
			layertest.Counted(t, elementType, 2, 20000), layertest.Counted(t, elementType, 400), scalarOf(t, 400), scalarOf(t, 160))
		layertest.CheckAllocations(t, layertest.FindType(t, Ops, "ISTFT-16"), layertest.Attributes{"center", "true", "normalized", "false"},
			layertest.Counted(t, elementType, 2, 201, 120, 2), layertest.Counted(t, elementType, 400), scalarOf(t, 400), scalarOf(t, 160))
	}
}
