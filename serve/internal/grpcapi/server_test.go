package grpcapi

import (
	"bytes"
	"compress/zlib"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	health "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/vinoir/vinoir/serve/internal/access"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestHealth(t *testing.T) {
	service := &fakeService{}
	server, connection := start(t, Options{Service: service})
	client := health.NewHealthClient(connection)
	for _, name := range []string{"", ServiceName} {
		answer, err := client.Check(t.Context(), &health.HealthCheckRequest{Service: name})
		require.NoError(t, err)
		require.Equal(t, health.HealthCheckResponse_SERVING, answer.Status)
	}
	_, err := client.Check(t.Context(), &health.HealthCheckRequest{Service: "other"})
	require.Equal(t, codes.NotFound, status.Code(err))
	list, err := client.List(t.Context(), &health.HealthListRequest{})
	require.NoError(t, err)
	require.Len(t, list.Statuses, 2)

	watch, err := client.Watch(t.Context(), &health.HealthCheckRequest{})
	require.NoError(t, err)
	other, err := client.Watch(t.Context(), &health.HealthCheckRequest{Service: "other"})
	require.NoError(t, err)
	for _, ready := range []bool{true, false, true} {
		service.setReady(ready)
		answer, err := watch.Recv()
		require.NoError(t, err)
		require.Equal(t, ready, answer.Status == health.HealthCheckResponse_SERVING)
	}
	answer, err := other.Recv()
	require.NoError(t, err)
	require.Equal(t, health.HealthCheckResponse_SERVICE_UNKNOWN, answer.Status)

	server.EndStreams()
	_, err = watch.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
}

// A client that knows nothing of the service gets it by reflection, as grpcurl does.
func TestReflection(t *testing.T) {
	server, connection := start(t, Options{Service: &fakeService{}})
	stream, err := reflectionv1.NewServerReflectionClient(connection).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	ask := func(r *reflectionv1.ServerReflectionRequest) *reflectionv1.ServerReflectionResponse {
		require.NoError(t, stream.Send(r))
		answer, err := stream.Recv()
		require.NoError(t, err)
		return answer
	}
	list := ask(&reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}})
	var names []string
	for _, service := range list.GetListServicesResponse().Service {
		names = append(names, service.Name)
	}
	require.Subset(t, names, []string{ServiceName, "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"})

	for symbol, message := range map[string]string{
		ServiceName:                                "inference.ModelInferRequest.InferInputTensor",
		ServiceName + ".ModelInfer":                "inference.ModelInferRequest",
		"inference.ModelInstanceGroup.Kind":        "inference.ModelInstanceGroup",
		"inference.DataType":                       "inference.DataType",
		"grpc.reflection.v1alpha.ServerReflection": "grpc.reflection.v1alpha.ErrorResponse",
		"grpc.health.v1.Health":                    "grpc.health.v1.HealthCheckRequest",
	} {
		answer := ask(&reflectionv1.ServerReflectionRequest{
			MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol},
		})
		files := new(descriptorpb.FileDescriptorSet)
		for _, data := range answer.GetFileDescriptorResponse().FileDescriptorProto {
			file := new(descriptorpb.FileDescriptorProto)
			require.NoError(t, proto.Unmarshal(data, file))
			files.File = append(files.File, file)
		}
		registry, err := protodesc.NewFiles(files)
		require.NoError(t, err)
		_, err = registry.FindDescriptorByName(protoreflectName(message))
		require.NoError(t, err)
	}
	unknown := ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileByFilename{FileByFilename: "unknown.proto"},
	})
	require.Equal(t, int32(codes.NotFound), unknown.GetErrorResponse().ErrorCode)
	extension := ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingExtension{
			FileContainingExtension: &reflectionv1.ExtensionRequest{ContainingType: "inference.ModelConfig", ExtensionNumber: 100},
		},
	})
	require.Equal(t, "nothing has the name inference.ModelConfig", extension.GetErrorResponse().ErrorMessage)
	require.Equal(t, int32(100), extension.OriginalRequest.GetFileContainingExtension().ExtensionNumber)
	_, err = protoregistry.GlobalFiles.FindDescriptorByName(ServiceName)
	require.ErrorIs(t, err, protoregistry.NotFound, "the service is in the registry of the program")

	server.EndStreams()
	_, err = stream.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
}

