package attention

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// areas are the scratch memory of each worker.
type areas struct {
	key, value, packKey, packValue            ops.Area[float32]
	query, output, packQuery, packScores, row ops.Area[float32]
	scores, sums                              ops.Area[float32]
	block, part                               ops.Area[float32]
	paired                                    ops.Area[float32] // of pairs before they are packed
	scales                                    ops.Area[float32] // of rows of products of quads
}

// newAreas adds the areas of workers to s. stored says that key and value are not stored in
// float32, rounds that the kernel is that of pairs. quads is that of the scores of levels, or nil.
func newAreas(s *ops.Scratch, workers int, g *geometry, k *gemm.Tiling, quads *gemm.QuadKernel, wide, stored, rounds bool) areas {
	area := func(rows, columns int) ops.Area[float32] { return ops.AreasOf[float32](s, workers, rows, columns) }
	tile := g.tile
	if stored && g.l == 1 {
		tile = min(g.shared, maxShared)
	}
	a := areas{scores: area(tile, g.s), sums: area(tile, 1), row: area(1, max(g.s, 1)), query: area(tile, g.e)}
	if stored && g.l == 1 {
		a.block, a.part = area(max(g.blockRows(g.e)*g.e, g.blockRows(g.ev)*g.ev), 1), area(1, g.ev)
	}
	if g.l > 1 {
		depthKey, depthValue := g.e, g.s // of the products
		if rounds {
			depthKey, depthValue = gemm.PairsOf(g.e), gemm.PairsOf(g.s)
			a.paired = area(max(g.s, g.tile, g.ev), max(depthKey, depthValue))
		}
		if quads == nil {
			a.packKey, a.packQuery = area(k.PanelsB(g.s)*k.NR, depthKey), area(k.PanelsA(g.tile)*k.MR, min(depthKey, k.KC))
		}
		a.packValue, a.packScores = area(k.PanelsB(g.ev)*k.NR, depthValue), area(k.PanelsA(g.tile)*k.MR, min(depthValue, k.KC))
	}
	if quads != nil {
		depth := g.e / gemm.QuadSize()
		a.scales, a.key = area(tile, 1), area(g.s, depth)
		a.packKey, a.packQuery = area(quads.PanelsB(g.s)*quads.NR, depth), area(quads.PanelsA(g.tile)*quads.MR, min(depth, quads.KC))
	}
	if wide || stored && g.l > 1 {
		a.key, a.value = area(g.s, g.e), area(g.s, g.ev)
	}
	if wide {
		a.output = area(g.tile, g.ev)
	}
	return a
}

// engine computes tiles of rows in float32.
type engine struct {
	*geometry
	access
	areas
	floats *gemm.FloatKernel
	pairs  *gemm.PairKernel // if the operands of products are rounded
	tiling *gemm.Tiling     // that of pairs or of floats
	quads  *gemm.QuadKernel // of the scores, if query and key are u8
	loops  *normalize.Loops[float32]

	units, items, workers int // see layOut
}

// worker is the state of one thread between tiles.
type worker struct {
	run            *ops.Run
	number         int
	scale          float32
	keyAt, valueAt int // the offsets of key and value; -1 at first
	key, value     []float32
}

// of returns an area of the worker's scratch memory.
func (w *worker) of(a ops.Area[float32]) []float32 { return a.Of(w.run, w.number) }

// worker returns the initial state of a thread, which has the scratch memory of the given number.
func (e *engine) worker(r *ops.Run, number int) worker {
	w := worker{run: r, number: number, scale: float32(e.geometry.scale), keyAt: -1, valueAt: -1}
	if e.scaled {
		w.scale = e.read(r.Inputs[e.skipped+scale], 0, 1, w.of(e.row))[0]
	}
	return w
}

// tileUnits returns the number of panels of the next tile, if n panels of rows remain. Tiles
// have about the same size, and at most e.tile rows.
func (e *engine) tileUnits(n int) int {
	most := max(e.tile/e.tiling.MR, 1)
	tiles := (n + most - 1) / most
	return (n + tiles - 1) / tiles
}

