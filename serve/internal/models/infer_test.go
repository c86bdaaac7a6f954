package models_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// twoPorts builds a model with inputs a and b, and the outputs sum and difference.
func twoPorts(b *edit.Builder) {
	x := b.Parameter("a", ir.F32, ir.StaticShape(2))
	y := b.Parameter("b", ir.F32, ir.StaticShape(2))
	numpy := edit.Attributes("auto_broadcast", "numpy")
	b.Result("sum", b.Layer("Add", 1, numpy, x, y))
	b.Result("difference", b.Layer("Subtract", 1, numpy, x, y))
}

func TestServer_Infer_outputs(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: folder(t, "1", builtin.Ops(), twoPorts)}}})
	inputs := []oip.Input{ // in another order than the model's
		{Name: "b", Tensor: tensorOf(t, []float32{1, 2})},
		{Name: "a", Tensor: tensorOf(t, []float32{10, 20})},
	}
	for _, c := range []struct {
		requested []oip.RequestedOutput
		names     []string
		first     []float32
	}{
		{nil, []string{"sum", "difference"}, []float32{11, 22}},
		{[]oip.RequestedOutput{{Name: "difference"}}, []string{"difference"}, []float32{9, 18}},
		{[]oip.RequestedOutput{{Name: "difference"}, {Name: "sum"}}, []string{"difference", "sum"}, []float32{9, 18}},
	} {
		response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Version: "1", Inputs: inputs, Outputs: c.requested})
		require.NoError(t, err)
		require.Equal(t, "1", response.Version)
		var names []string
		for _, output := range response.Outputs {
			names = append(names, output.Name)
		}
		require.Equal(t, c.names, names)
		require.Equal(t, c.first, ir.Data[float32](response.Outputs[0].Tensor))
		response.Release()
	}
}

func TestServer_Infer_refuses(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: folder(t, "1", builtin.Ops(), twoPorts)}}})
	a := oip.Input{Name: "a", Tensor: tensorOf(t, []float32{1, 2})}
	b := oip.Input{Name: "b", Tensor: tensorOf(t, []float32{1, 2})}
	long := strings.Repeat("x", 10_000)
	for name, c := range map[string]struct {
		request oip.InferRequest
		code    oip.Code
		text    string
	}{
		"model":           {oip.InferRequest{Model: "n"}, oip.NotFound, `no model "n"`},
		"long name":       {oip.InferRequest{Model: long}, oip.NotFound, "..."},
		"path":            {oip.InferRequest{Model: "../m"}, oip.NotFound, "no model"},
		"version":         {oip.InferRequest{Model: "m", Version: "2"}, oip.NotFound, `no version "2"`},
		"version as text": {oip.InferRequest{Model: "m", Version: "01"}, oip.NotFound, `no version "01"`},
		"no number":       {oip.InferRequest{Model: "m", Version: "x"}, oip.NotFound, `no version "x"`},
		"missing":         {oip.InferRequest{Model: "m", Inputs: []oip.Input{a}}, oip.Malformed, `input "b" is missing`},
		"unknown":         {oip.InferRequest{Model: "m", Inputs: []oip.Input{a, {Name: long}}}, oip.Malformed, `it has "a", "b"`},
		"twice":           {oip.InferRequest{Model: "m", Inputs: []oip.Input{a, a}}, oip.Malformed, `input "a" is given twice`},
		"no tensor":       {oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "a"}}}, oip.Malformed, "has no data"},
		"type": {oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "a", Tensor: tensorOf(t, []int32{1, 2})}}},
			oip.Malformed, `input "a" is INT32, the model expects FP32`},
		"shape": {oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "a", Tensor: tensorOf(t, []float32{1, 2, 3})}}},
			oip.Malformed, `input "a" has the shape [3], the model expects [2]`},
		"output": {oip.InferRequest{Model: "m", Inputs: []oip.Input{a, b}, Outputs: []oip.RequestedOutput{{Name: "z"}}},
			oip.Malformed, `no output "z": it has "sum", "difference"`},
		"output twice": {oip.InferRequest{Model: "m", Inputs: []oip.Input{a, b}, Outputs: []oip.RequestedOutput{{Name: "sum"}, {Name: "sum"}}},
			oip.Malformed, `output "sum" is asked for twice`},
		"timeout": {oip.InferRequest{Model: "m", Inputs: []oip.Input{a, b}, Parameters: map[string]any{"timeout": "soon"}},
			oip.Malformed, `parameter "timeout" is soon`},
		"negative priority": {oip.InferRequest{Model: "m", Inputs: []oip.Input{a, b}, Parameters: map[string]any{"priority": int64(-1)}},
			oip.Malformed, `parameter "priority" is -1`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Infer(t.Context(), &c.request)
			assertCode(t, err, c.code, c.text)
			require.LessOrEqual(t, len(err.Error()), oip.MaxErrorText)
		})
	}
	counted, err := s.Statistics("m", "")
	require.NoError(t, err)
	require.Equal(t, map[oip.Reason]uint64{oip.ReasonRejected: 10}, counted[0].Failures)
	require.Equal(t, uint64(10), counted[0].Fail.Count)
}

