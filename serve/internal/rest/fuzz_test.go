package rest_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/rest"
)

// FuzzInfer sends bodies of requests. Whatever they are, the answer is tensors or an error, and in
// both cases valid.
func FuzzInfer(f *testing.F) {
	const binary = `{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[2],"datatype":"BYTES","parameters":{"binary_data_size":10}}]}`
	f.Add([]byte(`{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[[1.5,-2e3]]}],"outputs":[{"name":"x"}]}`), -1)
	f.Add([]byte(binary+"\x01\x00\x00\x00\xff\x01\x00\x00\x00a"), len(binary))
	f.Add([]byte("\x00\x00\x80\x3f"), 0)
	f.Add([]byte(`{"id":"1","inputs":[{"data":["a"],"shape":[1],"datatype":"BYTES","name":"x"}]}`), -1)
	f.Fuzz(func(t *testing.T, body []byte, length int) {
		handler := rest.New(rest.Options{Service: new(service), Limits: oip.Limits{MaxBodyBytes: 1 << 20}})
		var headers []string
		if length >= 0 {
			headers = []string{lengthHeader, strconv.Itoa(length)}
		}
		a := ask(handler, "POST", "/v2/models/free/infer", string(body), headers...)
		if a.status != 200 {
			require.Contains(t, []int{400, 413}, a.status)
			errorOf(t, a)
			return
		}
		text := a.body
		if header := a.header.Get(lengthHeader); header != "" {
			n, err := strconv.Atoi(header)
			require.NoError(t, err)
			text = text[:n]
		}
		require.True(t, json.Valid([]byte(text)))
	})
}
