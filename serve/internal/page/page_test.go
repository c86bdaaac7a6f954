package page_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/page"
	"github.com/vinoir/vinoir/serve/internal/telemetry"
)

// fake is a service with the model m, of which version 2 could not be loaded.
type fake struct{ oip.Service }

func (fake) Server() oip.ServerMetadata { return oip.ServerMetadata{Name: "vinoir", Version: "1.2.3"} }
func (fake) Ready() bool                { return true }

func (fake) Index() []oip.IndexEntry {
	return []oip.IndexEntry{
		{Name: "m", Version: "1", State: oip.StateReady},
		{Name: "m", Version: "2", State: oip.StateUnavailable, Reason: "<b>broken</b>"},
	}
}

func (fake) ModelMetadata(model, version string) (*oip.ModelMetadata, error) {
	if version != "1" {
		return nil, oip.Errorf(oip.NotFound, "no version %s", version)
	}
	return &oip.ModelMetadata{
		Name:    model,
		Inputs:  []oip.Port{{Name: "x", Datatype: "FP32", Shape: []int64{-1, 3}}},
		Outputs: []oip.Port{{Name: "y", Datatype: "INT64", Shape: []int64{1}}},
	}, nil
}

func (fake) Statistics(string, string) ([]oip.ModelStatistics, error) {
	return []oip.ModelStatistics{{
		Name: "m", Version: "1", InferenceCount: 6, ExecutionCount: 3, Pending: 2, MemoryBytes: 5_000_000,
		Success:       oip.Duration{Count: 5, Total: 7 * time.Millisecond},
		LastInference: time.Unix(1000, 0),
	}}, nil
}

func serve(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	for path, handler := range page.New(page.Options{
		Service: fake{},
		Recent: func() []telemetry.Event {
			return []telemetry.Event{{Time: time.Unix(1000, 0), Protocol: "REST", Method: "ModelInfer", Text: "no model <i>n</i>"}}
		},
		Addresses: func() map[string]string { return map[string]string{"REST": "127.0.0.1:8080"} },
	}) {
		mux.Handle("GET "+path, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, url string) (*http.Response, string) {
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func TestNew_data(t *testing.T) {
	_, body := get(t, serve(t).URL+page.DataPath)
	var status map[string]any
	require.NoError(t, json.Unmarshal([]byte(body), &status))
	require.Equal(t, "1.2.3", status["version"])
	require.Equal(t, true, status["ready"])
	models := status["models"].([]any)
	require.Len(t, models, 2)
	first, second := models[0].(map[string]any), models[1].(map[string]any)
	require.Equal(t, 7000.0, first["request_us"])
	require.Equal(t, 2.0, first["pending"])
	require.Equal(t, []any{map[string]any{"name": "x", "datatype": "FP32", "shape": []any{-1.0, 3.0}}}, first["inputs"])
	require.Equal(t, "UNAVAILABLE", second["state"])
	require.Equal(t, "<b>broken</b>", second["reason"])
	require.Nil(t, second["inputs"])
	require.Len(t, status["errors"], 1)
}

// TestNew_files checks that the page names nothing from elsewhere, and that all it names is there.
func TestNew_files(t *testing.T) {
	server := serve(t)
	for path, contentType := range map[string]string{
		page.Path: "text/html", page.StylePath: "text/css", page.ScriptPath: "text/javascript",
	} {
		response, body := get(t, server.URL+path)
		require.Contains(t, response.Header.Get("Content-Type"), contentType)
		require.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
		for _, link := range regexp.MustCompile(`https?://[^"\s]*`).FindAllString(body, -1) {
			require.Equal(t, "http://www.w3.org/2000/svg", link) // a namespace, which is not loaded
		}
	}
	_, html := get(t, server.URL+page.Path)
	for _, link := range regexp.MustCompile(`(?:src|href)="(status/[^"]*)"`).FindAllStringSubmatch(html, -1) {
		response, _ := get(t, server.URL+"/"+link[1])
		require.Equal(t, http.StatusOK, response.StatusCode, link[1])
	}
}

// TestNew_browser opens the page in Chromium, and reads what it has become.
func TestNew_browser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("SKIPPED: the status page in a browser, no Chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	arguments := []string{
		"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir=" + t.TempDir(),
		"--virtual-time-budget=6000", "--dump-dom", serve(t).URL + "/",
	}
	if os.Geteuid() == 0 {
		arguments = append([]string{"--no-sandbox"}, arguments...)
	}
	dom, err := exec.CommandContext(ctx, chromium, arguments...).Output()
	require.NoError(t, err)
	for _, want := range []string{
		`<h1 id="title">vinoir 1.2.3</h1>`, `class="state good" role="status">ready<`, "REST 127.0.0.1:8080",
		`<span class="state good">READY</span>`, `<span class="state bad">UNAVAILABLE</span> &lt;b&gt;broken&lt;/b&gt;`,
		"input x FP32 [-1,3]", "REST ModelInfer", "no model &lt;i&gt;n&lt;/i&gt;", "<option", "<polyline",
	} {
		require.Contains(t, string(dom), want)
	}
}
