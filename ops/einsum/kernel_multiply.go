package einsum

import (
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/plaingemm"
	"github.com/vinoir/vinoir/ops"
)

// multiply adds the steps that compute c from a and b.
func (g *program) multiply(c, a, b *operand) error {
	rows, columns, depth, _ := groups(c, a, b)
	m, n, k := size(rows), size(columns), size(depth)
	switch {
	case k == 1 || m == 1 && n == 1:
		g.walk(c, a, b)
		return nil
	case slices.ContainsFunc(rows, func(l loop) bool { return l.c == 1 }):
		return g.matrices(c, b, a)
	}
	return g.matrices(c, a, b)
}

// groups divides the labels of a product into those of the rows of a, those of the columns of b,
// those that are summed, and the others, which both operands and c have. Each group starts with the
// longest strides.
func groups(c, a, b *operand) (rows, columns, depth, batch []loop) {
	for _, l := range loops(c, a, b) {
		switch {
		case l.b == 0:
			rows = append(rows, l)
		case l.a == 0:
			columns = append(columns, l)
		case l.c == 0:
			depth = append(depth, l)
		default:
			batch = append(batch, l)
		}
	}
	// Unlike slices.SortStableFunc, sort.SliceStable has no instance of its own for each type.
	for _, list := range [][]loop{rows, columns, batch} {
		sort.SliceStable(list, func(i, j int) bool { return list[i].c > list[j].c })
	}
	sort.SliceStable(depth, func(i, j int) bool { return depth[i].a > depth[j].a })
	return rows, columns, depth, batch
}

func size(list []loop) int {
	n := 1
	for _, l := range list {
		n *= l.n
	}
	return n
}

func strideA(l loop) int { return l.a }
func strideB(l loop) int { return l.b }
func strideC(l loop) int { return l.c }

// joined returns the number of loops at the end of list that are one loop in each operand.
func joined(list []loop, strides ...func(loop) int) int {
	n := min(len(list), 1)
	for ; n < len(list); n++ {
		outer, inner := list[len(list)-n-1], list[len(list)-n]
		for _, stride := range strides {
			if stride(outer) != stride(inner)*inner.n {
				return n
			}
		}
	}
	return n
}

// minRows is the number of rows or columns of a matrix below which it is better to copy an operand
// so that more of them can be multiplied at a time.
const minRows = 8

// short reports that a group is not one loop, and that what is one loop has few elements.
func short(list []loop, strides ...func(loop) int) bool {
	n := joined(list, strides...)
	return n < len(list) && size(list[len(list)-n:]) < minRows
}

// matrices adds the steps of a product of matrices. It copies operands whose elements do not lie as
// those of matrices.
func (g *program) matrices(c, a, b *operand) error {
	rows, columns, depth, batch := groups(c, a, b)
	if len(columns) > 0 && columns[len(columns)-1].c != 1 || short(rows, strideC) || short(columns, strideC) {
		// c is copied after the multiplication.
		var axes []axis
		for _, l := range slices.Concat(batch, rows, columns) {
			axes = append(axes, axis{label: l.label, n: l.n})
		}
		own, err := g.contiguous(axes)
		if err != nil {
			return err
		}
		if err := g.matrices(&own, a, b); err != nil {
			return err
		}
		g.walk(c, &own, nil)
		return nil
	}
	if joined(depth, strideA) < len(depth) || short(rows, strideA) {
		own, err := g.copied(a, batch, rows, depth)
		if err != nil {
			return err
		}
		return g.matrices(c, &own, b)
	}
	if joined(depth, strideB) < len(depth) || short(columns, strideB) {
		own, err := g.copied(b, batch, depth, columns)
		if err != nil {
			return err
		}
		return g.matrices(c, a, &own)
	}
	inRows, inColumns := joined(rows, strideA, strideC), joined(columns, strideB, strideC)
	outerRows, rows := rows[:len(rows)-inRows], rows[len(rows)-inRows:]
	outerColumns, columns := columns[:len(columns)-inColumns], columns[len(columns)-inColumns:]
	x := &product{
		program: g, c: c.buffer, a: a.buffer, b: b.buffer,
		// Consecutive products have the same b if possible, which is then packed once.
		batch: slices.Concat(batch, outerColumns, outerRows),
		m:     size(rows), n: size(columns), depth: size(depth),
	}
	row, column, inner := last(rows), last(columns), last(depth)
	x.aRow, x.aCol, x.bRow, x.bCol, x.ldc = row.a, inner.a, inner.b, column.b, row.c
	x.flops += 2 * float64(size(x.batch)) * float64(x.m) * float64(x.n) * float64(x.depth)
	return g.arithmetic.multiply(x)
}

func last(list []loop) loop {
	if len(list) == 0 {
		return loop{}
	}
	return list[len(list)-1]
}

// product multiplies matrices, for each element of batch:
//
//	c[i,j] = sum over p of a[i,p]*b[p,j]
type product struct {
	*program
	gemm.Tiling
	c, a, b                     int // buffers
	batch                       []loop
	m, n, depth                 int
	aRow, aCol, bRow, bCol, ldc int

	// The product is divided into units, which are a panel of a in each of the parts of the
	// columns.
	panels, parts, units, workers int
	// partColumns is the number of columns of a part, and blockPanels the number of panels of a
	// that are packed at a time.
	partColumns, blockPanels int
	packedA, packedB         ops.Area[byte] // of each worker
}

// maxColumns limits the columns of a part, and so the memory for packed panels.
const maxColumns = 2048

