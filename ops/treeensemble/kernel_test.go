package treeensemble

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/treemode"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// trees are the inputs that describe a forest.
type trees struct {
	roots, nodes, leaves, targets []int64
	splits, weights               []float64
}

// inputs returns the inputs of a layer.
func (f *trees) inputs(t testing.TB, elementType ir.ElementType, rows, features int, x []float64) []*ir.Tensor {
	ints := func(values []int64, width int) *ir.Tensor {
		shape := ir.Shape{len(values) / width}
		if width > 1 {
			shape = append(shape, width)
		}
		return layertest.Ints(t, ir.I32, shape, values...)
	}
	numbers := func(values []float64) *ir.Tensor {
		return layertest.Numbers(t, elementType, ir.Shape{len(values)}, values...)
	}
	return []*ir.Tensor{
		layertest.Numbers(t, elementType, ir.Shape{rows, features}, x...), ints(f.roots, 1), ints(f.nodes, nodeWidth), numbers(f.splits),
		ints(f.leaves, leafWidth), ints(f.targets, 1), numbers(f.weights),
	}
}

// stump compares feature 1 with 0.5: 10 for target 0 if it is less or equal, 20 for targets 0 and 1
// if not.
func stump() *trees {
	return &trees{
		roots: []int64{0}, nodes: []int64{1, treemode.LessOrEqual, -1, -2}, splits: []float64{0.5},
		leaves: []int64{0, 1, 1, 2}, targets: []int64{0, 0, 1}, weights: []float64{10, 20, 20},
	}
}

func columns(n int, aggregate string) layertest.Attributes {
	return layertest.Attributes{"columns", fmt.Sprint(n), "aggregate", aggregate}
}

func TestKernel(t *testing.T) {
	nan := math.NaN()
	x := []float64{9, 0, 9, 0.5, 9, 1, 9, nan}
	for _, c := range []struct {
		comparison int64
		want       []float64 // of target 0
	}{
		{treemode.LessOrEqual, []float64{10, 10, 20, 20}},
		{treemode.Less, []float64{10, 20, 20, 20}},
		{treemode.GreaterOrEqual, []float64{20, 10, 10, 20}},
		{treemode.Greater, []float64{20, 20, 10, 20}},
		{treemode.Equal, []float64{20, 10, 20, 20}},
		{treemode.NotEqual, []float64{10, 20, 10, 10}},
		{treemode.Equal | treemode.OrMissing, []float64{20, 10, 20, 10}},
		{treemode.LessOrEqual | treemode.OrMissing, []float64{10, 10, 20, 10}},
	} {
		f := stump()
		f.nodes[1] = c.comparison
		var want []float64
		for _, w := range c.want {
			want = append(want, w, (w-10)*2)
		}
		layertest.CheckNear(t, &Ops[0], columns(2, sum), ir.Shape{4, 2}, want, 0, f.inputs(t, ir.F32, 4, 2, x)...)
	}
	// What is less than a number is at most the one below it.
	inf, tiny, normal := math.Inf(1), math.SmallestNonzeroFloat32, 0x1p-126
	for _, c := range []struct {
		split float64
		x     []float64
		first []bool
	}{
		{0, []float64{0, math.Copysign(0, -1), -normal, tiny, -inf}, []bool{false, false, true, false, true}},
		{tiny, []float64{0, math.Copysign(0, -1), -normal, normal, -inf}, []bool{false, false, true, false, true}},
		{normal, []float64{0, math.Copysign(0, -1), -normal, normal, -inf}, []bool{true, true, true, false, true}},
		{-normal, []float64{0, math.Copysign(0, -1), -normal, -2 * normal, -inf}, []bool{false, false, false, true, true}},
		{-inf, []float64{-inf, 0, nan, 1, 2}, make([]bool, 5)},
		{inf, []float64{inf, math.MaxFloat32, -inf, nan, 0}, []bool{false, true, true, false, true}},
		{nan, []float64{nan, 0, inf, -inf, 1}, make([]bool, 5)},
	} {
		f := stump()
		f.nodes[0], f.nodes[1], f.splits[0] = 0, treemode.Less, c.split
		var want []float64
		for _, first := range c.first {
			if first {
				want = append(want, 10, 0)
			} else {
				want = append(want, 20, 20)
			}
		}
		layertest.CheckNear(t, &Ops[0], columns(2, sum), ir.Shape{5, 2}, want, 0, f.inputs(t, ir.F32, 5, 1, c.x)...)
	}
	// Trees of a leaf compare nothing, so that rows need no features.
	leaf := stump()
	leaf.nodes, leaf.splits, leaf.roots = nil, nil, []int64{-1, -2}
	layertest.CheckNear(t, &Ops[0], columns(2, sum), ir.Shape{1, 2}, []float64{30, 20}, 0, leaf.inputs(t, ir.F32, 1, 0, nil)...)
	layertest.CheckNear(t, &Ops[0], columns(2, sum), ir.Shape{5, 2}, []float64{30, 20, 30, 20, 30, 20, 30, 20, 30, 20}, 0, leaf.inputs(t, ir.F32, 5, 0, nil)...)
	// Without trees or rows, there is nothing to add.
	layertest.CheckNear(t, &Ops[0], columns(2, average), ir.Shape{1, 2}, []float64{0, 0}, 0, (&trees{}).inputs(t, ir.F64, 1, 1, []float64{1})...)
	layertest.CheckNear(t, &Ops[0], columns(2, highest), ir.Shape{0, 2}, nil, 0, stump().inputs(t, ir.F64, 0, 2, nil)...)
}

