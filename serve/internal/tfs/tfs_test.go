package tfs_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/tfs"
)

// service has models that return their inputs: "one" with an input x of FP32, "texts" with an input
// of BYTES, "two" with inputs a and b.
type service struct {
	oip.Service
	output  *ir.Tensor
	refused error
	loaded  []string
}

var ports = map[string][]oip.Port{
	"one":   {{Name: "x", Datatype: "FP32", Shape: []int64{-1, 2}}},
	"texts": {{Name: "x", Datatype: "BYTES", Shape: []int64{-1}}},
	"two":   {{Name: "a", Datatype: "FP32", Shape: []int64{-1}}, {Name: "b", Datatype: "INT64", Shape: []int64{-1, 2}}},
}

func (s *service) Server() oip.ServerMetadata { return oip.ServerMetadata{Name: "vinoir"} }

func (s *service) Models() []string { return []string{"one"} }

func (s *service) ModelMetadata(model, version string) (*oip.ModelMetadata, error) {
	found, ok := ports[model]
	if !ok || version != "" && version != "2" {
		return nil, oip.Errorf(oip.NotFound, "model %q is unknown", model)
	}
	return &oip.ModelMetadata{Name: model, Versions: []string{"1", "2"}, Inputs: found, Outputs: found}, nil
}

func (s *service) Infer(_ context.Context, request *oip.InferRequest) (*oip.InferResponse, error) {
	response := new(oip.InferResponse)
	for _, input := range request.Inputs {
		response.Outputs = append(response.Outputs, oip.Output(input))
	}
	if s.output != nil {
		response.Outputs[len(response.Outputs)-1].Tensor = s.output
	}
	if request.Model == "two" && len(request.Inputs) != 2 {
		return nil, oip.Errorf(oip.Malformed, "%d inputs", len(request.Inputs))
	}
	return response, nil
}

func (s *service) Refused(_, _ string, err error) { s.refused = err }

func (s *service) Index() []oip.IndexEntry {
	return []oip.IndexEntry{
		{Name: "one", Version: "1", State: oip.StateUnavailable, Reason: "broken"},
		{Name: "one", Version: "2", State: oip.StateReady},
		{Name: "two", Version: "2", State: oip.StateLoading},
		{Name: "none", State: oip.StateUnavailable},
	}
}

func (s *service) Load(_ context.Context, model string, _ oip.LoadOptions) error {
	if s.output != nil {
		return oip.Errorf(oip.Unavailable, "no loading")
	}
	s.loaded = append(s.loaded, model)
	return nil
}

// ask sends a request and returns the status and the body of the answer.
func ask(fake *service, method, path, body string, headers ...string) (int, string) {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	tfs.New(tfs.Options{Service: fake}).ServeHTTP(recorder, request)
	return recorder.Code, recorder.Body.String()
}

func TestPredict(t *testing.T) {
	for _, c := range []struct{ path, body, want string }{
		{"one", `{"instances":[[1,2],[3,4]],"signature_name":"x"}`, `{"predictions":[[1.0,2.0],[3.0,4.0]]}`},
		{"one", `{"instances":[{"x":[1,2]},{"x":[3,4]}]}`, `{"predictions":[[1.0,2.0],[3.0,4.0]]}`},
		{"one", `{"instances":[1,2]}`, `{"predictions":[1.0,2.0]}`},
		{"one", `{"instances":[]}`, `{"predictions":[]}`},
		{"one/versions/2", `{"inputs":[[1,2]]}`, `{"outputs":[[1.0,2.0]]}`},
		{"one", `{"inputs":{"x":[[1,2]]}}`, `{"outputs":[[1.0,2.0]]}`},
		{"one", `{"inputs":5}`, `{"outputs":5.0}`},
		{"texts", `{"instances":["a",{"b64":"/w=="}]}`, `{"predictions":["a",{"b64":"/w=="}]}`},
		{"texts", `{"instances":[{"b64":"YQ=="},"b"]}`, `{"predictions":["a","b"]}`},
		{"texts", `{"instances":[{"x":"a"},{"x":{"b64":"/w=="}}]}`, `{"predictions":["a",{"b64":"/w=="}]}`},
		{"texts", `{"inputs":{"b64":"YQ=="}}`, `{"outputs":"a"}`},
		{"two", `{"instances":[{"a":1,"b":[1,2]},{"b":[3,4],"a":5}]}`, `{"predictions":[{"a":1.0,"b":[1,2]},{"a":5.0,"b":[3,4]}]}`},
		{"two", `{"inputs":{"b":[[1,2]],"a":[7]}}`, `{"outputs":{"b":[[1,2]],"a":[7.0]}}`},
	} {
		status, body := ask(new(service), "POST", "/v1/models/"+c.path+":predict", c.body)
		require.Equal(t, http.StatusOK, status, body)
		require.Equal(t, c.want, body)
	}
}