func TestServer_Infer_parameters(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: multiplied(t, 2)}}})
	for _, timeout := range []any{nil, int64(60_000_000), uint64(60_000_000), 60e6, "60000000"} {
		r := request(t, "m", 1, 2)
		r.Parameters = map[string]any{"timeout": timeout, "priority": uint64(1), "unknown": true}
		response, err := s.Infer(t.Context(), r)
		require.NoError(t, err, timeout)
		require.Equal(t, []float32{2, 4}, numbers(t, response))
	}
	for _, timeout := range []any{true, 1.5, -1.0, 1e30, ^uint64(0), int64(-5)} {
		r := request(t, "m", 1, 2)
		r.Parameters = map[string]any{"timeout": timeout}
		_, err := s.Infer(t.Context(), r)
		assertCode(t, err, oip.Malformed, "must be a whole number")
	}
}

// TestServer_Infer_joins checks that requests that come while another one runs are computed
// together, with rows rounded up, and that each gets its own rows.
func TestServer_Infer_joins(t *testing.T) {
	h := newHold()
	s := start(t, h.options(t))
	results := make([][]float32, 5)
	var all sync.WaitGroup
	send := func(i int, values ...float32) {
		all.Go(func() {
			results[i] = infer(t, s, "hold", values...)
		})
	}
	send(0, 1, 1)
	require.Equal(t, 1, <-h.entered)
	send(1, 2, 3, 4, 5) // two rows
	waitPending(t, s, 1)
	send(2, 6, 7)
	waitPending(t, s, 2)
	h.release <- struct{}{}
	require.Equal(t, 4, <-h.entered, "three rows are rounded up")
	h.release <- struct{}{}
	all.Wait()
	require.Equal(t, [][]float32{{1, 1}, {2, 3, 4, 5}, {6, 7}}, results[:3])

	counted, err := s.Statistics("hold", "1")
	require.NoError(t, err)
	require.Equal(t, uint64(4), counted[0].InferenceCount)
	require.Equal(t, uint64(2), counted[0].ExecutionCount)
	require.Equal(t, uint64(3), counted[0].Success.Count)
	require.Equal(t, 1, counted[0].Batches[0].BatchSize)
	require.Equal(t, 3, counted[0].Batches[1].BatchSize)
	require.Zero(t, counted[0].Pending)
}

// TestServer_Infer_largeRows checks that large rows are joined only if the configuration asks for
// it.
func TestServer_Infer_largeRows(t *testing.T) {
	for config, rows := range map[string]int{`{}`: 1, `{"max_batch_size": 8}`: 2} {
		h := newHold()
		options := h.options(t)
		options.Models[0].Config = []byte(config)
		s := start(t, options)
		var all sync.WaitGroup
		send := func(values ...float32) {
			all.Go(func() {
				response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "hold", Inputs: []oip.Input{
					{Name: "x", Tensor: tensorOf(t, values, 1, len(values))},
				}})
				if assert.NoError(t, err) {
					response.Release()
				}
			})
		}
		send(1, 2)
		<-h.entered
		for i := range 2 {
			send(make([]float32, 20_000)...)
			waitPending(t, s, i+1)
		}
		h.release <- struct{}{} // large rows are not held up
		all.Wait()
		counted, err := s.Statistics("hold", "")
		require.NoError(t, err)
		last := counted[0].Batches[len(counted[0].Batches)-1]
		require.Equal(t, rows, last.BatchSize, config)
	}
}

