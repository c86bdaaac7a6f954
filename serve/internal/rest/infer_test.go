package rest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/rest"
)

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request to a handler. The headers are names and values.
func ask(handler http.Handler, method, path, body string, headers ...string) answer {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return answer{recorder.Code, recorder.Result().Header, recorder.Body.String()}
}

// errorOf returns the text of an answer that is an error.
func errorOf(t *testing.T, a answer) string {
	t.Helper()
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	var body struct{ Error string }
	require.NoError(t, json.Unmarshal([]byte(a.body), &body), a.body)
	require.NotEmpty(t, body.Error)
	require.LessOrEqual(t, len(body.Error), oip.MaxErrorText)
	return body.Error
}

// floats returns the bytes of numbers.
func floats(numbers ...float32) string {
	var b []byte
	for _, f := range numbers {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return string(b)
}

const lengthHeader = "Inference-Header-Content-Length"

func TestInfer_json(t *testing.T) {
	fake := new(service)
	handler := rest.New(rest.Options{Service: fake})
	for _, c := range []struct{ path, body, want string }{
		{"/v2/models/identity/infer", `{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","data":[1,2.5,-3,1e10]}]}`,
			`{"model_name":"identity","model_version":"1","outputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1.0,2.5,-3.0,10000000000.0]}]}`},
		// Members in any order, and some that are unknown
		{"/v2/models/identity/versions/1/infer", `{"id":"é","x":[{}],"parameters":null,"outputs":null,"inputs":[{"data":[[1,2],[3,4]],"y":{},"parameters":{"z":null},"name":"x","datatype":"INT8","shape":[2,2]}]}`,
			`{"model_name":"identity","model_version":"1","id":"é","outputs":[{"name":"x","datatype":"INT8","shape":[2,2],"data":[1,2,3,4]}]}`},
		{"/v2/models/texts/infer", `{"inputs":[{"name":"x","shape":[2],"datatype":"BYTES","data":["a\n","é"]}],"outputs":[{"name":"x"}]}`,
			`{"model_name":"texts","model_version":"1","outputs":[{"name":"x","datatype":"BYTES","shape":[2],"data":["a\n","é"]}]}`},
		{"/v2/models/empty/infer", `{"inputs":[]}`, `{"model_name":"empty","model_version":"1","outputs":[]}`},
	} {
		a := ask(handler, "POST", c.path, c.body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, c.want, a.body)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		require.Equal(t, strconv.Itoa(len(c.want)), a.header.Get("Content-Length"))
		require.Empty(t, a.header.Get(lengthHeader))
	}
	require.Equal(t, 4, fake.released)
	require.Empty(t, fake.refused)
}

func TestInfer_binary(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service)})
	const head = `{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","parameters":{"binary_data_size":16}}]}`
	data := floats(1, 2, 3, float32(math.Inf(1)))
	a := ask(handler, "POST", "/v2/models/identity/infer", head+data, lengthHeader, strconv.Itoa(len(head)))
	require.Equal(t, http.StatusOK, a.status, a.body)
	const want = `{"model_name":"identity","model_version":"1","outputs":[{"name":"x","datatype":"FP32","shape":[1,4],"parameters":{"binary_data_size":16}}]}`
	require.Equal(t, want+data, a.body)
	require.Equal(t, strconv.Itoa(len(want)), a.header.Get(lengthHeader))
	require.Equal(t, strconv.Itoa(len(want)+16), a.header.Get("Content-Length"))
	require.Equal(t, "application/octet-stream", a.header.Get("Content-Type"))

	// JSON and bytes in one request and in one answer
	const mixed = `{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}},{"name":"b","shape":[1],"datatype":"INT64","data":[9]},` +
		`{"name":"c","shape":[2],"datatype":"BYTES","parameters":{"binary_data_size":10}}],` +
		`"outputs":[{"name":"c","parameters":{"binary_data":true}},{"name":"a"}]}`
	texts := "\x01\x00\x00\x00\xff\x01\x00\x00\x00a"
	a = ask(handler, "POST", "/v2/models/pair/infer", mixed+floats(5)+texts, lengthHeader, strconv.Itoa(len(mixed)))
	require.Equal(t, http.StatusOK, a.status, a.body)
	length, err := strconv.Atoi(a.header.Get(lengthHeader))
	require.NoError(t, err)
	require.Equal(t, `{"model_name":"pair","model_version":"1","outputs":[{"name":"a","datatype":"FP32","shape":[1],"data":[5.0]},`+
		`{"name":"b","datatype":"INT64","shape":[1],"data":[9]},{"name":"c","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":10}}]}`, a.body[:length])
	require.Equal(t, texts, a.body[length:])
}

