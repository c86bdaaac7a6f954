package paged

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// spanBlocks is the number of blocks whose scores are computed together, and span that of their
// tokens.
const (
	spanBlocks = 8
	span       = spanBlocks * BlockTokens
)

// packedRows is the number of rows of a tile from which on it is faster to pack keys and values.
const packedRows = 6

// engine computes tiles of an attention. For each span of keys and values, one after the other,
//
//	scores = query*scale*transpose(keys)         rows*groups by span, and slopes
//	scores = exp(scores-max)                     where max is that of all scores so far
//	output = output*exp(max before-max) + scores*values
//	sum    = sum*exp(max before-max) + sum(scores)
//
// and at the end output/sum, so that no row of scores is as long as a text.
type engine struct {
	*Store
	attributes
	Layer
	index  int // of the layer
	rows   int // of the step
	parts  int // see partsFor
	floats *gemm.FloatKernel
	add    func(out, a, b []float32)

	query, scores, output, part, most, sums ops.Area[float32]
	block                                   ops.Area[float32] // keys or values of a span
	packA, packB                            ops.Area[float32]
}

func (s *Store) prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	e := &engine{Store: s, attributes: at, Layer: s.layers[at.layer], index: at.layer, rows: p.InputShape(query)[2], floats: gemm.New()}
	if e.add = vmath.Binary(vmath.Add, vmath.Rows); e.add == nil {
		e.add = func(out, a, b []float32) {
			for i := range out {
				out[i] = a[i] + b[i]
			}
		}
	}
	var scratch ops.Scratch
	workers := max(p.Threads, 1)
	area := func(lengths ...int) ops.Area[float32] { return ops.AreasOf[float32](&scratch, workers, lengths...) }
	rows, width := min(e.rows, tileRows)*at.groups, max(e.KeyWidth, e.ValueWidth)
	e.query, e.scores, e.block = area(rows, e.KeyWidth), area(rows, span), area(span, width)
	e.output, e.part, e.most, e.sums = area(rows, e.ValueWidth), area(rows, e.ValueWidth), area(rows), area(rows)
	if rows >= packedRows {
		depth := max(span, e.KeyWidth)
		e.packA = area(e.floats.PanelsA(rows)*e.floats.MR, min(depth, e.floats.KC))
		e.packB = area(max(e.floats.PackedLenB(span, e.KeyWidth), e.floats.PackedLenB(e.ValueWidth, span)))
	}
	return &ops.Prepared{
		Kernel: func(r *ops.Run) error {
			if s.rows > e.rows {
				return faults.Errorf("the step has %d rows, the layer %d", s.rows, e.rows)
			}
			if err := r.For(len(s.runs)*e.Heads, 1, e.store); err != nil {
				return err
			}
			if err := e.clearRest(r); err != nil {
				return err
			}
			e.parts = e.partsFor(workers)
			return r.ForWorkers(len(s.tiles)*e.Heads*e.parts, 1, workers, e.compute)
		},
		ScratchBytes: scratch.Bytes(),
	}, nil
}

// store stores the new keys and values of heads of runs.
func (e *engine) store(r *ops.Run, lo, hi int) error {
	keys, values := ir.Data[float32](r.Inputs[key]), ir.Data[float32](r.Inputs[value])
	for item := lo; item < hi && !r.Stop.Requested(); item++ {
		run, head := &e.runs[item/e.Heads], item%e.Heads
		from := head*e.rows + e.starts[item/e.Heads]
		for i := range run.Rows {
			position := run.First + i
			memory, at := e.memory[run.Blocks[position/BlockTokens]], position%BlockTokens
			e.write(e.keysOf(memory, head)[at*e.rowBytes(e.KeyWidth):], keys[(from+i)*e.KeyWidth:][:e.KeyWidth])
			e.write(e.valuesOf(memory, head)[at*e.rowBytes(e.ValueWidth):], values[(from+i)*e.ValueWidth:][:e.ValueWidth])
		}
	}
	return nil
}

// keysOf returns the keys of a head in the memory of a block.
func (e *engine) keysOf(memory []byte, head int) []byte {
	n := e.headBytes(e.KeyWidth)
	return memory[e.Store.keys[e.index]+head*n:][:n]
}

