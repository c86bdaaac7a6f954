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
	g, err := newGeometry(p)
	if err != nil {
		return nil, err
	}
	if g.query.column == 0 || g.key.column == 0 || !gemm.IsBytes(g.e) {
		return nil, faults.Errorf("query is %v, key is %v: expected columns of the same multiple of 4", p.Inputs[query].Shape, p.Inputs[key].Shape)
	}
	g.levels = true
	return prepareGeometry(p, g)
}

// packLevels packs the key of a batch, which starts at element at. Where the kernel multiplies
// bytes less 128, all scores of a row differ by the same, which the softmax does not see.
func (e *engine) packLevels(r *ops.Run, w *worker, at int) {
	k, depth := e.quads, e.e/gemm.QuadSize()
	quads := cast.Slice[float32](w.of(e.areas.key))
	pack.SetQuads(quads, ir.Data[uint8](r.Inputs[key])[at:][:e.s*e.e], e.e, gemm.QuadZero())
	packed, panels := cast.Slice[float32](w.of(e.packKey)), k.PanelsB(e.s)
	for i := range k.Blocks(depth) {
		k.PackSomeB(r.Stop, packed[i*k.KC*panels*k.NR:], gemm.Matrix[float32]{Data: quads, RowStride: 1, ColStride: depth}, e.s, depth, i, 0, panels)
	}
}

// multiplyLevels sets scores to those of m rows of query. bytes has a number of rows of query,
// either m or one for all.
func (e *engine) multiplyLevels(stop parallel.Stop, w *worker, scores []float32, bytes []uint8, rows, m int) {
	k, depth := e.quads, e.e/gemm.QuadSize()
	a := gemm.Matrix[float32]{Data: cast.Slice[float32](w.of(e.areas.query))[:rows*depth], RowStride: depth, ColStride: 1}
	if rows < m {
		a.RowStride = 0
	}
	pack.SetQuads(a.Data, bytes, e.e, 128)
	q := gemm.Quads{Scale: cast.Slice[float32](w.of(e.scales))[:m]}
	for i := range q.Scale {
		q.Scale[i] = float32(w.scale)
	}
	c, left, packed := scores, cast.Slice[float32](w.of(e.packQuery)), cast.Slice[float32](w.of(e.packKey))
	for i := range k.Blocks(depth) {
		k.PackA(left, a, m, depth, i, 0, k.PanelsA(m))
		right := packed[i*k.KC*k.PanelsB(e.s)*k.NR:]
		for lo := 0; lo < e.s && !stop.Requested(); lo += columnsAtOnce {
			gemm.MultiplyQuads(k, c, e.s, left, right, depth, i, 0, m, lo, min(lo+columnsAtOnce, e.s), &q)
		}
	}
}