// compute computes a tile of at most n rows of a batch, from row first on.
func (e *engine) compute(r *ops.Run, w *worker, batch, first, n int) {
	m := min(n, e.l-first)
	at := (batch*e.l + first) * e.ev
	out := e.write(r.Outputs[0], at, m*e.ev, w.of(e.areas.output))
	if e.s == 0 {
		clear(out)
	} else {
		e.loadBatch(r, w, batch)
		rows := m
		if e.geometry.query.row == 0 {
			rows = 1 // all rows of the output share one row of query
		}
		from := e.offset(&e.geometry.query, batch) + first*e.geometry.query.row
		scores := w.of(e.scores)[:m*e.s]
		if e.quads != nil {
			e.multiplyLevels(r.Stop, w, scores, ir.Data[uint8](r.Inputs[query])[from:][:rows*e.e], rows, m)
		} else {
			q := gemm.Matrix[float32]{Data: w.of(e.areas.query)[:rows*e.e], RowStride: e.geometry.query.row, ColStride: 1}
			// The queries are scaled because they have fewer elements than the scores.
			normalize.Affine(r.Stop, q.Data, e.read(r.Inputs[query], from, rows*e.e, q.Data), 0, w.scale, 0)
			e.multiply(r.Stop, w, scores, q, gemm.Matrix[float32]{Data: w.key, RowStride: 1, ColStride: e.e}, m, e.e, e.s, e.packQuery, e.packKey)
		}
		e.softmax(r, w, batch, first, scores, w.of(e.sums))
		weights := gemm.Matrix[float32]{Data: scores, RowStride: e.s, ColStride: 1}
		e.multiply(r.Stop, w, out, weights, gemm.Matrix[float32]{Data: w.value, RowStride: e.ev, ColStride: 1}, m, e.s, e.ev, e.packScores, e.packValue)
		for i, sum := range w.of(e.sums)[:m] {
			row := out[i*e.ev:][:e.ev]
			normalize.Affine(r.Stop, row, row, 0, 1/sum, 0)
		}
	}
	if e.finish != nil {
		e.finish(r.Outputs[0], at, out)
	}
}

// shares reports whether computeShared computes the output: there is one row in a batch, and key
// and value are stored in a smaller type, so that each of their rows should be converted once.
func (e *engine) shares() bool { return e.rows != nil && e.l == 1 }

// blockNumbers is the number of elements of key or value that computeShared converts at a time: a
// part of the cache of a core.
const blockNumbers = 1 << 12

// blockRows returns the number of rows of n columns that are converted at a time.
func (g *geometry) blockRows(n int) int { return max(min(blockNumbers/max(n, 1), g.s), 1) }

// computeShared computes n rows of the output, those of batches that have the same key and value.
func (e *engine) computeShared(r *ops.Run, w *worker, batch, n int) {
	out := e.write(r.Outputs[0], batch*e.ev, n*e.ev, nil)
	clear(out)
	if e.s == 0 {
		return
	}
	queries, scores, sums, block, part := w.of(e.areas.query), w.of(e.scores), w.of(e.sums), w.of(e.block), w.of(e.part)
	for i := range n {
		q := e.read(r.Inputs[query], e.offset(&e.geometry.query, batch+i), e.e, nil)
		normalize.Affine(r.Stop, queries[i*e.e:][:e.e], q, 0, w.scale, 0)
	}
	step := e.blockRows(e.e)
	for lo := 0; lo < e.s && !r.Stop.Requested(); lo += step {
		m := min(step, e.s-lo)
		keys := gemm.Matrix[float32]{Data: block[:m*e.e], RowStride: 1, ColStride: e.e}
		e.readRows(keys.Data, r, key, &e.geometry.key, batch, lo, e.e)
		for i := range n {
			gemm.Row(r.Stop, scores[i*e.s+lo:][:m], queries[i*e.e:][:e.e], keys, 0, m)
		}
	}
	for i := range n {
		e.softmax(r, w, batch+i, 0, scores[i*e.s:][:e.s], sums[i:])
	}
	step = e.blockRows(e.ev)
	for lo := 0; lo < e.s && !r.Stop.Requested(); lo += step {
		m := min(step, e.s-lo)
		values := gemm.Matrix[float32]{Data: block[:m*e.ev], RowStride: e.ev, ColStride: 1}
		e.readRows(values.Data, r, value, &e.geometry.value, batch, lo, e.ev)
		for i := range n {
			gemm.Row(r.Stop, part, scores[i*e.s+lo:][:m], values, 0, e.ev)
			row := out[i*e.ev:][:e.ev]
			e.loops.Add(row, row, part)
		}
	}
	for i := range n {
		row := out[i*e.ev:][:e.ev]
		normalize.Affine(r.Stop, row, row, 0, 1/sums[i], 0)
	}
}