func TestInfer_classes(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service)})
	const body = `{"inputs":[{"name":"x","shape":[2,2],"datatype":"INT32","data":[1,2,4,3]}],"outputs":[{"name":"x","parameters":{"classification":1}}]}`
	a := ask(handler, "POST", "/v2/models/batched/infer", body)
	require.Equal(t, `{"model_name":"batched","model_version":"1","outputs":[{"name":"x","datatype":"BYTES","shape":[2,1],"data":["2.000000:1","4.000000:0"]}]}`, a.body)
	a = ask(handler, "POST", "/v2/models/identity/infer", body)
	require.Contains(t, a.body, `"shape":[1],"data":["4.000000:2"]`)
	a = ask(handler, "POST", "/v2/models/identity/infer", strings.Replace(body, `"classification":1`, `"classification":0`, 1))
	require.Equal(t, http.StatusBadRequest, a.status)
}

func TestInfer_raw(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service)})
	raw := func(model, data string) answer {
		return ask(handler, "POST", "/v2/models/"+model+"/infer", data, lengthHeader, "0")
	}
	for _, c := range []struct{ model, data, shape, bytes string }{
		{"identity", floats(1, 2, 3, 4, 5, 6, 7, 8), "[2,4]", floats(1, 2, 3, 4, 5, 6, 7, 8)},
		{"batched", "\x01\x00\x00\x00\x02\x00\x00\x00", "[1,2]", "\x01\x00\x00\x00\x02\x00\x00\x00"},
		{"texts", "a\xff", "[1]", "\x02\x00\x00\x00a\xff"},
		{"fixed", "abcd", "[2,2]", "abcd"},
	} {
		a := raw(c.model, c.data)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Contains(t, a.body, `"shape":`+c.shape)
		require.True(t, strings.HasSuffix(a.body, "]}"+c.bytes))
	}
	for _, c := range []struct{ model, data, text string }{
		{"pair", "", `needs a model with one input, "pair" has 2`},
		{"free", floats(1), "can have one unknown dimension, the shape is [-1 -1]"},
		{"identity", floats(1), "4 bytes are no FP32[-1 4]"},
		{"batched", "\x01\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00", `input "x": INT32[1 2] needs 8 bytes, the request has 16`},
		{"fixed", "abcde", "needs 4 bytes, the request has 5"},
	} {
		a := raw(c.model, c.data)
		require.Equal(t, http.StatusBadRequest, a.status)
		require.Contains(t, errorOf(t, a), c.text)
	}
	require.Equal(t, http.StatusNotFound, raw("unknown", "").status)
}

