package matmul

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// compressed multiplies by codes. No step needs more of the weights in f32 than a panel for each
// thread.
type compressed struct {
	m, n, depth int              // of the product with one matrix
	weights     []*lowbit.Matrix // one, or a batch of them, which have the same layout
	shared      bool             // the matrices multiply the same rows of a
	// the kernel of pairs, if a and panels of weights are rounded, or of float32, and its tiling
	pairs  *gemm.PairKernel
	floats *gemm.FloatKernel
	tiling *gemm.Tiling
	group  int // of elements of a that are rounded together; 0 if they are not rounded
	finish func(r *ops.Run, c []float32, at int)
}

// decodedRows is the largest number of rows of a for which codes are decoded in registers, again
// for each lowbit.MaxRows rows. With more, panels of numbers are faster.
const decodedRows = 8

func prepareCompressed(p *ops.Preparation) (*ops.Prepared, error) {
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if size, err := ir.ByteSize(ir.F32, out); err != nil {
		return nil, err
	} else if size == 0 {
		return nothing(), nil
	}
	a := p.InputShape(0)
	last := len(a) - 1
	c := &compressed{m: a[:last].Elements(), n: out[last], depth: a[last], finish: p.Finish()}
	c.weights = make([]*lowbit.Matrix, 1)
	if p.Attributes.(compressedAttributes).batched {
		c.m, c.shared, c.weights = a[1], a[0] == 1, make([]*lowbit.Matrix, out[0])
	}
	if c.depth == 0 {
		return &ops.Prepared{Kernel: c.clear}, nil
	}
	if err := c.pack(p); err != nil {
		return nil, err
	}
	prepared := &ops.Prepared{Algorithm: c.algorithm(), Flops: 2 * float64(len(c.weights)) * float64(c.m) * float64(c.n) * float64(c.depth)}
	if c.group > 0 {
		prepared.Precision = ir.I8
	}
	s, threads := ops.Scratch{}, max(p.Threads, 1)
	var steps []ops.Step
	switch {
	case c.group > 0:
		steps = c.roundedSteps(&s)
	case c.m <= decodedRows:
		steps = c.fewSteps(&s)
	default:
		if c.setKernel(p.Rounded); c.pairs != nil {
			prepared.Precision = p.Rounded
		}
		steps = c.manySteps(threads, &s)
	}
	prepared.Kernel, prepared.ScratchBytes = ops.Steps(steps), s.Bytes()
	for i := codesPort; i < len(p.Inputs); i++ {
		prepared.Released = append(prepared.Released, i)
	}
	return prepared, nil
}

// algorithm describes the kernel.
func (c *compressed) algorithm() string {
	if c.group > 0 {
		return fmt.Sprintf("codes %v, activations rounded by %d", c.weights[0], c.group)
	}
	return "codes " + c.weights[0].String()
}

// clear is the kernel for a depth of 0.
func (c *compressed) clear(r *ops.Run) error {
	out := ir.Data[float32](r.Outputs[0])
	parallel.Clear(r.Stop, out)
	if c.finish != nil {
		c.finish(r, out, 0)
	}
	return nil
}

// rows returns the number of rows of a, and firstRow the first that a matrix multiplies.
func (c *compressed) rows() int { return c.firstRow(len(c.weights)-1) + c.m }

func (c *compressed) firstRow(matrix int) int {
	if c.shared {
		return 0
	}
	return matrix * c.m
}

