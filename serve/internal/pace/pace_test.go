package pace_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/pace"
)

// start serves a handler with little patience, and returns the address and a client of a version of
// HTTP.
func start(t testing.TB, version int, handler http.HandlerFunc) (string, *http.Client) {
	t.Helper()
	options := pace.Options{Grace: 200 * time.Millisecond, BytesPerSecond: 1 << 20}
	server := httptest.NewUnstartedServer(pace.Handler(handler, options))
	protocols, only := new(http.Protocols), new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server.Config.Protocols = protocols
	server.Start()
	only.SetHTTP1(version == 1)
	only.SetUnencryptedHTTP2(version == 2)
	transport := &http.Transport{Protocols: only}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return server.URL, &http.Client{Transport: transport}
}

// trickle is a body of n bytes, of which one comes every interval.
type trickle struct {
	n        int
	interval time.Duration
}

func (b *trickle) Read(p []byte) (int, error) {
	if b.n == 0 {
		return 0, io.EOF
	}
	time.Sleep(b.interval)
	b.n--
	return copy(p, "x"), nil
}

func TestHandler_body(t *testing.T) {
	for _, version := range []int{1, 2} {
		failed := make(chan error, 1)
		url, client := start(t, version, func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			failed <- err
		})
		for _, c := range []struct {
			body        io.Reader
			contentType string
			slow        bool
		}{
			{strings.NewReader("text"), "", false},
			{bytes.NewReader(make([]byte, 1<<20)), "", false},
			{http.NoBody, "", false},
			{&trickle{4, 10 * time.Millisecond}, "", false},
			{&trickle{6, 80 * time.Millisecond}, "application/grpc", false},
			{&trickle{50, 80 * time.Millisecond}, "", true},
		} {
			began := time.Now()
			answer, err := client.Post(url, c.contentType, c.body)
			if err == nil {
				require.NoError(t, answer.Body.Close())
			}
			err = <-failed
			if !c.slow {
				require.NoError(t, err, version)
				continue
			}
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			require.Less(t, time.Since(began), 3*time.Second)
		}
	}
}

// What comes after the body may take longer than it: a client that waits is not slow.
func TestHandler_longAnswer(t *testing.T) {
	for _, version := range []int{1, 2} {
		gone := make(chan error, 1)
		url, client := start(t, version, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case <-r.Context().Done():
			case <-time.After(500 * time.Millisecond):
			}
			gone <- r.Context().Err()
			_, _ = io.WriteString(w, "answer")
			w.(http.Flusher).Flush()
		})
		for range 2 {
			answer, err := client.Post(url, "", strings.NewReader("body"))
			require.NoError(t, err)
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, "answer", string(text))
			require.NoError(t, <-gone)
		}
	}
}

func TestHandler_unreadAnswer(t *testing.T) {
	for _, version := range []int{1, 2} {
		failed := make(chan error, 1)
		url, client := start(t, version, func(w http.ResponseWriter, _ *http.Request) {
			var err error
			for err == nil {
				_, err = w.Write(make([]byte, 64<<10))
			}
			failed <- err
		})
		answer, err := client.Get(url)
		require.NoError(t, err)
		// HTTP/2 has an error of its own for a stream that the server has ended.
		err = <-failed
		var timeout net.Error
		require.True(t, version == 2 || errors.As(err, &timeout) && timeout.Timeout(), "%v", err)
		require.NoError(t, answer.Body.Close())
	}
}

// What a handler can ask of net/http, it can still ask.
func TestHandler_controller(t *testing.T) {
	url, client := start(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	answer, err := client.Get(url)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, answer.Body.Close())
}
