package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/vinoir/vinoir/serve"
)

// add is a model that adds two numbers.
const add = "../testdata/ir/Add-1/f64"

// request is one for add, answer what comes back.
const (
	request = `{"inputs":[{"name":"in0","datatype":"FP64","shape":[],"data":[1]}]}`
	answer  = `"name":"out0"`
)

// options are those of a server of add on free ports that ends at once.
func options() serve.Options {
	return serve.Options{
		Models:      []serve.Model{{Name: "add", Path: add}},
		RESTAddress: "127.0.0.1:0", GRPCAddress: "127.0.0.1:0", DrainDelay: -1,
	}
}

// running is a server that runs, with what ends it.
type running struct {
	*serve.Server
	url  map[string]string
	stop context.CancelFunc
	done chan error
}

// run runs a server until the end of the test, and waits until it is ready.
func run(t *testing.T, o serve.Options) *running {
	s, err := serve.New(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, s.Listen())
	ctx, stop := context.WithCancel(context.Background())
	r := &running{Server: s, url: map[string]string{}, stop: stop, done: make(chan error, 1)}
	for name, address := range s.Addresses() {
		r.url[name] = "http://" + address.String()
	}
	go func() { r.done <- s.Run(ctx) }()
	t.Cleanup(stop)
	require.NoError(t, s.WaitStarted(t.Context()))
	require.True(t, s.Ready())
	return r
}

// end ends the server and returns what Run returns.
func (r *running) end(t *testing.T) error {
	r.stop()
	select {
	case err := <-r.done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not end")
		return nil
	}
}

// get returns the status and the body of a page.
func get(t *testing.T, url string) (int, string) {
	response, err := http.Get(url)
	require.NoError(t, err)
	return read(t, response)
}

func post(t *testing.T, url, body string) (int, string) {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	return read(t, response)
}

func read(t *testing.T, response *http.Response) (int, string) {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// healthOf asks by gRPC whether the server at an address serves.
func healthOf(t *testing.T, address string) grpc_health_v1.HealthCheckResponse_ServingStatus {
	connection, err := grpc.NewClient(strings.TrimPrefix(address, "http://"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer connection.Close()
	response, err := grpc_health_v1.NewHealthClient(connection).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	require.NoError(t, err)
	return response.Status
}

func TestServer_Run(t *testing.T) {
	before := runtime.NumGoroutine()
	o := options()
	o.MetricsAddress = "127.0.0.1:0"
	o.OVMSMetrics, o.Profiling = true, true
	var log bytes.Buffer
	o.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	s := run(t, o)
	rest := s.url["rest"]

	status, body := post(t, rest+"/v2/models/add/infer", request)
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, body, answer)
	status, body = post(t, rest+"/v2/models/none/infer", request)
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, body, `"error"`)
	require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, healthOf(t, s.url["grpc"]))

	for _, url := range []string{rest, s.url["metrics"]} {
		status, body = get(t, url+"/metrics")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, `nv_inference_request_success{model="add",version="1"} 1`)
		require.Contains(t, body, `ovms_wait_for_infer_req_time_us_count{interface="REST",name="add",version="1"} 1`)
		status, body = get(t, url+"/debug/pprof/goroutine?debug=1")
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, "goroutine profile")
	}
	status, body = get(t, rest+"/debug/pprof/")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "heap\n")
	status, _ = get(t, rest+"/debug/pprof/nothing")
	require.Equal(t, http.StatusNotFound, status)
	status, _ = get(t, rest+"/debug/pprof/profile?seconds=1")
	require.Equal(t, http.StatusOK, status)

	status, body = get(t, rest+"/")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "<!DOCTYPE html>")
	_, body = get(t, rest+"/status/status.json")
	require.Contains(t, body, `"rest":"127.0.0.1:`)
	require.Contains(t, body, `"method":"ModelInfer"`) // the error of the model none
	_, body = get(t, rest+"/v1/models/add")
	require.Contains(t, body, "model_version_status")

	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, s.end(t))
	require.Contains(t, log.String(), "all requests are answered")
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 10*time.Second, 10*time.Millisecond,
		"goroutines are left")
}

func TestServer_singleAddress(t *testing.T) {
	o := options()
	o.RESTAddress, o.GRPCAddress, o.SingleAddress, o.NoPage = "", "", "127.0.0.1:0", true
	s := run(t, o)
	status, _ := post(t, s.url["single"]+"/v2/models/add/infer", request)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, healthOf(t, s.url["single"]))
	status, _ = get(t, s.url["single"]+"/")
	require.Equal(t, http.StatusNotFound, status)
	status, _ = get(t, s.url["single"]+"/debug/pprof/heap")
	require.Equal(t, http.StatusNotFound, status)
	require.NoError(t, s.end(t))
}

// TestServer_Handler uses a server inside the server of a program.
func TestServer_Handler(t *testing.T) {
	s, err := serve.New(t.Context(), options())
	require.NoError(t, err)
	require.NoError(t, s.WaitStarted(t.Context()))
	own := httptest.NewServer(s.Handler())
	defer own.Close()
	status, _ := post(t, own.URL+"/v2/models/add/infer", request)
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, s.Close(t.Context()))
	status, _ = get(t, own.URL+"/v2/health/ready")
	require.Equal(t, http.StatusServiceUnavailable, status)
}

