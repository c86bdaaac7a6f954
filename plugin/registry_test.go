package plugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
)

// noOp returns an Op that does nothing. Tests of the registry only look it up.
func noOp(name string, version int, namespace string) ops.Op {
	return ops.Op{
		Type: name, Version: version, Namespace: namespace,
		Infer:   func(*infer.Inference) error { return nil },
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) { return nil, nil },
	}
}

func TestRegistryOp(t *testing.T) {
	r, err := NewRegistry(
		noOp("Gather", 7, ""), noOp("Gather", 1, ""), noOp("Gather", 8, ""),
		noOp("MVN", 2, ""), noOp("MVN", 6, ""), noOp("RNNCell", 3, ""), noOp("Mine", 0, "acme"),
		noOp("ShuffleChannels", 1, ""), noOp("Xor", 1, ""))
	require.NoError(t, err)
	for _, c := range []struct{ layerType, opset, want string }{
		{"Gather", "opset1", "Gather-1"},
		{"Gather", "opset6", "Gather-1"},
		{"Gather", "opset7", "Gather-7"},
		{"Gather", "opset17", "Gather-8"},
		{"gather", "opset8", "Gather-8"},
		{"MVN", "opset1", "MVN-2"},
		{"MVN", "opset5", "MVN-2"},
		{"RNNCell", "experimental", "RNNCell-3"},
		{"RNNCell", "extension", "RNNCell-3"},
		{"Mine", "acme", "Mine-acme"},
		{"ShuffleChannels", "opset1", "ShuffleChannels-1"},
		{"ShuffleChannels", "opset3", "ShuffleChannels-1"},
		{"Xor", "opset1", "Xor-1"},
	} {
		op, err := r.Op(&ir.Layer{Type: c.layerType, Opset: c.opset})
		require.NoError(t, err, "%s of %s", c.layerType, c.opset)
		assert.Equal(t, c.want, op.String(), "%s of %s", c.layerType, c.opset)
	}
	for _, c := range []struct{ layerType, opset, want string }{
		{"Gather", "opset0", "opset0 is not one of opset1 to opset17"},
		{"Gather", "opset18", "opset18 is not one of opset1 to opset17"},
		{"Gather", "opsetX", "opsetX is not one of opset1 to opset17"},
		{"Gather", "", "the oldest revision registered is Gather-1"},
		{"Gather", "extension", "the oldest revision registered is Gather-1"},
		{"RNNCell", "opset2", "the oldest revision registered is RNNCell-3"},
		{"Mine", "opset1", "the oldest revision registered is Mine-acme"},
		{"AddUp", "opset1", "no such type is registered"},
		{"StringTensorPack", "extension", "the type of this version is not registered; it is in the Ops of github.com/vinoir/vinoir/ops/extension"},
		{"Relu", "extension", "no such type is registered"},
		{"Relu", "opset1", "no such type is registered; it is in the Ops of github.com/vinoir/vinoir/ops/unary"},
		{"ShuffleChannels", "opset2", "opset2 leaves out ShuffleChannels-1"},
		{"Xor", "opset17", "opset17 leaves out Xor-1"},
	} {
		_, err := r.Op(&ir.Layer{Type: c.layerType, Opset: c.opset})
		var unsupported *UnsupportedLayerError
		require.ErrorAs(t, err, &unsupported, "%s of %s", c.layerType, c.opset)
		assert.Contains(t, err.Error(), c.want)
		assert.True(t, unsupported.Unsupported())
	}
}

func TestNewRegistryRefuses(t *testing.T) {
	for _, c := range []struct {
		list []ops.Op
		want string
	}{
		{[]ops.Op{noOp("Gather", 1, ""), noOp("Gather", 1, "")}, "Gather-1 is listed twice"},
		{[]ops.Op{noOp("Gather", 18, "")}, "version 18 is no opset"},
		{[]ops.Op{noOp("", 1, "")}, "Type and Infer are needed"},
		{[]ops.Op{{Type: "Gather", Version: 1}}, "Type and Infer are needed"},
		{[]ops.Op{{Type: "Gather", Version: 1, Infer: noOp("Gather", 1, "").Infer, Passes: []ops.Pass{{Name: "Other"}}}}, `Gather-1: the pass "Other" is none`},
	} {
		_, err := NewRegistry(c.list...)
		assert.ErrorContains(t, err, c.want)
	}
}