func TestPredict_errors(t *testing.T) {
	for _, c := range []struct {
		path, body string
		status     int
		text       string
	}{
		{"one", "", 400, "expected an object"},
		{"one", "{}", 400, "0 members instances or inputs"},
		{"one", `{"inputs":[],"instances":[]}`, 400, "2 members instances or inputs"},
		{"one", `{"inputs":[1]} x`, 400, "expected its end"},
		{"one", `{"instances":1}`, 400, "expected an array of instances"},
		{"one", `{"instances":[[1,2],[3]]}`, 400, `input \"x\": the array at byte 20 has 1 elements`},
		{"one", `{"instances":[{"x":[1,2]},{"x":[3]}]}`, 400, `input \"x\": instance 1 has shape [1], instance 0 has [2]`},
		{"one", `{"instances":[{"x":1},{}]}`, 400, `instance 1 has not one input \"x\"`},
		{"one", `{"instances":[{"x":1,"x":2}]}`, 400, `instance 0 has not one input \"x\"`},
		{"one", `{"instances":[{"x":1},5]}`, 400, "expected an object"},
		{"one", `{"instances":[{"y":1}]}`, 400, `the model has no input \"y\"`},
		{"one", `{"instances":[{"x":"1"}]}`, 400, "expected a number"},
		{"one", `{"inputs":{"y":1}}`, 400, `the model has no input \"y\"`},
		{"one", `{"inputs":["a"]}`, 400, "expected a number"},
		{"one", `{"inputs":[` + strings.Repeat("[", 100_000), 400, "nested deeper"},
		{"two", `{"inputs":[1]}`, 400, "the model has 2 inputs, expected an object"},
		{"two", `{"instances":[1]}`, 400, "the model has 2 inputs, expected an object"},
		{"two", `{"inputs":{"a":[1]}}`, 400, "1 inputs"},
		{"two", `{"inputs":{"a":[1e40]}}`, 400, "which FP32 does not have"},
		{"two", `{"instances":[{"a":1,"b":[1.5]}]}`, 400, "which INT64 does not have"},
		{"unknown", `{"instances":[1]}`, 404, `model \"unknown\" is unknown`},
		{"one/versions/3", `{"instances":[1]}`, 404, "is unknown"},
	} {
		fake := new(service)
		status, body := ask(fake, "POST", "/v1/models/"+c.path+":predict", c.body)
		require.Equal(t, c.status, status, "%.100s", c.body)
		require.Contains(t, body, c.text)
		require.True(t, json.Valid([]byte(body)))
		require.Equal(t, c.text == "1 inputs", fake.refused == nil)
	}
	status, body := ask(new(service), "POST", "/v1/models/one:classify", "{}")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, body, `the call \"classify\" is unknown`)
	status, _ = ask(new(service), "POST", "/v1/models/one", "{}")
	require.Equal(t, http.StatusNotFound, status)
	status, _ = ask(new(service), "POST", "/v1/models/one:predict", "{}", "X-Request-Timeout", "x")
	require.Equal(t, http.StatusBadRequest, status)
	status, _ = ask(new(service), "POST", "/v1/models/one:predict", "{}", "Content-Encoding", "x")
	require.Equal(t, http.StatusUnsupportedMediaType, status)
	status, _ = ask(new(service), "GET", "/v1/nothing", "")
	require.Equal(t, http.StatusNotFound, status)
}

