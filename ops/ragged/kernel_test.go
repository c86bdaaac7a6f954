package ragged

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func op(t testing.TB, name string) *ops.Op {
	t.Helper()
	return layertest.FindType(t, Ops, name+"-extension")
}

// i32s returns a vector of i32.
func i32s(t testing.TB, values ...int64) *ir.Tensor {
	t.Helper()
	return layertest.Ints(t, ir.I32, ir.Shape{len(values)}, values...)
}

func scalar(t testing.TB, value int64) *ir.Tensor {
	t.Helper()
	return layertest.Ints(t, ir.I32, nil, value)
}

func text(t testing.TB, s string) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(ir.U8, len(s))
	require.NoError(t, err)
	copy(tensor.Bytes(), s)
	return tensor
}

// checkOutputs runs a layer and compares the outputs.
func checkOutputs(t *testing.T, name string, attributes layertest.Attributes, want []string, inputs ...*ir.Tensor) {
	t.Helper()
	out, err := layertest.RunOutputs(op(t, name), attributes, 1, len(want), inputs...)
	require.NoError(t, err, name)
	for i, tensor := range out {
		values, err := tensor.Ints()
		require.NoError(t, err)
		assert.Equal(t, want[i], fmt.Sprint(tensor.Shape(), values), "%s: output %d", name, i)
	}
}

// checkError runs a layer that refuses its inputs.
func checkError(t *testing.T, name string, attributes layertest.Attributes, outputs int, want string, inputs ...*ir.Tensor) {
	t.Helper()
	_, err := layertest.RunOutputs(op(t, name), attributes, 1, outputs, inputs...)
	assert.EqualError(t, err, want)
}

func TestRaggedToDense(t *testing.T) {
	rows := []*ir.Tensor{i32s(t, 0, 3, 3), i32s(t, 3, 3, 5), i32s(t, 1, 2, 3, 4, 5)}
	with := func(target int64, more ...*ir.Tensor) []*ir.Tensor {
		return append(append(append([]*ir.Tensor{}, rows...), scalar(t, target), scalar(t, 9)), more...)
	}
	checkOutputs(t, "RaggedToDense", nil, []string{"[3,4] [1 2 3 9 9 9 9 9 4 5 9 9]", "[3,4] [1 1 1 0 0 0 0 0 1 1 0 0]"}, with(4)...)
	left := layertest.Attributes{"pad_right", "false"}
	checkOutputs(t, "RaggedToDense", left, []string{"[3,4] [9 1 2 3 9 9 9 9 9 9 4 5]", "[3,4] [0 1 1 1 0 0 0 0 0 0 1 1]"}, with(4)...)
	right, err := ir.TensorOfInts(ir.Boolean, nil, []int64{1})
	require.NoError(t, err)
	checkOutputs(t, "RaggedToDense", left, []string{"[3,2] [1 2 9 9 4 5]", "[3,2] [1 1 0 0 1 1]"}, with(2, right)...)
	checkOutputs(t, "RaggedToDense", left, []string{"[3,2] [1 2 9 9 4 5]"}, with(2)...)
	checkOutputs(t, "RaggedToDense", nil, []string{"[3,0] []", "[3,0] []"}, with(0)...)
	whole := layertest.Attributes{"m_pad_max_length", "true"}
	checkOutputs(t, "RaggedToDense", whole, []string{"[3,2] [1 2 4 5 4 5]", "[3,2] [1 1 1 1 1 1]"}, with(2)...)
	checkError(t, "RaggedToDense", whole, 2, "row 1 begins at 3 and has 3 items with m_pad_max_length, of 5 items", with(3)...)
	checkError(t, "RaggedToDense", nil, 2, "rows: row 1 is from 3 to 2, of 5 items", i32s(t, 0, 3), i32s(t, 3, 2), rows[2], i32s(t, 2), scalar(t, 0))

	// items of two numbers each
	pairs := layertest.Ints(t, ir.I64, ir.Shape{2, 2}, 1, 2, 3, 4)
	checkOutputs(t, "RaggedToDense", left, []string{"[2,2,2] [7 7 1 2 7 7 3 4]", "[2,2,2] [0 0 1 1 0 0 1 1]"},
		i32s(t, 0, 1), i32s(t, 1, 2), pairs, layertest.Ints(t, ir.I64, ir.Shape{1}, 2), layertest.Ints(t, ir.I64, nil, 7))
	checkError(t, "RaggedToDense", nil, 1, "target is negative: -1", with(-1)...)
}

