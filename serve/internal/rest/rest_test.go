package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/rest"
)

func TestCalls(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service)})
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/v2", 200, `{"name":"vinoir","version":"1.2","extensions":["binary_tensor_data"]}`},
		{"GET", "/v2/", 200, `{"name":"vinoir","version":"1.2","extensions":["binary_tensor_data"]}`},
		{"GET", "/v2/health/live", 200, `{"live":true}`},
		{"HEAD", "/v2/health/live", 200, `{"live":true}`},
		{"GET", "/v2/health/ready", 200, `{"ready":true}`},
		{"GET", "/v2/models", 200, `{"models":["identity","texts"]}`},
		{"GET", "/v2/models/identity/ready", 200, `{"name":"identity","ready":true}`},
		{"GET", "/v2/models/identity/versions/1/ready", 200, `{"name":"identity","ready":true}`},
		{"GET", "/v2/models/loading/ready", 503, `{"name":"loading","ready":false,"error":"the model is not ready"}`},
		{"GET", "/v2/models/unknown/ready", 404, `{"error":"model \"unknown\" is unknown"}`},
		{"GET", "/v2/models/a%2F..%2Fb/ready", 404, `{"error":"model \"a/../b\" is unknown"}`},
		{"GET", "/v2/models/identity/versions/7/ready", 404, `{"error":"model \"identity\" has no version \"7\""}`},
		{"GET", "/v2/models/identity", 200, `{"name":"identity","versions":["1"],"platform":"openvino",` +
			`"inputs":[{"name":"x","datatype":"FP32","shape":[-1,4]}],"outputs":[{"name":"x","datatype":"FP32","shape":[-1,4]}]}`},
		{"GET", "/v2/models/empty/versions/1", 200, `{"name":"empty","versions":["1"],"platform":"openvino","inputs":[],"outputs":[]}`},
		{"GET", "/v2/models/unknown", 404, `{"error":"model \"unknown\" is unknown"}`},
		{"GET", "/v2/models/texts/config", 200, `{"name":"texts","platform":"openvino","backend":"openvino","max_batch_size":0,` +
			`"input":[{"name":"x","data_type":"TYPE_STRING","dims":[-1]}],"output":[{"name":"x","data_type":"TYPE_STRING","dims":[-1]}],` +
			`"instance_group":[{"name":"texts","kind":"KIND_CPU","count":2}],"parameters":{}}`},
		{"GET", "/v2/models/batched/versions/1/config", 200, `{"name":"batched","platform":"openvino","backend":"openvino","max_batch_size":8,` +
			`"input":[{"name":"x","data_type":"TYPE_INT32","dims":[2]}],"output":[{"name":"x","data_type":"TYPE_INT32","dims":[-1,2]}],` +
			`"instance_group":[{"name":"batched","kind":"KIND_CPU","count":2}],` +
			`"dynamic_batching":{"max_queue_delay_microseconds":100,"default_queue_policy":{"max_queue_size":64}},` +
			`"response_cache":{"enable":true},"parameters":{"hint":{"string_value":"LATENCY"}}}`},
		{"GET", "/v2/models/unknown/config", 404, `{"error":"model \"unknown\" is unknown"}`},
		{"GET", "/v2/models/unknown/stats", 404, `{"error":"model \"unknown\" is unknown"}`},
		{"POST", "/v2/repository/index", 200, `[{"name":"identity","version":"1","state":"READY"},{"name":"loading","version":"1","state":"LOADING","reason":"not yet"}]`},
		{"GET", "/", 404, `{"error":"the path \"/\" is unknown"}`},
		{"GET", "/v2/nothing", 404, `{"error":"the path \"/v2/nothing\" is unknown"}`},
		{"GET", "/v2//models", 404, `{"error":"the path \"/v2//models\" is unknown"}`},
		{"GET", "/v2/models/../../etc", 404, `{"error":"the path \"/v2/models/../../etc\" is unknown"}`},
		{"GET", "/v2/models/identity/infer", 405, `{"error":"\"/v2/models/identity/infer\" has no method \"GET\", only POST"}`},
		{"DELETE", "/v2/models/identity", 405, `{"error":"\"/v2/models/identity\" has no method \"DELETE\", only GET, HEAD"}`},
	} {
		a := ask(handler, c.method, c.path, "")
		require.Equal(t, c.status, a.status, c.path)
		require.JSONEq(t, c.body, a.body, c.path)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		if c.status == http.StatusMethodNotAllowed {
			require.NotEmpty(t, a.header.Get("Allow"))
		}
	}
}