func TestInfer_compressed(t *testing.T) {
	handler := rest.New(rest.Options{Service: new(service), Limits: oip.Limits{MaxBodyBytes: 1 << 20}})
	var packed bytes.Buffer
	const head = `{"inputs":[{"name":"x","shape":[1,1000],"datatype":"FP32","parameters":{"binary_data_size":4000}}]}`
	body := head + strings.Repeat(floats(1), 1000)
	for encoding, writer := range map[string]io.WriteCloser{"gzip": gzip.NewWriter(&packed), "deflate": zlib.NewWriter(&packed)} {
		packed.Reset()
		if w, ok := writer.(*zlib.Writer); ok {
			w.Reset(&packed)
		}
		_, err := io.WriteString(writer, body)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		a := ask(handler, "POST", "/v2/models/identity/infer", packed.String(), "Content-Encoding", encoding, lengthHeader, strconv.Itoa(len(head)), "Accept-Encoding", "br, "+encoding)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, encoding, a.header.Get("Content-Encoding"))
		reader := io.Reader(nil)
		if encoding == "gzip" {
			reader, err = gzip.NewReader(strings.NewReader(a.body))
		} else {
			reader, err = zlib.NewReader(strings.NewReader(a.body))
		}
		require.NoError(t, err)
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.True(t, json.Valid(text))
		require.Equal(t, 1000, strings.Count(string(text), "1.0"))
	}
}