func TestPredict_outputs(t *testing.T) {
	scalar, err := ir.TensorOf(ir.F32, ir.Shape{}, []float32{1})
	require.NoError(t, err)
	long, err := ir.TensorFrom([]int64{1, 2, 3})
	require.NoError(t, err)
	nan, err := ir.TensorFrom([]float32{float32(math.NaN())})
	require.NoError(t, err)
	const two = `{"instances":[{"a":1,"b":[1,2]}]}`
	for _, c := range []struct {
		output *ir.Tensor
		body   string
		want   string
	}{
		{scalar, two, `output \"b\" has no axis of rows: send inputs instead of instances`},
		{long, two, `output \"b\" has 3 rows, output \"a\" has 1`},
		{nan, two, `output \"b\": element 0 is NaN`},
		{nan, `{"inputs":{"a":[1],"b":[1]}}`, `output \"b\": element 0 is NaN`},
	} {
		status, body := ask(&service{output: c.output}, "POST", "/v1/models/two:predict", c.body)
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, body, c.want)
	}
}

func TestStatus(t *testing.T) {
	const first = `{"version":"1","state":"END","status":{"error_code":"UNKNOWN","error_message":"broken"}}`
	const second = `{"version":"2","state":"AVAILABLE","status":{"error_code":"OK","error_message":""}}`
	const third = `{"version":"2","state":"LOADING","status":{"error_code":"OK","error_message":""}}`
	const openAI = `"id":"one","object":"model","created":0,"owned_by":"vinoir"`
	const all = `{"one":{"model_version_status":[` + first + `,` + second + `]},"two":{"model_version_status":[` + third + `]},"none":{"model_version_status":[]}}`
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/v1/models/one", 200, `{"model_version_status":[` + first + `,` + second + `],` + openAI + `}`},
		{"GET", "/v1/models/one/versions/2", 200, `{"model_version_status":[` + second + `],` + openAI + `}`},
		{"GET", "/v1/models/one/versions/3", 404, `{"error":"model \"one\" has no version \"3\""}`},
		{"GET", "/v1/models/unknown", 404, `{"error":"model \"unknown\" is unknown"}`},
		{"GET", "/v1/models", 200, `{"models":["one"],"object":"list","data":[{` + openAI + `}]}`},
		{"GET", "/v1/config", 200, all},
		{"POST", "/v1/config/reload", 201, all},
	} {
		status, body := ask(new(service), c.method, c.path, "")
		require.Equal(t, c.status, status)
		require.JSONEq(t, c.want, body)
	}
	fake := new(service)
	ask(fake, "POST", "/v1/config/reload", "")
	require.ElementsMatch(t, []string{"one", "two", "none"}, fake.loaded)
	status, _ := ask(&service{output: new(ir.Tensor)}, "POST", "/v1/config/reload", "")
	require.Equal(t, http.StatusServiceUnavailable, status)
}

func TestMetadata(t *testing.T) {
	const x = `{"x":{"dtype":"DT_FLOAT","tensor_shape":{"dim":[{"size":"-1","name":""},{"size":"2","name":""}],"unknown_rank":false},"name":"x"}}`
	status, body := ask(new(service), "GET", "/v1/models/one/metadata", "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"model_spec":{"name":"one","signature_name":"","version":"2"},"metadata":{"signature_def":{"signature_def":{"serving_default":`+
		`{"inputs":`+x+`,"outputs":`+x+`,"method_name":""}}}}}`, body)
	status, body = ask(new(service), "GET", "/v1/models/texts/versions/2/metadata", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "DT_STRING")
	status, _ = ask(new(service), "GET", "/v1/models/unknown/metadata", "")
	require.Equal(t, http.StatusNotFound, status)
}

// FuzzPredict sends bodies of requests. Whatever they are, the answer is JSON.
func FuzzPredict(f *testing.F) {
	f.Add("two", `{"instances":[{"a":1,"b":[1,2]},{"b":[3,4],"a":5}]}`)
	f.Add("one", `{"inputs":{"x":[[1,2]]}}`)
	f.Add("texts", `{"instances":["a",{"b64":"/w=="}]}`)
	f.Fuzz(func(t *testing.T, model, body string) {
		if ports[model] == nil {
			model = "one"
		}
		status, answer := ask(new(service), "POST", "/v1/models/"+model+":predict", body)
		require.Contains(t, []int{200, 400}, status)
		require.True(t, json.Valid([]byte(answer)), answer)
	})
}