// valuesOf is keysOf for the values.
func (e *engine) valuesOf(memory []byte, head int) []byte {
	n := e.headBytes(e.ValueWidth)
	return memory[e.Store.values[e.index]+head*n:][:n]
}

// clearRest clears the rows of the output that belong to no run.
func (e *engine) clearRest(r *ops.Run) error {
	if e.Store.rows == e.rows {
		return nil
	}
	out := ir.Data[float32](r.Outputs[0])
	for head := range e.Heads * e.groups {
		clear(out[(head*e.rows+e.Store.rows)*e.ValueWidth : (head+1)*e.rows*e.ValueWidth])
	}
	return nil
}

// partsFor returns the number of parts that the groups of a head are divided into: more than one if
// there are fewer tiles for heads than threads, as for the next token of one text. Each part reads
// the keys and values again.
func (e *engine) partsFor(workers int) int {
	items := max(len(e.tiles)*e.Heads, 1)
	return min((workers+items-1)/items, e.groups)
}

// compute computes tiles for parts of the groups of heads of keys and values.
func (e *engine) compute(r *ops.Run, worker, lo, hi int) error {
	for item := lo; item < hi; item++ {
		part, head := item%e.parts, item/e.parts%e.Heads
		from, to := parallel.Share(e.groups, e.parts, part), parallel.Share(e.groups, e.parts, part+1)
		e.computeTile(r, worker, &e.tiles[item/e.parts/e.Heads], head, head*e.groups+from, to-from)
	}
	return nil
}

// computeTile computes a tile for a number of query heads, the first of which is firstHead, that
// read the keys and values of head.
func (e *engine) computeTile(r *ops.Run, worker int, t *tile, head, firstHead, heads int) {
	run := &e.runs[t.run]
	first := run.First + t.row - e.starts[t.run] // the position of the first row
	n := t.rows * heads
	queries, output := e.query.Of(r, worker)[:n*e.KeyWidth], e.output.Of(r, worker)[:n*e.ValueWidth]
	most, sums := e.most.Of(r, worker)[:n], e.sums.Of(r, worker)[:n]
	from := ir.Data[float32](r.Inputs[query])
	for g := range heads {
		m := t.rows * e.KeyWidth
		vmath.Affine(queries[g*m:][:m], from[((firstHead+g)*e.rows+t.row)*e.KeyWidth:][:m], 0, e.scale, 0)
	}
	clear(output)
	for i := range most {
		most[i], sums[i] = float32(math.Inf(-1)), 0
	}
	begin := 0 // of the first block that a row sees
	if e.window > 0 {
		begin = max(first-e.window+1, 0) / BlockTokens
	}
	end := first + t.rows // behind the last position
	for b := begin; b*BlockTokens < end && !r.Stop.Requested(); b += spanBlocks {
		m := min(span, end-b*BlockTokens)
		blocks := run.Blocks[b:][:(m+BlockTokens-1)/BlockTokens]
		scores := e.scores.Of(r, worker)[:n*m]
		e.multiplyKeys(r, worker, scores, queries, blocks, head, n, m)
		e.addSlopes(scores, firstHead, first, b*BlockTokens, m, t.rows)
		e.softmax(scores, output, most, sums, first, b*BlockTokens, m, t.rows)
		e.addValues(r, worker, output, scores, blocks, head, n, m)
	}
	to := ir.Data[float32](r.Outputs[0])
	for i, sum := range sums {
		if len(e.sinks) > 0 {
			// It may overflow: then the output is 0.
			sum += float32(math.Exp(float64(e.sinks[firstHead+i/t.rows]) - float64(most[i])))
		}
		at := (firstHead+i/t.rows)*e.rows + t.row + i%t.rows
		vmath.Affine(to[at*e.ValueWidth:][:e.ValueWidth], output[i*e.ValueWidth:][:e.ValueWidth], 0, 1/sum, 0)
	}
}

// addSlopes adds to the scores of m tokens from position at on, for each row, whose first one is at
// position first and whose first query head is firstHead, what the distance of each token makes.
func (e *engine) addSlopes(scores []float32, firstHead, first, at, m, rows int) {
	if len(e.slopes) == 0 {
		return
	}
	for i := range len(scores) / m {
		row, slope, distance := scores[i*m:][:m], e.slopes[firstHead+i/rows], at-first-i%rows
		for k := range row {
			row[k] += slope * float32(distance+k)
		}
	}
}