func TestReady_not(t *testing.T) {
	a := ask(rest.New(rest.Options{Service: &service{notReady: true}}), "GET", "/v2/health/ready", "")
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.JSONEq(t, `{"ready":false,"error":"the server is not ready"}`, a.body)
}

func TestStatistics(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service)})
	const zero = `{"count":0,"ns":0}`
	const rest = `"queue":` + zero + `,"compute_input":` + zero + `,"compute_infer":` + zero + `,"compute_output":` + zero + `,"cache_hit":` + zero + `,"cache_miss":` + zero + `}`
	const want = `{"model_stats":[{"name":"identity","version":"1","last_inference":5000,"inference_count":3,"execution_count":2,` +
		`"inference_stats":{"success":{"count":2,"ns":1000},"fail":` + zero + `,` + rest + `,` +
		`"batch_stats":[{"batch_size":2,"compute_input":` + zero + `,"compute_infer":{"count":1,"ns":9},"compute_output":` + zero + `}],` +
		`"memory_usage":[{"type":"CPU","id":0,"byte_size":7}]},` +
		`{"name":"texts","version":"1","last_inference":0,"inference_count":0,"execution_count":0,` +
		`"inference_stats":{"success":` + zero + `,"fail":` + zero + `,` + rest + `,"batch_stats":[],"memory_usage":[{"type":"CPU","id":0,"byte_size":0}]}]}`
	for _, path := range []string{"/v2/models/stats", "/v2/models/identity/stats", "/v2/models/identity/versions/1/stats"} {
		a := ask(handler, "GET", path, "")
		require.Equal(t, http.StatusOK, a.status)
		require.JSONEq(t, want, a.body)
	}
}

func TestRepository(t *testing.T) {
	fake := new(service)
	handler := rest.New(rest.Options{Service: fake, RepositoryControl: true})
	a := ask(handler, "POST", "/v2/repository/index", `{"ready":true,"x":[]}`)
	require.JSONEq(t, `[{"name":"identity","version":"1","state":"READY"}]`, a.body)
	a = ask(handler, "POST", "/v2/repository/main/index", `{"ready":1}`)
	require.Contains(t, errorOf(t, a), "expected true or false")

	a = ask(handler, "POST", "/v2/repository/models/m/load", "")
	require.JSONEq(t, `{"name":"m","load":true}`, a.body)
	require.Nil(t, fake.loaded["m"].Files)
	a = ask(handler, "POST", "/v2/repository/models/n/load",
		`{"x":1,"parameters":{"config":"{\"a\":1}","file:1/model.xml":"eG1s","x":{}}}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `{"a":1}`, string(fake.loaded["n"].Config))
	require.Equal(t, "xml", fake.file("n", "1/model.xml"))
	a = ask(handler, "POST", "/v2/repository/models/o/load", ` {"parameters":{"config":{"a":1}}}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `{"a":1}`, string(fake.loaded["o"].Config))

	a = ask(handler, "POST", "/v2/repository/models/m/unload", `{"parameters":{"unload_dependents":true}}`)
	require.JSONEq(t, `{"name":"m","unload":true}`, a.body)
	require.Equal(t, []string{"m"}, fake.unloaded)

	for body, text := range map[string]string{
		"{":                                   "the JSON ends",
		"{} {}":                               "expected its end",
		`{"parameters":[]}`:                   "expected an object",
		`{"parameters":{"config":1}}`:         "expected a string",
		`{"parameters":{"file:a":"%"}}`:       `parameter "file:a" is not base64`,
		`{"parameters":{"file:a":1}}`:         "expected a string",
		`{"parameters":{"file:../a":"eG1s"}}`: `the file "../a" has no path below the model's folder`,
	} {
		a := ask(handler, "POST", "/v2/repository/models/m/load", body)
		require.Equal(t, http.StatusBadRequest, a.status, body)
		require.Contains(t, errorOf(t, a), text)
	}
	a = ask(handler, "POST", "/v2/repository/models/broken/load", "")
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, errorOf(t, a), "model broken cannot be read")
	a = ask(handler, "POST", "/v2/repository/models/m/unload", "{")
	require.Equal(t, http.StatusBadRequest, a.status)
	a = ask(handler, "POST", "/v2/repository/models/m/unload", "{}", "Content-Encoding", "x")
	require.Equal(t, http.StatusUnsupportedMediaType, a.status)
}

func TestRepository_notAllowed(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service)})
	for _, call := range []string{"load", "unload"} {
		a := ask(handler, "POST", "/v2/repository/models/m/"+call, "")
		require.Equal(t, http.StatusServiceUnavailable, a.status)
		require.Contains(t, errorOf(t, a), "is not allowed")
	}
}
