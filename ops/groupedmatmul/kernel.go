package groupedmatmul

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// plan describes the products of a layer. A unit of work is a chunk of the columns of a group's
// product.
type plan struct {
	groups, rows, columns, depth int // rows are those of all groups
	rowsEach                     int // of a group, if mat_a has three axes; otherwise -1
	chunk, chunks                int // columns of a unit, units of a group
	workers                      int
	i32                          bool // the type of offsets
}

const (
	// chunkColumns is the number of columns of a unit, about.
	chunkColumns = 128
	// fewRows is the number of rows of a group from which on its matrices are packed.
	fewRows = 4
	// rowsAtOnce is the number of rows that are multiplied between two checks of Run.Stop.
	rowsAtOnce = 240
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	a := p.InputShape(0)
	b := p.InputShape(1)
	k := plan{groups: b[0], rows: a[0], columns: b[1], depth: b[2], rowsEach: -1}
	k.i32 = len(p.Inputs) > 2 && p.Inputs[2].Type == ir.I32
	if len(a) == 3 {
		k.rows, k.rowsEach = a[0]*a[1], a[1]
	} else if offsets := p.InputShape(2); offsets[0] != k.groups {
		return nil, faults.Errorf("offsets has %d elements, mat_b has %d groups", offsets[0], k.groups)
	}
	if k.rows == 0 || k.columns == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	var prepared *ops.Prepared
	if t := p.Outputs[0].Type; t == ir.F64 {
		prepared = plainKernel(k)
	} else {
		prepared = kernelOf(k, p, widened.Find(widened.Halves, t))
	}
	prepared.Flops = 2 * float64(k.rows) * float64(k.columns) * float64(k.depth)
	return prepared, nil
}

// kernel computes a layer in float32.
type kernel struct {
	plan
	gemm    *gemm.FloatKernel
	convert *widened.Conversion // nil if the tensors are of f32
	// The first row and the first packed panel of each group; the last elements are the ends.
	rowStarts, panelStarts ops.Area[int]
	panels                 ops.Area[float32] // packed, of mat_a
	a, c                   ops.Area[float32] // mat_a and the output, if they are converted
	// of each worker: a chunk of mat_b, if it is converted, and packed
	wideB, packed ops.Area[float32]
}

func kernelOf(p plan, prep *ops.Preparation, convert *widened.Conversion) *ops.Prepared {
	k := &kernel{plan: p, gemm: gemm.New(), convert: convert}
	k.chunk = min((chunkColumns+k.gemm.NR-1)/k.gemm.NR*k.gemm.NR, k.columns)
	k.chunks = (k.columns + k.chunk - 1) / k.chunk
	chunks := k.groups * k.chunks
	cost := ops.MultiplyCost * float64(k.rows) * float64(k.columns) * float64(k.depth) / float64(max(chunks, 1))
	k.workers = prep.Workers(chunks, cost)
	var s ops.Scratch
	k.rowStarts, k.panelStarts = ops.AreaOf[int](&s, k.groups+1), ops.AreaOf[int](&s, k.groups+1)
	k.panels = ops.AreaOf[float32](&s, k.rows+k.groups*k.gemm.MR, k.depth)
	k.packed = ops.AreasOf[float32](&s, k.workers, k.chunk+k.gemm.NR, min(k.gemm.KC, k.depth))
	steps := []ops.Step{{N: k.groups, Grain: 1, Part: k.packGroups}, {N: chunks, Grain: ops.Grain(cost), WorkerPart: k.multiply, Workers: k.workers}}
	if convert != nil {
		k.a, k.c = ops.AreaOf[float32](&s, k.rows, k.depth), ops.AreaOf[float32](&s, k.rows, k.columns)
		k.wideB = ops.AreasOf[float32](&s, k.workers, k.chunk, k.depth)
		steps = []ops.Step{
			{N: k.rows, Grain: ops.Grain(ops.ConvertCost * float64(k.depth)), Part: k.widenRows}, steps[0], steps[1],
			{N: k.rows, Grain: ops.Grain(ops.ConvertCost * float64(k.columns)), Part: k.narrowRows},
		}
	}
	run := ops.Steps(steps)
	return &ops.Prepared{ScratchBytes: s.Bytes(), Kernel: func(r *ops.Run) error {
		if err := k.place(r); err != nil {
			return err
		}
		return run(r)
	}}
}

// starts returns the first row of each group, and the first of its panels. The last elements are
// the ends.
func (k *kernel) starts(r *ops.Run) (rows, panels []int) {
	return k.rowStarts.In(r), k.panelStarts.In(r)
}

// setRows sets rows to the first row of each group and the end of the last one.
func (k *plan) setRows(r *ops.Run, rows []int) error {
	rows[0] = 0
	meter := r.Stop.Meter()
	for g := range k.groups {
		if meter.Spent(4) {
			return parallel.ErrStopped
		}
		end := int64(rows[g] + k.rowsEach)
		if k.rowsEach < 0 {
			if k.i32 {
				end = int64(ir.Data[int32](r.Inputs[2])[g])
			} else {
				end = ir.Data[int64](r.Inputs[2])[g]
			}
			if end < int64(rows[g]) || end > int64(k.rows) {
				return faults.Errorf("offsets[%d] is %d, expected %d, where the group starts, to %d, the rows of mat_a", g, end, rows[g], k.rows)
			}
		}
		rows[g+1] = int(end)
	}
	return nil
}

