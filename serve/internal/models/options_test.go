package models

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/plugin"
)

func TestWithMemory(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		memory       int64
		limits, want plugin.Options
	}{
		{2 * gib, plugin.Options{}, plugin.Options{MaxTotalBytes: gib, MaxKeptBytes: 2 * gib}},
		{2 * gib, plugin.Options{MaxKeptBytes: 5}, plugin.Options{MaxTotalBytes: gib, MaxKeptBytes: 5}},
		{2 * gib, plugin.Options{MaxTotalBytes: 3 * gib}, plugin.Options{MaxTotalBytes: 3 * gib}},
		{64 * gib, plugin.Options{}, plugin.Options{}},
		{0, plugin.Options{}, plugin.Options{}},
	} {
		require.Equal(t, c.want, withMemory(c.limits, c.memory))
	}
}

// TestOptions_withDefaults_mapping checks that files which can change are not mapped.
func TestOptions_withDefaults_mapping(t *testing.T) {
	for control, mapped := range map[Control]bool{ControlNone: true, ControlPoll: false, ControlExplicit: false} {
		o := Options{Control: control}.withDefaults()
		require.Equal(t, mapped, o.Open.Reading.MMap, control)
		require.Equal(t, mapped, o.Open.Format.(onnx.Format).Options.MMap, control)
	}
}

func TestControl_String(t *testing.T) {
	require.Equal(t, []string{"none", "poll", "explicit"}, []string{ControlNone.String(), ControlPoll.String(), ControlExplicit.String()})
}
