package optest_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
)

// updateVariable is the environment variable that requests an update of the recorded number of
// passed cases.
const updateVariable = "VINOIR_UPDATE"

// maxBadTime ends a broken model that never ends; a slow or busy machine needs much less for the
// others. maxBadBytes limits what one may allocate. Package attacks measures processor time.
const (
	maxBadTime  = time.Minute
	maxBadBytes = 64 << 20
)

// TestCorpus runs the cases of single layers, of whole models, and of reshaped models.
// Unsupported cases are counted; the number of passed cases must not decrease.
func TestCorpus(t *testing.T) {
	dir := optest.Corpus(t)
	for _, folder := range []string{"onnx", "ops", "quant", "zoo"} {
		t.Run(folder, func(t *testing.T) {
			r := optest.NewRunner(t, builtin.Ops())
			cases := optest.Cases(t, nil, filepath.Join(dir, folder))
			report(t, r.RunAll(context.Background(), cases, runtime.NumCPU(), nil))
		})
	}
}

// TestCorpus_bad runs the broken models and inputs one at a time, to measure the memory
// of each.
func TestCorpus_bad(t *testing.T) {
	dir := optest.Corpus(t)
	r := optest.NewRunner(t, builtin.Ops())
	r.Timeout = maxBadTime
	var results []conformance.Result
	for _, c := range optest.Cases(t, nil, filepath.Join(dir, "bad")) {
		before := allocated()
		results = append(results, r.Run(context.Background(), c))
		assert.Less(t, allocated()-before, uint64(maxBadBytes), c.Name)
	}
	report(t, results)
}

// maxBadTextBytes limits what a broken case with text may allocate.
const maxBadTextBytes = 256 << 20

// TestCorpus_text runs the cases with text, and the broken ones one at a time.
func TestCorpus_text(t *testing.T) {
	dir := filepath.Join(optest.Corpus(t), "text")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("SKIPPED: the corpus has no text")
	}
	r := optest.NewRunner(t, append(builtin.Ops(), extension.Ops()...))
	r.Timeout = maxBadTime
	var results []conformance.Result
	for _, c := range optest.Cases(t, nil, filepath.Join(dir, "bad")) {
		before := allocated()
		results = append(results, r.Run(context.Background(), c))
		assert.Less(t, allocated()-before, uint64(maxBadTextBytes), c.Name)
	}
	var cases []conformance.Case
	for _, folder := range []string{"embed", "llm", "old", "ops", "templates", "tokenizers"} {
		cases = append(cases, optest.Cases(t, nil, filepath.Join(dir, folder), textcases.Find)...)
	}
	report(t, append(results, r.RunAll(context.Background(), cases, runtime.NumCPU(), nil)...))
}

// TestCases runs the cases in the tree. -run 'TestCases/Gather-' selects those of one type. All
// cases must pass, except those of layer types that have a shape rule but no kernel.
func TestCases(t *testing.T) {
	shapesOnly := make(map[string]bool)
	for _, op := range builtin.Ops() {
		if op.Prepare == nil {
			shapesOnly[op.Type] = true
		}
	}
	r := optest.NewRunner(t, builtin.Ops())
	for _, c := range optest.Cases(t, nil, filepath.Join(optest.Root(t), "testdata", "ir")) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			switch result := r.Run(context.Background(), c); result.Outcome {
			case conformance.Passed:
			case conformance.Excepted:
				t.Logf("excepted: %s", result.Message)
			case conformance.Unsupported:
				layerType, _, _ := strings.Cut(result.Missing, " ")
				assert.True(t, shapesOnly[layerType], "%s", result.Message)
			default:
				t.Errorf("%s: %s", result.Outcome, result.Message)
			}
		})
	}
}

func TestCases_filter(t *testing.T) {
	for _, c := range optest.Cases(t, regexp.MustCompile("^Concat-1/"), filepath.Join(optest.Root(t), "testdata", "ir")) {
		assert.Equal(t, "Concat-1", filepath.Base(filepath.Dir(c.Folder)))
	}
}

// report prints the counts of each folder. It fails if a case failed or if fewer cases pass
// than recorded.
func report(t *testing.T, results []conformance.Result) {
	t.Helper()
	missing := make(map[string]int)
	for _, result := range results {
		switch result.Outcome {
		case conformance.Failed, conformance.Crashed:
			t.Errorf("%s %s: %s", result.Outcome, result.Case, result.Message)
		case conformance.Excepted:
			t.Logf("%s is excepted: %s", result.Case, result.Message)
		case conformance.Unsupported:
			missing[result.Missing]++
		}
	}
	folders := conformance.Count(results)
	for folder, counts := range folders {
		t.Logf("%s: %v", folder, counts)
	}
	if len(missing) > 0 {
		t.Logf("layer types that cases lack: %v", missing)
	}
	record := filepath.Join(optest.Root(t), "testdata", "ir", "corpus_counts.json")
	require.NoError(t, conformance.CheckCounts(record, folders, os.Getenv(updateVariable) != ""))
}

// allocated returns the number of bytes that the program has allocated so far, including freed
// memory.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