// readRows sets dst to rows of key or value, input port, which have n columns, from row number
// first of a batch on.
func (e *engine) readRows(dst []float32, r *ops.Run, port int, o *operand, batch, first, n int) {
	if n == 0 {
		return
	}
	at, kept := e.offset(o, batch)/n, e.s-o.newRows
	if m := min(kept-first, len(dst)/n); m > 0 {
		e.rows(dst[:m*n], r.Inputs[port], at+first, n)
		dst, first = dst[m*n:], first+m
	}
	if len(dst) > 0 {
		copy(dst, e.read(r.Inputs[port+newKeys-key], (at/o.capacity*o.newRows+first-kept)*n, len(dst), nil))
	}
}

// loadBatch reads and packs key and value of a batch, unless those of the tile before are the same.
func (e *engine) loadBatch(r *ops.Run, w *worker, batch int) {
	keyAt, valueAt := e.offset(&e.geometry.key, batch), e.offset(&e.geometry.value, batch)
	if w.keyAt == keyAt && w.valueAt == valueAt {
		return
	}
	w.keyAt, w.valueAt = keyAt, valueAt
	w.key, w.value = w.of(e.areas.key), w.of(e.areas.value)
	switch {
	case e.quads != nil:
		e.packLevels(r, w, keyAt)
		w.value = e.read(r.Inputs[value], valueAt, e.s*e.ev, w.value)
	case e.rows != nil:
		e.readRows(w.key, r, key, &e.geometry.key, batch, 0, e.e)
		e.readRows(w.value, r, value, &e.geometry.value, batch, 0, e.ev)
	default:
		w.key = e.read(r.Inputs[key], keyAt, e.s*e.e, w.key)
		w.value = e.read(r.Inputs[value], valueAt, e.s*e.ev, w.value)
	}
	if e.l == 1 {
		return // a single row needs no packing
	}
	if e.quads == nil {
		e.pack(r.Stop, w, w.of(e.packKey), gemm.Matrix[float32]{Data: w.key, RowStride: 1, ColStride: e.e}, e.e, e.s)
	}
	e.pack(r.Stop, w, w.of(e.packValue), gemm.Matrix[float32]{Data: w.value, RowStride: e.ev, ColStride: 1}, e.s, e.ev)
}

// pack packs all blocks of b, which has depth rows and n columns. It ends early if stop is
// requested.
func (e *engine) pack(stop parallel.Stop, w *worker, dst []float32, b gemm.Matrix[float32], depth, n int) {
	if e.pairs == nil {
		e.floats.PackColumns(stop, dst, b, depth, n)
		return
	}
	var pairs gemm.Matrix[gemm.Pair]
	if b.RowStride == 1 {
		pairs = e.pairLines(w, b.Data, b.ColStride, n, depth)
		pairs.RowStride, pairs.ColStride = pairs.ColStride, pairs.RowStride
	} else {
		pairs = e.pairRows(w, b, depth, n)
	}
	e.pairs.PackColumns(stop, cast.Slice[gemm.Pair](dst), pairs, gemm.PairsOf(depth), n)
}

// pairLines returns lines of depth elements, which follow each other and are stride elements apart,
// as rows of pairs of neighbours.
func (e *engine) pairLines(w *worker, data []float32, stride, lines, depth int) gemm.Matrix[gemm.Pair] {
	n := gemm.PairsOf(depth)
	pairs := gemm.Matrix[gemm.Pair]{Data: cast.Slice[gemm.Pair](w.of(e.areas.paired)), RowStride: n, ColStride: 1}
	if stride == 0 {
		lines, pairs.RowStride = 1, 0
	}
	for i := range lines {
		e.pairs.PairElements(pairs.Data[i*n:][:n], data[i*stride:][:depth])
	}
	return pairs
}

