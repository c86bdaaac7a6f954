package plugin

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// narrow adds a Constant of random numbers of f16 or bf16.
func (n *network) narrow(rng *rand.Rand, elementType string, lengths ...int) port {
	count := ir.Shape(lengths).Elements()
	for range count {
		bits := uint16(rng.Uint32()) & 0xbfff // f16 below 2
		if elementType == "bf16" {
			bits = uint16(math.Float32bits(float32(rng.NormFloat64())) >> 16)
		}
		n.bin = binary.LittleEndian.AppendUint16(n.bin, bits)
	}
	return n.constant(elementType, strings.Trim(strings.ReplaceAll(fmt.Sprint(lengths), " ", ","), "[]"), 2*count)
}

// keptHalves has models with weights of f16 or bf16, and the layer types that they have after the
// passes.
var keptHalves = []struct {
	name  string
	build func(n *network, rng *rand.Rand, x port)
	want  string
}{
	{"f16", func(n *network, rng *rand.Rand, x port) {
		n.result(n.op(byRows, x, n.convert("f32", n.narrow(rng, "f16", 80, 64))))
	}, "HalfMatMul"},
	{"bf16, not transposed", func(n *network, rng *rand.Rand, x port) {
		n.result(n.op("MatMul", x, n.convert("f32", n.narrow(rng, "bf16", 64, 81))))
	}, "HalfMatMul"},
	{"bias, activation and a residual", func(n *network, rng *rand.Rand, x port) {
		y := n.op("Relu", n.op("Add", n.op(byRows, x, n.convert("f32", n.narrow(rng, "f16", 300, 64))), n.random(rng, -1, 1, 300)))
		y = n.op("Gelu opset7", n.op("Add", n.op(byRows, y, n.convert("f32", n.narrow(rng, "bf16", 64, 300))), n.random(rng, -1, 1, 64)))
		n.result(n.op("Add", y, x))
	}, "Add Add Add Gelu HalfMatMul HalfMatMul Relu"},
	{"a batch and its transposition", func(n *network, rng *rand.Rand, x port) {
		x = n.op(`Reshape opset1 special_zero="true"`, x, n.ints(-1, 2, 1, 32))
		x = n.op("Transpose", n.op("Concat opset1 axis=\"2\"", x, n.op("Tanh", x), x), n.ints(0, 1, 3, 2))
		n.result(n.op(`MatMul opset1 transpose_a="true" transpose_b="false"`, x, n.convert("f32", n.narrow(rng, "f16", 32, 130))))
	}, "Concat HalfMatMul Reshape Tanh"},
	{"a table that is an embedding too", func(n *network, rng *rand.Rand, x port) {
		table := n.convert("f32", n.narrow(rng, "f16", 80, 64))
		rows := n.op(`Convert opset1 destination_type="i32"`, n.op("Abs", n.op("ReduceMean opset1 keep_dims=\"false\"", x, n.ints(1))))
		n.result(n.op(byRows, n.op("Add", x, n.op("Gather opset8", table, rows, n.ints(0))), table))
	}, "Abs Add Convert Convert Gather HalfMatMul ReduceMean"},
	{"a scale, which does not make the weights f32", func(n *network, rng *rand.Rand, x port) {
		n.result(n.op(byRows, n.op("Multiply", x, n.random(rng, 1, 2, 64)), n.convert("f32", n.narrow(rng, "f16", 80, 64))))
	}, "HalfMatMul Multiply"},
	{"computed in f32 by ComputeInF32", func(n *network, rng *rand.Rand, x port) {
		n.result(n.convert("f32", n.op(byRows, n.convert("f16", x), n.narrow(rng, "f16", 80, 64))))
	}, "HalfMatMul"},
	{"few columns", func(n *network, rng *rand.Rand, x port) {
		x = n.op("Concat opset1 axis=\"1\"", x, x, x, x, x, x, x, x)
		n.result(n.op(byRows, x, n.convert("f32", n.narrow(rng, "f16", 15, 512))))
	}, "Concat MatMul"},
	{"few elements", func(n *network, rng *rand.Rand, x port) {
		n.result(n.op(byRows, x, n.convert("f32", n.narrow(rng, "f16", 32, 64))))
	}, "MatMul"},
	{"a batch of weights", func(n *network, rng *rand.Rand, x port) {
		n.result(n.op(byRows, x, n.convert("f32", n.narrow(rng, "f16", 2, 40, 64))))
	}, "MatMul"},
	{"weights of i8 without a scale", func(n *network, rng *rand.Rand, x port) {
		n.result(n.op(byRows, x, n.convert("f32", n.bits(rng, "i8", "80,64"))))
	}, "MatMul"},
}

