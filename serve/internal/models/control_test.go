package models_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// explicit returns a server of one model, called m, that multiplies by 2, whose models can be
// loaded.
func explicit(t testing.TB) *models.Server {
	return start(t, models.Options{Models: []models.Model{{Name: "m", FS: multiplied(t, 2)}}, Control: models.ControlExplicit})
}

func TestServer_Load_notAllowed(t *testing.T) {
	for _, control := range []models.Control{models.ControlNone, models.ControlPoll} {
		s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: multiplied(t, 2)}}, Control: control})
		assertCode(t, s.Load(t.Context(), "m", oip.LoadOptions{}), oip.Unavailable, fmt.Sprintf("%q, not explicit", control))
		assertCode(t, s.Unload(t.Context(), "m"), oip.Unavailable, "not explicit")
	}
}

func TestServer_Unload(t *testing.T) {
	s := explicit(t)
	require.NoError(t, s.Unload(t.Context(), "m"))
	require.Equal(t, []oip.IndexEntry{{Name: "m", Version: "1", State: oip.StateUnavailable, Reason: "unloaded"}}, s.Index())
	require.True(t, s.Ready(), "a model that was taken away need not be there")
	require.Empty(t, s.Models())
	_, err := s.Infer(t.Context(), request(t, "m", 1, 2))
	assertCode(t, err, oip.NotFound, `model "m" is unloaded`)
	require.NoError(t, s.Unload(t.Context(), "m"), "twice")
	assertCode(t, s.Unload(t.Context(), "n"), oip.NotFound, `no model "n"`)

	require.NoError(t, s.Load(t.Context(), "m", oip.LoadOptions{}))
	require.Equal(t, []float32{2, 4}, infer(t, s, "m", 1, 2))
	assertCode(t, s.Load(t.Context(), "n", oip.LoadOptions{}), oip.NotFound, `no model "n"`)
}

// TestServer_Unload_running checks that a request that runs ends as usual.
func TestServer_Unload_running(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Control = models.ControlExplicit
	s := start(t, options)
	answer := make(chan []float32)
	go func() { answer <- infer(t, s, "hold", 1, 2) }()
	<-h.entered
	require.NoError(t, s.Unload(t.Context(), "hold"))
	require.Equal(t, oip.StateUnloading, s.Index()[0].State)
	h.release <- struct{}{}
	require.Equal(t, []float32{1, 2}, <-answer)
	require.Eventually(t, func() bool { return s.Index()[0].State == oip.StateUnavailable }, 10*second, second/1000)
}

func TestServer_Load_files(t *testing.T) {
	s := explicit(t)
	require.NoError(t, s.Load(t.Context(), "m", oip.LoadOptions{Files: multiplied(t, 5)}))
	require.Equal(t, []float32{5, 10}, infer(t, s, "m", 1, 2))
	require.NoError(t, s.Load(t.Context(), "new", oip.LoadOptions{
		Files:  join(folder(t, "7", builtin.Ops(), times(3)), folder(t, "8", builtin.Ops(), times(4))),
		Config: []byte(`{"versionPolicy": {"all": {}}, "maxBatchSize": 4}`),
	}))
	require.Equal(t, []float32{4, 8}, infer(t, s, "new", 1, 2))
	metadata, err := s.ModelMetadata("new", "7")
	require.NoError(t, err)
	require.Equal(t, []string{"7", "8"}, metadata.Versions)
	_, err = s.Infer(t.Context(), request(t, "new", make([]float32, 10)...))
	assertCode(t, err, oip.Malformed, "the request has 5 rows")

	for _, name := range []string{"", ".", "../x", "a/b", `a\b`, "a\x00", strings.Repeat("x", 256), "\xff"} {
		assertCode(t, s.Load(t.Context(), name, oip.LoadOptions{Files: multiplied(t, 5)}), oip.Malformed, "cannot be the name")
	}
}

