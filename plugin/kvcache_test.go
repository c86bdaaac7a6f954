package plugin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
)

// kvTypes are the types that keys and values can be kept in, with the largest relative error of a
// number that is at most 2, and the bytes of a row of 64 numbers.
var kvTypes = []struct {
	t        ir.ElementType
	err      float64
	rowBytes int
}{
	{ir.F32, 0, 256}, {ir.F16, 1.0 / (1 << 11), 128}, {ir.BF16, 1.0 / (1 << 8), 128}, {ir.U8, 1.0 / 255, 72},
}

// wideTextModel has 64 columns.
func wideTextModel() *textModel {
	return textModelOf(64, func(m *textModel, id string, rows port) port { return m.repeated(m.state(id, rows)) })
}

// TestKVCachePrecision compares texts of random lengths and orders with those of exact states.
func TestKVCachePrecision(t *testing.T) {
	m := wideTextModel()
	steps := 60
	if testing.Short() {
		steps = 12
	}
	for _, kv := range kvTypes {
		t.Run(kv.t.String(), func(t *testing.T) {
			got := runTextWith(t, m, Options{}, CompileOptions{InferenceNumThreads: 2, KVCachePrecision: kv.t})
			want := runText(t, m, Options{}, GrowStates)
			assert.Equal(t, kv.t, got.compiled.KVCachePrecision())
			assert.Equal(t, ir.Dynamic, want.compiled.KVCachePrecision())
			rng := rand.New(rand.NewPCG(1, uint64(kv.t)))
			for step := range steps {
				order, rows := []int32{0, 1}, 1
				switch rng.IntN(6) {
				case 0:
					order = []int32{1, 0}
				case 1:
					rows = rng.IntN(30)
				}
				for _, r := range []*textRun{got, want} {
					if step == steps/2 {
						for _, s := range r.QueryState() {
							require.NoError(t, s.Reset())
						}
					}
					r.set(uint64(step), rows, order...)
					require.NoError(t, r.Infer(background))
				}
				x, y := ir.Data[float32](got.Output(0)), ir.Data[float32](want.Output(0))
				require.Equal(t, want.Output(0).Shape(), got.Output(0).Shape())
				for i := range x {
					require.InDelta(t, y[i], x[i], 6*kv.err+1e-5, "step %d", step)
				}
				for i, s := range got.QueryState() {
					a, err := s.Get()
					require.NoError(t, err)
					b, err := want.QueryState()[i].Get()
					require.NoError(t, err)
					require.Equal(t, ir.F32, a.ElementType())
					require.Equal(t, b.Shape(), a.Shape())
					for k, v := range ir.Data[float32](b) {
						require.InDelta(t, v, ir.Data[float32](a)[k], 2*kv.err+1e-6)
					}
					if step%20 == 10 { // the next inference packs it again
						require.NoError(t, s.Set(b))
					}
				}
			}
		})
	}
}

// TestKVCachePrecision_memory appends rows one by one: what a request keeps is what the type says,
// with room for a quarter more, and the tensors of the state that the caller sees do not count.
func TestKVCachePrecision_memory(t *testing.T) {
	for _, kv := range kvTypes {
		r := runTextWith(t, wideTextModel(), Options{}, CompileOptions{InferenceNumThreads: 1, KVCachePrecision: kv.t})
		r.set(1, 1000, 0)
		require.NoError(t, r.Infer(background))
		r.set(2, 1, 0)
		for range 300 {
			require.NoError(t, r.Infer(background))
		}
		for _, v := range r.variables {
			assert.GreaterOrEqual(t, len(v.Current.Bytes), 2*1300*kv.rowBytes, kv.t)
			assert.LessOrEqual(t, len(v.Current.Bytes), 2*1300*kv.rowBytes*5/4, kv.t)
		}
		value, err := r.QueryState()[0].Get()
		require.NoError(t, err)
		assert.Equal(t, "f32[1,2,1300,64]", fmt.Sprintf("%v%v", value.ElementType(), value.Shape()))
	}
}

