// Package wasm tests the page of examples/wasm.
package wasm

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/docs/test/browser"
	"github.com/vinoir/vinoir/docs/test/repository"
	"github.com/vinoir/vinoir/examples/classifier"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/preprocess"
)

// dropping is a script that drops a picture on the page, and sends the labels that appear to the
// test.
//
//go:embed testdata/drop.js
var dropping string

// seen is what dropping sends.
type seen struct {
	Labels [][]string `json:"labels"` // rows of text
	Status string     `json:"status"`
}

// TestPage drops pictures on the page in a browser without a window, and compares the labels with
// those that the same model gives here.
func TestPage(t *testing.T) {
	b := browser.Start(t)
	picture := repository.Path("examples/classify/meadow.png")
	dir := checkPage(t, b, picture, "-mean", "0", "-scale", "255", repository.Path("examples/classify/model.xml"), repository.Path("examples/classify/labels.txt"))

	broken := filepath.Join(t.TempDir(), "broken.png")
	require.NoError(t, os.WriteFile(broken, []byte("GIF89a"), 0o600))
	assert.Contains(t, drop(t, b, dir, broken).Status, "neither PNG nor JPEG")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "labels.txt"), []byte("red\nblue\n"), 0o600))
	assert.Contains(t, drop(t, b, dir, picture).Status, "3 classes, and there are 2 labels")
	require.NoError(t, os.Remove(filepath.Join(dir, "model.bin")))
	assert.Equal(t, "model.bin: 404", drop(t, b, dir, picture).Status)
}

// TestPage_CorpusNetwork is TestPage for MobileNetV2, with the number of a class as its label.
func TestPage_CorpusNetwork(t *testing.T) {
	corpus := repository.Corpus(t)
	b := browser.Start(t)
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintln(&text, "class", i)
	}
	labels := filepath.Join(t.TempDir(), "labels.txt")
	require.NoError(t, os.WriteFile(labels, []byte(text.String()), 0o600))
	checkPage(t, b, repository.Path("examples/classify/meadow.png"), "-softmax", filepath.Join(corpus, "zoo", "mobilenet_v2", "model.xml"), labels)
}

// checkPage makes a page with the arguments of the command, and compares the labels of a picture.
// It returns the folder of the page.
func checkPage(t *testing.T, b *browser.Browser, picture string, args ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, repository.Go(nil, append([]string{"run", "./examples/wasm", "-o", dir}, args...)...))
	shown := drop(t, b, dir, picture)
	t.Log(shown.Status)
	assert.Regexp(t, `^[0-9.]+ ms, and [0-9.]+ ms to decode the picture\.$`, shown.Status)

	var options classifier.Options
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	options.AddFlags(flags)
	require.NoError(t, flags.Parse(args))
	labels, err := os.ReadFile(flags.Arg(1))
	require.NoError(t, err)
	model, err := irxml.ReadFile(flags.Arg(0), irxml.ReadOptions{})
	require.NoError(t, err)
	c, err := classifier.New(t.Context(), model, string(labels), options)
	require.NoError(t, err)
	defer c.Close()
	decoded, err := preprocess.ReadFile(picture, 0)
	require.NoError(t, err)
	native, err := c.Classify(t.Context(), decoded, 5)
	require.NoError(t, err)
	require.Len(t, shown.Labels, len(native))
	for i, label := range native {
		assert.Equal(t, []string{label.Name, fmt.Sprintf("%.3f", label.Score), ""}, shown.Labels[i])
	}
	return dir
}

// drop serves the files in dir, opens the page in a browser, and drops a file on it. It returns
// what the page then shows.
func drop(t *testing.T, b *browser.Browser, dir, file string) seen {
	t.Helper()
	report := make(chan seen, 1)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/page.js", func(w http.ResponseWriter, _ *http.Request) {
		script, err := os.ReadFile(filepath.Join(dir, "page.js"))
		assert.NoError(t, err)
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, string(script)+dropping)
	})
	mux.HandleFunc("/dropped", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	mux.HandleFunc("/report", func(_ http.ResponseWriter, r *http.Request) {
		var s seen
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&s))
		report <- s
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	b.Open(t, server.URL)
	select {
	case s := <-report:
		return s
	case <-time.After(time.Minute):
		require.FailNow(t, "the page does not report")
	}
	return seen{}
}
