package grpcapi

import (
	"context"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// fakeService is an oip.Service with one model, identity, which answers with copies of its inputs.
type fakeService struct {
	mutex    sync.Mutex
	notReady bool
	// err is the error of every call that can have one.
	err error
	// entered, if not nil, gets a value from Infer, which then waits until its context is done.
	entered chan struct{}
	// requests are those that Infer had, refused the errors that Refused had.
	requests []*oip.InferRequest
	refused  []error
	loaded   []oip.LoadOptions
	models   []string
}

func (s *fakeService) Ready() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return !s.notReady
}

func (s *fakeService) setReady(ready bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.notReady = !ready
}

func (s *fakeService) Server() oip.ServerMetadata {
	return oip.ServerMetadata{Name: "vinoir", Version: "1.2", Extensions: []string{"statistics", "model_repository"}}
}

func (s *fakeService) Models() []string { return []string{"identity"} }

// check returns the error of a call for a model.
func (s *fakeService) check(model string) error {
	if s.err == nil && model != "identity" {
		return oip.Errorf(oip.NotFound, "there is no model %q", model)
	}
	return s.err
}

func (s *fakeService) ModelReady(model, _ string) (bool, error) {
	if err := s.check(model); err != nil {
		return false, err
	}
	return !s.notReady, nil
}

func (s *fakeService) ModelMetadata(model, version string) (*oip.ModelMetadata, error) {
	return &oip.ModelMetadata{
		Name: model, Versions: []string{"1", version}, Platform: "openvino",
		Inputs:  []oip.Port{{Name: "x", Datatype: "FP32", Shape: []int64{-1, 3}}, {Name: "scalar", Datatype: "BYTES"}},
		Outputs: []oip.Port{{Name: "y", Datatype: "BF16", Shape: []int64{0}}},
	}, s.check(model)
}

func (s *fakeService) ModelConfig(model, _ string) (*oip.ModelConfig, error) {
	return &oip.ModelConfig{
		Name: model, Platform: "openvino", MaxBatchSize: 16,
		Inputs:                    []oip.Port{{Name: "x", Datatype: "FP32", Shape: []int64{-1, 3}}},
		Outputs:                   []oip.Port{{Name: "y", Datatype: "BYTES", Shape: []int64{1}}},
		MaxQueueDelayMicroseconds: 300, MaxQueueSize: 128, Instances: 2, ResponseCache: true,
		Parameters: map[string]string{"b": "2", "a": "1"},
	}, s.check(model)
}

func (s *fakeService) Statistics(model, version string) ([]oip.ModelStatistics, error) {
	if model != "" {
		if err := s.check(model); err != nil {
			return nil, err
		}
	}
	return []oip.ModelStatistics{{
		Name: "identity", Version: version, LastInference: time.UnixMilli(1234), InferenceCount: 5, ExecutionCount: 3,
		Success: oip.Duration{Count: 4, Total: 5 * time.Microsecond}, CacheMiss: oip.Duration{Count: 9},
		Batches:     []oip.BatchStatistics{{BatchSize: 2, ComputeInfer: oip.Duration{Count: 1, Total: 7}}},
		MemoryBytes: 4096,
	}, {Name: "empty"}}, s.err
}

func (s *fakeService) Infer(ctx context.Context, r *oip.InferRequest) (*oip.InferResponse, error) {
	if s.entered != nil {
		select {
		case s.entered <- struct{}{}:
			<-ctx.Done()
		case <-ctx.Done():
		}
		return nil, ctx.Err()
	}
	if err := s.check(r.Model); err != nil {
		return nil, err
	}
	response := &oip.InferResponse{Model: r.Model, Version: "3", ID: r.ID}
	// What a test looks at must not be the memory of the message.
	kept := *r
	kept.Inputs = nil
	for _, input := range r.Inputs {
		output, err := input.Tensor.Clone()
		if err != nil {
			return nil, err
		}
		response.Outputs = append(response.Outputs, oip.Output{Name: input.Name, Tensor: output})
		kept.Inputs = append(kept.Inputs, oip.Input{Name: input.Name, Tensor: output})
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.requests = append(s.requests, &kept)
	return response, nil
}

func (s *fakeService) Refused(_, _ string, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.refused = append(s.refused, err)
}

func (s *fakeService) Index() []oip.IndexEntry {
	return []oip.IndexEntry{
		{Name: "identity", Version: "3", State: oip.StateReady},
		{Name: "broken", Version: "1", State: oip.StateUnavailable, Reason: "no .bin"},
	}
}

func (s *fakeService) Load(_ context.Context, model string, options oip.LoadOptions) error {
	s.loaded, s.models = append(s.loaded, options), append(s.models, model)
	return s.err
}

func (s *fakeService) Unload(_ context.Context, model string) error {
	s.models = append(s.models, model)
	return s.err
}

// messages describes inference.proto.
var messages = func() protoreflect.FileDescriptor {
	text, err := os.ReadFile("inference.proto")
	if err != nil {
		panic(err)
	}
	file, err := parseProto("inference.proto", string(text))
	if err != nil {
		panic(err)
	}
	return file
}()

// newMessage returns an empty message with a name.
func newMessage(t testing.TB, name string) *dynamicpb.Message {
	t.Helper()
	descriptor := messages.Messages().ByName(protoreflect.Name(name))
	require.NotNil(t, descriptor, name)
	return dynamicpb.NewMessage(descriptor)
}

// messageOf returns the message that text is in the text format.
func messageOf(t testing.TB, name, text string) *dynamicpb.Message {
	t.Helper()
	message := newMessage(t, name)
	require.NoError(t, prototext.Unmarshal([]byte(text), message))
	return message
}

// requireMessage compares a message with one in the text format.
func requireMessage(t testing.TB, text string, got *dynamicpb.Message) {
	t.Helper()
	want := messageOf(t, string(got.Descriptor().Name()), text)
	require.True(t, proto.Equal(want, got), "want %v\ngot %v", want, got)
}

// start serves o on a port of its own until the test ends, and returns a client. The client uses
// generic messages and the codec of grpc, not that of the server.
func start(t testing.TB, o Options, dial ...grpc.DialOption) (*Server, *grpc.ClientConn) {
	t.Helper()
	server := New(o)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if len(dial) == 0 {
		dial = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	}
	client, err := grpc.NewClient(listener.Addr().String(), dial...)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, client.Close())
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		require.NoError(t, server.Shutdown(ctx))
		require.NoError(t, <-served)
	})
	return server, client
}

// call calls a method of the service with a request in the text format.
func call(t testing.TB, client *grpc.ClientConn, method, request string, options ...grpc.CallOption) (*dynamicpb.Message, error) {
	t.Helper()
	descriptor := messages.Services().Get(0).Methods().ByName(protoreflect.Name(method))
	answer := dynamicpb.NewMessage(descriptor.Output())
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := client.Invoke(ctx, "/"+ServiceName+"/"+method,
		messageOf(t, string(descriptor.Input().Name()), request), answer, options...)
	return answer, err
}

// tensorOf returns the tensor with the elements of data.
func tensorOf(t testing.TB, data any, shape ...int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorFrom(data, shape...)
	require.NoError(t, err)
	return tensor
}

// protoBytes returns a value of a field of bytes.
func protoBytes(b []byte) protoreflect.Value { return protoreflect.ValueOfBytes(b) }

// protoInt returns a value of a field of int64.
func protoInt(n int) protoreflect.Value { return protoreflect.ValueOfInt64(int64(n)) }

// protoreflectName returns the full name of a message.
func protoreflectName(name string) protoreflect.FullName { return protoreflect.FullName(name) }
