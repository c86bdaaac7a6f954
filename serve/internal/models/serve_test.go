package models_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// serve returns a server of one model, called m, with a configuration as JSON.
func serve(t testing.TB, build func(b *edit.Builder), config string) *models.Server {
	t.Helper()
	return start(t, models.Options{Models: []models.Model{{Name: "m", FS: folder(t, "1", builtin.Ops(), build), Config: []byte(config)}}})
}

func TestServer_ModelConfig(t *testing.T) {
	s := serve(t, times(2), `{
		"max_batch_size": 8, "input": [{"name": "x", "data_type": "TYPE_FP32", "dims": [2]}], "instance_group": [{"count": 2}],
		"dynamic_batching": {"max_queue_delay_microseconds": 100, "default_queue_policy": {"max_queue_size": 5}},
		"response_cache": {"enable": true}, "parameters": {"own": {"string_value": "text"}}
	}`)
	config, err := s.ModelConfig("m", "")
	require.NoError(t, err)
	require.Equal(t, &oip.ModelConfig{
		Name: "m", Platform: "openvino", MaxBatchSize: 8,
		Inputs:                    []oip.Port{{Name: "x", Datatype: "FP32", Shape: []int64{2}}},
		Outputs:                   []oip.Port{{Name: "y", Datatype: "FP32", Shape: []int64{2}}},
		MaxQueueDelayMicroseconds: 100, MaxQueueSize: 5, Instances: 2, ResponseCache: true,
		Parameters: map[string]string{"own": "text"},
	}, config)
	metadata, err := s.ModelMetadata("m", "1")
	require.NoError(t, err)
	require.Equal(t, []int64{-1, 2}, metadata.Inputs[0].Shape)
	_, err = s.ModelConfig("n", "")
	assertCode(t, err, oip.NotFound, "no model")
	_, err = s.ModelMetadata("m", "2")
	assertCode(t, err, oip.NotFound, "no version")
}

// TestServer_rowsAreIndependent checks which models are computed together: those whose rows do not
// depend on each other, whatever the configuration says.
func TestServer_rowsAreIndependent(t *testing.T) {
	numpy := edit.Attributes("auto_broadcast", "numpy")
	rows := ir.ShapeOf(ir.AnyDim, ir.Dim(2))
	for name, c := range map[string]struct {
		build func(b *edit.Builder)
		text  string // in the log, if they are not joined
	}{
		"independent": {times(2), ""},
		"sum over rows": {func(b *edit.Builder) {
			x := b.Parameter("x", ir.F32, rows)
			sum := b.Layer("ReduceSum", 1, edit.Attributes("keep_dims", "true"), x, b.ConstantOf([]int64{0}))
			b.Result("y", b.Layer("Add", 1, numpy, x, sum))
		}, "a row depends on the other one: element 0 of row 0"},
		"output without rows": {func(b *edit.Builder) {
			x := b.Parameter("x", ir.F32, rows)
			b.Result("y", b.Layer("ReduceSum", 1, edit.Attributes("keep_dims", "false"), x, b.ConstantOf([]int64{0})))
		}, "of two rows, the shape is [2], of one [2]"},
		"strings": {func(b *edit.Builder) { b.Result("y", b.Parameter("x", ir.String, rows)) }, ""},
		"integers and booleans": {func(b *edit.Builder) {
			x, y := b.Parameter("x", ir.I64, rows), b.Parameter("z", ir.I64, rows)
			b.Result("y", b.Layer("Less", 1, numpy, x, y))
		}, ""},
		"unknown rank": {func(b *edit.Builder) {
			b.Result("y", b.Layer("Relu", 1, nil, b.Parameter("x", ir.F32, ir.UnknownRank)))
		}, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			s, err := models.New(t.Context(), models.Options{
				Models: []models.Model{{Name: "m", FS: folder(t, "1", builtin.Ops(), c.build), Config: []byte(`{"max_batch_size": 4}`)}},
				Log:    slog.New(slog.NewTextHandler(&log, nil)),
			})
			require.NoError(t, err)
			defer s.Close(context.Background())
			err = s.WaitStarted(t.Context())
			if c.text == "unknown" {
				require.ErrorContains(t, err, "max_batch_size is 4, but input")
				return
			}
			require.NoError(t, err)
			if c.text == "" {
				require.NotContains(t, log.String(), "not computed together")
			} else {
				require.Contains(t, log.String(), c.text)
			}
		})
	}
}