func TestKernel_errors(t *testing.T) {
	for _, c := range []struct {
		change func(f *trees)
		want   string
	}{
		{func(f *trees) { f.splits = nil }, "splits has 0 elements, nodes has 1"},
		{func(f *trees) { f.nodes[0] = 2 }, "node 0 compares feature 2 of 2"},
		{func(f *trees) { f.nodes[0] = -1 }, "node 0 compares feature -1 of 2"},
		{func(f *trees) { f.nodes[1] = treemode.Count }, "node 0 has comparison 6, which is not one"},
		{func(f *trees) { f.nodes[1] = -1 }, "node 0 has comparison -1, which is not one"},
		{func(f *trees) { f.nodes[2] = 0 }, "node 0: child 0 does not come after it"},
		{func(f *trees) { f.nodes[3] = 1 }, "node 0: child 1 is a node of 1"},
		{func(f *trees) { f.nodes[3] = -3 }, "node 0: child -3 is leaf 2 of 2"},
		{func(f *trees) { f.roots[0] = 1 }, "root 0: child 1 is a node of 1"},
		{func(f *trees) { f.weights = f.weights[1:] }, "targets has 3 elements, weights has 2"},
		{func(f *trees) { f.leaves[3] = 3 }, "leaf 1 has 3 weights from 1 on, of 3"},
		{func(f *trees) { f.leaves[0] = -1 }, "leaf 0 has 1 weights from -1 on, of 3"},
		{func(f *trees) { f.targets[2] = 2 }, "weight 2 is for target 2 of 2"},
	} {
		f := stump()
		c.change(f)
		_, err := layertest.Run(&Ops[0], columns(2, sum), 1, f.inputs(t, ir.F32, 1, 2, []float64{0, 0})...)
		assert.EqualError(t, err, c.want)
	}
}

