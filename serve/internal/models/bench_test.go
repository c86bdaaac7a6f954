package models_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// BenchmarkServer_Infer measures what a request costs besides its inference: the model does
// nothing.
func BenchmarkServer_Infer(b *testing.B) {
	identity := func(e *edit.Builder) {
		e.Result("y", e.Parameter("x", ir.F32, ir.ShapeOf(ir.AnyDim, ir.AnyDim)))
	}
	s := start(b, models.Options{Models: []models.Model{{Name: "m", FS: folder(b, "1", builtin.Ops(), identity)}}})
	for _, c := range []struct {
		name  string
		items int
	}{{"64B", 16}, {"600KB", 150_000}} {
		r := &oip.InferRequest{Model: "m", Inputs: []oip.Input{{Name: "x", Tensor: tensorOf(b, make([]float32, c.items), 1, c.items)}}}
		ask := func(b *testing.B) {
			response, err := s.Infer(b.Context(), r)
			require.NoError(b, err)
			response.Release()
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask(b)
			}
		})
		b.Run(c.name+"/clients", func(b *testing.B) {
			b.SetParallelism(32)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					ask(b)
				}
			})
		})
	}
}

// BenchmarkServer_joining measures rows of a text model that many clients send, alone and joined.
func BenchmarkServer_joining(b *testing.B) {
	path := filepath.Join(os.Getenv("VINOIR_CORPUS"), "zoo", "minilm_l6")
	if os.Getenv("VINOIR_CORPUS") == "" {
		b.Skip("VINOIR_CORPUS is not set")
	}
	for _, c := range []struct {
		name string
		rows int
	}{{"alone", 0}, {"joined", 16}} {
		s := start(b, models.Options{Models: []models.Model{{Name: "m", Path: path}}, MaxBatchSize: c.rows})
		metadata, err := s.ModelMetadata("m", "")
		require.NoError(b, err)
		r := &oip.InferRequest{Model: "m"}
		for i, in := range metadata.Inputs {
			array, err := npy.ReadFile(filepath.Join(path, "in", string(rune('0'+i))+".npy"))
			require.NoError(b, err)
			tensor, err := array.Tensor(ir.I64, nil)
			require.NoError(b, err)
			r.Inputs = append(r.Inputs, oip.Input{Name: in.Name, Tensor: tensor})
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					response, err := s.Infer(b.Context(), r)
					require.NoError(b, err)
					response.Release()
				}
			})
		})
	}
}
