package scatterelements_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/scatterelements"
)

// kernelCase is the case.json of a call of ONNX or torch without a model.
type kernelCase struct {
	System, Op, DType string
	Version, Axis     int
	Reduction, Reduce string
	IncludeSelf       bool `json:"include_self"`
	Value             any
	Error             bool
	RTol, ATol        float64
}

// TestCorpusKernels runs what torch and ONNX's reference computed.
func TestCorpusKernels(t *testing.T) {
	corpus := os.Getenv(optest.CorpusVariable)
	if corpus == "" {
		t.Skip(optest.CorpusVariable + " is not set")
	}
	files, err := filepath.Glob(filepath.Join(corpus, "kernels", "*", "case.json"))
	require.NoError(t, err)
	passed, refused, all := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var c kernelCase
		require.NoError(t, json.Unmarshal(text, &c), file)
		switch c.Op {
		case "Scatter", "ScatterElements", "scatter_", "scatter_add_", "scatter_reduce_":
		default:
			continue
		}
		all++
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			runKernelCase(t, dir, c)
			if !t.Failed() {
				passed++
				if c.Error {
					refused++
				}
			}
		})
	}
	require.NotZero(t, all)
	t.Logf("kernels: %d of %d passed, %d of them refused as they must be", passed, all, refused)
}

func runKernelCase(t *testing.T, dir string, c kernelCase) {
	switch c.DType {
	case "bool":
		runExact(t, dir, c, func(v any) bool { return v.(bool) })
	case "int8":
		runExact(t, dir, c, fromNumber[int8])
	case "int16":
		runExact(t, dir, c, fromNumber[int16])
	case "int32":
		runExact(t, dir, c, fromNumber[int32])
	case "int64":
		runExact(t, dir, c, fromNumber[int64])
	case "uint8":
		runExact(t, dir, c, fromNumber[uint8])
	case "uint16":
		runExact(t, dir, c, fromNumber[uint16])
	case "uint32":
		runExact(t, dir, c, fromNumber[uint32])
	case "uint64":
		runExact(t, dir, c, fromNumber[uint64])
	case "float16":
		runNear(t, dir, c, func(v any) float16.Float16 { return float16.Fromfloat32(float32(v.(float64))) },
			func(v float16.Float16) complex128 { return complex(float64(v.Float32()), 0) })
	case "bfloat16":
		runNear(t, dir, c, func(v any) ops.BFloat16 { return ops.BFloat16Of(float32(v.(float64))) },
			func(v ops.BFloat16) complex128 { return complex(float64(v.Float32()), 0) })
	case "float32":
		runNear(t, dir, c, fromNumber[float32], func(v float32) complex128 { return complex(float64(v), 0) })
	case "float64":
		runNear(t, dir, c, fromNumber[float64], func(v float64) complex128 { return complex(v, 0) })
	case "complex64":
		runNear(t, dir, c, func(v any) complex64 { return complex(float32(v.(float64)), 0) },
			func(v complex64) complex128 { return complex128(v) })
	case "complex128":
		runNear(t, dir, c, func(v any) complex128 { return complex(v.(float64), 0) },
			func(v complex128) complex128 { return v })
	case "string":
		run(t, dir, c, (*ir.Tensor).Strings, nil, func(want, got []string) { assert.Equal(t, want, got) })
	default:
		t.Fatalf("type %q", c.DType)
	}
}

func fromNumber[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](v any) T {
	return T(v.(float64))
}

type element interface {
	ir.Element
	scatterelements.Element
}

func runExact[T element](t *testing.T, dir string, c kernelCase, value func(any) T) {
	run(t, dir, c, ir.Data[T], value, func(want, got []T) { assert.Equal(t, want, got) })
}

// runNear compares as numpy's allclose with NaN equal to NaN.
func runNear[T element](t *testing.T, dir string, c kernelCase, value func(any) T, wide func(T) complex128) {
	run(t, dir, c, ir.Data[T], value, func(want, got []T) {
		require.Len(t, got, len(want))
		for i := range want {
			w, g := wide(want[i]), wide(got[i])
			if !near(real(w), real(g), c) || !near(imag(w), imag(g), c) {
				t.Fatalf("element %d is %v, expected %v", i, g, w)
			}
		}
	})
}

func near(want, got float64, c kernelCase) bool {
	return want == got || want != want && got != got || math.Abs(want-got) <= c.ATol+c.RTol*math.Abs(want)
}

// run runs a case into new memory, and in place with indices of the other type.
func run[T scatterelements.Element](t *testing.T, dir string, c kernelCase, elements func(*ir.Tensor) []T, value func(any) T, equal func(want, got []T)) {
	data, indices := read(t, dir, "data"), read(t, dir, "indices")
	var updates []T
	var updatesShape []int
	if c.Value == nil {
		u := read(t, dir, "updates")
		updates, updatesShape = elements(u), u.Shape()
	}
	var v T
	if c.Value != nil {
		v = value(c.Value)
	}
	self, out := slices.Clone(elements(data)), make([]T, data.Len())
	wide := ir.Data[int64](indices)
	err := compute(t, c, out, self, data.Shape(), wide, indices.Shape(), updates, updatesShape, v)
	if c.Error {
		assert.Error(t, err)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, elements(data), self, "data is not changed")
	expected := read(t, dir, "expected")
	require.Equal(t, data.Shape(), expected.Shape())
	equal(elements(expected), out)

	narrow := make([]int32, len(wide))
	for i, v := range wide {
		narrow[i] = int32(v)
	}
	require.NoError(t, compute(t, c, self, self, data.Shape(), narrow, indices.Shape(), updates, updatesShape, v))
	equal(elements(expected), self)
}

func compute[T scatterelements.Element, I scatterelements.Index](t *testing.T, c kernelCase, out, self []T, shape []int, indices []I, indicesShape []int, updates []T, updatesShape []int, value T) error {
	switch c.Op {
	case "scatter_":
		if c.Value != nil {
			return scatterelements.TorchScatterValue(out, self, shape, c.Axis, indices, indicesShape, value, c.Reduce)
		}
		return scatterelements.TorchScatter(out, self, shape, c.Axis, indices, indicesShape, updates, updatesShape, c.Reduce)
	case "scatter_add_":
		return scatterelements.TorchScatterAdd(out, self, shape, c.Axis, indices, indicesShape, updates, updatesShape)
	case "scatter_reduce_":
		return scatterelements.TorchScatterReduce(out, self, shape, c.Axis, indices, indicesShape, updates, updatesShape, c.Reduce, c.IncludeSelf)
	}
	require.Equal(t, "onnx", c.System)
	o := scatterelements.Options{Version: c.Version, Axis: c.Axis, Reduction: c.Reduction}
	return scatterelements.ONNXInto(o, out, self, shape, indices, indicesShape, updates, updatesShape)
}

func read(t *testing.T, dir, name string) *ir.Tensor {
	a, err := npy.ReadFile(filepath.Join(dir, name+".npy"))
	require.NoError(t, err)
	x, err := a.Tensor(ir.Dynamic, nil)
	require.NoError(t, err)
	return x
}
