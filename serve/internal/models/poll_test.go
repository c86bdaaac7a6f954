package models

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// looked is a server that polls when a test says so.
type looked struct {
	*Server
	watcher
	t *testing.T
}

// watch returns a server of the models in dir.
func watch(t *testing.T, dir string) *looked {
	t.Helper()
	s, err := New(t.Context(), Options{Repository: dir, Control: ControlPoll, PollInterval: 1000 * time.Hour})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	_ = s.WaitStarted(t.Context()) // the error is in the index
	return &looked{Server: s, watcher: watcher{server: s}, t: t}
}

// states returns the states of all versions by "name/version", with the reason of those that are
// not ready.
func (l *looked) states() map[string]string {
	states := make(map[string]string)
	for _, e := range l.Index() {
		states[e.Name+"/"+e.Version] = string(e.State)
		if e.Reason != "" {
			states[e.Name+"/"+e.Version] += " " + e.Reason
		}
	}
	return states
}

// answers reports whether a version of a model computes an inference.
func (l *looked) answers(model, version string) bool {
	metadata, err := l.ModelMetadata(model, version)
	if err != nil {
		return false
	}
	tensor, err := ir.NewTensor(ir.F64)
	require.NoError(l.t, err)
	response, err := l.Infer(l.t.Context(), &oip.InferRequest{
		Model: model, Version: version, Inputs: []oip.Input{{Name: metadata.Inputs[0].Name, Tensor: tensor}},
	})
	if err == nil {
		response.Release()
	}
	return err == nil
}

// put copies the model of a case to dir, with times of modification that differ by age.
func put(t *testing.T, dir string, age time.Duration) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"model.xml", "model.bin"} {
		data, err := os.ReadFile(filepath.Join("../../../testdata/ir/Add-1/f64", name))
		require.NoError(t, err)
		write(t, filepath.Join(dir, name), data, age)
	}
}

func write(t *testing.T, path string, data []byte, age time.Duration) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o644))
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(-age)
	require.NoError(t, os.Chtimes(path, at, at))
}

func TestWatcher_newVersion(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m/1"), 0)
	l := watch(t, dir)
	require.True(t, l.Ready())
	require.Equal(t, map[string]string{"m/1": "READY"}, l.states())

	put(t, filepath.Join(dir, "m/2"), 0)
	l.look()
	require.Equal(t, map[string]string{"m/1": "READY", "m/2": "LOADING its files are still changing"}, l.states())
	require.True(t, l.answers("m", ""))
	l.look()
	require.Equal(t, map[string]string{"m/2": "READY"}, l.states(), "the policy is the latest one")
	require.True(t, l.answers("m", ""))
	require.False(t, l.answers("m", "1"))
}

func TestWatcher_changedVersion(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m/1"), 0)
	l := watch(t, dir)
	l.look()
	first := l.models["m"].versions[1].live
	l.look()
	require.Same(t, first, l.models["m"].versions[1].live, "nothing has changed")

	put(t, filepath.Join(dir, "m/1"), time.Hour)
	l.look()
	require.Same(t, first, l.models["m"].versions[1].live, "the files may be half copied")
	l.look()
	require.NotSame(t, first, l.models["m"].versions[1].live)
	require.Equal(t, map[string]string{"m/1": "READY"}, l.states())
	require.Zero(t, first.uses.Load())
}

// TestWatcher_broken checks that what was served stays when new files are broken, and that they are
// loaded once they are repaired.
func TestWatcher_broken(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m/1"), 0)
	l := watch(t, dir)

	put(t, filepath.Join(dir, "m/2"), 0)
	write(t, filepath.Join(dir, "m/2/model.xml"), []byte("<net"), 0)
	l.look()
	l.look()
	require.Equal(t, "READY", l.states()["m/1"])
	require.Contains(t, l.states()["m/2"], "UNAVAILABLE version 2: ")
	require.True(t, l.Ready())
	require.True(t, l.answers("m", ""))
	broken := l.states()["m/2"]
	l.look()
	require.Equal(t, broken, l.states()["m/2"], "it is not tried again")

	write(t, filepath.Join(dir, "m/1/model.xml"), []byte("<net"), 0)
	l.look()
	l.look()
	require.Contains(t, l.states()["m/2"], "UNAVAILABLE")
	require.Equal(t, "READY", l.states()["m/1"], "only the latest version is looked at")

	put(t, filepath.Join(dir, "m/2"), 0)
	l.look()
	l.look()
	require.Equal(t, map[string]string{"m/2": "READY"}, l.states())
}

