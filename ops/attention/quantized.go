package attention

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// inferQuantized is infer with the types of QuantizedAttention.
func inferQuantized(in *ops.Inference) error {
	same := *in
	same.Inputs = append([]ir.Fact(nil), in.Inputs...)
	for i := range key + 1 {
		if got := same.Inputs[i].Type; got != ir.U8 && got != ir.Dynamic {
			return faults.Errorf("input %d is %v, expected u8", i, got)
		}
		same.Inputs[i].Type = ir.F32
	}
	return infer(&same)
}

// prepareQuantized is prepare for QuantizedAttention.
func prepareQuantized(p *ops.Preparation) (*ops.Prepared, error) {
	return prepareFor(p, quantizedGeometry)
}

func quantizedGeometry(p *ops.Preparation) (*geometry, error) {
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	if g.query.column == 0 || g.key.column == 0 || !gemm.IsBytes(g.e) {
		return nil, faults.Errorf("query is %v, key is %v: expected columns of the same multiple of 4", p.Inputs[query].Shape, p.Inputs[key].Shape)
	}
	g.levels = true
	return g, nil
}

// packLevels packs the key of a batch, which starts at element at. Where the kernel multiplies
// bytes less 128, all scores of a row differ by the same, which the softmax does not see.
func (e *engine) packLevels(r *ops.Run, w *worker, at int) {
	k, depth := e.quads, e.e/gemm.QuadSize()
	quads := cast.Slice[gemm.Quad](w.of(e.areas.key))
	pack.SetQuads(quads, ir.Data[uint8](r.Inputs[key])[at:][:e.s*e.e], e.e, gemm.QuadZero())
	k.PackColumns(r.Stop, cast.Slice[gemm.Quad](w.of(e.packKey)), gemm.Matrix[gemm.Quad]{Data: quads, RowStride: 1, ColStride: depth}, depth, e.s)
}

// multiplyLevels sets scores to those of m rows of query. bytes has a number of rows of query,
// either m or one for all.
func (e *engine) multiplyLevels(stop parallel.Stop, w *worker, scores []float32, bytes []uint8, rows, m int) {
	depth := e.e / gemm.QuadSize()
	a := gemm.Matrix[gemm.Quad]{Data: cast.Slice[gemm.Quad](w.of(e.areas.query))[:rows*depth], RowStride: depth, ColStride: 1}
	if rows < m {
		a.RowStride = 0
	}
	pack.SetQuads(a.Data, bytes, e.e, 128)
	scales := w.of(e.scales)[:m]
	for i := range scales {
		scales[i] = w.scale
	}
	e.quads.MultiplyRows(stop, a, &gemm.Product[gemm.Quad, float32]{
		C: scores, LDC: e.s, A: cast.Slice[gemm.Quad](w.of(e.packQuery)), B: cast.Slice[gemm.Quad](w.of(e.packKey)), Depth: depth, MHi: m,
		Steps: []gemm.Step{{Op: gemm.ScaleRows, Values: scales}},
	})
}