// TestServer_drain checks that a server which is to end says so first, and loses no request of
// clients that go on.
func TestServer_drain(t *testing.T) {
	o := options()
	o.DrainDelay = 300 * time.Millisecond
	s := run(t, o)
	rest := s.url["rest"]
	var clients sync.WaitGroup
	started := make(chan struct{}, 8)
	for range cap(started) {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for n := 0; ; n++ {
				response, err := client.Post(rest+"/v2/models/add/infer", "application/json", strings.NewReader(request))
				if err != nil {
					// That no more connections are taken is all that may happen.
					if !strings.Contains(err.Error(), "refused") {
						t.Error(err)
					}
					return
				}
				status, body := read(t, response)
				if status != http.StatusOK {
					t.Errorf("status %d: %s", status, body)
				}
				if n == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	s.stop()
	require.Eventually(t, func() bool {
		status, _ := get(t, rest+"/v2/health/ready")
		return status == http.StatusServiceUnavailable
	}, 200*time.Millisecond, time.Millisecond)
	require.Equal(t, grpc_health_v1.HealthCheckResponse_NOT_SERVING, healthOf(t, s.url["grpc"]))
	require.NoError(t, <-s.done)
	clients.Wait()
}

// TestServer_drainTimeout checks that a request which does not end is ended.
func TestServer_drainTimeout(t *testing.T) {
	o := options()
	o.DrainTimeout = 50 * time.Millisecond
	s := run(t, o)
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url["rest"], "http://"))
	require.NoError(t, err)
	defer connection.Close()
	_, err = connection.Write([]byte("POST /v2/models/add/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"))
	require.NoError(t, err)
	time.Sleep(50 * time.Millisecond)
	require.ErrorIs(t, s.end(t), context.DeadlineExceeded)
}

func TestServer_keys(t *testing.T) {
	o := options()
	o.APIKeyFile = filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(o.APIKeyFile, []byte("secret infer\n"), 0o600))
	s := run(t, o)
	rest := s.url["rest"]
	for path, want := range map[string]int{
		"/v2/health/live": 200, "/": 200, "/status/page.js": 200, "/status/status.json": 401, "/metrics": 401, "/v2": 401,
	} {
		status, _ := get(t, rest+path)
		require.Equal(t, want, status, path)
	}
	status, body := post(t, rest+"/v2/models/add/infer", request)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, body, `"error"`)
	authorized, err := http.NewRequest(http.MethodPost, rest+"/v2/models/add/infer", strings.NewReader(request))
	require.NoError(t, err)
	authorized.Header.Set("Authorization", "Bearer secret")
	response, err := http.DefaultClient.Do(authorized)
	require.NoError(t, err)
	status, _ = read(t, response)
	require.Equal(t, http.StatusOK, status)
}

func TestNew_wrong(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*serve.Options)
	}{
		{"no such file", func(o *serve.Options) { o.Models[0].Path = "/no/such/model" }},
		{"TLS needs a certificate and a key", func(o *serve.Options) { o.Certificate = "cert.pem" }},
		{"no such file", func(o *serve.Options) { o.APIKeyFile = "/no/such/file" }},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", func(o *serve.Options) {
			o.Environment = func(name string) (string, bool) { return "not a URL", name == "OTEL_EXPORTER_OTLP_ENDPOINT" }
		}},
	} {
		o := options()
		c.change(&o)
		_, err := serve.New(t.Context(), o)
		require.ErrorContains(t, err, c.want)
	}
}

func TestServer_Run_wrong(t *testing.T) {
	o := options()
	o.RESTAddress, o.GRPCAddress = "", ""
	s, err := serve.New(t.Context(), o)
	require.NoError(t, err)
	require.EqualError(t, s.Run(t.Context()), "no address to listen on")

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	o = options()
	o.GRPCAddress = taken.Addr().String()
	s, err = serve.New(t.Context(), o)
	require.NoError(t, err)
	require.ErrorContains(t, s.Run(t.Context()), "grpc: listen tcp")
	require.Empty(t, s.Addresses())
}

// TestServer_maxConnections checks that connections beyond the limit wait for others to end.
func TestServer_maxConnections(t *testing.T) {
	o := options()
	o.MaxConnections = 1
	s := run(t, o)
	address := strings.TrimPrefix(s.url["rest"], "http://")
	first, err := net.Dial("tcp", address)
	require.NoError(t, err)
	second, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer second.Close()
	_, err = second.Write([]byte("GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n"))
	require.NoError(t, err)
	require.NoError(t, second.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, err = second.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, first.Close())
	require.NoError(t, second.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, err = second.Read(make([]byte, 1))
	require.NoError(t, err)
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	content, err := os.ReadFile(add + "/model.xml")
	require.NoError(t, err)
	for path, text := range map[string][]byte{
		"good/1/model.xml": content, "broken/1/model.xml": []byte("<net"), "good/config.pbtxt": []byte("unheard_of: 3\n"),
	} {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	if bin, err := os.ReadFile(add + "/model.bin"); err == nil {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "good/1/model.bin"), bin, 0o600))
	}
	list, err := serve.Check(t.Context(), serve.Options{Repository: dir})
	require.NoError(t, err)
	require.Len(t, list, 2)
	broken, good := list[0], list[1]
	require.Equal(t, "broken", broken.Model)
	require.NotEmpty(t, broken.Problem)
	require.Equal(t, "good", good.Model)
	require.Empty(t, good.Problem)
	require.Equal(t, filepath.Join(dir, "good/1/model.xml"), good.File)
	require.Equal(t, []string{"in0 FP64 []"}, good.Inputs)
	require.Equal(t, []string{"out0 FP64 []"}, good.Outputs)
	require.Len(t, good.Warnings, 1)
	_, err = json.Marshal(list)
	require.NoError(t, err)

	list, err = serve.Check(t.Context(), serve.Options{Models: []serve.Model{{Name: "m", Path: add}}})
	require.NoError(t, err)
	require.Equal(t, "m", list[0].Model)
	_, err = serve.Check(t.Context(), serve.Options{Repository: t.TempDir()})
	require.Error(t, err)
}