// pack packs codes, scales and zero points, or takes what was packed for other shapes of a.
func (c *compressed) pack(p *ops.Preparation) error {
	for i := codesPort; i < len(p.Inputs); i++ {
		if p.Inputs[i].Tensor == nil {
			return faults.Errorf("input %d is not constant", i)
		}
	}
	t := p.Inputs[codesPort].Tensor
	shape := t.Shape()
	at := p.Attributes.(compressedAttributes)
	columnAxis, groupAxis, rowAxis := at.codeAxes(len(shape))
	groups := 1
	if groupAxis >= 0 {
		groups = shape[groupAxis]
	}
	if shape[columnAxis] != c.n || groups*shape[rowAxis] != c.depth || at.batched && shape[0] != len(c.weights) {
		return faults.Errorf("codes are %v, the product has %d rows of %d columns", shape, c.depth, c.n)
	}
	f, ok := formatOf(t.ElementType())
	if !ok {
		return checkTypes(t.ElementType(), ir.Dynamic)
	}
	key := fmt.Sprint(groups, " groups, transposed ", at.transposed, ", batched ", at.batched)
	if len(p.Inputs) > tablePort {
		f.Table = new([16]float32(ir.Data[float32](p.Inputs[tablePort].Tensor)))
		key += fmt.Sprint(", table ", *f.Table)
	}
	// As in OpenVINO, activations are not rounded before weights of fewer than 4 bits.
	f.Spans = !at.exact && t.ElementType().Bits() == f.Bits && lowbit.SpansOf(&f, c.depth, groups, p.QuantizationGroup)
	if f.Spans {
		c.group = p.QuantizationGroup
	}
	key += fmt.Sprint(", spans ", f.Spans)
	l := lowbit.NewLayout(f, c.n, c.depth, groups)
	for i := range c.weights {
		var err error
		if c.weights[i], err = c.packMatrix(p, l, i, fmt.Sprint(key, ", matrix ", i)); err != nil {
			return err
		}
	}
	return p.Stop.Err()
}

// packMatrix packs a matrix of weights. key describes it.
func (c *compressed) packMatrix(p *ops.Preparation, l *lowbit.Layout, matrix int, key string) (*lowbit.Matrix, error) {
	at, t := p.Attributes.(compressedAttributes), p.Inputs[codesPort].Tensor
	shape := t.Shape()
	columnAxis, groupAxis, _ := at.codeAxes(len(shape))
	src := &lowbit.Source{Bytes: t.Bytes(), Bits: t.ElementType().Bits(), First: matrix * c.n * c.depth, RowStride: c.n, ColStride: 1}
	if at.transposed {
		src.RowStride, src.ColStride = 1, c.depth
	}
	codes, err := p.Once(t, "codes of "+key, l.CodesBytes(), func() (any, error) { return l.Pack(p.Stop, src), nil })
	if err != nil {
		return nil, err
	}
	var factors [2]*lowbit.Factors
	factors[1] = lowbit.Same(l.Offset())
	for i := scalePort; i < min(len(p.Inputs), tablePort); i++ {
		list := p.Inputs[i].Tensor
		value := valuesOf(list)
		if number := value; i == scalePort && l.Factor() != 1 {
			value = func(i int) float32 { return number(i) * l.Factor() }
		}
		if i == zeroPort && l.Signed {
			integer := value
			value = func(i int) float32 { return integer(i) + l.Offset() }
		}
		if list.Len() == 1 {
			factors[i-scalePort] = lowbit.Same(value(0))
			continue
		}
		first := 0
		if at.batched {
			first = matrix * strideOf(list.Shape(), shape, 0)
		}
		groupStride, columnStride := strideOf(list.Shape(), shape, groupAxis), strideOf(list.Shape(), shape, columnAxis)
		packed, err := p.Once(list, fmt.Sprint("factors of ", t.ElementType(), shape, " in ", key), l.FactorsBytes(), func() (any, error) {
			return l.PackFactors(p.Stop, func(group, column int) float32 { return value(first + group*groupStride + column*columnStride) }), nil
		})
		if err != nil {
			return nil, err
		}
		factors[i-scalePort] = packed.(*lowbit.Factors)
	}
	return lowbit.New(codes.(*lowbit.Codes), factors[0], factors[1]), nil
}