// zlibCompressor compresses as Triton's client does if it is told to by deflate.
type zlibCompressor struct{}

func (zlibCompressor) Type() string { return "deflate" }

func (zlibCompressor) Do(w io.Writer, data []byte) error {
	z := zlib.NewWriter(w)
	if _, err := z.Write(data); err != nil {
		return err
	}
	return z.Close()
}

// rawCompressor says that its data is compressed.
type rawCompressor struct {
	name string
	data []byte
}

func (c rawCompressor) Type() string { return c.name }

func (c rawCompressor) Do(w io.Writer, _ []byte) error {
	_, err := w.Write(c.data)
	return err
}

func TestCompression(t *testing.T) {
	const limit = 100_000
	compressed := new(bytes.Buffer)
	require.NoError(t, zlibCompressor{}.Do(compressed, make([]byte, 100*limit)))
	for _, c := range []struct {
		//lint:ignore SA1019 encoding.RegisterCompressor changes the whole program.
		compressor grpc.Compressor
		size       int
		want       codes.Code
	}{
		{zlibCompressor{}, 50_000, codes.OK},
		{zlibCompressor{}, limit, codes.ResourceExhausted},
		{rawCompressor{"deflate", compressed.Bytes()}, 1, codes.ResourceExhausted},
		{rawCompressor{"deflate", compressed.Bytes()[:50]}, 1, codes.Internal},
		{rawCompressor{"deflate", []byte("nothing")}, 1, codes.Internal},
		{rawCompressor{"gzip", []byte("nothing")}, 1, codes.Internal},
		{rawCompressor{"br", []byte("nothing")}, 1, codes.Unimplemented},
		{nil, 50_000, codes.OK},
		{nil, limit, codes.ResourceExhausted},
	} {
		//lint:ignore SA1019 encoding.RegisterCompressor changes the whole program.
		dial := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithCompressor(c.compressor)}
		if c.compressor == nil {
			dial[1] = grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name))
		}
		_, client := start(t, Options{Service: &fakeService{}, Limits: oip.Limits{MaxBodyBytes: limit}}, dial...)
		request := messageOf(t, "ModelInferRequest", `model_name: "identity" inputs { datatype: "UINT8" shape: 1 }`)
		fields := request.Descriptor().Fields()
		request.Mutable(fields.ByName("raw_input_contents")).List().Append(protoBytes(make([]byte, c.size)))
		shape := request.Get(fields.ByName("inputs")).List().Get(0).Message()
		shape.Mutable(shape.Descriptor().Fields().ByName("shape")).List().Set(0, protoInt(c.size))
		answer := newMessage(t, "ModelInferResponse")
		err := client.Invoke(t.Context(), "/"+ServiceName+"/ModelInfer", request, answer)
		require.Equal(t, c.want, status.Code(err), "%v: %v", c, err)
		if err == nil {
			require.Equal(t, c.size, len(answer.Get(answer.Descriptor().Fields().ByName("raw_output_contents")).List().Get(0).Bytes()))
		}
	}
}

// keysOf returns keys of a file with content.
func keysOf(t testing.TB, content string) *access.Keys {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	keys, err := access.NewKeys(access.KeyOptions{Path: path})
	require.NoError(t, err)
	return keys
}