// pairRows returns b, which has depth rows of n columns that follow each other, as pairs of rows.
func (e *engine) pairRows(w *worker, b gemm.Matrix[float32], depth, n int) gemm.Matrix[gemm.Pair] {
	pairs := gemm.Matrix[gemm.Pair]{Data: cast.Slice[gemm.Pair](w.of(e.areas.paired)), RowStride: n, ColStride: 1}
	for p := 0; p < depth; p += 2 {
		var second []float32
		if p+1 < depth {
			second = b.Data[(p+1)*b.RowStride:]
		}
		e.pairs.PairRows(pairs.Data[p/2*n:][:n], b.Data[p*b.RowStride:], second)
	}
	return pairs
}

// multiply sets c to a*b, where a is m by depth and b is depth by n. packB holds the packed b,
// unless e.l is 1. It ends early if stop is requested.
func (e *engine) multiply(stop parallel.Stop, w *worker, c []float32, a, b gemm.Matrix[float32], m, depth, n int, packA, packB ops.Area[float32]) {
	switch {
	case depth == 0:
		clear(c[:m*n])
	case e.l == 1:
		gemm.Row(stop, c, a.Data[:depth], b, 0, n)
	case e.pairs != nil:
		e.pairs.MultiplyRows(stop, e.pairLines(w, a.Data, a.RowStride, m, depth), &gemm.Product[gemm.Pair, float32]{
			C: c, LDC: n, A: cast.Slice[gemm.Pair](w.of(packA)), B: cast.Slice[gemm.Pair](w.of(packB)), Depth: gemm.PairsOf(depth), MHi: m,
		})
	default:
		e.floats.MultiplyRows(stop, a, &gemm.FloatProduct{C: c, LDC: n, A: w.of(packA), B: w.of(packB), Depth: depth, MHi: m})
	}
}

// softmax replaces the scores of a tile by their exponentials, and stores the sums of the rows
// in sums.
func (e *engine) softmax(r *ops.Run, w *worker, batch, first int, scores, sums []float32) {
	maskAt, sinkAt := e.maskOffset(batch), e.sinkOffset(batch)
	for i := range len(scores) / e.s {
		if r.Stop.Requested() {
			return
		}
		row, l := scores[i*e.s:][:e.s], first+i
		if e.causal {
			n := min(l+1, e.s)
			clear(row[n:])
			row = row[:n]
		}
		if e.geometry.mask.present {
			e.addMask(r.Inputs[e.skipped+mask], w, row, maskAt+l*e.geometry.mask.row)
		}
		m := normalize.Max(r.Stop, row)
		if !e.geometry.sink.present {
			sums[i] = float32(normalize.ExpSum(r.Stop, row, row, m))
			continue
		}
		// The sink adds an exponential to the sum, but no column.
		s := e.read(r.Inputs[e.skipped+sink], sinkAt+l*e.geometry.sink.row, 1, w.of(e.row))[0]
		m = max(m, s)
		sums[i] = float32(normalize.ExpSum(r.Stop, row, row, m) + math.Exp(float64(s-m)))
	}
}

// maskOffset returns the offset of a batch in the mask, or 0 without a mask.
func (e *engine) maskOffset(batch int) int {
	if !e.geometry.mask.present {
		return 0
	}
	return e.offset(&e.geometry.mask, batch)
}

// sinkOffset returns the offset of a batch in the sink, or 0 without a sink.
func (e *engine) sinkOffset(batch int) int {
	if !e.geometry.sink.present {
		return 0
	}
	return e.offset(&e.geometry.sink, batch)
}

// addMask adds a row of the mask, which starts at element at, to a row of scores.
func (e *engine) addMask(t *ir.Tensor, w *worker, row []float32, at int) {
	n := len(row)
	if e.geometry.mask.column == 0 {
		n = 1
	}
	if e.booleans {
		for k, keep := range ir.Data[bool](t)[at : at+n] {
			switch {
			case keep:
			case n < len(row):
				normalize.Affine(nil, row, row, 0, 1, float32(math.Inf(-1)))
			default:
				row[k] += float32(math.Inf(-1))
			}
		}
		return
	}
	m := e.read(t, at, n, w.of(e.row))
	if n < len(row) {
		normalize.Affine(nil, row, row, 0, 1, m[0])
		return
	}
	e.loops.Add(row, row, m)
}