func TestRaggedToSparse(t *testing.T) {
	checkOutputs(t, "RaggedToSparse", nil, []string{"[3,2] [0 0 0 1 2 0]"}, i32s(t, 0, 2, 5), i32s(t, 2, 2, 6))
	checkOutputs(t, "RaggedToSparse", nil, []string{"[0,2] []"}, i32s(t), i32s(t))
	checkError(t, "RaggedToSparse", nil, 1, "rows: row 0 is from 1 to 0, of 2147483647 items", i32s(t, 1), i32s(t, 0))
	checkError(t, "RaggedToSparse", nil, 1, "the rows have 4294967294 items, more than an i32 counts", i32s(t, 0, 0), i32s(t, math.MaxInt32, math.MaxInt32))
}

func TestRaggedToRagged(t *testing.T) {
	for _, c := range []struct {
		ids          []int64
		rows         int64
		begins, ends string
	}{
		{nil, 3, "[3] [0 0 0]", "[3] [0 0 0]"},
		{[]int64{1, 2}, 4, "[4] [0 0 1 2]", "[4] [0 1 2 2]"},
		{[]int64{0, 0, 2}, 3, "[3] [0 2 2]", "[3] [2 2 3]"},
		{[]int64{0, 0, 3, 4}, 3, "[3] [0 2 2]", "[3] [2 2 2]"},
		{[]int64{0}, 0, "[0] []", "[0] []"},
	} {
		checkOutputs(t, "RaggedToRagged", nil, []string{c.begins, c.ends}, i32s(t, c.ids...), i32s(t, c.rows))
	}
	checkError(t, "RaggedToRagged", nil, 2, "row ids are negative or descend: element 0 is -1", i32s(t, -1), i32s(t, 2))
	checkError(t, "RaggedToRagged", nil, 2, "row ids are negative or descend: element 1 is 0", i32s(t, 1, 0), i32s(t, 2))
	checkError(t, "RaggedToRagged", nil, 2, "the number of rows is negative: -3", i32s(t, 1), i32s(t, -3))
}

func TestRaggedTensorPack(t *testing.T) {
	checkOutputs(t, "RaggedTensorPack", nil, []string{"[2] [7 8]"}, i32s(t, 0), i32s(t, 9), i32s(t, 7, 8))
}

func TestFuzeRagged(t *testing.T) {
	begins, ends := i32s(t, 0, 2, 4), i32s(t, 2, 3, 6)
	// An empty row is the string that it begins at, as in OpenVINO.
	checkOutputs(t, "FuzeRagged", nil, []string{"[4] [0 2 2 6]", "[4] [3 6 3 6]"}, i32s(t, 0, 1, 1, 3), i32s(t, 2, 3, 1, 3), begins, ends)
	checkOutputs(t, "FuzeRagged", nil, []string{"[1] [0]", "[1] [0]"}, i32s(t, 0), i32s(t, 0), i32s(t), i32s(t))
	checkError(t, "FuzeRagged", nil, 2, "rows: row 0 is from 1 to 4, of 3 items", i32s(t, 1), i32s(t, 4), begins, ends)
}