// random returns a forest with shared nodes, and leaves of several weights or none.
func random(rng *rand.Rand, features, columns int) *trees {
	f := &trees{}
	n, leafCount := rng.IntN(12), 1+rng.IntN(6)
	child := func(after int) int64 {
		if after+1 < n && rng.IntN(3) > 0 {
			return int64(after + 1 + rng.IntN(n-after-1))
		}
		return int64(-1 - rng.IntN(leafCount))
	}
	// All comparisons, those of most forests, or one.
	comparisons, missing := []int{treemode.Count, treemode.Less + 1, 1}[rng.IntN(3)], rng.IntN(2)*treemode.OrMissing
	for i := range n {
		f.nodes = append(f.nodes, int64(rng.IntN(features)), int64(rng.IntN(comparisons)|rng.IntN(2)*missing), child(i), child(i))
		f.splits = append(f.splits, float64(rng.IntN(5)))
	}
	one := rng.IntN(2) == 0 // weight of each leaf
	for range leafCount {
		count := rng.IntN(3)
		if one {
			count = 1
		}
		f.leaves = append(f.leaves, int64(len(f.weights)), int64(count))
		for range count {
			f.targets, f.weights = append(f.targets, int64(rng.IntN(columns))), append(f.weights, float64(rng.IntN(9)-4))
		}
	}
	for range rng.IntN(10) {
		f.roots = append(f.roots, child(-1))
	}
	return f
}

// TestKernel_reached has a leaf with a weight for both targets, and one with a weight of 0 for one.
func TestKernel_reached(t *testing.T) {
	f := stump()
	f.weights[0] = 0
	for aggregate, want := range map[string][]float64{sum: {0, 0, 20, 20}, highest: {0, 0, 20, 20}} {
		out, err := layertest.RunOutputs(&Ops[0], columns(2, aggregate), 1, 2, f.inputs(t, ir.F32, 2, 2, []float64{0, 0, 0, 1})...)
		require.NoError(t, err)
		require.Equal(t, want, layertest.Floats(t, out[0]))
		require.Equal(t, []byte{1, 0, 1, 1}, out[1].Bytes())
	}
}

// reference computes a row by the definition.
func (f *trees) reference(row []float64, columns int, aggregate string) []float64 {
	found := make([][]float64, columns)
	for _, at := range f.roots {
		for at >= 0 {
			n := f.nodes[at*nodeWidth:]
			x, s := row[n[0]], f.splits[at]
			first := []bool{x <= s, x < s, x >= s, x > s, x == s, x != s}[n[1]&7] || n[1]&treemode.OrMissing != 0 && math.IsNaN(x)
			if at = n[3]; first {
				at = n[2]
			}
		}
		leaf := f.leaves[-leafWidth*(at+1):]
		for i := leaf[0]; i < leaf[0]+leaf[1]; i++ {
			found[f.targets[i]] = append(found[f.targets[i]], f.weights[i])
		}
	}
	out := make([]float64, columns)
	for i, list := range found {
		switch {
		case len(list) == 0:
		case aggregate == lowest:
			out[i] = slices.Min(list)
		case aggregate == highest:
			out[i] = slices.Max(list)
		default:
			for _, w := range list {
				out[i] += w
			}
			if aggregate == average {
				out[i] /= float64(len(f.roots))
			}
		}
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) { layertest.CheckSeeds(t, 60, checkRandom) }

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, features, n := rng.IntN([]int{4, 2*block + 2}[rng.IntN(2)]), 1+rng.IntN(4), 1+rng.IntN(4)
	aggregate := []string{sum, average, lowest, highest}[rng.IntN(4)]
	f := random(rng, features, n)
	x, often := make([]float64, rows*features), 8+1000*rng.IntN(2)
	for i := range x {
		if x[i] = float64(rng.IntN(6)); rng.IntN(often) == 0 {
			x[i] = math.NaN()
		}
	}
	var want []float64
	for i := range rows {
		want = append(want, f.reference(x[i*features:][:features], n, aggregate)...)
	}
	for _, elementType := range Ops[0].Types {
		layertest.CheckNear(t, &Ops[0], columns(n, aggregate), ir.Shape{rows, n}, want, 1e-6, f.inputs(t, elementType, rows, features, x)...)
	}
}