func TestInfer_errors(t *testing.T) {
	const good = `{"inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","data":[1,2,3,4]}]}`
	input := func(members string) string { return `{"inputs":[{"name":"x",` + members + `}]}` }
	for _, c := range []struct {
		path, body string
		status     int
		text       string
		headers    []string
	}{
		{"", "", 400, "the JSON ends at byte 0: expected an object", nil},
		{"", "[]", 400, "expected an object, found '['", nil},
		{"", good[:40], 400, "the JSON ends at byte 40", nil},
		{"", good + "x", 400, "expected its end, found 'x'", nil},
		{"", strings.Repeat("[", 200_000), 400, "expected an object", nil},
		{"", `{"x":` + strings.Repeat("[", 200_000), 400, "nested deeper than the limit of 64", nil},
		{"", input(`"shape":[1],"datatype":"FP32","data":` + strings.Repeat("[", 200_000)), 400, `input "x": the JSON is nested deeper`, nil},
		{"", `{}`, 400, "the request has no inputs", nil},
		{"", `{"inputs":{}}`, 400, "expected an array", nil},
		{"", `{"inputs":[1]}`, 400, "expected an object", nil},
		{"", `{"inputs":[{}]}`, 400, "input 0 has no name", nil},
		{"", `{"inputs":[{"name":1}]}`, 400, "expected a string", nil},
		{"", input(`"shape":[1]`), 400, `input "x" has no datatype`, nil},
		{"", input(`"datatype":"FP32"`), 400, `input "x" has no shape`, nil},
		{"", input(`"datatype":"FLOAT"`), 400, `input "x": the datatype "FLOAT" is unknown`, nil},
		{"", input(`"shape":[1],"datatype":"FP32"`), 400, "neither data nor the parameter binary_data_size", nil},
		{"", input(`"shape":[1],"datatype":"FP32","data":[1],"data":[2]`), 400, "expected data only once", nil},
		{"", input(`"shape":[1],"datatype":"FP32","data":[1],"datatype":"INT8"`), 400, "the datatype is there twice", nil},
		{"", input(`"shape":[1],"datatype":"FP32","data":[1],"parameters":{"binary_data_size":4}`), 400, "both data and the parameter binary_data_size", nil},
		{"", input(`"shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}`), 400, "0 bytes follow the JSON, the sum of binary_data_size of 1 inputs is 4", nil},
		{"", input(`"shape":[1],"datatype":"FP32","parameters":{"binary_data_size":5}`), 400, "FP32[1] needs 4 bytes, the parameter binary_data_size is 5", nil},
		{"", input(`"shape":[1],"datatype":"FP32","parameters":{"binary_data_size":-1}`), 400, "binary_data_size is -1, expected a number of bytes", nil},
		{"", input(`"shape":[1],"datatype":"FP32","parameters":{"binary_data_size":"4"}`), 400, "expected a number of bytes", nil},
		{"", input(`"shape":[1],"datatype":"FP32","parameters":{"shared_memory_region":"r"}`), 400, "shared memory is not supported", nil},
		{"", input(`"shape":[-1,4],"datatype":"FP32","data":[1]`), 400, "dimension 0 of the shape is -1", nil},
		{"", input(`"shape":[1.5],"datatype":"FP32","data":[1]`), 400, "expected an integer of 64 bits", nil},
		{"", input(`"shape":[1000000000,1000000],"datatype":"FP32","data":[1,2]`), 400, "has 1000000000000000 elements, more than fit", nil},
		{"", input(`"data":[1,2],"shape":[10000000000,10000000000],"datatype":"FP32"`), 400, "more elements than fit an int", nil},
		{"", input(`"shape":[` + strings.Repeat("1,", 9999) + `1],"datatype":"FP32","data":[1]`), 400, "more dimensions than the limit of 64", nil},
		{"", input(`"shape":[1,4],"datatype":"FP32","data":[1,2,3]`), 400, `input "x": the data has 3 elements, the shape needs 4`, nil},
		{"", input(`"data":[1,2,3],"shape":[1,4],"datatype":"FP32"`), 400, `input "x": the data has 3 elements, the shape needs 4`, nil},
		{"", input(`"shape":[1,4],"datatype":"UINT8","data":[1,2,3,256]`), 400, `input "x": element 3 is 256, which UINT8 does not have`, nil},
		{"", `{"inputs":[` + strings.Repeat(`{"name":"x","shape":[1],"datatype":"INT8","data":[1]},`, 1024) + `{}]}`, 400, "more inputs than the limit of 1024", nil},
		{"", `{"outputs":[` + strings.Repeat(`{"name":"x"},`, 1024) + `{}]}`, 400, "more outputs than the limit of 1024", nil},
		{"", `{"outputs":[{}]}`, 400, "output 0 has no name", nil},
		{"", `{"outputs":[{"name":"y","parameters":1}]}`, 400, `output "y": the JSON is broken`, nil},
		{"", `{"outputs":[{"name":"y","parameters":{"shared_memory_region":"r"}}]}`, 400, `output "y": shared memory is not supported`, nil},
		{"", `{"id":"` + strings.Repeat("i", 5000) + `","inputs":[]}`, 400, "the id has 5000 bytes, the limit is 4096", nil},
		{"", `{"inputs":[],"parameters":{"binary_data_output":1}}`, 400, "the parameter binary_data_output is 1, expected true or false", nil},
		{"", `{"inputs":[{"name":"x","shape":[1],"datatype":"INT8","data":[1]}],"outputs":[{"name":"x","parameters":{"binary_data":1}}]}`, 400, `output "x": the parameter binary_data is 1, expected true or false`, nil},
		{"", good, 400, "expected one number of bytes", []string{lengthHeader, "x"}},
		{"", good, 400, "expected one number of bytes", []string{lengthHeader, "-1"}},
		{"", good, 400, "expected one number of bytes", []string{lengthHeader, "+5"}},
		{"", good, 400, "expected one number of bytes", []string{lengthHeader, "5", lengthHeader, "5"}},
		{"", good, 400, "the body has 74 bytes, 926 more were expected", []string{lengthHeader, "1000"}},
		{"", good, 400, "the JSON ends at byte 20", []string{lengthHeader, "20"}},
		{"", good + "x", 400, "1 bytes follow the JSON, the sum of binary_data_size of 0 inputs is 0", []string{lengthHeader, strconv.Itoa(len(good))}},
		{"", good, 400, "the body has 74 bytes, 99999999999926 more were expected", []string{lengthHeader, "100000000000000"}},
		{"", good, 415, `the content encoding "br" is unknown`, []string{"Content-Encoding", "br"}},
		{"", good, 415, "at most one", []string{"Content-Encoding", "gzip", "Content-Encoding", "gzip"}},
		{"", good, 400, "the compressed body is broken after 0 bytes", []string{"Content-Encoding", "gzip"}},
		{"", good, 400, "the compressed body is broken after 0 bytes", []string{"Content-Encoding", "deflate"}},
		{"", good, 400, "expected a time above 0", []string{"X-Request-Timeout", "-1"}},
		{"", good, 400, "expected a time above 0", []string{"X-Request-Timeout", "NaN"}},
		{"/v2/models/unknown/infer", good, 404, `model "unknown" is unknown`, nil},
		{"/v2/models/identity/versions/2/infer", good, 404, `has no version "2"`, nil},
		{"/v2/models/full/infer", good, 429, "has no place", nil},
		{"/v2/models/slow/infer", good, 504, "the time of the request was over", []string{"X-Request-Timeout", "0.001"}},
		{"/v2/models/slow/infer", good, 504, "the time of the request was over", []string{"X-Envoy-Expected-Rq-Timeout-Ms", "1"}},
	} {
		handler := rest.New(rest.Options{Service: new(service)})
		path := c.path
		if path == "" {
			path = "/v2/models/identity/infer"
		}
		a := ask(handler, "POST", path, c.body, c.headers...)
		require.Equal(t, c.status, a.status, "%s\n%.200s", a.body, c.body)
		require.Contains(t, errorOf(t, a), c.text)
		require.Equal(t, c.status == 429, a.header.Get("Retry-After") == "1")
	}
}

