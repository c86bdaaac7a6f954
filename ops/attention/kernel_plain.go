package attention

import (
	"math"

	"github.com/vinoir/vinoir/internal/plaingemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// plainRows is the number of rows that are computed at a time in plain loops.
const plainRows = 8

// plainLayer computes a layer of f64 in plain loops. The threads share tiles of plainRows rows.
type plainLayer struct {
	*geometry
	tiles  int               // of a batch
	scores ops.Area[float64] // of each worker
}

func plainKernel(p *ops.Preparation, g *geometry) (*ops.Prepared, error) {
	if g.batches*g.l*g.ev == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &plainLayer{geometry: g, tiles: (g.l + plainRows - 1) / plainRows}
	flops := 2 * float64(g.batches) * float64(g.l) * float64(g.s) * float64(g.e+g.ev)
	cost := flops / 2 / float64(g.batches) / float64(k.tiles)
	workers, part := p.Workers(g.batches*k.tiles, cost), ops.WorkerPart(k.part)
	var s ops.Scratch
	k.scores = ops.AreasOf[float64](&s, workers, plainRows, g.s)
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.ForWorkers(g.batches*k.tiles, ops.Grain(cost), workers, part) },
		ScratchBytes: s.Bytes(),
		Flops:        flops,
		Algorithm:    "plain loops",
	}, nil
}

// part computes tiles lo to hi-1, counted over all batches.
func (k *plainLayer) part(r *ops.Run, worker, lo, hi int) error {
	scores := k.scores.Of(r, worker)
	for ; lo < hi && !r.Stop.Requested(); lo++ {
		k.tile(r, scores, lo/k.tiles, lo%k.tiles*plainRows)
	}
	return nil
}

// matrix returns an operand from element at on.
func (o *operand) matrix(t *ir.Tensor, at int) plaingemm.Matrix[float64] {
	return plaingemm.Matrix[float64]{Data: ir.Data[float64](t)[at:], RowStride: o.row, ColStride: o.column}
}

// tile computes rows of a batch from number first on.
func (k *plainLayer) tile(r *ops.Run, scores []float64, batch, first int) {
	g := k.geometry
	m := min(plainRows, g.l-first)
	out := ir.Data[float64](r.Outputs[0])[(batch*g.l+first)*g.ev:][:m*g.ev]
	if g.s == 0 {
		clear(out)
		return
	}
	factor := g.scale
	if g.scaled {
		factor = ir.Data[float64](r.Inputs[g.skipped+scale])[0]
	}
	scores = scores[:m*g.s]
	keys := g.key.matrix(r.Inputs[key], g.offset(&g.key, batch))
	keys.RowStride, keys.ColStride = keys.ColStride, keys.RowStride
	plaingemm.Multiply(r.Stop, scores, g.s, g.query.matrix(r.Inputs[query], g.offset(&g.query, batch)+first*g.query.row), keys, m, g.s, g.e)
	var sums [plainRows]float64
	for i := range m {
		if r.Stop.Requested() {
			return
		}
		row := scores[i*g.s:][:g.s]
		for j := range row {
			row[j] *= factor
		}
		sums[i] = k.softmax(r, batch, first+i, row)
	}
	weights := plaingemm.Matrix[float64]{Data: scores, RowStride: g.s, ColStride: 1}
	plaingemm.Multiply(r.Stop, out, g.ev, weights, g.value.matrix(r.Inputs[value], g.offset(&g.value, batch)), m, g.ev, g.s)
	for i := range out {
		out[i] *= 1 / sums[i/g.ev]
	}
}

// softmax replaces the scores of row l by their exponentials, and returns the sum.
func (k *plainLayer) softmax(r *ops.Run, batch, l int, row []float64) float64 {
	g := k.geometry
	if g.causal {
		n := min(l+1, g.s)
		clear(row[n:])
		row = row[:n]
	}
	if o := &g.mask; o.present {
		t, at := r.Inputs[g.skipped+mask], g.offset(o, batch)+l*o.row
		for j := range row {
			if !g.booleans {
				row[j] += ir.Data[float64](t)[at]
			} else if !ir.Data[bool](t)[at] {
				row[j] += math.Inf(-1)
			}
			at += o.column
		}
	}
	most := normalize.Max(r.Stop, row)
	if !g.sink.present {
		return normalize.ExpSum(r.Stop, row, row, most)
	}
	// The sink adds an exponential to the sum, but no column.
	s := ir.Data[float64](r.Inputs[g.skipped+sink])[g.offset(&g.sink, batch)+l*g.sink.row]
	most = max(most, s)
	return normalize.ExpSum(r.Stop, row, row, most) + math.Exp(s-most)
}
