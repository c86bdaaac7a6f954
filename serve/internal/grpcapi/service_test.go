package grpcapi

import (
	"context"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestServer_calls(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service})
	for _, c := range []struct{ method, request, want string }{
		{"ServerLive", ``, `live: true`},
		{"ServerReady", ``, `ready: true`},
		{"ServerMetadata", ``, `name: "vinoir" version: "1.2" extensions: "statistics" extensions: "model_repository"`},
		{"ModelReady", `name: "identity"`, `ready: true`},
		{"ModelReady", `name: "unknown"`, ``},
		{"ModelMetadata", `name: "identity" version: "7"`, `
			name: "identity" versions: "1" versions: "7" platform: "openvino"
			inputs { name: "x" datatype: "FP32" shape: -1 shape: 3 }
			inputs { name: "scalar" datatype: "BYTES" }
			outputs { name: "y" datatype: "BF16" shape: 0 }`},
		{"ModelConfig", `name: "identity"`, `config {
			name: "identity" platform: "openvino" max_batch_size: 16
			input { name: "x" data_type: TYPE_FP32 dims: -1 dims: 3 }
			output { name: "y" data_type: TYPE_STRING dims: 1 }
			instance_group { name: "identity" count: 2 kind: KIND_CPU }
			dynamic_batching { max_queue_delay_microseconds: 300 default_queue_policy { max_queue_size: 128 } }
			parameters { key: "a" value { string_value: "1" } }
			parameters { key: "b" value { string_value: "2" } }
			response_cache { enable: true } }`},
		{"ModelStatistics", `name: "identity" version: "3"`, `
			model_stats {
				name: "identity" version: "3" last_inference: 1234 inference_count: 5 execution_count: 3
				inference_stats {
					success { count: 4 ns: 5000 } fail {} queue {} compute_input {} compute_infer {} compute_output {}
					cache_hit {} cache_miss { count: 9 }
				}
				batch_stats { batch_size: 2 compute_input {} compute_infer { count: 1 ns: 7 } compute_output {} }
				memory_usage { type: "CPU" byte_size: 4096 }
			}
			model_stats {
				name: "empty"
				inference_stats {
					success {} fail {} queue {} compute_input {} compute_infer {} compute_output {} cache_hit {} cache_miss {}
				}
			}`},
		{"RepositoryIndex", ``, `
			models { name: "identity" version: "3" state: "READY" }
			models { name: "broken" version: "1" state: "UNAVAILABLE" reason: "no .bin" }`},
		{"RepositoryIndex", `ready: true`, `models { name: "identity" version: "3" state: "READY" }`},
		{"RepositoryModelLoad", `model_name: "m"`, `model_name: "m" isLoaded: true`},
		{"RepositoryModelLoad", `repository_name: "kserve"`, `model_name: "kserve" isLoaded: true`},
		{"RepositoryModelUnload", `repository_name: "r" model_name: "m"`, `model_name: "m" isUnloaded: true`},
	} {
		answer, err := call(t, client, c.method, c.request)
		require.NoError(t, err, c.method)
		requireMessage(t, c.want, answer)
	}
	require.Equal(t, []string{"m", "kserve", "m"}, service.models)

	service.setReady(false)
	for _, method := range []string{"ServerReady", "ModelReady"} {
		answer, err := call(t, client, method, map[string]string{"ModelReady": `name: "identity"`}[method])
		require.NoError(t, err)
		requireMessage(t, ``, answer)
	}
}

func TestServer_errors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want codes.Code
	}{
		{oip.Errorf(oip.NotFound, "x"), codes.NotFound},
		{oip.Errorf(oip.QueueFull, "x"), codes.ResourceExhausted},
		{oip.Errorf(oip.Unavailable, "x"), codes.Unavailable},
		{oip.Errorf(oip.Canceled, "x"), codes.Canceled},
		{fs.ErrClosed, codes.Internal},
	} {
		_, client := start(t, Options{Service: &fakeService{err: c.err}})
		for _, method := range []string{"ModelMetadata", "ModelConfig", "ModelStatistics", "RepositoryModelLoad", "RepositoryModelUnload", "ModelInfer", "ModelReady"} {
			request := `name: "identity"`
			switch method {
			case "RepositoryModelLoad", "RepositoryModelUnload", "ModelInfer":
				request = `model_name: "identity"`
			}
			_, err := call(t, client, method, request)
			if method == "ModelReady" && c.want == codes.NotFound {
				require.NoError(t, err)
				continue
			}
			require.Equal(t, c.want, status.Code(err), method)
		}
	}
}

func TestServer_retryAfter(t *testing.T) {
	full := oip.Errorf(oip.QueueFull, "64 requests wait")
	full.RetryAfter = 1500e6
	_, client := start(t, Options{Service: &fakeService{err: full}})
	var trailer metadata.MD
	_, err := call(t, client, "ModelInfer", `model_name: "identity"`, grpc.Trailer(&trailer))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.Equal(t, []string{"1500"}, trailer.Get("grpc-retry-pushback-ms"))
}

func TestServer_load(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service})
	_, err := call(t, client, "RepositoryModelLoad", `model_name: "m"
		parameters { key: "config" value { string_param: "{}" } }
		parameters { key: "file:1/model.xml" value { bytes_param: "<net/>" } }
		parameters { key: "unload_dependents" value { bool_param: true } }`)
	require.NoError(t, err)
	require.Equal(t, "{}", string(service.loaded[0].Config))
	content, err := fs.ReadFile(service.loaded[0].Files, "1/model.xml")
	require.NoError(t, err)
	require.Equal(t, "<net/>", string(content))

	for request, text := range map[string]string{
		``: "the request names no model",
		`model_name: "m" parameters { key: "config" value { int64_param: 1 } }`:            "parameter config is a int64, not a string",
		`model_name: "m" parameters { key: "file:x" value { string_param: "" } }`:          `parameter "file:x" is a string, not bytes`,
		`model_name: "m" parameters { key: "file:../x" value { bytes_param: "" } }`:        `the file "../x" has no path below the model's folder`,
		`model_name: "m" parameters { key: "file:/etc/passwd" value { bytes_param: "" } }`: `has no path below`,
	} {
		_, err := call(t, client, "RepositoryModelLoad", request)
		require.Equal(t, codes.InvalidArgument, status.Code(err), request)
		require.ErrorContains(t, err, text)
	}
	require.Len(t, service.loaded, 1)
}

func TestServer_interceptor(t *testing.T) {
	var methods []string
	interceptor := grpc.UnaryInterceptor(func(
		ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
	) (any, error) {
		methods = append(methods, info.FullMethod)
		return handler(ctx, request)
	})
	_, client := start(t, Options{Service: &fakeService{}, ServerOptions: []grpc.ServerOption{interceptor}})
	answer, err := call(t, client, "ModelInfer", `model_name: "identity" id: "7"`)
	require.NoError(t, err)
	requireMessage(t, `model_name: "identity" model_version: "3" id: "7"`, answer)
	require.Equal(t, []string{"/inference.GRPCInferenceService/ModelInfer"}, methods)
}

func TestServer_unknownMethod(t *testing.T) {
	_, client := start(t, Options{Service: &fakeService{}})
	err := client.Invoke(t.Context(), "/"+ServiceName+"/CudaSharedMemoryStatus",
		newMessage(t, "ServerLiveRequest"), newMessage(t, "ServerLiveResponse"))
	require.Equal(t, codes.Unimplemented, status.Code(err))
}