func TestServer_shapes(t *testing.T) {
	fixed := func(b *edit.Builder) {
		x := b.Parameter("x", ir.F32, ir.StaticShape(1, 3))
		b.Result("y", b.Layer("Relu", 1, nil, x))
	}
	for config, want := range map[string][]int64{
		`{}`:                       {1, 3},
		`{"shape": "(2,5)"}`:       {2, 5},
		`{"shape": {"x": "auto"}}`: {-1, -1},
		`{"batch_size": "auto"}`:   {-1, 3},
		`{"batch_size": 4}`:        {4, 3},
		`{"max_batch_size": 4}`:    {-1, 3},
		`{"max_batch_size": 4, "shape": "(1,7)", "output": [{"name": "y", "dims": [7]}]}`: {-1, 7},
		`{"shape": "auto", "input": [{"name": "x", "dims": [-1, 9]}]}`:                    {-1, 9},
	} {
		s := serve(t, fixed, config)
		metadata, err := s.ModelMetadata("m", "")
		require.NoError(t, err)
		require.Equal(t, want, metadata.Inputs[0].Shape, config)
	}
}

func TestServer_names(t *testing.T) {
	build := func(b *edit.Builder) {
		x := b.NameTensor(b.Parameter("layer", ir.F32, ir.StaticShape(2)), "zeta", "alpha")
		b.Result("y", b.Layer("Relu", 1, nil, x))
		b.Result("zz", x)
	}
	s := serve(t, build, `{}`)
	metadata, err := s.ModelMetadata("m", "")
	require.NoError(t, err)
	require.Equal(t, "alpha", metadata.Inputs[0].Name)
	for _, name := range []string{"alpha", "zeta", "layer"} {
		response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: name, Tensor: tensorOf(t, []float32{1, 2})}}})
		require.NoError(t, err, name)
		response.Release()
	}

	s = serve(t, build, `{"input": [{"name": "zeta", "dims": [2]}]}`)
	metadata, err = s.ModelMetadata("m", "")
	require.NoError(t, err)
	require.Equal(t, "zeta", metadata.Inputs[0].Name, "the name in the configuration")

	files := folder(t, "1", builtin.Ops(), build)
	mapped := func(text string) models.Options {
		return models.Options{Models: []models.Model{{Name: "m", FS: join(files, file("1/mapping_config.json", text))}}}
	}
	s = start(t, mapped(`{"inputs": {"zeta": "picture"}, "outputs": {"y": "scores"}}`))
	metadata, err = s.ModelMetadata("m", "")
	require.NoError(t, err)
	require.Equal(t, "picture", metadata.Inputs[0].Name)
	require.Equal(t, "scores", metadata.Outputs[0].Name)

	s, err = models.New(t.Context(), mapped(`{"inputs": {"none": "picture"}}`))
	require.NoError(t, err)
	defer s.Close(context.Background())
	require.ErrorContains(t, s.WaitStarted(t.Context()), `the mapping names an input "none", which the model does not have`)
	require.False(t, s.Ready())
}

// TestServer_types checks that a model with a type that the protocol does not have is not loaded.
func TestServer_types(t *testing.T) {
	files := folder(t, "1", builtin.Ops(), func(b *edit.Builder) { b.Result("y", b.Parameter("x", ir.I4, ir.StaticShape(2))) })
	s, err := models.New(t.Context(), models.Options{Models: []models.Model{{Name: "m", FS: files}}})
	require.NoError(t, err)
	defer s.Close(context.Background())
	require.ErrorContains(t, s.WaitStarted(t.Context()), `input "x" is of type i4, which the protocol does not have`)
}