func TestKeys(t *testing.T) {
	server := New(Options{Service: &fakeService{}, Keys: keysOf(t, "all\nlooks metadata,statistics\n")})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	shared := sharedPort(t, server)
	go server.Serve(listener)
	defer server.Shutdown(t.Context())
	for _, address := range []string{listener.Addr().String(), shared} {
		client, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		for _, c := range []struct {
			method, key string
			want        codes.Code
		}{
			{"ServerReady", "", codes.OK},
			{"ServerMetadata", "", codes.Unauthenticated},
			{"ServerMetadata", "wrong", codes.Unauthenticated},
			{"ServerMetadata", "looks", codes.OK},
			{"ModelStatistics", "looks", codes.OK},
			{"ModelInfer", "looks", codes.PermissionDenied},
			{"RepositoryIndex", "looks", codes.PermissionDenied},
			{"RepositoryIndex", "all", codes.OK},
		} {
			ctx := t.Context()
			if c.key != "" {
				ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.key)
			}
			err := client.Invoke(ctx, "/"+ServiceName+"/"+c.method, newMessage(t, "ModelReadyRequest"), newMessage(t, "ModelReadyResponse"))
			require.Equal(t, c.want, status.Code(err), "%v: %v", c, err)
		}
		_, err = health.NewHealthClient(client).Check(t.Context(), &health.HealthCheckRequest{})
		require.NoError(t, err)
		require.NoError(t, client.Close())
	}
}

// sharedPort serves server by an http.Server until the test ends, and returns its address.
func sharedPort(t testing.TB, server *Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := &http.Server{Handler: server, Protocols: new(http.Protocols)}
	web.Protocols.SetUnencryptedHTTP2(true)
	go web.Serve(listener)
	t.Cleanup(func() { require.NoError(t, web.Close()) })
	return listener.Addr().String()
}

func TestServer_ServeHTTP(t *testing.T) {
	server := New(Options{Service: &fakeService{}})
	client, err := grpc.NewClient(sharedPort(t, server), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer client.Close()
	answer, err := call(t, client, "ModelInfer", `model_name: "identity" id: "7"`)
	require.NoError(t, err)
	requireMessage(t, `model_name: "identity" model_version: "3" id: "7"`, answer)
	stream := openStream(t, t.Context(), client)
	require.NoError(t, stream.SendMsg(messageOf(t, "ModelInferRequest", `model_name: "identity"`)))
	receiveFrom(t, stream)
	server.EndStreams()
	require.Equal(t, codes.Unavailable, status.Code(stream.RecvMsg(newMessage(t, "ModelStreamInferResponse"))))
}

// A deadline and a client that goes both reach the service.
func TestModelInfer_cancel(t *testing.T) {
	service := &fakeService{entered: make(chan struct{}, 1)}
	_, client := start(t, Options{Service: service})
	request, answer := messageOf(t, "ModelInferRequest", `model_name: "identity"`), newMessage(t, "ModelInferResponse")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Equal(t, codes.DeadlineExceeded, status.Code(client.Invoke(ctx, "/"+ServiceName+"/ModelInfer", request, answer)))
	<-service.entered

	ctx, cancel = context.WithCancel(t.Context())
	go func() {
		<-service.entered
		cancel()
	}()
	require.Equal(t, codes.Canceled, status.Code(client.Invoke(ctx, "/"+ServiceName+"/ModelInfer", request, answer)))
}

// Shutdown waits for calls until its context is done.
func TestServer_Shutdown(t *testing.T) {
	service := &fakeService{entered: make(chan struct{})}
	server, client := start(t, Options{Service: service})
	failed := make(chan error)
	go func() {
		_, err := call(t, client, "ModelInfer", `model_name: "identity"`)
		failed <- err
	}()
	<-service.entered
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, server.Shutdown(ctx), context.DeadlineExceeded)
	require.Error(t, <-failed)
}

// Nothing runs after Shutdown.
func TestServer_goroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("serve", func(t *testing.T) {
		_, client := start(t, Options{Service: &fakeService{}})
		_, err := call(t, client, "ServerLive", ``)
		require.NoError(t, err)
		openStream(t, t.Context(), client)
		_, err = health.NewHealthClient(client).Watch(t.Context(), &health.HealthCheckRequest{})
		require.NoError(t, err)
	})
	for range 500 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	t.Fatal(string(stacks[:runtime.Stack(stacks, true)]))
}