// TestServer_Load_broken checks that what was served stays when what is loaded is broken.
func TestServer_Load_broken(t *testing.T) {
	s := explicit(t)
	for name, options := range map[string]oip.LoadOptions{
		"file":     {Files: file("1/model.xml", "<net")},
		"no files": {Files: file("1/readme", "")},
		"empty":    {Files: file("readme", "")},
		"config":   {Config: []byte(`{"max_batch_size": "x"}`)},
		"json":     {Config: []byte(`{`)},
		"port":     {Config: []byte(`{"input": [{"name": "z"}]}`)},
		"type":     {Config: []byte(`{"input": [{"name": "x", "data_type": "TYPE_INT32"}]}`)},
		"shape":    {Config: []byte(`{"input": [{"name": "x", "dims": [-1, 3]}]}`)},
		"reshape":  {Config: []byte(`{"input": [{"name": "x", "dims": [2], "reshape": {"shape": [3]}}]}`)},
		"shapes":   {Config: []byte(`{"shape": {"z": "(1,2)"}}`)},
		"warm-up":  {Config: []byte(`{"model_warmup": [{"name": "w", "inputs": {"z": {"data_type": "TYPE_FP32"}}}]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			assertCode(t, s.Load(t.Context(), "m", options), oip.Malformed, `model "m" cannot be loaded: `)
			require.Equal(t, []float32{2, 4}, infer(t, s, "m", 1, 2))
			require.Equal(t, oip.StateReady, s.Index()[0].State)
			require.True(t, s.Ready())
		})
	}
	require.NoError(t, s.Load(t.Context(), "m", oip.LoadOptions{}))
	require.Empty(t, s.Index()[0].Reason)
}

// TestServer_Load_partly checks that the good versions of a model are served beside a broken one.
func TestServer_Load_partly(t *testing.T) {
	s := explicit(t)
	require.NoError(t, s.Unload(t.Context(), "m"))
	err := s.Load(t.Context(), "m", oip.LoadOptions{
		Files:  join(folder(t, "7", builtin.Ops(), times(3)), file("8/model.xml", "<net")),
		Config: []byte(`{"version_policy": {"all": {}}}`),
	})
	assertCode(t, err, oip.Malformed, "version 8: ")
	require.Equal(t, []float32{3, 6}, infer(t, s, "m", 1, 2))
	states := make(map[string]oip.State)
	for _, e := range s.Index() {
		states[e.Version] = e.State
	}
	require.Equal(t, map[string]oip.State{"1": oip.StateUnavailable, "7": oip.StateReady, "8": oip.StateUnavailable}, states)
}

// TestServer_Load_underLoad loads a model again and again while requests run: none fails.
func TestServer_Load_underLoad(t *testing.T) {
	s := explicit(t)
	other := oip.LoadOptions{Files: multiplied(t, 3)}
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				got := infer(t, s, "m", 1, 2)
				assert.Contains(t, [][]float32{{2, 4}, {3, 6}}, got)
			}
		})
	}
	for i := range 10 {
		options := oip.LoadOptions{}
		if i%2 == 0 {
			options = other
		}
		require.NoError(t, s.Load(t.Context(), "m", options))
	}
	close(done)
	all.Wait()
}

func TestServer_Load_cancelled(t *testing.T) {
	s := explicit(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	assertCode(t, s.Load(ctx, "m", oip.LoadOptions{}), oip.Canceled, "cancelled")
	require.Equal(t, []float32{2, 4}, infer(t, s, "m", 1, 2))
}

// TestServer_Load_memory checks that a version which does not fit beside the old one is refused.
func TestServer_Load_memory(t *testing.T) {
	files := multiplied(t, 2)
	bytes := int64(len(files["1/model.xml"].Data) + len(files["1/model.bin"].Data))
	s := start(t, models.Options{
		Models: []models.Model{{Name: "m", FS: files}}, Control: models.ControlExplicit, MaxMemoryBytes: 3 * bytes,
		Open: vinoir.Options{},
	})
	counted, err := s.Statistics("m", "1")
	require.NoError(t, err)
	require.GreaterOrEqual(t, counted[0].MemoryBytes, bytes)
	require.NoError(t, s.Load(t.Context(), "m", oip.LoadOptions{Files: multiplied(t, 3)}), "the estimate is twice the files")
	assertCode(t, s.Load(t.Context(), "m", oip.LoadOptions{Files: join(multiplied(t, 4), file("1/more", strings.Repeat("x", int(bytes))))}),
		oip.Malformed, "more memory")
	require.Equal(t, []float32{3, 6}, infer(t, s, "m", 1, 2))
	require.NoError(t, s.Unload(t.Context(), "m"))
	require.NoError(t, s.Load(t.Context(), "m", oip.LoadOptions{}))
}

func TestServer_Close(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Control = models.ControlExplicit
	s, err := models.New(t.Context(), options)
	require.NoError(t, err)
	require.NoError(t, s.WaitStarted(t.Context()))
	answers := make(chan error)
	ask := func() {
		response, err := s.Infer(t.Context(), request(t, "hold", 1, 2))
		if err == nil {
			response.Release()
		}
		answers <- err
	}
	go ask()
	<-h.entered
	go ask()
	waitPending(t, s, 1)

	s.Drain()
	require.False(t, s.Ready())
	ready, err := s.ModelReady("hold", "")
	require.NoError(t, err)
	require.False(t, ready)

	closed := make(chan error)
	go func() { closed <- s.Close(context.Background()) }()
	assertCode(t, <-answers, oip.Unavailable, "closed") // the one that waits
	h.release <- struct{}{}
	require.NoError(t, <-answers)
	require.NoError(t, <-closed)
	_, err = s.Infer(t.Context(), request(t, "hold", 1, 2))
	assertCode(t, err, oip.Unavailable, "")
	assertCode(t, s.Load(t.Context(), "hold", oip.LoadOptions{}), oip.Unavailable, "closed")
	require.NoError(t, s.Close(t.Context()), "again")
}

// TestServer_Close_late checks that Close gives up waiting when its context is done.
func TestServer_Close_late(t *testing.T) {
	h := newHold()
	s := start(t, h.options(t))
	answer := make(chan error)
	go func() {
		_, err := s.Infer(t.Context(), request(t, "hold", 1, 2))
		answer <- err
	}()
	<-h.entered
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, s.Close(ctx), context.Canceled)
	h.release <- struct{}{}
	require.NoError(t, <-answer)
}