func TestCombineSegments(t *testing.T) {
	one, two := []*ir.Tensor{scalar(t, 0), scalar(t, 1), i32s(t, 101)}, []*ir.Tensor{i32s(t, 0, 3), i32s(t, 2, 3), i32s(t, 7, 8, 9)}
	inputs := append(append(append([]*ir.Tensor{}, one...), two...), layertest.Ints(t, ir.U8, ir.Shape{2}, 5, 6))
	checkOutputs(t, "CombineSegments", nil, []string{
		"[2] [0 3]", "[2] [3 4]", "[4] [101 7 8 101]", "[2] [0 3]", "[2] [3 4]", "[4] [5 6 6 5]",
	}, inputs...)
	inputs[1] = i32s(t, 0) // the end of special tokens that are switched off
	checkOutputs(t, "CombineSegments", nil, []string{
		"[2] [0 2]", "[2] [2 2]", "[2] [7 8]", "[2] [0 2]", "[2] [2 2]", "[2] [6 6]",
	}, inputs...)
	checkOutputs(t, "CombineSegments", nil, []string{"[] [0]", "[] [1]", "[1] [101]", "[] [0]", "[] [1]", "[1] [3]"}, append(append([]*ir.Tensor{}, one...), i32s(t, 3))...)
	checkError(t, "CombineSegments", nil, 6, "segment 1: rows: row 1 is from 2 to 99, of 3 items",
		append(append([]*ir.Tensor{}, one...), i32s(t, 0, 2), i32s(t, 2, 99), i32s(t, 1, 2, 3), i32s(t, 0, 1))...)
	checkOutputs(t, "CombineSegments", nil, []string{"[0] []", "[0] []", "[0] []", "[0] []", "[0] []", "[0] []"},
		append(append([]*ir.Tensor{}, one...), i32s(t), i32s(t), i32s(t), i32s(t, 0, 1))...)
}

func TestTruncate(t *testing.T) {
	first := []*ir.Tensor{i32s(t, 0, 5), i32s(t, 5, 7), i32s(t, 1, 2, 3, 4, 5, 6, 7)}
	second := []*ir.Tensor{i32s(t, 0, 2), i32s(t, 2, 8), i32s(t, 1, 2, 3, 4, 5, 6, 7, 8)}
	of := func(limit int64, side, mode string, tensors ...[]*ir.Tensor) (inputs []*ir.Tensor) {
		for _, list := range tensors {
			inputs = append(inputs, list...)
		}
		return append(inputs, scalar(t, limit), text(t, side), text(t, mode))
	}
	const data, data2 = "[7] [1 2 3 4 5 6 7]", "[8] [1 2 3 4 5 6 7 8]"
	checkOutputs(t, "Truncate", nil, []string{"[2] [0 5]", "[2] [3 7]", data}, of(3, "right", "longest_first", first)...)
	checkOutputs(t, "Truncate", nil, []string{"[2] [2 5]", "[2] [5 7]", data}, of(3, "left", "only_second", first)...)
	checkOutputs(t, "Truncate", nil, []string{"[2] [0 5]"}, of(3, "right", "only_first", first)...)
	checkOutputs(t, "Truncate", nil, []string{"[2] [0 5]", "[2] [3 7]", data, "[2] [0 2]", "[2] [2 5]", data2}, of(5, "right", "longest_first", first, second)...)
	checkOutputs(t, "Truncate", nil, []string{"[2] [1 5]", "[2] [5 7]", data, "[2] [0 2]", "[2] [2 8]", data2}, of(4, "left", "only_first", first, second)...)
	checkOutputs(t, "Truncate", nil, []string{"[2] [0 5]", "[2] [5 7]", data, "[2] [0 4]", "[2] [2 8]", data2}, of(4, "left", "only_second", first, second)...)

	checkError(t, "Truncate", nil, 3, "max_length is negative: -2", of(-2, "left", "only_first", first)...)
	checkError(t, "Truncate", nil, 3, `side is "middle", expected left or right`, of(2, "middle", "only_first", first)...)
	checkError(t, "Truncate", nil, 3, `mode is "whatever", expected only_first, only_second or longest_first`, of(2, "left", "whatever", first)...)
	checkError(t, "Truncate", nil, 3, "rows: row 0 is from 2 to 1, of 3 items", of(2, "left", "only_first", []*ir.Tensor{i32s(t, 2), i32s(t, 1), i32s(t, 1, 2, 3)})...)
}

