package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestOptimizations(t *testing.T) {
	names := []Optimization{
		ComputeInF32, ConvertAfterGather, MergeQuantization, ComputeInIntegers, MultiplyInF32, KeepCompressed, FoldConstants, RemoveNoOps, MergeEqual,
		MergeTransposes, RecogniseMVN, RecogniseNormalizeL2, RecogniseActivations, RecogniseAttention, GrowStates, MergeAffine, NestConcats, FuseStages,
	}
	assert.Equal(t, names, Optimizations())
	assert.Len(t, allPasses(), len(names)-1, "each pass but the last optimization, which is none")
}

// TestRegistry_passes checks that passes of families are there with the families alone.
func TestRegistry_passes(t *testing.T) {
	names := func(list ...ops.Op) (found []string) {
		registry, err := NewRegistry(list...)
		require.NoError(t, err)
		for _, pass := range registry.passes() {
			found = append(found, pass.Name)
		}
		return found
	}
	assert.Equal(t, []string{
		"ComputeInF32", "ConvertAfterGather", "FoldConstants", "RemoveNoOps", "MergeEqual", "MergeTransposes", "RecogniseMVN", "RecogniseNormalizeL2",
		"RecogniseActivations", "NestConcats",
	}, names())
	assert.Len(t, names(builtin.Ops()...), len(allPasses()))
}

func TestDisable(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Inc", g.parameter("x", "i32", "2")))
	_, err := testCore(t, Options{}).CompileModel(background, &g.Model, CompileOptions{Disable: []Optimization{MergeEqual, "MergeAll"}})
	assert.ErrorContains(t, err, `"MergeAll" is not an optimization; there are ComputeInF32, ConvertAfterGather, `)
}