// TestServer_Infer_badNeighbour checks that a request whose values fail does not make those fail
// that are computed with it.
func TestServer_Infer_badNeighbour(t *testing.T) {
	h := newHold()
	s := start(t, h.options(t))
	first, good, wrong := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	send := func(to chan error, x float32) {
		response, err := s.Infer(t.Context(), request(t, "hold", x, x))
		if err == nil && numbers(t, response)[0] != x {
			err = errors.New("the answer is that of another request")
		}
		to <- err
	}
	go send(first, 1)
	<-h.entered
	go send(good, 2)
	waitPending(t, s, 1)
	go send(wrong, bad)
	waitPending(t, s, 2)
	h.release <- struct{}{}
	require.NoError(t, <-first)
	require.Equal(t, 1, <-h.entered, "after the failure, each is computed alone")
	h.release <- struct{}{}
	require.NoError(t, <-good)
	assertCode(t, <-wrong, oip.Malformed, "13 is bad")
}

// waitPending waits until n requests wait for the only model of s.
func waitPending(t testing.TB, s *models.Server, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		counted, err := s.Statistics("", "")
		return err == nil && counted[0].Pending == n
	}, 10*second, second/1000)
}

// TestServer_Infer_cancelled checks that a request that waits leaves the queue when its client
// goes, and that one that runs is stopped.
func TestServer_Infer_cancelled(t *testing.T) {
	h := newHold()
	s := start(t, h.options(t))
	running, stopRunning := context.WithCancel(t.Context())
	waiting, stopWaiting := context.WithCancel(t.Context())
	defer stopWaiting()
	errs := [2]chan error{make(chan error, 1), make(chan error, 1)}
	for i, ctx := range []context.Context{running, waiting} {
		go func() {
			_, err := s.Infer(ctx, request(t, "hold", 1, 2))
			errs[i] <- err
		}()
		if i == 0 {
			<-h.entered
		}
	}
	waitPending(t, s, 1)
	stopWaiting()
	assertCode(t, <-errs[1], oip.Canceled, "cancelled")
	waitPending(t, s, 0)
	stopRunning()
	assertCode(t, <-errs[0], oip.Canceled, "cancelled")

	counted, err := s.Statistics("hold", "1")
	require.NoError(t, err)
	require.Equal(t, map[oip.Reason]uint64{oip.ReasonCanceled: 2}, counted[0].Failures)
}

// TestServer_Infer_deadline checks that the parameter timeout ends a request that runs.
func TestServer_Infer_deadline(t *testing.T) {
	h := newHold()
	s := start(t, h.options(t))
	r := request(t, "hold", 1, 2)
	r.Parameters = map[string]any{oip.ParameterTimeout: int64(1000)}
	failed := make(chan error)
	go func() {
		_, err := s.Infer(t.Context(), r)
		failed <- err
	}()
	select {
	case <-h.entered: // or its time is over before it starts
		assertCode(t, <-failed, oip.DeadlineExceeded, "deadline")
	case err := <-failed:
		assertCode(t, err, oip.DeadlineExceeded, "deadline")
	}
}

// TestServer_Infer_full checks that a request for which there is no place is refused at once.
func TestServer_Infer_full(t *testing.T) {
	for name, limit := range map[string]func(*models.Options){
		"requests": func(o *models.Options) { o.MaxQueueRequests = 1 },
		"bytes":    func(o *models.Options) { o.MaxQueueBytes = 15 },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHold()
			options := h.options(t)
			limit(&options)
			s := start(t, options)
			var all sync.WaitGroup
			for i := range 2 {
				all.Go(func() {
					assert.Equal(t, []float32{1, 2}, infer(t, s, "hold", 1, 2))
				})
				if i == 0 {
					<-h.entered
				}
			}
			waitPending(t, s, 1)
			_, err := s.Infer(t.Context(), request(t, "hold", 1, 2))
			assertCode(t, err, oip.QueueFull, "the queue is full")
			require.Positive(t, err.(*oip.Error).RetryAfter)
			h.release <- struct{}{}
			<-h.entered
			h.release <- struct{}{}
			all.Wait()
		})
	}
}

// TestServer_Infer_fair checks that a model whose queue is full does not keep another one from
// running.
func TestServer_Infer_fair(t *testing.T) {
	h := newHold()
	options := h.options(t)
	options.Models = append(options.Models, models.Model{Name: "other", FS: multiplied(t, 3)})
	s := start(t, options)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			_, err := s.Infer(ctx, request(t, "hold", 1, 2))
			assertCode(t, err, oip.Canceled, "")
		})
	}
	<-h.entered
	require.Equal(t, []float32{3, 6}, infer(t, s, "other", 1, 2))
	stop()
	all.Wait()
}

