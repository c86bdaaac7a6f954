package grpcapi

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// benchmarkSizes are the elements of FP32 in a request.
var benchmarkSizes = map[string]int{"64B": 16, "600KB": 150_000}

// benchmarkRequest returns a request with one raw tensor of n elements.
func benchmarkRequest(b *testing.B, n int) proto.Message {
	b.Helper()
	request := messageOf(b, "ModelInferRequest", `model_name: "identity" inputs { name: "x" datatype: "FP32" }`)
	fields := request.Descriptor().Fields()
	request.Mutable(fields.ByName("raw_input_contents")).List().Append(protoBytes(make([]byte, 4*n)))
	input := request.Get(fields.ByName("inputs")).List().Get(0).Message()
	input.Mutable(input.Descriptor().Fields().ByName("shape")).List().Append(protoInt(n))
	return request
}

// BenchmarkCodec reads a request in frames of HTTP/2, and writes the response that has its tensor.
func BenchmarkCodec(b *testing.B) {
	for name, n := range benchmarkSizes {
		b.Run(name, func(b *testing.B) {
			c := newCodec(oip.Limits{}.WithDefaults(), new(buffers.Pool))
			message, err := proto.Marshal(benchmarkRequest(b, n))
			require.NoError(b, err)
			var frames mem.BufferSlice
			const frame = 16 << 10
			for ; len(message) > frame; message = message[frame:] {
				frames = append(frames, mem.SliceBuffer(message[:frame]))
			}
			frames = append(frames, mem.SliceBuffer(message))
			b.SetBytes(int64(4 * n))
			b.ReportAllocs()
			for b.Loop() {
				r := new(inferRequest)
				r.read(frames, c)
				require.NoError(b, r.err)
				response := &oip.InferResponse{Model: r.Model, Outputs: []oip.Output{oip.Output(r.Inputs[0])}, Free: r.release}
				data := inferReply{InferResponse: response}.write(c)
				data.Free()
			}
		})
	}
}

// BenchmarkModelInfer calls a server, client and connection included.
func BenchmarkModelInfer(b *testing.B) {
	for name, n := range benchmarkSizes {
		b.Run(name, func(b *testing.B) {
			_, client := start(b, Options{Service: benchmarkService{}})
			request, answer := benchmarkRequest(b, n), newMessage(b, "ModelInferResponse")
			b.SetBytes(int64(4 * n))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, client.Invoke(b.Context(), "/"+ServiceName+"/ModelInfer", request, answer))
			}
		})
	}
}

// benchmarkService answers with copies of the inputs, and keeps nothing.
type benchmarkService struct{ oip.Service }

func (benchmarkService) Infer(_ context.Context, r *oip.InferRequest) (*oip.InferResponse, error) {
	output, err := r.Inputs[0].Tensor.Clone()
	return &oip.InferResponse{Outputs: []oip.Output{{Name: "y", Tensor: output}}}, err
}