// runRows returns output 0 for an input of f32 of a number of rows of 64, and the model after the
// passes.
func runRows(t *testing.T, n *network, rows int, disable ...Optimization) ([]float32, *ir.Model) {
	t.Helper()
	compiled := compileNetwork(t, n, disable...)
	request := compiled.NewInferRequest()
	rng := rand.New(rand.NewPCG(9, 9))
	x := make([]float32, rows*64)
	for i := range x {
		x[i] = 2*rng.Float32() - 1
	}
	require.NoError(t, request.SetInput(0, f32(t, ir.Shape{rows, 64}, x...)))
	require.NoError(t, request.Infer(background))
	return ir.Data[float32](request.Output(0)), compiled.program.Model
}

// TestKeepHalves compares the results with those of weights in f32: they are the same, but those of
// one row, which are added in another order, and those of a scale that is not part of the weights.
func TestKeepHalves(t *testing.T) {
	if !gemm.HasHalves() {
		t.Skip("weights of f16 become f32 without assembly")
	}
	for _, c := range keptHalves {
		t.Run(c.name, func(t *testing.T) {
			n := &network{}
			c.build(n, rand.New(rand.NewPCG(1, 9)), n.input("?,64"))
			_, model := runRows(t, n, 1)
			assert.Equal(t, c.want, typesOf(model))
			for _, rows := range []int{1, 2, 5, 50, 300} {
				want, _ := runRows(t, n, rows, KeepCompressed, MergeAffine)
				for _, disable := range [][]Optimization{nil, Optimizations()[4:], {FuseStages}} {
					got, _ := runRows(t, n, rows, disable...)
					if rows > 1 && len(disable) == 0 {
						require.Equal(t, want, got, "%d rows", rows)
					}
					for i := range want {
						require.InDelta(t, want[i], got[i], 2e-5*math.Max(1, math.Abs(float64(want[i]))), "%d rows, element %d", rows, i)
					}
				}
			}
		})
	}
}

// TestKeepHalves_off has processors and options with which weights are not kept.
func TestKeepHalves_off(t *testing.T) {
	n := &network{}
	n.result(n.op(byRows, n.input("?,64"), n.convert("f32", n.narrow(rand.New(rand.NewPCG(1, 9)), "f16", 80, 64))))
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	types := func(options CompileOptions) string {
		compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), options)
		require.NoError(t, err)
		defer compiled.Close()
		return typesOf(compiled.program.Model)
	}
	for _, precision := range []ir.ElementType{ir.F32, ir.BF16, ir.F16} {
		want := "MatMul"
		if o := (CompileOptions{InferencePrecision: precision}); gemm.HasHalves() && o.roundedTo() == ir.Dynamic {
			want = "HalfMatMul"
		}
		assert.Equal(t, want, types(CompileOptions{InferencePrecision: precision}), "%v", precision)
	}
	assert.Equal(t, "MatMul", types(CompileOptions{Disable: []Optimization{KeepCompressed}}))
	defer cpu.Disable(cpu.FMA, cpu.NEON)()
	assert.Equal(t, "MatMul", types(CompileOptions{}))
}

// TestKeepHalves_memory has weights that two layers share, for data of one row and of several. They
// are kept once, in as many bytes as they have in the file, and limits count them so.
func TestKeepHalves_memory(t *testing.T) {
	if !gemm.HasHalves() {
		t.Skip("weights of f16 become f32 without assembly")
	}
	n := &network{}
	x := n.input("?,1024")
	rng := rand.New(rand.NewPCG(1, 9))
	w := n.narrow(rng, "f16", 1024, 1024)
	for range 2 {
		n.result(n.op(byRows, x, n.convert("f32", w)))
	}
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	kept := func(ctx context.Context, limits Options, disable ...Optimization) (int64, error) {
		compiled, err := NewCore(registry, limits).CompileModel(ctx, n.model(t), CompileOptions{Disable: disable})
		if err != nil {
			return 0, err
		}
		defer compiled.Close()
		for _, rows := range []int{1, 3, 70} {
			input, err := ir.NewTensor(ir.F32, rows, 1024)
			require.NoError(t, err)
			request := compiled.NewInferRequest()
			require.NoError(t, request.SetInput(0, input))
			if err := request.Infer(ctx); err != nil {
				return 0, err
			}
		}
		return compiled.env.Memory.Kept.Used(), nil
	}
	const size = 2 << 20
	used, err := kept(background, Options{MaxKeptBytes: size * 23 / 20, MaxModelBytes: 2 * size})
	require.NoError(t, err)
	assert.Less(t, used, int64(size*23/20))
	assert.GreaterOrEqual(t, used, int64(size))
	used, err = kept(background, Options{}, KeepCompressed)
	require.NoError(t, err)
	assert.Greater(t, used, int64(2*size))
	_, err = kept(background, Options{MaxKeptBytes: size * 9 / 10})
	require.ErrorContains(t, err, "the model keeps")
	_, err = kept(background, Options{MaxModelBytes: size * 9 / 10})
	require.ErrorContains(t, err, "the model needs")

	stopped, cancel := context.WithCancel(background)
	cancel()
	_, err = kept(stopped, Options{})
	require.ErrorIs(t, err, context.Canceled)
}
