package grpcapi

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// openStream calls ModelStreamInfer.
func openStream(t testing.TB, ctx context.Context, client *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	description := &grpc.StreamDesc{StreamName: "ModelStreamInfer", ServerStreams: true, ClientStreams: true}
	stream, err := client.NewStream(ctx, description, "/"+ServiceName+"/ModelStreamInfer")
	require.NoError(t, err)
	return stream
}

// receiveFrom returns the next response of a stream.
func receiveFrom(t testing.TB, stream grpc.ClientStream) *dynamicpb.Message {
	t.Helper()
	answer := newMessage(t, "ModelStreamInferResponse")
	require.NoError(t, stream.RecvMsg(answer))
	return answer
}

func TestModelStreamInfer(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service})
	stream := openStream(t, t.Context(), client)
	const tensor = `name: "x" datatype: "UINT8" shape: 2`
	const final = `parameters { key: "triton_final_response" value { bool_param: true } }`
	for _, c := range []struct{ request, want string }{
		{`model_name: "identity" id: "1" inputs { ` + tensor + ` } raw_input_contents: "ab"`,
			`infer_response { model_name: "identity" model_version: "3" id: "1" ` + final + ` outputs { ` + tensor + ` } raw_output_contents: "ab" }`},
		{`model_name: "unknown" model_version: "9" id: "2"`,
			`error_message: "there is no model \"unknown\"" infer_response { model_name: "unknown" model_version: "9" id: "2" ` + final + ` }`},
		{`model_name: "identity" id: "3" raw_input_contents: ""`,
			`error_message: "there are 0 inputs and 1 raw tensors" infer_response { model_name: "identity" id: "3" ` + final + ` }`},
		{`model_name: "identity" id: "4"`,
			`infer_response { model_name: "identity" model_version: "3" id: "4" ` + final + ` }`},
	} {
		require.NoError(t, stream.SendMsg(messageOf(t, "ModelInferRequest", c.request)))
		requireMessage(t, c.want, receiveFrom(t, stream))
	}
	require.NoError(t, stream.CloseSend())
	require.ErrorIs(t, stream.RecvMsg(newMessage(t, "ModelStreamInferResponse")), io.EOF)
	require.Len(t, service.refused, 1)
}

// Many requests are answered, in any order, although the client closes its side at once.
func TestModelStreamInfer_many(t *testing.T) {
	_, client := start(t, Options{Service: &fakeService{}, StreamConcurrency: 4})
	stream := openStream(t, t.Context(), client)
	request := messageOf(t, "ModelInferRequest", `model_name: "identity" inputs { datatype: "UINT8" shape: 20000 }`)
	request.Mutable(request.Descriptor().Fields().ByName("raw_input_contents")).List().Append(protoBytes(make([]byte, 20_000)))
	const n = 200
	go func() {
		for range n {
			if stream.SendMsg(request) != nil {
				return
			}
		}
		_ = stream.CloseSend()
	}()
	for range n {
		answer := receiveFrom(t, stream)
		require.Greater(t, proto.Size(answer), 20_000)
	}
	require.ErrorIs(t, stream.RecvMsg(newMessage(t, "ModelStreamInferResponse")), io.EOF)
}

// When the client goes, what is computed for it stops.
func TestModelStreamInfer_cancel(t *testing.T) {
	service := &fakeService{entered: make(chan struct{})}
	_, client := start(t, Options{Service: service, StreamConcurrency: 2})
	ctx, cancel := context.WithCancel(t.Context())
	stream := openStream(t, ctx, client)
	for range 5 {
		require.NoError(t, stream.SendMsg(messageOf(t, "ModelInferRequest", `model_name: "identity"`)))
	}
	<-service.entered
	<-service.entered
	cancel()
	require.Equal(t, codes.Canceled, status.Code(stream.RecvMsg(newMessage(t, "ModelStreamInferResponse"))))
	// Shutdown, at the end of the test, waits for the goroutines.
}

func TestModelStreamInfer_tooLarge(t *testing.T) {
	_, client := start(t, Options{Service: &fakeService{}, Limits: oip.Limits{MaxBodyBytes: 1000}})
	stream := openStream(t, t.Context(), client)
	request := newMessage(t, "ModelInferRequest")
	request.Mutable(request.Descriptor().Fields().ByName("raw_input_contents")).List().Append(protoBytes(make([]byte, 2000)))
	require.NoError(t, stream.SendMsg(request))
	require.Equal(t, codes.ResourceExhausted, status.Code(stream.RecvMsg(newMessage(t, "ModelStreamInferResponse"))))
}

// Shutdown answers what was asked, and ends streams that ask nothing.
func TestModelStreamInfer_shutdown(t *testing.T) {
	server, client := start(t, Options{Service: &fakeService{}})
	stream := openStream(t, t.Context(), client)
	require.NoError(t, stream.SendMsg(messageOf(t, "ModelInferRequest", `model_name: "identity" id: "1"`)))
	receiveFrom(t, stream)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, server.Shutdown(ctx))
	require.Equal(t, codes.Unavailable, status.Code(stream.RecvMsg(newMessage(t, "ModelStreamInferResponse"))))
}