func (k *fast) multiply(x *product) error {
	x.Tiling = k.kernel.Tiling
	batches := size(x.batch)
	if x.m == 1 && x.aCol == 1 && (x.bCol == 1 || x.bRow == 1) {
		x.algorithm = "matrix-vector"
		grain := ops.Grain(float64(x.n) * float64(x.depth) / 2)
		x.steps = append(x.steps, ops.Step{N: batches, Grain: grain, Part: k.rows(x), Whole: true})
		return nil
	}
	x.algorithm = "gemm " + x.String()
	x.panels = x.PanelsA(x.m)
	panelsB := x.PanelsB(x.n)
	x.parts = min(max((x.n+maxColumns-1)/maxColumns, 1), panelsB)
	if few := 2 * x.p.Threads; x.p.Threads > 1 && batches*x.panels*x.parts < few {
		x.parts = min(few, panelsB)
	}
	x.partColumns = (panelsB + x.parts - 1) / x.parts * x.NR
	x.parts = (x.n + x.partColumns - 1) / x.partColumns
	x.units = batches * x.parts * x.panels
	work := float64(batches) * float64(x.m) * float64(x.n) * float64(x.depth)
	x.workers = x.p.Workers(x.units, work/float64(x.units)/2)
	x.blockPanels = min(max(cpu.L2/4/x.size()/x.depth/x.MR, 1), x.panels)
	x.packedA = ops.AreasOf[byte](&x.scratch, x.workers, x.size(), x.blockPanels*x.MR, x.depth)
	x.packedB = ops.AreasOf[byte](&x.scratch, x.workers, x.size(), x.partColumns, x.depth)
	// Each worker has one share of the units, whose b it packs once.
	x.steps = append(x.steps, ops.Step{N: x.workers, Grain: 1, Part: k.product(x), Whole: true})
	return nil
}

// rows returns the part that computes products whose a is a row.
func (k *fast) rows(x *product) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		c, a, b := k.of(x.program, r, x.c), k.of(x.program, r, x.a), k.of(x.program, r, x.b)
		for ; lo < hi && !r.Stop.Requested(); lo++ {
			atA, atB, atC := offsets(x.batch, lo)
			gemm.Row(r.Stop, c[atC:][:x.n], a[atA:][:x.depth], gemm.Matrix[float32]{Data: b[atB:], RowStride: x.bRow, ColStride: x.bCol}, 0, x.n)
		}
		return nil
	}
}

// product returns the part that computes the shares of workers.
func (k *fast) product(x *product) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		for ; lo < hi; lo++ {
			k.multiplyUnits(r, x, lo)
		}
		return nil
	}
}

// multiplyUnits computes the share of a worker.
func (k *fast) multiplyUnits(r *ops.Run, x *product, worker int) {
	c, a, b := k.of(x.program, r, x.c), k.of(x.program, r, x.a), k.of(x.program, r, x.b)
	packA := cast.Bytes[float32](x.packedA.Of(r, worker))
	packB := cast.Bytes[float32](x.packedB.Of(r, worker))
	packed, packedPart := -1, 0 // what packB holds
	unit, end := parallel.Share(x.units, x.workers, worker), parallel.Share(x.units, x.workers, worker+1)
	for unit < end && !r.Stop.Requested() {
		panel, rest := unit%x.panels, unit/x.panels
		part := rest % x.parts
		atA, atB, atC := offsets(x.batch, rest/x.parts)
		first := part * x.partColumns
		columns := min(x.partColumns, x.n-first)
		lines := x.PanelsB(columns) * x.NR
		if packed != atB || packedPart != part {
			matrix := gemm.Matrix[float32]{Data: b[atB+first*x.bCol:], RowStride: x.bRow, ColStride: x.bCol}
			for i := range x.Blocks(x.depth) {
				k.kernel.PackSomeB(r.Stop, packB[i*x.KC*lines:], matrix, columns, x.depth, i, 0, x.PanelsB(columns))
			}
			packed, packedPart = atB, part
		}
		count := min(x.panels-panel, end-unit, x.blockPanels)
		row := panel * x.MR
		rows := min(count*x.MR, x.m-row)
		matrix := gemm.Matrix[float32]{Data: a[atA+row*x.aRow:], RowStride: x.aRow, ColStride: x.aCol}
		for i := range x.Blocks(x.depth) {
			if r.Stop.Requested() {
				return
			}
			blockA := packA[i*x.KC*count*x.MR:]
			k.kernel.PackA(blockA, matrix, rows, x.depth, i, 0, count)
			k.kernel.Multiply(&gemm.FloatProduct{C: c[atC+row*x.ldc+first:], LDC: x.ldc, A: blockA, B: packB[i*x.KC*lines:], Depth: x.depth, Block: i, MHi: rows, NHi: columns})
		}
		unit += count
	}
}

// plainRows is the number of rows that are multiplied at a time in plain loops.
const plainRows = 8

func (k plain[T]) multiply(x *product) error {
	panels := (x.m + plainRows - 1) / plainRows
	x.algorithm = "plain loops"
	x.steps = append(x.steps, ops.Step{N: size(x.batch) * panels, Grain: ops.Grain(plainRows * float64(x.n) * float64(x.depth) / 2), Whole: true,
		Part: func(r *ops.Run, lo, hi int) error {
			c, a, b := k.of(x.program, r, x.c), k.of(x.program, r, x.a), k.of(x.program, r, x.b)
			for ; lo < hi && !r.Stop.Requested(); lo++ {
				row := lo % panels * plainRows
				atA, atB, atC := offsets(x.batch, lo/panels)
				plaingemm.Multiply(r.Stop, c[atC+row*x.ldc:], x.ldc,
					plaingemm.Matrix[T]{Data: a[atA+row*x.aRow:], RowStride: x.aRow, ColStride: x.aCol},
					plaingemm.Matrix[T]{Data: b[atB:], RowStride: x.bRow, ColStride: x.bCol}, min(plainRows, x.m-row), x.n, x.depth)
			}
			return nil
		}})
	return nil
}