// TestKernels_stop stops kernels before they begin.
func TestKernels_stop(t *testing.T) {
	const n = 1 << 16
	zeros := layertest.Ints(t, ir.I32, ir.Shape{n}, make([]int64, n)...)
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i)
	}
	rising := i32s(t, ids...)
	done := make(chan struct{})
	close(done)
	for _, c := range []struct {
		name    string
		outputs int
		inputs  []*ir.Tensor
	}{
		{"RaggedToDense", 2, []*ir.Tensor{zeros, zeros, i32s(t, 1), scalar(t, 3), scalar(t, 0)}},
		{"RaggedToSparse", 1, []*ir.Tensor{zeros, zeros}},
		{"RaggedToRagged", 2, []*ir.Tensor{rising, i32s(t, n)}},
		{"FuzeRagged", 2, []*ir.Tensor{zeros, zeros, i32s(t, 0), i32s(t, 1)}},
		{"CombineSegments", 6, []*ir.Tensor{zeros, zeros, i32s(t, 1), i32s(t, 0)}},
		{"Truncate", 3, []*ir.Tensor{zeros, zeros, i32s(t, 1), scalar(t, 0), text(t, "left"), text(t, "only_first")}},
	} {
		kernel, r, err := layertest.PrepareOutputs(op(t, c.name), nil, 1, c.outputs, c.inputs...)
		require.NoError(t, err)
		r.Stop = done
		assert.ErrorIs(t, kernel(r), parallel.ErrStopped, c.name)
		r.Pool.Close()
	}
}

func TestKernelAgainstReference(t *testing.T) {
	layertest.CheckSeeds(t, 300, checkRandom)
}

// FuzzKernel runs random rows.
func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRandom)
}

// FuzzRanges runs all kernels on any begins and ends.
func FuzzRanges(f *testing.F) {
	f.Add(int64(0), int64(2), int64(1), int64(3), int64(4))
	f.Add(int64(-1), int64(2), int64(5), int64(3), int64(-4))
	f.Fuzz(func(t *testing.T, b0, e0, b1, e1, number int64) {
		begins, ends := i32s(t, int64(int32(b0)), int64(int32(b1))), i32s(t, int64(int32(e0)), int64(int32(e1)))
		data, limit := i32s(t, 1, 2, 3), scalar(t, int64(int16(number)))
		for _, c := range []struct {
			name    string
			outputs int
			inputs  []*ir.Tensor
		}{
			{"RaggedToDense", 2, []*ir.Tensor{begins, ends, data, limit, scalar(t, 0)}},
			{"RaggedToRagged", 2, []*ir.Tensor{begins, i32s(t, int64(int16(number)))}},
			{"FuzeRagged", 2, []*ir.Tensor{begins, ends, i32s(t, 0, 1), i32s(t, 1, 2)}},
			{"FuzeRagged", 2, []*ir.Tensor{i32s(t, 0), i32s(t, 2), begins, ends}},
			{"CombineSegments", 6, []*ir.Tensor{begins, ends, data, i32s(t, 0)}},
			{"Truncate", 3, []*ir.Tensor{begins, ends, data, limit, text(t, "left"), text(t, "only_first")}},
		} {
			_, _ = layertest.RunOutputs(op(t, c.name), nil, 1, c.outputs, c.inputs...)
		}
	})
}

