package onehot

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// reference computes the definition, element by element of the output.
func reference(indices []int64, shape ir.Shape, axis int, normalize bool, on, off string) []string {
	want := make([]string, shape.Elements())
	depth := int64(shape[axis])
	for i := range want {
		position := index.Position(i, shape)
		at := int64(position[axis])
		n := 0
		for a, length := range shape {
			if a != axis {
				n = n*length + position[a]
			}
		}
		want[i] = off
		if v := indices[n]; v == at || normalize && v+depth == at {
			want[i] = on
		}
	}
	return want
}

func TestRandom(t *testing.T) { layertest.CheckSeeds(t, 500, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape := make(ir.Shape, rng.IntN(4))
	for i := range shape {
		shape[i] = rng.IntN(6)
	}
	depth, axis := rng.IntN(8), rng.IntN(len(shape)+1)
	elementTypes := []ir.ElementType{ir.F32, ir.BF16, ir.F64, ir.I8, ir.Boolean, ir.U64, ir.String}
	indexType := types[rng.IntN(len(types))]
	values := make([]int64, shape.Elements())
	for i := range values {
		values[i] = int64(rng.IntN(12))
		switch {
		case indexType.Kind() == ir.KindSigned:
			values[i] -= 10
		case indexType == ir.Boolean:
			values[i] %= 2
		}
	}
	elementType := elementTypes[rng.IntN(len(elementTypes))]
	pair := layertest.Counted(t, elementType, 2)
	on, off := one(t, pair, 1), one(t, pair, 0)
	if rng.IntN(2) == 0 {
		on, off = off, on
	}
	out := slices.Insert(slices.Clone(shape), axis, depth)
	for version, modes := range map[int][]string{1: {""}, 16: {"ignore_negative", "normalize"}} {
		for _, mode := range modes {
			at := layertest.Attributes{"axis", strconv.Itoa(axis - rng.IntN(2)*len(out))}
			if mode != "" {
				at = append(at, "negative_indices_mode", mode)
			}
			layertest.CheckElements(t, layertest.Find(t, Ops, version), at, out,
				reference(values, out, axis, mode == "normalize", layertest.Element(on, 0), layertest.Element(off, 0)),
				layertest.Ints(t, indexType, shape, values...), layertest.Ints(t, ir.I64, ir.Shape{}, int64(depth)), on, off)
		}
	}
}

// one returns element i of t as a scalar.
func one(t testing.TB, tensor *ir.Tensor, i int) *ir.Tensor {
	scalar, err := ir.NewTensor(tensor.ElementType())
	require.NoError(t, err)
	if tensor.ElementType() == ir.String {
		scalar.Strings()[0] = tensor.Strings()[i]
	} else {
		n := len(scalar.Bytes())
		copy(scalar.Bytes(), tensor.Bytes()[i*n:])
	}
	return scalar
}

// TestLarge has several blocks, pieces and threads, in rows and in planes.
func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		shape ir.Shape
		axis  int
	}{{ir.Shape{9000, 13}, 1}, {ir.Shape{3, 5000}, 1}, {ir.Shape{13, 9000}, 0}, {ir.Shape{2, 5, 4000}, 1}, {ir.Shape{1, 200000}, 1}} {
		n := c.shape.Elements() / c.shape[c.axis]
		values := make([]int64, n)
		for i := range values {
			values[i] = int64(rng.IntN(c.shape[c.axis]+2)) - 1
		}
		on, off := layertest.Numbers(t, ir.F32, ir.Shape{}, 3), layertest.Numbers(t, ir.F32, ir.Shape{}, 2)
		indices := layertest.Ints(t, ir.I32, slices.Delete(slices.Clone(c.shape), c.axis, c.axis+1), values...)
		layertest.CheckElements(t, &Ops[0], layertest.Attributes{"axis", strconv.Itoa(c.axis)}, c.shape,
			reference(values, c.shape, c.axis, false, layertest.Element(on, 0), layertest.Element(off, 0)),
			indices, layertest.Ints(t, ir.I64, ir.Shape{}, int64(c.shape[c.axis])), on, off)
	}
}

// TestNegative has the values that OpenVINO 2026.4.1 computes.
func TestNegative(t *testing.T) {
	indices := layertest.Ints(t, ir.I64, ir.Shape{6}, -5, -4, -1, 0, 3, 4)
	on, off := layertest.Numbers(t, ir.F32, ir.Shape{}, 1), layertest.Numbers(t, ir.F32, ir.Shape{}, 0)
	depth := layertest.Ints(t, ir.I64, ir.Shape{}, 4)
	for mode, want := range map[string][]int{"ignore_negative": {-1, -1, -1, 0, 3, -1}, "normalize": {-1, 0, 3, 0, 3, -1}} {
		got, err := layertest.Run(&Ops[1], layertest.Attributes{"axis", "1", "negative_indices_mode", mode}, 1, indices, depth, on, off)
		require.NoError(t, err)
		for i, at := range want {
			row := make([]float32, 4)
			if at >= 0 {
				row[at] = 1
			}
			assert.Equal(t, row, ir.Data[float32](got)[4*i:][:4], fmt.Sprint(mode, i))
		}
	}
}

func TestTypeNotComputed(t *testing.T) {
	scalar := layertest.Counted(t, ir.U4)
	_, err := layertest.Run(&Ops[0], layertest.Attributes{"axis", "0"}, 1, layertest.Counted(t, ir.I32, 2), layertest.Ints(t, ir.I64, ir.Shape{}, 2), scalar, scalar)
	assert.ErrorContains(t, err, "OneHot-1 has no kernel for output 0 of type u4")
}

func TestKernel_allocations(t *testing.T) {
	for _, axis := range []string{"0", "1"} {
		layertest.CheckAllocations(t, &Ops[0], layertest.Attributes{"axis", axis}, layertest.Counted(t, ir.I32, 5000),
			layertest.Ints(t, ir.I64, ir.Shape{}, 20), layertest.Numbers(t, ir.F16, ir.Shape{}, 1), layertest.Numbers(t, ir.F16, ir.Shape{}, 0))
	}
}
