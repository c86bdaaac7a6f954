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

	"github.com/vinoir/vinoir/internal/test/conformance"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
)

// updateVariable names the environment variable that has the record of how many
// cases pass written anew.
const updateVariable = "VINOIR_UPDATE"

// A broken model or input must not take more than this.
const (
	maxBadTime  = time.Second
	maxBadBytes = 64 << 20
)

// corpus returns the folder of the corpus.
func corpus(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(optest.CorpusVariable)
	if dir == "" {
		t.Skip(optest.CorpusVariable + " is not set")
	}
	return dir
}

// TestCorpus runs the cases of single layers and of whole models, and the models
// reshaped. Unsupported layers are counted, and no more of them may be than are
// on record.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	for _, folder := range []string{"onnx", "ops", "zoo"} {
		t.Run(folder, func(t *testing.T) {
			r := optest.NewRunner(t, builtin.Ops())
			cases := optest.Cases(t, nil, filepath.Join(dir, folder))
			report(t, r.RunAll(context.Background(), cases, runtime.NumCPU(), nil))
		})
	}
}

// TestCorpus_bad runs the broken models and inputs, one at a time to see what each
// takes.
func TestCorpus_bad(t *testing.T) {
	dir := corpus(t)
	r := optest.NewRunner(t, builtin.Ops())
	var results []conformance.Result
	for _, c := range optest.Cases(t, nil, filepath.Join(dir, "bad")) {
		before, started := allocated(), time.Now()
		results = append(results, r.Run(context.Background(), c))
		assert.Less(t, time.Since(started), maxBadTime, c.Name)
		assert.Less(t, allocated()-before, uint64(maxBadBytes), c.Name)
	}
	report(t, results)
}

// TestCases runs the cases that belong to the tree, those of one type by
// -run 'TestCases/Gather-'. All must pass, except those of layer types that have a shape
// rule and no kernel.
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

// report prints the counts of each folder, and fails where a case failed or
// fewer pass than before.
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

// allocated returns the bytes that the program has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