// checkRandom compares RaggedToDense, CombineSegments and Truncate with lists of lists.
func checkRandom(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	n := rng.IntN(5)
	first, inputs := randomRows(t, rng, n)
	second, more := randomRows(t, rng, n)
	limit, left := rng.IntN(12), rng.IntN(2) == 0
	side := map[bool]string{true: "left", false: "right"}[left]
	modes := []string{"longest_first", "only_first", "only_second"}
	mode := rng.IntN(3)
	out, err := layertest.RunOutputs(op(t, "Truncate"), nil, 1, 6,
		append(append(append([]*ir.Tensor{}, inputs...), more...), scalar(t, int64(limit)), text(t, side), text(t, modes[mode]))...)
	require.NoError(t, err)
	for i := range first {
		a, b := ragged.Truncation(mode).Cut(len(first[i]), len(second[i]), limit)
		first[i], second[i] = cutList(first[i], a, left), cutList(second[i], b, left)
	}
	require.Equal(t, first, rowsOf(t, out[:3]))
	require.Equal(t, second, rowsOf(t, out[3:]))

	out, err = layertest.RunOutputs(op(t, "CombineSegments"), nil, 1, 6, append(append([]*ir.Tensor{}, out...), i32s(t, 0, 1))...)
	require.NoError(t, err)
	all, longest := make([][]int64, n), 0
	for i := range all {
		all[i] = append(append([]int64{}, first[i]...), second[i]...)
		longest = max(longest, len(all[i]))
	}
	require.Equal(t, all, rowsOf(t, out[:3]))
	ids, err := out[5].Ints()
	require.NoError(t, err)
	for i := range all {
		begin := int(ir.Data[int32](out[0])[i])
		for j := range all[i] {
			require.Equal(t, j >= len(first[i]), ids[begin+j] == 1)
		}
	}

	target := rng.IntN(longest + 2)
	denseOut, err := layertest.RunOutputs(op(t, "RaggedToDense"), layertest.Attributes{"pad_right", fmt.Sprint(!left)}, 1, 2,
		out[0], out[1], out[2], scalar(t, int64(target)), scalar(t, -5))
	require.NoError(t, err)
	for i, row := range all {
		row = row[:min(len(row), target)]
		for j := range target {
			want, is := int64(-5), false
			at := j
			if left {
				at -= target - len(row)
			}
			if at >= 0 && at < len(row) {
				want, is = row[at], true
			}
			require.Equal(t, want, int64(ir.Data[int32](denseOut[0])[i*target+j]))
			require.Equal(t, is, denseOut[1].Bytes()[i*target+j] == 1)
		}
	}
}

// randomRows returns n rows, and their tensors, in which they overlap or are apart.
func randomRows(t *testing.T, rng *rand.Rand, n int) ([][]int64, []*ir.Tensor) {
	t.Helper()
	data := make([]int64, rng.IntN(20))
	for i := range data {
		data[i] = rng.Int64N(1000)
	}
	rows, begins, ends := make([][]int64, n), make([]int64, n), make([]int64, n)
	for i := range rows {
		begins[i] = rng.Int64N(int64(len(data)) + 1)
		ends[i] = begins[i] + rng.Int64N(int64(len(data))-begins[i]+1)
		rows[i] = append([]int64{}, data[begins[i]:ends[i]]...)
	}
	return rows, []*ir.Tensor{i32s(t, begins...), i32s(t, ends...), i32s(t, data...)}
}

func cutList(list []int64, n int, left bool) []int64 {
	if left {
		return list[len(list)-n:]
	}
	return list[:n]
}

// rowsOf returns the rows in begins, ends and data.
func rowsOf(t *testing.T, tensors []*ir.Tensor) [][]int64 {
	t.Helper()
	data, err := tensors[2].Ints()
	require.NoError(t, err)
	rows := make([][]int64, tensors[0].Len())
	for i := range rows {
		rows[i] = append([]int64{}, data[ir.Data[int32](tensors[0])[i]:ir.Data[int32](tensors[1])[i]]...)
	}
	return rows
}

func TestAllocations(t *testing.T) {
	rows := []*ir.Tensor{i32s(t, 0, 3, 3), i32s(t, 3, 3, 5), i32s(t, 1, 2, 3, 4, 5)}
	layertest.CheckAllocationsOf(t, op(t, "FuzeRagged"), nil, 2, rows[0], rows[1], i32s(t, 1, 2, 3, 4, 5), i32s(t, 1, 2, 3, 4, 5))
	layertest.CheckAllocationsOf(t, op(t, "Truncate"), nil, 3, rows[0], rows[1], rows[2], scalar(t, 2), text(t, "left"), text(t, "only_first"))
}