// place sets starts from offsets, and clears the rows of the output after those of the groups.
func (k *kernel) place(r *ops.Run) error {
	rows, panels := k.starts(r)
	if err := k.setRows(r, rows); err != nil {
		return err
	}
	panels[0] = 0
	for g := range k.groups {
		panels[g+1] = panels[g] + k.gemm.PanelsA(rows[g+1]-rows[g])
	}
	first := rows[k.groups] * k.columns
	if k.depth == 0 {
		first = 0
	}
	parallel.Clear(r.Stop, k.output(r)[first:])
	return nil
}

// input returns mat_a as float32.
func (k *kernel) input(r *ops.Run) []float32 {
	if k.convert == nil {
		return ir.Data[float32](r.Inputs[0])
	}
	return k.a.In(r)
}

// output returns the output as float32.
func (k *kernel) output(r *ops.Run) []float32 {
	if k.convert == nil {
		return ir.Data[float32](r.Outputs[0])
	}
	return k.c.In(r)
}

func (k *kernel) widenRows(r *ops.Run, lo, hi int) error {
	k.convert.Load(r.Stop, cast.Memory(k.input(r)[lo*k.depth:hi*k.depth]), r.Inputs[0], lo*k.depth)
	return nil
}

func (k *kernel) narrowRows(r *ops.Run, lo, hi int) error {
	k.convert.Store(r.Stop, r.Outputs[0], lo*k.columns, cast.Memory(k.output(r)[lo*k.columns:hi*k.columns]))
	return nil
}

// packGroups packs the rows of mat_a of groups lo to hi-1, except where there are few.
func (k *kernel) packGroups(r *ops.Run, lo, hi int) error {
	rows, panels := k.starts(r)
	a := k.input(r)
	for g := lo; g < hi; g++ {
		n := rows[g+1] - rows[g]
		if n < fewRows {
			continue
		}
		from := gemm.Matrix[float32]{Data: a[rows[g]*k.depth:], RowStride: k.depth, ColStride: 1}
		to := k.groupPanels(r, panels[g], n)
		for i := range k.gemm.Blocks(k.depth) {
			k.gemm.PackSomeA(r.Stop, to[i*k.gemm.KC*k.gemm.PanelsA(n)*k.gemm.MR:], from, n, k.depth, i, 0, k.gemm.PanelsA(n))
		}
	}
	return nil
}

// groupPanels returns the memory of the packed panels of n rows, of which the first has the given
// number.
func (k *kernel) groupPanels(r *ops.Run, first, n int) []float32 {
	panel := k.gemm.MR * k.depth
	return k.panels.Piece(r, first*panel, k.gemm.PanelsA(n)*panel)
}

// multiply computes chunks lo to hi-1, counted over all groups.
func (k *kernel) multiply(r *ops.Run, worker, lo, hi int) error {
	for ; lo < hi && !r.Stop.Requested(); lo++ {
		k.unit(r, worker, lo/k.chunks, lo%k.chunks*k.chunk)
	}
	return nil
}

// unit computes the columns of a group from number first on.
func (k *kernel) unit(r *ops.Run, worker, group, first int) {
	rows, panels := k.starts(r)
	n, columns := rows[group+1]-rows[group], min(k.chunk, k.columns-first)
	if n == 0 || columns <= 0 || k.depth == 0 {
		return
	}
	b, at := gemm.Matrix[float32]{RowStride: 1, ColStride: k.depth}, (group*k.columns+first)*k.depth
	if k.convert == nil {
		b.Data = ir.Data[float32](r.Inputs[1])[at:][:columns*k.depth]
	} else {
		b.Data = k.wideB.Of(r, worker)[:columns*k.depth]
		k.convert.Load(r.Stop, cast.Memory(b.Data), r.Inputs[1], at)
	}
	c := k.output(r)[rows[group]*k.columns+first:]
	if n < fewRows {
		a := k.input(r)[rows[group]*k.depth:]
		for row := range n {
			gemm.Row(r.Stop, c[row*k.columns:], a[row*k.depth:][:k.depth], b, 0, columns)
		}
		return
	}
	packed, a := k.packed.Of(r, worker), k.groupPanels(r, panels[group], n)
	step := (rowsAtOnce + k.gemm.MR - 1) / k.gemm.MR * k.gemm.MR
	for i := range k.gemm.Blocks(k.depth) {
		k.gemm.PackSomeB(r.Stop, packed, b, columns, k.depth, i, 0, k.gemm.PanelsB(columns))
		for row := 0; row < n && !r.Stop.Requested(); row += step {
			block := a[i*k.gemm.KC*k.gemm.PanelsA(n)*k.gemm.MR:]
			k.gemm.Multiply(&gemm.FloatProduct{C: c, LDC: k.columns, A: block, B: packed, Depth: k.depth, Block: i, MLo: row, MHi: min(row+step, n), NHi: columns})
		}
	}
}
