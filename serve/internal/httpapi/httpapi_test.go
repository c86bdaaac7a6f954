package httpapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// serve starts a server that answers with what read returns for the body of a request, which has at
// most limit bytes. The server waits timeout for a body; 0 is without an end.
func serve(t *testing.T, limit int64, timeout time.Duration, read func(b *httpapi.Body) ([]byte, error)) *httptest.Server {
	var pool buffers.Pool
	server := httptest.NewUnstartedServer(httpapi.Call(func(w http.ResponseWriter, r *http.Request) error {
		body := httpapi.NewBody(r, limit, &pool)
		defer body.Close()
		data, err := read(body)
		if err != nil {
			return body.Refuse(w, err)
		}
		httpapi.WriteBody(w, http.StatusOK, fmt.Appendf(nil, "%d", len(data)))
		return nil
	}))
	server.Config.ReadTimeout = timeout
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func readAll(b *httpapi.Body) ([]byte, error) { return b.ReadAll() }

// send sends text to a server, as it is, and returns the answer.
func send(t *testing.T, server *httptest.Server, text string) *http.Response {
	t.Helper()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, connection.Close()) })
	require.NoError(t, connection.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(connection, text)
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	require.NoError(t, err)
	return answer
}

// text returns the body of an answer.
func text(t *testing.T, answer *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(b)
}

func TestBody(t *testing.T) {
	server := serve(t, 8<<20, 0, readAll)
	for _, size := range []int{0, 1, 100_000, 5 << 20, 8 << 20} {
		for _, chunked := range []bool{false, true} {
			content := io.Reader(bytes.NewReader(make([]byte, size)))
			if chunked {
				content = io.LimitReader(content, int64(size))
			}
			answer, err := http.Post(server.URL, "", content)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(size), text(t, answer))
		}
	}
	for _, chunked := range []bool{false, true} {
		content := io.Reader(bytes.NewReader(make([]byte, 8<<20+1)))
		if chunked {
			content = io.LimitReader(content, 9<<20)
		}
		answer, err := http.Post(server.URL, "", content)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
		require.Contains(t, text(t, answer), "larger than the limit of 8388608 bytes")
	}
}

func TestBody_small(t *testing.T) {
	server := serve(t, 10, 0, readAll)
	for body, status := range map[string]int{"0123456789": http.StatusOK, "0123456789x": http.StatusRequestEntityTooLarge} {
		ofUnknownLength := io.LimitReader(strings.NewReader(body), 20)
		answer, err := http.Post(server.URL, "", ofUnknownLength)
		require.NoError(t, err)
		require.Equal(t, status, answer.StatusCode)
	}
}

func TestBody_ReadFull(t *testing.T) {
	server := serve(t, 32<<20, 0, func(b *httpapi.Body) ([]byte, error) {
		first, err := b.ReadFull(3)
		if err != nil {
			return nil, err
		}
		second, err := b.ReadFull(10 << 20)
		if err != nil {
			return nil, err
		}
		for i, c := range second {
			if c != byte(i%251) {
				return nil, oip.Errorf(oip.Internal, "byte %d is %d", i, c)
			}
		}
		return append(first, second...), b.End()
	})
	content := []byte("abc")
	for i := range 10 << 20 {
		content = append(content, byte(i%251))
	}
	for _, c := range []struct {
		body, want string
	}{
		{string(content), "10485763"},
		{string(content[:1<<20]), "1048576"},
		{string(content[:2]), "the body has 2 bytes, 1 more were expected"},
		{string(content) + "x", "goes on after the 10485763 bytes that were expected"},
	} {
		answer, err := http.Post(server.URL, "", strings.NewReader(c.body))
		require.NoError(t, err)
		require.Contains(t, text(t, answer), c.want)
	}
	answer, err := http.Post(server.URL, "", io.LimitReader(bytes.NewReader(content), 2<<20))
	require.NoError(t, err)
	require.Contains(t, text(t, answer), "the body ends after 2097152 bytes, 8388611 more were expected")
}

