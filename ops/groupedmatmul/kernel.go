package groupedmatmul

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// plan describes the products of a layer. A unit of work is a chunk of the columns of a group's product.
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
	// rowGrain is the number of elements whose conversion or packing is worth another thread.
	rowGrain = 1 << 14
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
	var err error
	switch t := p.Outputs[0].Type; t {
	case ir.F32:
		prepared, err = kernelOf(k, p, nil)
	case ir.F64:
		prepared, err = plainKernel(k, p)
	case ir.F16:
		prepared, err = kernelOf(k, p, &conversion{
			func(stop parallel.Stop, dst []float32, from *ir.Tensor, at int) {
				parallel.Convert(stop, dst, ir.Data[uint16](from)[at:][:len(dst)], half.F16sToF32s)
			},
			func(stop parallel.Stop, to *ir.Tensor, at int, src []float32) {
				parallel.Convert(stop, ir.Data[uint16](to)[at:][:len(src)], src, half.F32sToF16s)
			},
		})
	default: // bf16
		prepared, err = kernelOf(k, p, &conversion{
			func(stop parallel.Stop, dst []float32, from *ir.Tensor, at int) {
				parallel.Convert(stop, dst, ir.Data[half.BFloat16](from)[at:][:len(dst)], half.BF16sToF32s)
			},
			func(stop parallel.Stop, to *ir.Tensor, at int, src []float32) {
				parallel.Convert(stop, ir.Data[half.BFloat16](to)[at:][:len(src)], src, half.F32sToBF16s)
			},
		})
	}
	if err == nil {
		prepared.Flops = 2 * float64(k.rows) * float64(k.columns) * float64(k.depth)
	}
	return prepared, err
}

// conversion converts the elements of tensors from number at on. widen sets dst, and narrow the tensor.
type conversion struct {
	widen  func(stop parallel.Stop, dst []float32, from *ir.Tensor, at int)
	narrow func(stop parallel.Stop, to *ir.Tensor, at int, src []float32)
}

// kernel computes a layer in float32.
type kernel struct {
	plan
	gemm    *gemm.Kernel[float32]
	convert *conversion // nil if the tensors are of f32
	// Where areas start in the scratch memory, in bytes: the first row and the first packed panel of each group and
	// the end of the last one, packed panels of mat_a, mat_a and the output as float32, and for each worker mat_b's chunk as
	// float32 and packed.
	panels, a, c, worker int
	wideB, each, total   int // in a worker's memory: the elements of the first part, and the bytes of all
}

