package refused_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators/refused"
)

func TestRules(t *testing.T) {
	s := onnxtest.NewSuite(t, refused.Rules())
	for _, c := range []onnxtest.Case{
		{Domain: "com.microsoft", Operator: "BeamSearch", Error: "com.microsoft:BeamSearch of version 1 (1 node, first node \"node\": it runs the decoder"},
		{Domain: "com.microsoft", Operator: "EPContext", Error: "use the model that it was made of"},
		{Domain: "com.microsoft", Operator: "Other", Error: "no such operator is known"},
		{Domain: "com.microsoft.nchwc", Operator: "Conv", Error: "save the optimized model with its level extended, not all"},
		{Domain: "com.ms.internal.nhwc", Operator: "MaxPool", Error: "save the optimized model"},
	} {
		c.Version, c.Inputs = 1, []any{[]float32{1}}
		s.Check(c)
	}
}

func TestRules_unique(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range refused.Rules() {
		name := r.Domain + ":" + r.Operator
		require.False(t, seen[name], name)
		require.NotEmpty(t, r.Refusal, name)
		seen[name] = true
	}
}