// FuzzPrepare gives it trees that are mostly wrong.
func FuzzPrepare(f *testing.F) {
	f.Add([]byte{0, 0, 255, 254}, []byte{0, 1, 1, 1}, []byte{0})
	f.Fuzz(func(t *testing.T, nodeBytes, leafBytes, rootBytes []byte) {
		signed := func(list []byte) []int64 {
			out := make([]int64, len(list))
			for i, b := range list {
				out[i] = int64(int8(b))
			}
			return out
		}
		f := &trees{
			roots: signed(rootBytes), nodes: signed(nodeBytes[:len(nodeBytes)/nodeWidth*nodeWidth]), splits: make([]float64, len(nodeBytes)/nodeWidth),
			leaves: signed(leafBytes[:len(leafBytes)/leafWidth*leafWidth]), targets: []int64{0, 1}, weights: []float64{1, 2},
		}
		_, _ = layertest.Run(&Ops[0], columns(2, highest), 1, f.inputs(t, ir.F32, 2, 2, []float64{-1, 0, 1, 2})...)
	})
}

// large returns a forest of balanced trees of some depth.
func large(count, depth, features int) *trees {
	f := &trees{}
	inner := 1<<depth - 1
	for tree := range count {
		first := int64(len(f.splits))
		f.roots = append(f.roots, first)
		for i := range inner {
			children := []int64{first + int64(2*i+1), first + int64(2*i+2)}
			if 2*i+1 >= inner {
				leaf := int64(len(f.leaves) / leafWidth)
				children = []int64{-1 - leaf, -2 - leaf}
				for range children {
					f.leaves = append(f.leaves, int64(len(f.weights)), 1)
					f.targets, f.weights = append(f.targets, 0), append(f.weights, float64(leaf))
				}
			}
			f.nodes = append(f.nodes, int64((i*7+tree)%features), treemode.LessOrEqual, children[0], children[1])
			f.splits = append(f.splits, float64((i*31+tree*17)%100))
		}
	}
	return f
}

// numbers returns n numbers from 0 to 99.
func numbers(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i * 7919 % 100)
	}
	return x
}

// TestKernel_allocations has enough rows for two threads.
func TestKernel_allocations(t *testing.T) {
	for _, aggregate := range []string{sum, highest} {
		layertest.CheckAllocations(t, &Ops[0], columns(1, aggregate), large(20, 5, 8).inputs(t, ir.F32, 5*block, 8, numbers(5*block*8))...)
	}
}

// TestRefit checks that a kernel is kept for other numbers of rows, and not for other trees.
func TestRefit(t *testing.T) {
	preparation := func(inputs []*ir.Tensor) *ops.Preparation {
		p := &ops.Preparation{Attributes: attributes{highest, 2}, Threads: 1}
		for _, tensor := range inputs {
			p.Inputs = append(p.Inputs, ir.Fact{Type: tensor.ElementType(), Shape: ir.StaticShape(tensor.Shape()...), Tensor: tensor})
		}
		return p
	}
	inputs := stump().inputs(t, ir.F32, 1, 2, []float64{1, 2})
	prepared, err := prepare(preparation(inputs))
	require.NoError(t, err)
	inputs[0] = layertest.Counted(t, ir.F32, 7, 2)
	same, err := prepared.Refit(preparation(inputs))
	require.NoError(t, err)
	require.True(t, same)
	inputs[0] = layertest.Counted(t, ir.F32, 7, 3)
	same, _ = prepared.Refit(preparation(inputs))
	require.False(t, same)
	other := stump().inputs(t, ir.F32, 1, 2, []float64{1, 2})
	same, _ = prepared.Refit(preparation(other))
	require.False(t, same)
}

func TestKernel_stop(t *testing.T) {
	inputs := large(100, 6, 8).inputs(t, ir.F32, 10*block, 8, numbers(10*block*8))
	kernel, r, err := layertest.Prepare(&Ops[0], columns(1, sum), 1, inputs...)
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}
