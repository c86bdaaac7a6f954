package onnxcases_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/onnxcases"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
)

// folders are those of the corpus.
var folders = []string{"bad", "contrib", "data", "nets", "node", "versions"}

// TestCorpus runs the ONNX files of the corpus. The number of cases that pass must not decrease;
// those with operators that have no rule yet are counted apart. VINOIR_ONNX=REGEXP selects cases by
// their names, and prints why they fail.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(optest.Corpus(t), "onnxfiles")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("SKIPPED: the corpus has no ONNX files")
	}
	selected := os.Getenv("VINOIR_ONNX")
	r, err := conformance.NewRunner(append(builtin.Ops(), onnxextension.Ops()...)...)
	require.NoError(t, err)
	if r.Exceptions, err = conformance.ReadExceptions("testdata/exceptions.txt"); err != nil {
		require.NoError(t, err)
	}
	var results []conformance.Result
	for _, folder := range folders {
		cases, err := conformance.Find(filepath.Join(dir, folder), regexp.MustCompile(selected), onnxcases.Find)
		require.NoError(t, err)
		results = append(results, r.RunAll(context.Background(), cases, runtime.NumCPU(), nil)...)
	}
	counts := conformance.Count(results)
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s: %v", folder, counts[folder])
	}
	t.Log(missing(results))
	for _, result := range results {
		switch {
		case result.Outcome == conformance.Crashed:
			t.Errorf("%s: %s", result.Case, result.Message)
		case result.Outcome == conformance.Failed || selected != "" && result.Outcome == conformance.Unsupported:
			t.Logf("%s: %s", result.Case, result.Message)
		}
	}
	if selected == "" {
		require.NoError(t, conformance.CheckCounts("testdata/corpus_counts.json", counts, os.Getenv("VINOIR_UPDATE") != ""))
	}
}

// missing returns the operators that cases lack, the most frequent first.
func missing(results []conformance.Result) string {
	counts := make(map[string]int)
	for _, result := range results {
		if result.Outcome == conformance.Unsupported {
			counts[result.Missing]++
		}
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return "operators that cases lack: " + strings.Join(names, ", ")
}