// valuesOf returns a function that returns elements of f32 or of an integer type of codes.
func valuesOf(t *ir.Tensor) func(i int) float32 {
	switch t.ElementType() {
	case ir.F32:
		data := ir.Data[float32](t)
		return func(i int) float32 { return data[i] }
	case ir.I8:
		return func(i int) float32 { return float32(int8(t.Bytes()[i])) }
	case ir.U8:
		return func(i int) float32 { return float32(t.Bytes()[i]) }
	case ir.I4:
		return func(i int) float32 { return float32(int8(t.Packed(i)<<4) >> 4) }
	}
	return func(i int) float32 { return float32(t.Packed(i)) } // u2, u3, u4
}

// strideOf returns the stride of factors along an axis of codes: 0 if they are the same along it.
func strideOf(factors, codes ir.Shape, axis int) int {
	axis -= len(codes) - len(factors)
	if axis < 0 || factors[axis] == 1 {
		return 0
	}
	return factors[axis+1:].Elements()
}

// eachMatrix calls f for the blocks of columns lo to hi-1 of all matrices, with those of one matrix
// at a time.
func (c *compressed) eachMatrix(lo, hi int, f func(matrix, lo, hi int)) {
	for blocks := c.weights[0].Blocks(); lo < hi; {
		matrix := lo / blocks
		first := matrix * blocks
		end := min(first+blocks, hi)
		f(matrix, lo-first, end-first)
		lo = end
	}
}

// finishBlocks applies the stages to blocks lo to hi-1 of rows of the output, which were computed.
func (c *compressed) finishBlocks(r *ops.Run, row, rows, lo, hi int) {
	if c.finish == nil {
		return
	}
	out := ir.Data[float32](r.Outputs[0])
	for ; rows > 0 && !r.Stop.Requested(); row, rows = row+1, rows-1 {
		first, last := row*c.n+lo*lowbit.Columns, row*c.n+min(hi*lowbit.Columns, c.n)
		c.finish(r, out[first:last], first)
	}
}

// fewSteps returns steps that decode codes in registers. The threads share the blocks of columns.
func (c *compressed) fewSteps(s *ops.Scratch) []ops.Step {
	w, ldx := c.weights[0], c.depth
	rowsOf := func(r *ops.Run) []float32 { return ir.Data[float32](r.Inputs[0]) }
	var steps []ops.Step
	if w.Padded() != c.depth {
		ldx = w.Padded()
		padded := ops.AreaOf[float32](s, c.rows(), ldx)
		rowsOf = padded.In
		steps = append(steps, ops.Step{N: c.rows(), Grain: ops.Grain(ops.ConvertCost * float64(ldx)), Part: func(r *ops.Run, lo, hi int) error {
			for i := lo; i < hi; i++ {
				w.Pad(padded.In(r)[i*ldx:][:ldx], ir.Data[float32](r.Inputs[0])[i*c.depth:][:c.depth])
			}
			return nil
		}})
	}
	return append(steps, ops.Step{N: len(c.weights) * w.Blocks(), Grain: grainOf(c.depth * lowbit.Columns), Whole: true, Part: func(r *ops.Run, lo, hi int) error {
		c.eachMatrix(lo, hi, func(matrix, lo, hi int) {
			w, x, out := c.weights[matrix], rowsOf(r)[c.firstRow(matrix)*ldx:], ir.Data[float32](r.Outputs[0])[matrix*c.m*c.n:]
			for block := lo; block < hi; block++ {
				for i := 0; i < c.m; i += lowbit.MaxRows {
					w.Multiply(r.Stop, out[i*c.n:], c.n, x[i*ldx:], ldx, min(lowbit.MaxRows, c.m-i), block, block+1)
				}
			}
			c.finishBlocks(r, matrix*c.m, c.m, lo, hi)
		})
		return nil
	}})
}

// roundedRows is the number of rows of a that are multiplied by a block of columns before the next:
// they stay in the second-level cache.
const roundedRows = 128

