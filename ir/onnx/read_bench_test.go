package onnx_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// chain returns a model of n nodes, each of which reads the one before.
func chain(n int) *proto.Model {
	g := &proto.Graph{Name: "g", Inputs: []*proto.ValueInfo{onnxtest.Value("a0", ir.F32, 2, "n")}}
	for i := range n {
		g.Nodes = append(g.Nodes, onnxtest.Node("Relu", fmt.Sprintf("a%d", i), fmt.Sprintf("a%d", i+1)))
	}
	g.Outputs = []*proto.ValueInfo{{Name: fmt.Sprintf("a%d", n)}}
	return onnxtest.Model(13, g)
}

// BenchmarkRead reads chains of two lengths, whose times should have the ratio of the lengths.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data, opts := onnxtest.Encode(chain(n)), options(b)
			b.ReportAllocs()
			for b.Loop() {
				_, err := onnx.Read(b.Context(), data, opts)
				require.NoError(b, err)
			}
		})
	}
}
