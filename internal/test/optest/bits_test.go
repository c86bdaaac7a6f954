package optest_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// moving lists layer types that move elements and compute nothing.
var moving = []string{
	"BatchToSpace", "Broadcast", "Concat", "DepthToSpace", "ExtractImagePatches", "Gather", "GatherElements", "GatherND", "Identity",
	"Pad", "Reshape", "Reverse", "ReverseSequence", "Roll", "ScatterElementsUpdate", "ScatterNDUpdate", "ScatterUpdate", "Select",
	"ShuffleChannels", "Slice", "SliceScatter", "SpaceToBatch", "SpaceToDepth", "Split", "Squeeze", "StridedSlice", "Tile", "Transpose",
	"Unsqueeze", "VariadicSplit",
}

// signalling has a NaN that a conversion to a wider type and back makes quiet, and quiet has what
// it becomes then.
var (
	signalling = map[ir.ElementType][]byte{
		ir.F16: {0x55, 0x7d}, ir.BF16: {0xa1, 0x7f}, ir.F32: {1, 0, 0xa0, 0x7f}, ir.F64: {1, 0, 0, 0, 0, 0, 0xf4, 0x7f},
	}
	quiet = map[ir.ElementType][]byte{
		ir.F16: {0x55, 0x7f}, ir.BF16: {0xe1, 0x7f}, ir.F32: {1, 0, 0xe0, 0x7f}, ir.F64: {1, 0, 0, 0, 0, 0, 0xfc, 0x7f},
	}
)

// TestMoves_bits moves signalling NaNs with layer types that compute nothing. None may become
// quiet: neither a kernel nor the model around it converts what is only moved.
func TestMoves_bits(t *testing.T) {
	ran := movedBelow(t, filepath.Join(optest.Root(t), "testdata", "ir"))
	require.Greater(t, len(ran), 15)
}

// TestCorpus_movesBits does the same with the corpus, which has cases of all of them.
func TestCorpus_movesBits(t *testing.T) {
	ran := movedBelow(t, filepath.Join(optest.Corpus(t), "ops"))
	for _, kind := range moving {
		assert.True(t, ran[kind], "no case of %s ran", kind)
	}
}

// movedBelow runs the models of layer types in moving below dir, and returns those types that ran.
func movedBelow(t *testing.T, dir string) map[string]bool {
	core := plugin.NewCore(optest.Registry(t, builtin.Ops()), plugin.Options{MaxTensorBytes: 1 << 26})
	ran := map[string]bool{}
	for _, m := range modelsBelow(t, dir) {
		at := slices.IndexFunc(m.Layers, func(l *ir.Layer) bool { return slices.Contains(moving, l.Type) })
		shapes, ok := staticShapes(m.Model)
		if !ok || at < 0 {
			continue
		}
		kind := m.Layers[at].Type
		request, done, err := requestOn(core, &m, shapes)
		if err != nil {
			continue // TestCases checks whether that is right
		}
		var pattern []byte
		for i := range m.Parameters {
			if p := signalling[request.Input(i).ElementType()]; p != nil {
				pattern = p
				repeat(request.Input(i).Bytes(), p)
			}
		}
		sums := slices.ContainsFunc(m.Layers, func(l *ir.Layer) bool { return ir.AttributesOf(l).String("reduction", "none") != "none" })
		if err := request.Infer(t.Context()); err == nil && pattern != nil && !sums {
			for i := range m.Results {
				out := request.Output(i)
				if !bytes.Equal(signalling[out.ElementType()], pattern) {
					continue
				}
				for at := 0; at < len(out.Bytes()); at += len(pattern) {
					got := out.Bytes()[at:][:len(pattern)]
					ran[kind] = ran[kind] || bytes.Equal(got, pattern)
					if bytes.Equal(got, quiet[out.ElementType()]) {
						t.Errorf("%s: % x became % x", m.name, pattern, got)
						break
					}
				}
			}
		}
		done()
	}
	return ran
}