// roundedSteps returns steps that round the rows of a to integers, and multiply these. The threads
// share the blocks of columns.
func (c *compressed) roundedSteps(s *ops.Scratch) []ops.Step {
	w := c.weights[0]
	stride := memory.Padded[byte](w.SpansBytes())
	rounded := ops.AreaOf[float32](s, c.rows(), stride/4)
	return []ops.Step{{N: c.rows(), Grain: ops.Grain(ops.ConvertCost * float64(c.depth)), Part: func(r *ops.Run, lo, hi int) error {
		to := cast.Memory(rounded.In(r))
		for i := lo; i < hi && !r.Stop.Requested(); i++ {
			w.RoundRow(to[i*stride:][:w.SpansBytes()], ir.Data[float32](r.Inputs[0])[i*c.depth:][:c.depth], c.group)
		}
		return nil
	}}, {N: len(c.weights) * w.Blocks(), Grain: grainOf(c.depth * lowbit.Columns * c.m / 4), Whole: true, Part: func(r *ops.Run, lo, hi int) error {
		c.eachMatrix(lo, hi, func(matrix, lo, hi int) {
			x, out := cast.Memory(rounded.In(r))[c.firstRow(matrix)*stride:], ir.Data[float32](r.Outputs[0])[matrix*c.m*c.n:]
			for i := 0; i < c.m; i += roundedRows {
				rows := min(roundedRows, c.m-i)
				c.weights[matrix].MultiplySpans(r.Stop, out[i*c.n:], c.n, x[i*stride:], stride, rows, lo, hi)
				c.finishBlocks(r, matrix*c.m+i, rows, lo, hi)
			}
		})
		return nil
	}}}
}

// setKernel sets the kernel of manySteps. It multiplies pairs of a type, if there is one that pays
// and whose products are added as f32.
func (c *compressed) setKernel(rounded ir.ElementType) {
	c.floats, c.pairs = gemm.New(), nil
	c.tiling = &c.floats.Tiling
	if rounded != ir.Dynamic && c.weights[0].Length()%2 == 0 {
		c.pairs = gemm.NewPairs(rounded == ir.F16)
		c.tiling = &c.pairs.Tiling
	}
	k := c.tiling
	length := c.weights[0].Length() / c.elements()
	k.KC = max(k.KC/length, 1) * length // whole groups
	if k.Fit(c.depth / c.elements()); c.pairs != nil && !(k.Pays(c.depth/c.elements()) && k.AddsF32()) {
		c.setKernel(ir.Dynamic)
	}
}

// manySteps returns steps that pack rows of a, and multiply them by panels of numbers. Each thread
// expands one panel at a time. Pairs are made of neighbours in
// the depth.
func (c *compressed) manySteps(threads int, s *ops.Scratch) []ops.Step {
	k, depth := c.tiling, c.depth/c.elements()
	areas := ops.AreasOf[float32](s, threads, min(k.KC, depth)*c.elements()+7, k.NR)
	blocks := (c.m + maxBlockRows - 1) / maxBlockRows
	most := (k.PanelsA(c.m) + blocks - 1) / blocks // panels of a block of rows
	// Rows of a block as pairs.
	var rounded ops.Area[gemm.Pair]
	area := ops.AreaOf[float32](s, most*k.MR, depth)
	if c.pairs != nil {
		rounded = ops.AreaOf[gemm.Pair](s, min(most*k.MR, c.m), depth)
	}
	var steps []ops.Step
	for matrix := range c.weights {
		for first := 0; first < c.m; first += most * k.MR {
			rows, from := min(most*k.MR, c.m-first), c.firstRow(matrix)+first
			steps = append(steps, ops.Step{N: k.PanelsA(rows), Grain: max(grainOf(4*k.MR*c.depth), k.PanelsA(rows)/threads), Part: func(r *ops.Run, lo, hi int) error {
				data := ir.Data[float32](r.Inputs[0])[from*c.depth:]
				if c.pairs != nil {
					first, last := lo*k.MR*depth, min(hi*k.MR, rows)*depth
					k.PairElements(rounded.In(r)[first:last], data[2*first:2*last])
					packRows(c.pairs, r.Stop, cast.Slice[gemm.Pair](area.In(r)), rounded.In(r), rows, depth, lo, hi)
				} else {
					packRows(c.floats, r.Stop, area.In(r), data, rows, depth, lo, hi)
				}
				return nil
			}}, ops.Step{N: k.PanelsB(c.n), Grain: grainOf(rows * k.NR * c.depth), Workers: threads, WorkerPart: func(r *ops.Run, worker, lo, hi int) error {
				c.multiply(r, matrix, first, rows, area.In(r), areas.Of(r, worker), lo*k.NR, min(hi*k.NR, c.n))
				return nil
			}})
		}
	}
	return steps
}