func TestInfer_refused(t *testing.T) {
	fake := new(service)
	handler := rest.New(rest.Options{Service: fake})
	ask(handler, "POST", "/v2/models/identity/infer", "{")
	require.Len(t, fake.refused, 1)
	require.Equal(t, oip.Malformed, oip.ErrorOf(fake.refused[0]).Code)
}

func TestInfer_noJSON(t *testing.T) {
	const body = `{"inputs":[{"name":"x","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}]}`
	handler := rest.New(rest.Options{Service: new(service)})
	a := ask(handler, "POST", "/v2/models/identity/infer", body+floats(float32(math.NaN())), lengthHeader, strconv.Itoa(len(body)))
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, errorOf(t, a), `output "x": element 0 is NaN, an infinity, or a text that is no UTF-8: JSON has none of these; ask for it with the parameter binary_data`)
}

func TestInfer_parameters(t *testing.T) {
	fake := &service{infer: func(request *oip.InferRequest) (*oip.InferResponse, error) {
		require.Equal(t, map[string]any{"timeout": int64(5), "a": true, "b": 1.5, "c": "d", "e": uint64(math.MaxUint64)}, request.Parameters)
		return &oip.InferResponse{
			Model: "m\xff", Version: "1", ID: request.ID,
			Parameters: map[string]any{"a": true},
			Outputs:    []oip.Output{{Name: "y", Tensor: tensor([]float32{1}, 1)}},
		}, nil
	}}
	a := ask(rest.New(rest.Options{Service: fake}), "POST", "/v2/models/identity/infer",
		`{"id":"1","parameters":{"timeout":5,"a":true,"b":1.5,"c":"d","e":18446744073709551615,"f":null,"g":[1]},"inputs":[]}`)
	require.Equal(t, "{\"model_name\":\"m\uFFFD\",\"model_version\":\"1\",\"id\":\"1\",\"parameters\":{\"a\":true},"+
		`"outputs":[{"name":"y","datatype":"FP32","shape":[1],"data":[1.0]}]}`, a.body)
	for value, want := range map[any]string{
		int64(-1): "-1", uint64(1): "1", 0.5: "0.5", math.Inf(1): "null", "t": `"t"`, nil: "null",
	} {
		fake.infer = func(*oip.InferRequest) (*oip.InferResponse, error) {
			return &oip.InferResponse{Parameters: map[string]any{"p": value}}, nil
		}
		a := ask(rest.New(rest.Options{Service: fake}), "POST", "/v2/models/identity/infer", `{"inputs":[]}`)
		require.Contains(t, a.body, `"parameters":{"p":`+want+`}`)
	}
}