func TestServer_cache(t *testing.T) {
	s := serve(t, twoPorts, `{"response_cache": {"enable": true}}`)
	ask := func(x float32, outputs ...oip.RequestedOutput) (names []string, first []float32) {
		response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Outputs: outputs, Inputs: []oip.Input{
			{Name: "a", Tensor: tensorOf(t, []float32{x, 2})}, {Name: "b", Tensor: tensorOf(t, []float32{3, 4})},
		}})
		require.NoError(t, err)
		defer response.Release()
		for _, output := range response.Outputs {
			names = append(names, output.Name)
		}
		return names, append([]float32(nil), ir.Data[float32](response.Outputs[0].Tensor)...)
	}
	for range 3 {
		names, sum := ask(1)
		require.Equal(t, []string{"sum", "difference"}, names)
		require.Equal(t, []float32{4, 6}, sum)
		_, sum = ask(2)
		require.Equal(t, []float32{5, 6}, sum)
		names, difference := ask(1, oip.RequestedOutput{Name: "difference"})
		require.Equal(t, []string{"difference"}, names)
		require.Equal(t, []float32{-2, -2}, difference)
	}
	counted, err := s.Statistics("m", "")
	require.NoError(t, err)
	require.Equal(t, uint64(3), counted[0].CacheMiss.Count)
	require.Equal(t, uint64(6), counted[0].CacheHit.Count)
	require.Equal(t, uint64(9), counted[0].Success.Count)
	require.Equal(t, uint64(3), counted[0].InferenceCount)
}

// TestServer_cache_strings checks that texts are told apart by where they end.
func TestServer_cache_strings(t *testing.T) {
	s := serve(t, func(b *edit.Builder) { b.Result("y", b.Parameter("x", ir.String, ir.ShapeOf(ir.AnyDim))) }, `{"response_cache": {"enable": true}}`)
	for range 2 {
		for _, texts := range [][]string{{"ab", "c"}, {"a", "bc"}} {
			response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "x", Tensor: tensorOf(t, texts)}}})
			require.NoError(t, err)
			require.Equal(t, texts, response.Outputs[0].Tensor.Strings())
			response.Release()
		}
	}
}

func TestServer_warmUp(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Models[0].Config = []byte(`{"max_batch_size": 4, "model_warmup": [
		{"name": "w", "batch_size": 3, "count": 2, "inputs": {"x": {"data_type": "TYPE_FP32", "dims": [2], "random_data": true}}}
	]}`)
	s, err := models.New(t.Context(), options)
	require.NoError(t, err)
	defer s.Close(context.Background())
	for range 2 {
		require.Equal(t, 3, <-h.entered)
		require.False(t, s.Ready())
		h.release <- struct{}{}
	}
	require.NoError(t, s.WaitStarted(t.Context()))
}

// TestServer_warmUp_generated checks that inputs which the configuration does not describe are
// made.
func TestServer_warmUp_generated(t *testing.T) {
	serve(t, twoPorts, `{"model_warmup": [{"name": "w", "inputs": {"a": {"data_type": "TYPE_FP32", "dims": [2]}}}]}`)
	s, err := models.New(t.Context(), models.Options{Models: []models.Model{{
		Name: "m", FS: folder(t, "1", builtin.Ops(), twoPorts),
		Config: []byte(`{"model_warmup": [{"name": "w", "inputs": {"a": {"data_type": "TYPE_FP32", "dims": [1099511627776]}}}]}`),
	}}})
	require.NoError(t, err)
	defer s.Close(context.Background())
	require.ErrorContains(t, s.WaitStarted(t.Context()), "more than the limit of 268435456")
}

// TestServer_queueTimeout checks that a request which waits too long is refused.
func TestServer_queueTimeout(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Models[0].Config = []byte(`{"dynamic_batching": {"default_queue_policy": {"default_timeout_microseconds": 1000}}}`)
	s := start(t, options)
	answer := make(chan error)
	go func() {
		response, err := s.Infer(t.Context(), request(t, "hold", 1, 2))
		response.Release()
		answer <- err
	}()
	<-h.entered
	_, err := s.Infer(t.Context(), request(t, "hold", 1, 2))
	assertCode(t, err, oip.DeadlineExceeded, "waited for too long")
	h.release <- struct{}{}
	require.NoError(t, <-answer)
}