func TestBody_compressed(t *testing.T) {
	server := serve(t, 1<<20, 0, readAll)
	post := func(encoding string, body []byte) *http.Response {
		request, err := http.NewRequest("POST", server.URL, bytes.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Encoding", encoding)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		return answer
	}
	pack := func(encoding string, n int) []byte {
		var packed bytes.Buffer
		w := io.WriteCloser(gzip.NewWriter(&packed))
		if encoding == "deflate" {
			w = zlib.NewWriter(&packed)
		}
		_, err := w.Write(make([]byte, n))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return packed.Bytes()
	}
	for _, encoding := range []string{"gzip", "deflate"} {
		require.Equal(t, "1000000", text(t, post(encoding, pack(encoding, 1_000_000))))
		require.Equal(t, "0", text(t, post(encoding, pack(encoding, 0))))
		answer := post(encoding, pack(encoding, 8<<20))
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
		answer = post(encoding, pack(encoding, 1000)[:15])
		require.Equal(t, http.StatusBadRequest, answer.StatusCode)
		require.Contains(t, text(t, answer), "the compressed body is broken")
	}
	require.Equal(t, "3", text(t, post("identity", []byte("abc"))))
}

// TestBody_lies has headers that say more than what follows.
func TestBody_lies(t *testing.T) {
	server := serve(t, 1<<30, 0, func(b *httpapi.Body) ([]byte, error) {
		if left, ok := b.Left(); ok && left == 100 {
			return nil, oip.Errorf(oip.Malformed, "at once")
		}
		return b.ReadFull(1 << 29)
	})
	// The answer does not wait for the body.
	require.Contains(t, text(t, send(t, server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")), "at once")
	// Nor does memory.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer := send(t, server, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	runtime.ReadMemStats(&after)
	require.Contains(t, text(t, answer), "the body ends after 3 bytes, 536870909 more were expected")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
	// A client that waits for the permission to send is not given it.
	answer = send(t, server, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2000000000\r\n\r\n")
	require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
}

func TestBody_slow(t *testing.T) {
	server := serve(t, 1<<20, 100*time.Millisecond, readAll)
	answer := send(t, server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
	require.Equal(t, http.StatusRequestTimeout, answer.StatusCode)
	require.Contains(t, text(t, answer), "the body did not arrive in time: 3 bytes were read")
}

// failing is a body that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
func (f failing) Close() error             { return nil }

func TestBody_readErrors(t *testing.T) {
	for err, code := range map[error]oip.Code{
		&http.MaxBytesError{Limit: 5}: oip.TooLarge,
		os.ErrDeadlineExceeded:        oip.Slow,
		context.Canceled:              oip.Canceled,
		errors.New("reset"):           oip.Malformed,
	} {
		request := httptest.NewRequest("POST", "/", nil)
		request.Body, request.ContentLength = failing{err}, -1
		var pool buffers.Pool
		body := httpapi.NewBody(request, 10, &pool)
		_, err := body.ReadAll()
		require.Equal(t, code, oip.ErrorOf(err).Code)
		_, err = body.ReadFull(3)
		require.Equal(t, code, oip.ErrorOf(err).Code)
		require.Equal(t, code, oip.ErrorOf(body.End()).Code)
		body.Close()
	}
}

func TestWriteError(t *testing.T) {
	for code, status := range map[oip.Code]int{
		oip.Malformed: 400, oip.NotFound: 404, oip.Unauthenticated: 401, oip.PermissionDenied: 403, oip.MethodNotAllowed: 405,
		oip.Slow: 408, oip.TooLarge: 413, oip.UnsupportedEncoding: 415, oip.QueueFull: 429, oip.Internal: 500,
		oip.Unavailable: 503, oip.DeadlineExceeded: 504, oip.Canceled: 499, oip.Canceled + 1: 500,
	} {
		recorder := httptest.NewRecorder()
		httpapi.WriteError(recorder, oip.Errorf(code, "\"\xff"))
		require.Equal(t, status, recorder.Code)
		require.Equal(t, "{\"error\":\"\\\"\uFFFD\"}\n", recorder.Body.String())
		require.Equal(t, code == oip.QueueFull, recorder.Header().Get("Retry-After") == "1")
		require.Equal(t, code == oip.Unauthenticated, recorder.Header().Get("WWW-Authenticate") == "Bearer")
	}
	recorder := httptest.NewRecorder()
	httpapi.WriteError(recorder, &oip.Error{Code: oip.Unavailable, Text: "x", RetryAfter: 1500 * time.Millisecond})
	require.Equal(t, "2", recorder.Header().Get("Retry-After"))
	recorder = httptest.NewRecorder()
	httpapi.WriteError(recorder, io.EOF)
	require.Equal(t, 500, recorder.Code)
	require.Error(t, httpapi.WriteJSON(recorder, 200, func() {}))
}

func TestCompressors(t *testing.T) {
	var compressors httpapi.Compressors
	large := bytes.Repeat([]byte("[1.0]"), 2000)
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "deflate, gzip;q=0.5": "gzip", "gzip;q=0, deflate": "deflate", "br": "", "gzip;q=x": "", "GZIP ": "gzip", "*": "",
	} {
		for range 2 {
			request := httptest.NewRequest("GET", "/", nil)
			request.Header.Set("Accept-Encoding", accept)
			recorder := httptest.NewRecorder()
			compressors.Write(recorder, request, large)
			require.Equal(t, want, recorder.Header().Get("Content-Encoding"), accept)
			require.Equal(t, "Accept-Encoding", recorder.Header().Get("Vary"))
			if want == "" {
				require.Equal(t, large, recorder.Body.Bytes())
			} else {
				require.Less(t, recorder.Body.Len(), len(large)/10)
			}
			recorder = httptest.NewRecorder()
			compressors.Write(recorder, request, large[:100])
			require.Equal(t, large[:100], recorder.Body.Bytes())
		}
	}
}

func TestRoutes(t *testing.T) {
	routes := httpapi.NewRoutes()
	routes.Add("GET", "/a/{x}", func(http.ResponseWriter, *http.Request) error { return httpapi.ErrAnswered })
	for path, status := range map[string]int{"/a/b": 200, "/a/b/": 404, "/a//b": 404, "/a/./b": 404, "/": 404, "": 404} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest("GET", "/", nil)
		request.URL.Path = path
		routes.ServeHTTP(recorder, request)
		require.Equal(t, status, recorder.Code, path)
	}
}

// TestBody_http2 refuses bodies over HTTP/2, where the connection goes on.
func TestBody_http2(t *testing.T) {
	var pool buffers.Pool
	server := httptest.NewUnstartedServer(httpapi.Call(func(w http.ResponseWriter, r *http.Request) error {
		body := httpapi.NewBody(r, 1<<20, &pool)
		defer body.Close()
		data, err := body.ReadAll()
		if err != nil {
			return body.Refuse(w, err)
		}
		httpapi.WriteBody(w, http.StatusOK, fmt.Appendf(nil, "%s %d", r.Proto, len(data)))
		return nil
	}))
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server.Config.Protocols = protocols
	server.Start()
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	for range 3 {
		answer, err := client.Post(server.URL, "", bytes.NewReader(make([]byte, 2<<20)))
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
		require.Contains(t, text(t, answer), "larger than the limit")
		answer, err = client.Post(server.URL, "", strings.NewReader("abc"))
		require.NoError(t, err)
		require.Equal(t, "HTTP/2.0 3", text(t, answer))
	}
}