// TestServer_Infer_badValues checks that inputs whose values do not fit are the client's fault.
func TestServer_Infer_badValues(t *testing.T) {
	reshape := folder(t, "1", builtin.Ops(), func(b *edit.Builder) {
		shape := b.Parameter("x", ir.I64, ir.StaticShape(1))
		b.Result("y", b.Layer("Reshape", 1, edit.Attributes("special_zero", "false"), b.ConstantOf([]float32{5, 6}), shape))
	})
	s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: reshape}}})
	ask := func(n int64) error {
		response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "x", Tensor: tensorOf(t, []int64{n})}}})
		if err == nil {
			response.Release()
		}
		return err
	}
	require.NoError(t, ask(2))
	assertCode(t, ask(3), oip.Malformed, "the inference failed")
	require.NoError(t, ask(-1))
	counted, err := s.Statistics("m", "1")
	require.NoError(t, err)
	require.Equal(t, map[oip.Reason]uint64{oip.ReasonBackend: 1}, counted[0].Failures)
}

// TestServer_Infer_unranked joins requests for a model whose output has an unknown rank.
func TestServer_Infer_unranked(t *testing.T) {
	files := folder(t, "1", unranked(), func(b *edit.Builder) {
		b.Result("y", b.Extension("Hold", "test", nil, b.Parameter("x", ir.F32, ir.StaticShape(1, 2))))
	})
	s := start(t, models.Options{
		Open:   vinoir.Options{Ops: unranked()},
		Models: []models.Model{{Name: "m", FS: files, Config: []byte(`{"max_batch_size": 4}`)}},
	})
	require.Equal(t, []float32{1, 2, 3, 4}, infer(t, s, "m", 1, 2, 3, 4))
	metadata, err := s.ModelMetadata("m", "")
	require.NoError(t, err)
	require.Equal(t, []int64{-1}, metadata.Outputs[0].Shape)
}

func TestServer_Infer_strings(t *testing.T) {
	echo := folder(t, "1", builtin.Ops(), func(b *edit.Builder) {
		b.Result("y", b.Parameter("x", ir.String, ir.ShapeOf(ir.AnyDim)))
	})
	s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: echo}}, MaxBatchSize: 8})
	response, err := s.Infer(t.Context(), &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "x", Tensor: tensorOf(t, []string{"a", "\xff", ""})}}})
	require.NoError(t, err)
	defer response.Release()
	require.Equal(t, []string{"a", "\xff", ""}, response.Outputs[0].Tensor.Strings())
}

// TestServer_Infer_variables checks that each request starts from the initial state.
func TestServer_Infer_variables(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "m", Path: "../../../testdata/ir/ReadValue-6/f32"}}})
	metadata, err := s.ModelMetadata("m", "")
	require.NoError(t, err)
	r := &oip.InferRequest{Model: "m"}
	for _, in := range metadata.Inputs {
		shape := make([]int, len(in.Shape))
		for i, n := range in.Shape {
			shape[i] = int(n)
		}
		tensor, err := ir.NewTensor(ir.F32, shape...)
		require.NoError(t, err)
		for i := range tensor.Len() {
			tensor.SetValue(i, float64(i+1))
		}
		r.Inputs = append(r.Inputs, oip.Input{Name: in.Name, Tensor: tensor})
	}
	first, err := s.Infer(t.Context(), r)
	require.NoError(t, err)
	want := numbers(t, first)
	second, err := s.Infer(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, want, numbers(t, second))
}

// TestServer_Infer_concurrent sends many requests at once, and checks that each gets its own
// answer, in memory that no other one writes to.
func TestServer_Infer_concurrent(t *testing.T) {
	s := start(t, models.Options{Models: []models.Model{{Name: "m", FS: multiplied(t, 2)}}, MaxBatchSize: 8, Instances: 2})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				x := float32(100*i + j)
				assert.Equal(t, []float32{2 * x, -2 * x}, infer(t, s, "m", x, -x))
			}
		})
	}
	all.Wait()
	counted, err := s.Statistics("m", "1")
	require.NoError(t, err)
	require.Equal(t, uint64(400), counted[0].InferenceCount)
}