// TestServer_priorities checks that a request with a higher priority runs first.
func TestServer_priorities(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Models[0].Config = []byte(`{"dynamic_batching": {"priority_levels": 3, "default_priority_level": 2}}`)
	options.MaxBatchSize = -1
	s := start(t, options)
	var all sync.WaitGroup
	for i, priority := range []uint64{0, 3, 0, 1} {
		all.Go(func() {
			// The number of rows tells which request it is.
			r := request(t, "hold", make([]float32, 2*(i+1))...)
			r.Parameters = map[string]any{oip.ParameterPriority: priority}
			response, err := s.Infer(t.Context(), r)
			if assert.NoError(t, err) {
				response.Release()
			}
		})
		if i == 0 {
			require.Equal(t, 1, <-h.entered)
		} else {
			waitPending(t, s, i)
		}
	}
	h.release <- struct{}{}
	for _, rows := range []int{4, 3, 2} {
		require.Equal(t, rows, <-h.entered)
		h.release <- struct{}{}
	}
	all.Wait()
}

func TestServer_Observe(t *testing.T) {
	type key struct{}
	var seen []models.Times
	s := start(t, models.Options{
		Models: []models.Model{{Name: "m", FS: multiplied(t, 2), Config: []byte(`{"response_cache": {"enable": true}}`)}},
		Observe: func(ctx context.Context, times models.Times) {
			require.Equal(t, "value", ctx.Value(key{}))
			seen = append(seen, times)
		},
	})
	ctx := context.WithValue(t.Context(), key{}, "value")
	r := request(t, "m", 1, 2)
	r.ID = "7"
	for range 2 {
		response, err := s.Infer(ctx, r)
		require.NoError(t, err)
		response.Release()
	}
	_, err := s.Infer(ctx, &oip.InferRequest{Model: "m"})
	require.Error(t, err)
	require.Len(t, seen, 3)
	first := seen[0]
	require.Equal(t, []any{"m", "1", "7", 1, false, error(nil)}, []any{first.Model, first.Version, first.ID, first.Rows, first.Cached, first.Err})
	steps := []time.Time{first.Start, first.Dequeued, first.Inputs, first.Inferred, first.End}
	for i := range steps[1:] {
		require.False(t, steps[i+1].Before(steps[i]), i)
	}
	require.True(t, seen[1].Cached)
	require.Zero(t, seen[1].Rows)
	require.Equal(t, err, seen[2].Err)
}

func TestServer_Refused(t *testing.T) {
	s := serve(t, times(2), `{}`)
	s.Refused("m", "", oip.Errorf(oip.TooLarge, "the body is too large"))
	s.Refused("m", "1", oip.Errorf(oip.Canceled, "gone"))
	s.Refused("m", "2", oip.Errorf(oip.Malformed, "not counted"))
	s.Refused("n", "", oip.Errorf(oip.Malformed, "not counted"))
	s.Refused("m", "1", os.ErrClosed)
	counted, err := s.Statistics("", "")
	require.NoError(t, err)
	require.Len(t, counted, 1)
	require.Equal(t, map[oip.Reason]uint64{oip.ReasonRejected: 1, oip.ReasonCanceled: 1, oip.ReasonOther: 1}, counted[0].Failures)
	_, err = s.Statistics("n", "")
	assertCode(t, err, oip.NotFound, "no model")
	_, err = s.Statistics("m", "9")
	assertCode(t, err, oip.NotFound, "no version")
}

