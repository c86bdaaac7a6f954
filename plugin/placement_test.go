package plugin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestArena takes and gives back ranges in random order. Ranges in use must not overlap. When all
// ranges are given back, one span is free.
func TestArena(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a := arena{limit: 1 << 30, align: memory.Align}
		var used []span
		most, inUse := 0, 0
		for range 100 {
			if len(used) > 0 && rng.IntN(2) == 0 {
				i := rng.IntN(len(used))
				a.give(used[i].offset, used[i].size)
				inUse -= (used[i].size + memory.Align - 1) &^ (memory.Align - 1)
				used[i] = used[len(used)-1]
				used = used[:len(used)-1]
				continue
			}
			s := span{size: 1 + rng.IntN(1000)}
			s.offset = a.take(s.size)
			require.Zero(t, s.offset%memory.Align)
			require.LessOrEqual(t, s.offset+s.size, a.size)
			for _, other := range used {
				require.True(t, s.offset+s.size <= other.offset || other.offset+other.size <= s.offset, "%v and %v", s, other)
			}
			used = append(used, s)
			inUse += (s.size + memory.Align - 1) &^ (memory.Align - 1)
			most = max(most, inUse)
		}
		require.LessOrEqual(t, a.size, 2*most, "the arena reuses what was given back")
		for _, s := range used {
			a.give(s.offset, s.size)
		}
		require.Equal(t, []span{{0, a.size}}, a.free)
	}
}

func TestArenaReusesMemory(t *testing.T) {
	g := &graph{}
	v := g.parameter("x", "i32", "1000")
	for range 50 {
		v = g.op("Reverse", v)
	}
	g.result(v)
	// At any time, two tensors and the scratch memory of Reverse are needed.
	assert.LessOrEqual(t, compile(t, g, CompileOptions{}).program.static.arena, 3*4032)
	g = &graph{}
	v = g.op("Reverse", g.parameter("x", "i32", "1000"))
	for range 50 {
		v = g.op("Inc", v)
	}
	g.result(v)
	assert.LessOrEqual(t, compile(t, g, CompileOptions{}).program.static.arena, 2*4032, "in place")
}

// TestShorten compiles nested Concats. The owner of all values is the output of the last Concat.
func TestShorten(t *testing.T) {
	n := &network{}
	x := n.input("2,3")
	y := n.op("Relu", x)
	for range 3 {
		y = n.op(`Concat opset1 axis="0"`, n.op("Relu", x), y)
	}
	n.result(y)
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	compiled, err := NewCore(registry, Options{}).CompileModel(background, n.model(t), CompileOptions{Disable: Optimizations()})
	require.NoError(t, err)
	p := compiled.program.static
	last, starts := p.results[0], []int(nil)
	for v := range p.values {
		if v != last && p.values[v].kind == ofAnother {
			assert.Equal(t, last, p.values[v].owner)
			starts = append(starts, p.values[v].at)
		}
	}
	assert.ElementsMatch(t, []int{72, 48, 48, 24, 24, 0}, starts)
}

func TestLRU(t *testing.T) {
	l := newLRU[int](3, 100)
	put := func(i int, bytes int64) { l.put(fmt.Sprint(i), i, bytes) }
	has := func(i int) bool { _, ok := l.get([]byte(fmt.Sprint(i))); return ok }
	put(1, 1)
	put(2, 1)
	put(3, 1)
	assert.True(t, has(1))
	put(4, 1) // 2 was used least recently
	assert.Equal(t, []bool{true, false, true, true}, []bool{has(1), has(2), has(3), has(4)})
	put(5, 98) // with its key, it leaves no room for another entry
	assert.Equal(t, []bool{false, false, false, false, true}, []bool{has(1), has(2), has(3), has(4), has(5)})
	put(6, 1000) // larger than the bound, but the newest entry is always kept
	assert.Equal(t, []bool{false, true}, []bool{has(5), has(6)})
	put(7, 1)
	assert.Equal(t, []bool{false, true}, []bool{has(6), has(7)})
	assert.Equal(t, int64(2), l.bytes)
}

// TestOnce prepares two layers for many shapes, one before each run and one during it. Once must call
// its function once for each layer.
func TestOnce(t *testing.T) {
	made := 0
	registry, err := NewRegistry(append(testCore(t, Options{}).registry.Ops(), ops.Op{
		Type: "Weigh", Version: 1, Inputs: ops.Exactly(1), Infer: likeInput,
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			_, err := p.Once("weights", 8, func() (any, error) { made++; return made, nil })
			return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, err
		},
	})...)
	require.NoError(t, err)
	g := &graph{}
	x := g.parameter("x", "i32", "?")
	g.result(g.op("Weigh", x))
	g.result(g.op("Weigh", g.op("Positive", x)))
	compiled, err := NewCore(registry, Options{}).CompileModel(background, &g.Model, CompileOptions{})
	require.NoError(t, err)
	request := compiled.NewInferRequest()
	for n := range 5 {
		require.NoError(t, request.SetInput(0, ramp(t, n)))
		require.NoError(t, request.Infer(background))
	}
	assert.Equal(t, 2, made, "once for each layer")
}