func TestWatcher_modelsComeAndGo(t *testing.T) {
	dir := t.TempDir()
	l := watch(t, dir)
	require.False(t, l.Ready())
	require.ErrorContains(t, l.WaitStarted(t.Context()), "has no models")

	put(t, filepath.Join(dir, "a/1"), 0)
	l.look()
	l.look()
	require.Equal(t, map[string]string{"a/1": "READY"}, l.states())
	require.True(t, l.Ready())

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "b/1"), 0o755))
	l.look()
	l.look()
	require.Contains(t, l.states()["b/1"], "has no model: expected an .xml or .onnx file, found nothing")
	require.True(t, l.Ready(), "a model that was not there at the start does not make the server unready")
	put(t, filepath.Join(dir, "b/1"), 0)
	l.look()
	l.look()
	require.Equal(t, map[string]string{"a/1": "READY", "b/1": "READY"}, l.states())

	require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
	l.look()
	require.Equal(t, map[string]string{"b/1": "READY"}, l.states())
	_, err := l.ModelReady("a", "")
	require.ErrorContains(t, err, `no model "a"`)

	require.NoError(t, os.Rename(dir, dir+".away"))
	l.look()
	require.Equal(t, map[string]string{"b/1": "READY"}, l.states(), "a volume that is away changes nothing")
	require.NoError(t, os.Rename(dir+".away", dir))
}

// TestWatcher_kubernetes checks that the swap of a link is seen, as in a volume of Kubernetes, even
// if sizes and times are the same.
func TestWatcher_kubernetes(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m/1/..2026_1"), 0)
	put(t, filepath.Join(dir, "m/1/..2026_2"), 0)
	require.NoError(t, os.Symlink("..2026_1", filepath.Join(dir, "m/1/..data")))
	for _, name := range []string{"model.xml", "model.bin"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, "m/1", name)))
	}
	l := watch(t, dir)
	l.look()
	require.Equal(t, map[string]string{"m/1": "READY"}, l.states())
	first := l.models["m"].versions[1].live

	require.NoError(t, os.Symlink("..2026_2", filepath.Join(dir, "m/1/..new")))
	require.NoError(t, os.Rename(filepath.Join(dir, "m/1/..new"), filepath.Join(dir, "m/1/..data")))
	l.look()
	l.look()
	require.NotSame(t, first, l.models["m"].versions[1].live)
}

// TestWatcher_settings checks that a changed configuration loads the model again.
func TestWatcher_settings(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m/1"), 0)
	put(t, filepath.Join(dir, "m/2"), 0)
	l := watch(t, dir)
	require.Equal(t, map[string]string{"m/2": "READY"}, l.states())
	write(t, filepath.Join(dir, "m/config.pbtxt"), []byte("version_policy { all {} } instance_group { count: 3 }"), 0)
	l.look()
	l.look()
	require.Equal(t, map[string]string{"m/1": "READY", "m/2": "READY"}, l.states())
	config, err := l.ModelConfig("m", "2")
	require.NoError(t, err)
	require.Equal(t, 3, config.Instances)

	write(t, filepath.Join(dir, "m/config.pbtxt"), []byte("version_policy {"), 0)
	l.look()
	l.look()
	require.Equal(t, map[string]string{"m/1": "READY", "m/2": "READY"}, l.states())
}

// TestServer_poll checks that the server looks by itself.
func TestServer_poll(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m/1"), 0)
	s, err := New(t.Context(), Options{Repository: dir, Control: ControlPoll, PollInterval: time.Millisecond})
	require.NoError(t, err)
	defer s.Close(context.Background())
	put(t, filepath.Join(dir, "m/2"), 0)
	require.Eventually(t, func() bool {
		ready, err := s.ModelReady("m", "2")
		return ready && err == nil
	}, 10*time.Second, time.Millisecond)
}

// TestServer_New_laterPath checks that a path which is not there yet, as with oci:// storage of
// KServe, is waited for if the server polls, and is an error otherwise.
func TestServer_New_laterPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models")
	options := Options{Models: []Model{{Name: "m", Path: path}}, PollInterval: 1000 * time.Hour}
	_, err := New(t.Context(), options)
	require.ErrorIs(t, err, fs.ErrNotExist)

	options.Control = ControlPoll
	s, err := New(t.Context(), options)
	require.NoError(t, err)
	defer s.Close(context.Background())
	require.ErrorIs(t, s.WaitStarted(t.Context()), fs.ErrNotExist)
	require.False(t, s.Ready())
	put(t, path, 0)
	w := watcher{server: s}
	w.look()
	w.look()
	require.True(t, s.Ready())
}
