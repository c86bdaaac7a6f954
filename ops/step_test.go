package ops

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
)

func TestSteps(t *testing.T) {
	var calls []string
	step := func(name string, whole bool, err error) Step {
		return Step{N: 100, Grain: 1, Whole: whole, Part: func(r *Run, lo, hi int) error {
			calls = append(calls, name)
			return err
		}}
	}
	oh := errors.New("oh")
	r := &Run{Stop: make(parallel.Stop)}
	require.NoError(t, Steps(nil)(r))
	require.NoError(t, Steps([]Step{step("first", true, nil), step("second", true, nil)})(r))
	assert.Equal(t, []string{"first", "second"}, calls)
	calls = nil
	assert.Equal(t, oh, Steps([]Step{step("first", true, nil), step("second", true, oh), step("third", true, nil)})(r))
	assert.Equal(t, []string{"first", "second"}, calls)
	calls = nil
	require.NoError(t, Steps([]Step{step("first", false, nil)})(r))
	assert.Greater(t, len(calls), 1, "Run.Stop is checked between runs of items")
}

func TestSteps_allocations(t *testing.T) {
	none := func(*Run, int, int) error { return nil }
	kernel, r := Steps([]Step{{N: 9, Grain: 1, Part: none}, {N: 9, Grain: 1, Part: none, Whole: true}}), &Run{}
	assert.Zero(t, testing.AllocsPerRun(10, func() { _ = kernel(r) }))
}
