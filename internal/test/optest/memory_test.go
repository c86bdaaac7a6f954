package optest_test

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestMemoryCounts runs the first cases of each layer type with one of the lengths in its shapes
// many times as long: once to see what the first inference allocates, and once within limits of
// less than that. It must fail then, or allocate no more than the limits: what a kernel allocates
// is asked of them.
func TestMemoryCounts(t *testing.T) {
	registry := optest.Registry(t, builtin.Ops())
	runs := map[string]int{}
	measured, refused := 0, 0
	for _, m := range modelsBelow(t, filepath.Join(optest.Root(t), "testdata", "ir")) {
		kind, _, _ := strings.Cut(filepath.ToSlash(m.name), "/")
		if runs[kind]++; runs[kind] > 4 {
			continue
		}
		for _, shapes := range enlarged(m.Model) {
			whole, err := allocatedBy(plugin.NewCore(registry, plugin.Options{MaxTotalBytes: 1 << 28, MaxTensorBytes: 1 << 26}), &m, shapes)
			if err != nil || whole < 8*slackBytes {
				continue
			}
			measured++
			// kernels that are prepared during an inference keep what they copy
			limit, kept := whole/5*3, whole/5
			part, err := allocatedBy(plugin.NewCore(registry, plugin.Options{MaxTotalBytes: limit, MaxKeptBytes: kept}), &m, shapes)
			if err != nil {
				refused++
			}
			assert.LessOrEqual(t, part, limit+kept+slackBytes, "%s, inputs %v: an inference allocates %d bytes without a limit: %v", m.name, shapes, whole, err)
		}
	}
	t.Logf("%d inferences allocate, %d are refused", measured, refused)
	require.Greater(t, refused, 100)
}

// slackBytes is the size of what an inference allocates besides memory that grows with the data:
// lists of tensors, and errors.
const slackBytes = 32 << 10

// enlarged returns the shapes of the Parameters with one length, in all inputs that have it, 64
// times or more as long.
func enlarged(m *ir.Model) (list [][]ir.PartialShape) {
	shapes, ok := staticShapes(m)
	if !ok {
		return nil
	}
	lengths := map[int64]bool{}
	for _, shape := range shapes {
		for _, d := range shape.Dims() {
			lengths[d.Min] = d.Min > 0
		}
	}
	for n, many := range lengths {
		if !many {
			continue
		}
		all := slices.Clone(shapes)
		for i := range all {
			all[i] = withLength(all[i], n*max(64, 4096/n), func(_ int, d ir.Dimension) bool { return d.Min == n })
		}
		list = append(list, all)
	}
	return list
}

// allocatedBy returns the bytes that the first inference allocates.
func allocatedBy(core *plugin.Core, m *namedModel, shapes []ir.PartialShape) (int64, error) {
	for _, shape := range shapes {
		if n := shape.Elements(); n.Max > 1<<22 {
			return 0, assert.AnError
		}
	}
	request, done, err := requestOn(core, m, shapes)
	if err != nil {
		return 0, err
	}
	defer done()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = request.Infer(context.Background())
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), err
}
