package models_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// TestServer_soak sends requests of random rows and lengths from several clients, some of which go
// away, while the model is loaded again, and checks that memory stays flat and that all goroutines
// end.
func TestServer_soak(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	softmax := func(b *edit.Builder) {
		b.Result("y", b.Layer("Softmax", 8, edit.Attributes("axis", "1"), b.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.AnyDim))))
	}
	s, err := models.New(t.Context(), models.Options{
		Models:  []models.Model{{Name: "m", FS: folder(t, "1", builtin.Ops(), softmax)}},
		Control: models.ControlExplicit,
	})
	require.NoError(t, err)
	require.NoError(t, s.WaitStarted(t.Context()))

	round := func(seed uint64) {
		var all sync.WaitGroup
		for client := range uint64(4) {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, client))
				for range 500 {
					soakOnce(t, s, random)
				}
			})
		}
		for range 3 {
			assert.NoError(t, s.Load(t.Context(), "m", oip.LoadOptions{}))
		}
		all.Wait()
	}
	round(0)
	before := live()
	for seed := range uint64(3) {
		round(seed + 1)
	}
	require.Less(t, live(), before+4<<20)
	require.NoError(t, s.Close(t.Context()))
	for runtime.NumGoroutine() > goroutines { // the test's own time ends this if they never end
		runtime.Gosched()
	}
}

// soakOnce sends a request of random lengths, and takes one of ten away while it is computed.
func soakOnce(t *testing.T, s *models.Server, random *rand.Rand) {
	rows, length := 1+random.IntN(5), 1+random.IntN(300)
	tensor, err := ir.NewTensor(ir.F32, rows, length)
	assert.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if random.IntN(10) == 0 {
		go stop()
	}
	response, err := s.Infer(ctx, &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "x", Tensor: tensor}}})
	if err != nil {
		assertCode(t, err, oip.Canceled, "")
		return
	}
	y := ir.Data[float32](response.Outputs[0].Tensor)
	assert.Len(t, y, rows*length)
	assert.InDelta(t, 1/float64(length), y[0], 1e-6)
	response.Release()
}

// live returns the memory of what is reachable.
func live() uint64 {
	runtime.GC()
	runtime.GC() // pools keep what they have for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
