package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

func TestParse(t *testing.T) {
	o, err := parse([]string{"-seed", "7", "a", "b"}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, uint64(7), o.seed)
	assert.Equal(t, []string{"a", "b"}, o.folders)
	for _, args := range [][]string{{"-goroutines", "0"}, {"-models", "0"}} {
		_, err := parse(args, io.Discard)
		assert.ErrorContains(t, err, args[0]+" 0 is not 1 or more")
	}
}

var cases = filepath.Join("..", "..", "..", "testdata", "ir")

// TestRun runs a little of everything.
func TestRun(t *testing.T) {
	var out strings.Builder
	args := []string{"-duration", "1s", "-seed", "1", "-models", "12", "-goroutines", "8", cases}
	require.NoError(t, run(context.Background(), args, &out, io.Discard), "%s", &out)
	assert.Contains(t, out.String(), "inferences with the expected outputs")
	assert.NotContains(t, out.String(), "FAILED")
}

// TestRun_noModel has a folder without models.
func TestRun_noModel(t *testing.T) {
	err := run(context.Background(), []string{t.TempDir()}, io.Discard, io.Discard)
	assert.ErrorContains(t, err, "no model")
}

// TestStress_detects has expected outcomes that are wrong.
func TestStress_detects(t *testing.T) {
	o, err := parse([]string{"-duration", "300ms", "-seed", "1", "-models", "4", "-goroutines", "4", cases}, io.Discard)
	require.NoError(t, err)
	variants, err := load(context.Background(), o, io.Discard)
	require.NoError(t, err)
	for _, v := range variants {
		for _, trial := range v.trials {
			for threads, want := range trial.expected {
				want.outputs = append(want.outputs, 1)
				trial.expected[threads] = want
			}
		}
	}
	s := &stress{options: o, variants: variants, counts: map[string]int{}}
	s.run(context.Background())
	assert.GreaterOrEqual(t, len(s.failures), maxFailures)
}

// TestStress_rest has more memory and goroutines at the end than at the start.
func TestStress_rest(t *testing.T) {
	s := &stress{options: &options{}}
	s.checkRest(heapInUse(), 1000, 0)
	assert.Empty(t, s.failures)
	kept, err := ir.NewTensor(ir.U8, 2*slack)
	require.NoError(t, err)
	s.checkRest(0, 1000, 0)
	s.checkRest(heapInUse(), 0, 0)
	assert.Len(t, s.failures, 2)
	assert.Equal(t, 2*slack, kept.Len())
}

func TestWorker_kind(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := &worker{}
	assert.Equal(t, "ErrBusy", w.kind(ctx, &slot{}, plugin.ErrBusy))
	assert.Empty(t, w.kind(ctx, &slot{}, context.Canceled), "the context has not ended")
	cancel()
	assert.Equal(t, "the context", w.kind(ctx, &slot{}, context.Canceled))
	limit := errors.New("more than MaxTotalBytes")
	assert.Equal(t, "a limit", w.kind(ctx, &slot{limited: true}, limit))
	assert.Empty(t, w.kind(ctx, &slot{}, limit), "no limit was set")
}