// TestServer_panic checks that a kernel that panics is a fault of the server, which goes on.
func TestServer_panic(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Open = vinoir.Options{Ops: panicking()}
	s := start(t, options)
	for range 2 {
		_, err := s.Infer(t.Context(), request(t, "hold", 1, 2))
		assertCode(t, err, oip.Internal, "a fault of the server")
		require.NotContains(t, err.Error(), "goroutine", "the stack is for the log")
	}
	counted, err := s.Statistics("hold", "1")
	require.NoError(t, err)
	require.Equal(t, map[oip.Reason]uint64{oip.ReasonBackend: 2}, counted[0].Failures)
}

func TestServer_onnx(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "linear", Path: "../../../testdata/onnx/nets/linear"}}})
	metadata, err := s.ModelMetadata("linear", "1")
	require.NoError(t, err)
	require.Len(t, metadata.Inputs, 1)
}

func TestServer_New_errors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	list, err := json.Marshal(map[string]any{"model_config_list": []any{
		map[string]any{"config": map[string]any{"name": "a", "base_path": "x"}}, map[string]any{"config": map[string]any{"name": "a", "base_path": "y"}},
	}})
	require.NoError(t, err)
	for text, options := range map[string]models.Options{
		"nothing to serve":            {},
		"has no models":               {Repository: dir},
		"no such file":                {Repository: filepath.Join(dir, "missing")},
		"unexpected EOF":              {ConfigFile: write("broken.json", "{")},
		`two models are called "a"`:   {ConfigFile: write("twice.json", string(list))},
		`model "": it has no name`:    {Models: []models.Model{{Path: addCase}}},
		`model "x": sub ..: invalid `: {Models: []models.Model{{Name: "x", FS: multiplied(t, 2), Path: ".."}}},
	} {
		_, err := models.New(t.Context(), options)
		require.ErrorContains(t, err, text)
	}
}

func TestServer_ConfigFile(t *testing.T) {
	abs, err := filepath.Abs(addCase)
	require.NoError(t, err)
	text, err := json.Marshal(map[string]any{"more": 1, "model_config_list": []any{map[string]any{"config": map[string]any{"name": "a", "base_path": abs}}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, text, 0o644))
	var log bytes.Buffer
	s := start(t, models.Options{ConfigFile: path, Control: models.ControlExplicit, Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, s.Load(t.Context(), "a", oip.LoadOptions{}))
	require.Equal(t, 1, strings.Count(log.String(), "more: the field is ignored"), "a warning is logged once")
	require.Equal(t, []string{"a"}, s.Models())
	require.Equal(t, "vinoir", s.Server().Name)
	require.Contains(t, s.Server().Extensions, "binary_tensor_data")
}

// TestServer_start_cancelled checks that loading stops when the context of New is done.
func TestServer_start_cancelled(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Models[0].Config = []byte(`{"model_warmup": [{"name": "w", "inputs": {"x": {"data_type": "TYPE_FP32", "dims": [1, 2]}}}]}`)
	ctx, stop := context.WithCancel(t.Context())
	s, err := models.New(ctx, options)
	require.NoError(t, err)
	defer s.Close(context.Background())
	<-h.entered
	stop()
	require.ErrorIs(t, s.WaitStarted(t.Context()), context.Canceled)
	_, err = s.Infer(t.Context(), request(t, "hold", 1, 2))
	assertCode(t, err, oip.Unavailable, "no version that is ready")
}

func TestServer_WaitStarted(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Models[0].Config = []byte(`{"model_warmup": [{"name": "w", "inputs": {"x": {"data_type": "TYPE_FP32", "dims": [1, 2]}}}]}`)
	s, err := models.New(t.Context(), options)
	require.NoError(t, err)
	defer s.Close(context.Background())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, s.WaitStarted(ctx), context.Canceled)
	<-h.entered
	require.Equal(t, oip.StateLoading, s.Index()[0].State)
	_, err = s.Infer(t.Context(), request(t, "hold", 1, 2))
	assertCode(t, err, oip.Unavailable, "no version that is ready")
	ready, err := s.ModelReady("hold", "1")
	require.NoError(t, err)
	require.False(t, ready)
	h.release <- struct{}{}
	require.NoError(t, s.WaitStarted(t.Context()))
	require.True(t, s.Ready())
}
