package interpolate

import (
	"math"
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// pass resizes one axis. There are outer positions before the axis and inner elements after it.
type pass[F float32 | float64] struct {
	outer, input, output, inner int
	taps                        int
	holes                       bool // some taps have weight 0, and their source may even be NaN
	// as in table; nil if the vector code needs only its own tables
	sources []int32
	weights []F
	round   func([]F) // applied to the result; nil for none
	// the output, unless it is that of the layer
	buffer ops.Area[F]
	vectors
}

// codec converts the image to F and the result to the type of the output, from element lo on. Its
// functions are nil if the image has type F. load and store end early if the work must stop.
type codec[F float32 | float64] struct {
	load  func(stop parallel.Stop, dst []F, t *ir.Tensor, lo int)
	store func(stop parallel.Stop, t *ir.Tensor, src []F, lo int)
	round func([]F)
}

// weightedKernel returns a kernel that resizes one axis after the other, the last one first:
//
//	for each axis, y...: output[y...] = sum over k of weights[y,k] * image[sources[y,k]...]
func weightedKernel(p *ops.Preparation, at *attributes, axes []axis) (*ops.Prepared, error) {
	// OpenVINO rounds for up to four axes only, which its documentation does not mention.
	truncate := at.mode == "cubic" && len(axes) > 4
	switch t := p.Inputs[0].Type; t {
	case ir.F32:
		return passesKernel(p, at, axes, codec[float32]{})
	case ir.F64:
		return passesKernel(p, at, axes, codec[float64]{})
	case ir.F16, ir.BF16:
		return passesKernel(p, at, axes, halfCodec(widened.Find(widened.Halves, t)))
	case ir.I8:
		return passesKernel(p, at, axes, integerCodec[int8, float32](truncate, math.MinInt8, math.MaxInt8))
	case ir.U8:
		return passesKernel(p, at, axes, u8Codec(truncate))
	case ir.I32:
		return passesKernel(p, at, axes, integerCodec[int32, float64](truncate, math.MinInt32, math.MaxInt32))
	case ir.I64:
		return passesKernel(p, at, axes, integerCodec[int64, float64](truncate, math.MinInt64, maxI64))
	default:
		return nil, faults.Errorf("mode %q has no kernel for %v", at.mode, t)
	}
}

// passesKernel returns the kernel in F.
func passesKernel[F float32 | float64](p *ops.Preparation, at *attributes, axes []axis, c codec[F]) (*ops.Prepared, error) {
	passes, err := newPasses(p, at, axes, c.round, c.load == nil)
	if err != nil {
		return nil, err
	}
	first, last := &passes[0], &passes[len(passes)-1]
	var scratch ops.Scratch
	var image ops.Area[F]
	if c.load != nil {
		image = ops.AreaOf[F](&scratch, first.outer, first.input, first.inner)
	}
	for i := range passes {
		if s := &passes[i]; s != last || c.store != nil {
			s.buffer = ops.AreaOf[F](&scratch, s.outer, s.output, s.inner)
		}
	}
	k := &passesRunner[F]{passes: passes, codec: c, image: image}
	if p.Inputs[0].Type == ir.F32 {
		k.finish = p.Finish()
	}
	parts := make([]ops.Part, len(passes))
	for i := range passes {
		parts[i] = k.part(i)
	}
	load := func(r *ops.Run, lo, hi int) error {
		c.load(r.Stop, k.input(r, 0)[lo:hi], r.Inputs[0], lo)
		return nil
	}
	store := func(r *ops.Run, lo, hi int) error {
		c.store(r.Stop, r.Outputs[0], k.output(r, len(passes)-1)[lo:hi], lo)
		return nil
	}
	kernel := func(r *ops.Run) error {
		if c.load != nil {
			if err := r.For(image.Len(), ops.Grain(ops.ConvertCost), load); err != nil {
				return err
			}
		}
		for i := range passes {
			if err := r.For(passes[i].outer*passes[i].rows(), passes[i].grain(), parts[i]); err != nil {
				return err
			}
		}
		if c.store != nil {
			return r.For(last.outer*last.output*last.inner, ops.Grain(ops.ConvertCost), store)
		}
		return nil
	}
	prepared := &ops.Prepared{Kernel: kernel, ScratchBytes: scratch.Bytes()}
	for i := range passes {
		s := &passes[i]
		prepared.Flops += 2 * float64(s.taps) * float64(s.outer) * float64(s.output) * float64(s.inner)
	}
	return prepared, nil
}

// newPasses returns the passes of the axes that change, the last axis first. If anyOrder is
// true, another order may save work. round is applied after each pass in the Pillow modes.
func newPasses[F float32 | float64](p *ops.Preparation, at *attributes, axes []axis, round func([]F), anyOrder bool) ([]pass[F], error) {
	antialias := false
	var order []int
	lengths := make([]int, len(axes))
	for i := range slices.Backward(axes) {
		antialias = antialias || at.antialias && axes[i].scale < 1
		lengths[i] = axes[i].input
		if !axes[i].same() {
			order = append(order, i)
		}
	}
	if anyOrder {
		sortByGrowth(order, axes)
	}
	var passes []pass[F]
	for _, i := range order {
		t, err := newTable[F](at, &axes[i], antialias, p)
		if err != nil {
			return nil, err
		}
		l := index.Along(lengths, i)
		s := pass[F]{
			outer: l.Outer, input: l.Length, output: axes[i].output, inner: l.Inner,
			taps: t.taps, holes: t.holes, sources: t.sources, weights: t.weights,
		}
		lengths[i] = axes[i].output
		if at.mode == "bilinear_pillow" || at.mode == "bicubic_pillow" {
			s.round = round
		}
		if err := s.vectorize(p); err != nil {
			return nil, err
		}
		passes = append(passes, s)
	}
	return passes, nil
}

// sortByGrowth sorts the axes by growth, so that the axes that shrink most come first and
// reduce the work of the others. If two axes shrink by the same factor, the last one, whose
// pass takes longest, comes last. If they grow by the same factor it comes first.
func sortByGrowth(order []int, axes []axis) {
	growth := func(i int) float64 { return float64(axes[i].output) / float64(axes[i].padded) }
	sort.SliceStable(order, func(a, b int) bool {
		i, j := order[a], order[b]
		if growth(i) != growth(j) || growth(i) >= 1 {
			return growth(i) < growth(j)
		}
		return i < j
	})
}

// passesRunner assigns memory to the passes.
type passesRunner[F float32 | float64] struct {
	passes []pass[F]
	codec  codec[F]
	image  ops.Area[F] // as F, unless it has that type
	finish func(*ops.Run, []float32, int)
}

// input returns the input of pass i.
func (k *passesRunner[F]) input(r *ops.Run, i int) []F {
	switch {
	case i > 0:
		return k.output(r, i-1)
	case k.codec.load == nil:
		return ir.Data[F](r.Inputs[0])
	}
	return k.image.In(r)
}

// output returns the memory for the output of pass i.
func (k *passesRunner[F]) output(r *ops.Run, i int) []F {
	if i == len(k.passes)-1 && k.codec.store == nil {
		return ir.Data[F](r.Outputs[0])
	}
	return k.passes[i].buffer.In(r)
}

// part returns the code of pass i.
func (k *passesRunner[F]) part(i int) ops.Part {
	s := &k.passes[i]
	var finish func(*ops.Run, []float32, int)
	if i == len(k.passes)-1 {
		finish = k.finish
	}
	return func(r *ops.Run, lo, hi int) error {
		s.run(r, k.output(r, i), k.input(r, i), lo, hi, finish)
		return nil
	}
}

// rows returns the number of rows that the pass writes for each outer position.
func (s *pass[F]) rows() int {
	if s.inner == 1 {
		return 1
	}
	return s.output
}

// grain returns the number of rows that are worth another thread.
func (s *pass[F]) grain() int {
	row := s.inner
	if s.inner == 1 {
		row = s.output
	}
	return ops.Grain(float64(row))
}