func kernelOf(p plan, prep *ops.Preparation, convert *conversion) (*ops.Prepared, error) {
	k := &kernel{plan: p, gemm: gemm.New[float32](), convert: convert}
	k.chunk = min((chunkColumns+k.gemm.NR-1)/k.gemm.NR*k.gemm.NR, k.columns)
	k.chunks = (k.columns + k.chunk - 1) / k.chunk
	k.workers = max(min(4*prep.Threads, k.groups*k.chunks), 1)
	size := memory.Size[int](2, k.groups+1)
	take := func(of int64) int {
		at := memory.Sum(size, memory.Align-1) &^ (memory.Align - 1)
		size = memory.Sum(at, of)
		return int(min(at, math.MaxInt))
	}
	k.panels = take(memory.Sum(memory.Size[float32](k.rows, k.depth), memory.Size[float32](k.groups, k.gemm.MR, k.depth)))
	if convert != nil {
		k.a, k.c = take(memory.Size[float32](k.rows, k.depth)), take(memory.Size[float32](k.rows, k.columns))
		k.wideB = int(min(memory.Size[uint8](k.chunk, k.depth), math.MaxInt))
	}
	packed := memory.Size[float32](k.chunk+k.gemm.NR, min(k.gemm.KC, k.depth))
	each := memory.Sum(memory.Size[float32](k.wideB, 1), packed, memory.Align) &^ (memory.Align - 1)
	k.each = int(min(each, math.MaxInt))
	k.worker = take(memory.Size[uint8](k.each, k.workers))
	if size > math.MaxInt || size == math.MaxInt64 {
		return nil, faults.Errorf("packing %d rows of %d elements needs more bytes than fit an int", k.rows, k.depth)
	}
	k.total = int(size)
	steps := []struct {
		n, grain int
		part     ops.Part
	}{
		{k.rows, rowGrain/max(k.depth, 1) + 1, k.widenRows},
		{k.groups, 1, k.packGroups},
		{k.workers, 1, k.multiply},
		{k.rows, rowGrain/max(k.columns, 1) + 1, k.narrowRows},
	}
	if convert == nil {
		steps = steps[1:3]
	}
	return &ops.Prepared{ScratchBytes: k.total, Kernel: func(r *ops.Run) error {
		if err := k.place(r); err != nil {
			return err
		}
		for i := range steps {
			if err := r.For(steps[i].n, steps[i].grain, steps[i].part); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// starts returns the first row of each group, and the first of its panels. The last elements are the ends.
func (k *kernel) starts(r *ops.Run) (rows, panels []int) {
	all := cast.Bytes[int](r.Scratch)
	return all[:k.groups+1], all[k.groups+1:][:k.groups+1]
}

// at returns n elements of the scratch memory.
func (k *kernel) at(r *ops.Run, first, n int) []float32 {
	return cast.Bytes[float32](r.Scratch[first:])[:n]
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
	return k.at(r, k.a, k.rows*k.depth)
}

// output returns the output as float32.
func (k *kernel) output(r *ops.Run) []float32 {
	if k.convert == nil {
		return ir.Data[float32](r.Outputs[0])
	}
	return k.at(r, k.c, k.rows*k.columns)
}

func (k *kernel) widenRows(r *ops.Run, lo, hi int) error {
	k.convert.widen(r.Stop, k.input(r)[lo*k.depth:hi*k.depth], r.Inputs[0], lo*k.depth)
	return nil
}

func (k *kernel) narrowRows(r *ops.Run, lo, hi int) error {
	k.convert.narrow(r.Stop, r.Outputs[0], lo*k.columns, k.output(r)[lo*k.columns:hi*k.columns])
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

// groupPanels returns the memory of the packed panels of n rows, of which the first has the given number.
func (k *kernel) groupPanels(r *ops.Run, first, n int) []float32 {
	panel := k.gemm.MR * k.depth
	return k.at(r, k.panels+first*panel*4, k.gemm.PanelsA(n)*panel)
}

// multiply computes the units of workers lo to hi-1. The units of a worker are spread over the groups, which can
// have different numbers of rows.
func (k *kernel) multiply(r *ops.Run, lo, hi int) error {
	for worker := lo; worker < hi; worker++ {
		own := k.at(r, k.worker+worker*k.each, k.each/4)
		for unit := worker; unit < k.groups*k.chunks; unit += k.workers {
			if r.Stop.Requested() {
				return nil
			}
			k.unit(r, own, unit/k.chunks, unit%k.chunks*k.chunk)
		}
	}
	return nil
}

// unit computes the columns of a group from number first on.
func (k *kernel) unit(r *ops.Run, own []float32, group, first int) {
	rows, panels := k.starts(r)
	n, columns := rows[group+1]-rows[group], min(k.chunk, k.columns-first)
	if n == 0 || columns <= 0 || k.depth == 0 {
		return
	}
	b, at := gemm.Matrix[float32]{RowStride: 1, ColStride: k.depth}, (group*k.columns+first)*k.depth
	if k.convert == nil {
		b.Data = ir.Data[float32](r.Inputs[1])[at:][:columns*k.depth]
	} else {
		b.Data = own[:columns*k.depth]
		k.convert.widen(r.Stop, b.Data, r.Inputs[1], at)
	}
	c := k.output(r)[rows[group]*k.columns+first:]
	if n < fewRows {
		a := k.input(r)[rows[group]*k.depth:]
		for row := range n {
			gemm.Row(r.Stop, c[row*k.columns:], a[row*k.depth:][:k.depth], b, 0, columns)
		}
		return
	}
	packed, a := own[k.wideB:], k.groupPanels(r, panels[group], n)
	step := (rowsAtOnce + k.gemm.MR - 1) / k.gemm.MR * k.gemm.MR
	for i := range k.gemm.Blocks(k.depth) {
		k.gemm.PackSomeB(r.Stop, packed, b, columns, k.depth, i, 0, k.gemm.PanelsB(columns))
		for row := 0; row < n && !r.Stop.Requested(); row += step {
			block := a[i*k.gemm.KC*k.gemm.PanelsA(n)*k.gemm.MR:]
			k.gemm.Multiply(c, k.columns, block, packed, k.depth, i, row, min(row+step, n), 0, columns)
		}
	}
}