// packRows packs panels lo to hi-1 of rows that follow each other. It ends early if stop is
// requested.
func packRows[E ~float32](k *gemm.Kernel[E, float32], stop parallel.Stop, to, a []E, rows, depth, lo, hi int) {
	for i := range k.Blocks(depth) {
		k.PackSomeA(stop, to[i*k.KC*k.PanelsA(rows)*k.MR:], gemm.Matrix[E]{Data: a, RowStride: depth, ColStride: 1}, rows, depth, i, lo, hi)
	}
}

// elements returns the number of elements of the depth that one of the kernel stands for.
func (c *compressed) elements() int {
	if c.pairs != nil {
		return 2
	}
	return 1
}

// multiply computes columns lo to hi-1 of a block of rows of the product with a matrix. Columns
// whose results stay in the cache are completed before the next. It ends early if r must stop.
func (c *compressed) multiply(r *ops.Run, matrix, first, rows int, a, panel []float32, lo, hi int) {
	k, w := c.tiling, c.weights[matrix]
	first += matrix * c.m
	out, lines := ir.Data[float32](r.Outputs[0])[first*c.n:], k.PanelsA(rows)*k.MR
	group, elements := groupColumns/k.NR*k.NR, c.elements()
	depth := c.depth / elements
	for ; lo < hi; lo += group {
		end := min(lo+group, hi)
		for i := range k.Blocks(depth) {
			for n := lo; n < end; n += k.NR {
				if r.Stop.Requested() {
					return
				}
				columns := min(k.NR, end-n)
				w.Expand(panel, k.NR, i*k.KC*elements, k.Depth(i, depth)*elements, n, n+columns)
				block := gemm.FloatProduct{C: out[n:], LDC: c.n, A: a[i*k.KC*lines:], B: panel, Depth: depth, Block: i, MHi: rows, NHi: columns}
				if c.pairs != nil {
					c.multiplyPairs(&block)
				} else {
					c.floats.Multiply(&block)
				}
			}
		}
		if c.finish == nil {
			continue
		}
		for i := range rows {
			c.finish(r, out[i*c.n+lo:i*c.n+end], (first+i)*c.n+lo)
		}
	}
}

// multiplyPairs multiplies p, whose A is pairs already, and whose B becomes pairs.
func (c *compressed) multiplyPairs(p *gemm.FloatProduct) {
	k, pairs := c.pairs, cast.Slice[gemm.Pair](p.B)
	for i := range k.Depth(p.Block, p.Depth) {
		k.PairRows(pairs[i*k.NR:][:k.NR], p.B[2*i*k.NR:], p.B[(2*i+1)*k.NR:])
	}
	k.Multiply(&gemm.Product[gemm.Pair, float32]{
		C: p.C, LDC: p.LDC, A: cast.Slice[gemm.Pair](p.A), B: pairs, Depth: p.Depth, Block: p.Block, MHi: p.MHi, NHi: p.NHi,
	})
}