// softmax replaces the scores of m tokens from position at on, for each row, whose first one is at
// position first, by their exponentials, and brings output, most and sums up to date.
func (e *engine) softmax(scores, output, most, sums []float32, first, at, m, rows int) {
	for i := range most {
		row, position := scores[i*m:][:m], first+i%rows
		hi := min(position+1-at, m)
		lo := 0
		if e.window > 0 {
			lo = max(position+1-e.window-at, 0)
		}
		if lo >= hi {
			clear(row)
			continue
		}
		clear(row[:lo])
		clear(row[hi:])
		row = row[lo:hi]
		greatest := max(most[i], vmath.Max(row))
		if greatest > most[i] && sums[i] > 0 {
			factor := float32(math.Exp(float64(most[i] - greatest)))
			sums[i] *= factor
			out := output[i*e.ValueWidth:][:e.ValueWidth]
			vmath.Affine(out, out, 0, factor, 0)
		}
		most[i] = greatest
		sums[i] += float32(vmath.ExpSum(row, row, greatest))
	}
}

// multiplyKeys sets scores to the products of n rows of queries and the keys of m tokens.
func (e *engine) multiplyKeys(r *ops.Run, worker int, scores, queries []float32, blocks []int32, head, n, m int) {
	keys := e.block.Of(r, worker)
	for k, b := range blocks {
		at := k * BlockTokens
		rows := min(BlockTokens, m-at)
		block := e.read(keys[at*e.KeyWidth:], e.keysOf(e.memory[b], head), rows, e.KeyWidth)
		if n >= packedRows {
			copy(keys[at*e.KeyWidth:], block)
			continue
		}
		for i := range n {
			gemm.Row(r.Stop, scores[i*m+at:][:rows], queries[i*e.KeyWidth:][:e.KeyWidth], gemm.Matrix[float32]{Data: block, RowStride: 1, ColStride: e.KeyWidth}, 0, rows)
		}
	}
	if n >= packedRows {
		b := gemm.Matrix[float32]{Data: keys[:m*e.KeyWidth], RowStride: 1, ColStride: e.KeyWidth}
		e.multiply(r, worker, scores, gemm.Matrix[float32]{Data: queries, RowStride: e.KeyWidth, ColStride: 1}, b, n, e.KeyWidth, m)
	}
}

// addValues adds the products of n rows of weights and the values of m tokens to output.
func (e *engine) addValues(r *ops.Run, worker int, output, weights []float32, blocks []int32, head, n, m int) {
	values, part := e.block.Of(r, worker), e.part.Of(r, worker)[:n*e.ValueWidth]
	for k, b := range blocks {
		at := k * BlockTokens
		rows := min(BlockTokens, m-at)
		block := e.read(values[at*e.ValueWidth:], e.valuesOf(e.memory[b], head), rows, e.ValueWidth)
		if n >= packedRows {
			copy(values[at*e.ValueWidth:], block)
			continue
		}
		for i := range n {
			row, out := part[:e.ValueWidth], output[i*e.ValueWidth:][:e.ValueWidth]
			gemm.Row(r.Stop, row, weights[i*m+at:][:rows], gemm.Matrix[float32]{Data: block, RowStride: e.ValueWidth, ColStride: 1}, 0, e.ValueWidth)
			e.add(out, out, row)
		}
	}
	if n >= packedRows {
		b := gemm.Matrix[float32]{Data: values[:m*e.ValueWidth], RowStride: e.ValueWidth, ColStride: 1}
		e.multiply(r, worker, part, gemm.Matrix[float32]{Data: weights, RowStride: m, ColStride: 1}, b, n, m, e.ValueWidth)
		e.add(output, output, part)
	}
}

// multiply sets c to a*b, where a has n rows and b has columns columns.
func (e *engine) multiply(r *ops.Run, worker int, c []float32, a, b gemm.Matrix[float32], n, depth, columns int) {
	packed := e.packB.Of(r, worker)
	e.floats.PackColumns(r.Stop, packed, b, depth, columns)
	e.floats.MultiplyRows(r.Stop, a, &gemm.FloatProduct{C: c, LDC: columns, A: e.packA.Of(r, worker), B: packed, Depth: depth, MHi: n})
}
