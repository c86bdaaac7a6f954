package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOptimizations(t *testing.T) {
	names := []Optimization{
		ComputeInF32, ConvertAfterGather, FoldMoves, MergeQuantization, ComputeInIntegers, MultiplyInF32, KeepCompressed, FoldConstants, RemoveNoOps, MergeEqual,
		MergeTransposes, RecogniseMVN, RecogniseNormalizeL2, RecogniseActivations, RecogniseAttention, GrowStates, MergeAffine, NestConcats, FuseStages,
	}
	assert.Equal(t, names, Optimizations())
	assert.Len(t, allPasses(), len(names)-1, "each pass but the last optimization, which is none")
}

func TestDisable(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Inc", g.parameter("x", "i32", "2")))
	_, err := testCore(t, Options{}).CompileModel(background, &g.Model, CompileOptions{Disable: []Optimization{MergeEqual, "MergeAll"}})
	assert.ErrorContains(t, err, `"MergeAll" is not an optimization; there are ComputeInF32, ConvertAfterGather, `)
}
