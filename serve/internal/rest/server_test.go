package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/rest"
)

// TestServer_canceled sees a client go whose request is being computed.
func TestServer_canceled(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error, 1)
	fake := &waiting{service: new(service), started: started, ended: ended}
	server := httptest.NewServer(rest.New(rest.Options{Service: fake}))
	defer server.Close()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	head := `{"inputs":[{"name":"x","shape":[100000],"datatype":"INT8","parameters":{"binary_data_size":100000}}]}`
	request, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v2/models/slow/infer", strings.NewReader(head+strings.Repeat("a", 100_000)))
	require.NoError(t, err)
	request.Header.Set(lengthHeader, strconv.Itoa(len(head)))
	go func() {
		<-started
		cancel()
	}()
	_, err = http.DefaultClient.Do(request)
	require.ErrorIs(t, err, context.Canceled)
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(20 * time.Second):
		require.Fail(t, "the request goes on")
	}
	for end := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.Less(t, time.Now(), end, "goroutines go on")
	}
}

// waiting is a service that tells when an inference starts and how it ends.
type waiting struct {
	*service
	started chan struct{}
	ended   chan error
}

func (w *waiting) Infer(ctx context.Context, request *oip.InferRequest) (*oip.InferResponse, error) {
	close(w.started)
	response, err := w.service.Infer(ctx, request)
	w.ended <- err
	return response, err
}

// TestServer_concurrent compares answers of many clients, whose memory is used again and again.
func TestServer_concurrent(t *testing.T) {
	server := httptest.NewServer(rest.New(rest.Options{Service: new(service)}))
	defer server.Close()
	const clients, requests = 8, 30
	var group sync.WaitGroup
	failures := make(chan string, clients*requests)
	for client := range clients {
		group.Go(func() {
			for i := range requests {
				if failure := exchange(server.URL, 1000*client+137*i, byte(client*requests+i)); failure != "" {
					failures <- failure
				}
			}
		})
	}
	group.Wait()
	close(failures)
	for failure := range failures {
		require.Fail(t, failure)
	}
}

// exchange sends n bytes of value fill, or, every fourth time, something broken. It returns what is
// wrong with the answer.
func exchange(url string, n int, fill byte) string {
	head := fmt.Sprintf(`{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[%d],"datatype":"UINT8","parameters":{"binary_data_size":%d}}]}`, n, n)
	data := bytes.Repeat([]byte{fill}, n)
	want := http.StatusOK
	if fill%4 == 0 {
		head, want = "{"+head[1:len(head)-1]+"]", http.StatusBadRequest
	}
	request, err := http.NewRequest("POST", url+"/v2/models/identity/infer", io.MultiReader(strings.NewReader(head), bytes.NewReader(data)))
	if err != nil {
		return err.Error()
	}
	request.ContentLength = int64(len(head) + n)
	request.Header.Set(lengthHeader, strconv.Itoa(len(head)))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err.Error()
	case answer.StatusCode != want:
		return fmt.Sprintf("status %d, expected %d: %.200s", answer.StatusCode, want, content)
	case want == http.StatusOK && !bytes.HasSuffix(content, append([]byte("]}"), data...)):
		return fmt.Sprintf("%d bytes are not those of the request", n)
	}
	return ""
}