// TestKVCachePrecision_newRows has one inference only: the rows that are new are not rounded. The
// state is, each row by itself.
func TestKVCachePrecision_newRows(t *testing.T) {
	for _, kv := range kvTypes {
		got := runTextWith(t, wideTextModel(), Options{}, CompileOptions{InferenceNumThreads: 2, KVCachePrecision: kv.t})
		want := runText(t, wideTextModel(), Options{})
		for _, r := range []*textRun{got, want} {
			r.set(7, 20, 0, 1)
			require.NoError(t, r.Infer(background))
		}
		assert.Equal(t, want.Output(0).Bytes(), got.Output(0).Bytes(), kv.t)
		a, err := got.QueryState()[0].Get()
		require.NoError(t, err)
		b, err := want.QueryState()[0].Get()
		require.NoError(t, err)
		for i, v := range ir.Data[float32](b) {
			switch x := ir.Data[float32](a)[i]; kv.t {
			case ir.F16:
				require.Equal(t, half.F16ToF32(half.F32ToF16(v)), x)
			case ir.BF16:
				require.Equal(t, half.BFloat16Of(v).Float32(), x)
			}
		}
	}
}

// TestKVCachePrecision_options has what decides about the type.
func TestKVCachePrecision_options(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	for _, c := range []struct {
		options CompileOptions
		model   string // KV_CACHE_PRECISION in the model
		want    ir.ElementType
	}{
		{CompileOptions{}, "", ir.F32},
		{CompileOptions{}, "f16", ir.F16},
		{CompileOptions{}, "u8", ir.U8},
		{CompileOptions{}, "i4", ir.F32},
		{CompileOptions{}, "nothing", ir.F32},
		{CompileOptions{ExecutionMode: ExecutionModeAccuracy}, "u8", ir.F32},
		{CompileOptions{ExecutionMode: ExecutionModeAccuracy, KVCachePrecision: ir.U8}, "", ir.U8},
		{CompileOptions{KVCachePrecision: ir.BF16}, "f16", ir.BF16},
		{CompileOptions{KVCachePrecision: ir.F32}, "f16", ir.F32},
	} {
		model := wideTextModel().model(t)
		model.RTInfo = etree.NewElement("rt_info")
		if c.model != "" {
			model.RTInfo.CreateElement("runtime_options").CreateElement("KV_CACHE_PRECISION").CreateAttr("value", c.model)
		}
		c.options.InferenceNumThreads = 1
		compiled, err := NewCore(registry, Options{}).CompileModel(background, model, c.options)
		require.NoError(t, err)
		assert.Equal(t, c.want, compiled.KVCachePrecision(), "%v in the model, %v asked for", c.model, c.options.KVCachePrecision)
		compiled.Close()
	}
	_, err = NewCore(registry, Options{}).CompileModel(background, wideTextModel().model(t), CompileOptions{KVCachePrecision: ir.I8})
	assert.EqualError(t, err, "KVCachePrecision is i8, none of f32, f16, bf16, u8")
}

// TestKVCachePrecision_notFinite has keys that no level of 8 bits is near to: the attention to them
// is NaN, as it is in f32.
func TestKVCachePrecision_notFinite(t *testing.T) {
	r := runTextWith(t, wideTextModel(), Options{}, CompileOptions{InferenceNumThreads: 1, KVCachePrecision: ir.U8})
	r.set(1, 1, 0)
	keys := make([]float32, 128)
	keys[3] = float32(math.Inf(1))
	require.NoError(t, r.SetInput(2, f32(t, ir.Shape{1, 2, 1, 64}, keys...)))
	require.NoError(t, r.Infer(background))
	r.set(2, 1, 0)
	require.NoError(t, r.Infer(background))
	out := ir.Data[float32](r.Output(0))
	assert.True(t, math.IsNaN(float64(out[0])))
	assert.False(t, math.IsNaN(float64(out[2*64])), "the other head of the keys")
}
