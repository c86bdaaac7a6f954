package rest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/rest"
)

// discard is a http.ResponseWriter that keeps nothing.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// body is a request's body that can be read again.
type body struct{ *bytes.Reader }

func (body) Close() error { return nil }

// BenchmarkInfer answers identity requests with binary tensors: what the protocol costs without a
// model and a connection.
func BenchmarkInfer(b *testing.B) {
	handler := rest.New(rest.Options{Service: new(service)})
	for _, elements := range []int{16, 150_000} {
		b.Run(strconv.Itoa(4*elements), func(b *testing.B) {
			head := fmt.Sprintf(`{"id":"","parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[1,%d],"datatype":"FP32",`+
				`"parameters":{"binary_data_size":%d}}]}`, elements, 4*elements)
			data := append([]byte(head), make([]byte, 4*elements)...)
			request := httptest.NewRequest("POST", "/v2/models/free/infer", nil)
			request.Header.Set(lengthHeader, strconv.Itoa(len(head)))
			request.ContentLength = int64(len(data))
			content := body{bytes.NewReader(data)}
			w := &discard{header: make(http.Header)}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				content.Reset(data)
				request.Body = content
				clear(w.header)
				handler.ServeHTTP(w, request)
			}
			require.Zero(b, w.status)
		})
	}
}
