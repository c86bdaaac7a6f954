package multinomial

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/random"
	"github.com/vinoir/vinoir/ops/internal/search"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	if at.globalSeed < 0 || at.opSeed < 0 {
		return nil, faults.Errorf("global_seed is %d, op_seed is %d, of which none may be negative", at.globalSeed, at.opSeed)
	}
	probs := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	k := kernel{attributes: at, batch: probs[0], classes: probs[1], samples: out[1]}
	switch {
	case at.outputType == ir.I32 && k.classes > math.MaxInt32:
		return nil, faults.Errorf("probs has %d classes, more than i32 can count", k.classes)
	case !at.replace && k.samples > k.classes && k.batch > 0:
		return nil, faults.Errorf("num_samples is %d, probs has %d classes to draw from without replacement", k.samples, k.classes)
	case k.classes == 0 && k.batch > 0 && k.samples > 0:
		return nil, faults.Errorf("probs has shape %v, without classes to draw from", probs)
	}
	switch t := p.Inputs[0].Type; t {
	case ir.F32:
		return prepareType(p, &k, func(t *ir.Tensor, at int, to []float32) { copy(to, ir.Data[float32](t)[at:]) })
	case ir.F64:
		return prepareType(p, &k, func(t *ir.Tensor, at int, to []float64) { copy(to, ir.Data[float64](t)[at:]) })
	case ir.F16, ir.BF16:
		c := widened.Find(widened.Halves, t)
		return prepareType(p, &k, func(t *ir.Tensor, at int, to []float32) { c.Load(nil, cast.Memory(to), t, at) })
	default:
		return nil, faults.Errorf("probs of type %v have no kernel", t)
	}
}

type kernel struct {
	attributes
	batch, classes, samples int
}

// prepareType returns the kernel that computes in F. load reads elements of probs.
func prepareType[F cast.Float](p *ops.Preparation, k *kernel, load func(t *ir.Tensor, at int, to []F)) (*ops.Prepared, error) {
	passes := float64(k.samples) // over the elements of a row; two for the sums with replacement
	if k.replace {
		passes = 2
	}
	cost := 4*passes*float64(k.classes) + 16*float64(k.samples)
	workers := p.Workers(k.batch, cost)
	var s ops.Scratch
	sums := ops.AreasOf[F](&s, workers, k.classes)
	part := func(r *ops.Run, worker, lo, hi int) error {
		meter, weights := r.Stop.Meter(), sums.Of(r, worker)
		for b := lo; b < hi; b++ {
			if meter.Spent(k.classes + 32) {
				return parallel.ErrStopped
			}
			load(r.Inputs[0], b*k.classes, weights)
			if err := drawRow(r, k, weights, b, &meter); err != nil {
				return err
			}
		}
		return nil
	}
	draws := float64(k.batch) * float64(k.samples) * float64(8+4*bits.Len(uint(k.classes)))
	if !k.replace {
		draws = float64(k.batch) * float64(k.samples) * float64(k.classes)
	}
	return &ops.Prepared{
		ScratchBytes: s.Bytes(),
		Flops:        2*float64(k.batch)*float64(k.classes) + draws,
		Kernel: func(r *ops.Run) error {
			k.randomise(r)
			return r.ForWorkers(k.batch, ops.Grain(cost), workers, part)
		},
	}, nil
}

// randomise writes a random number of 32 bits to each element of the output, from which drawRow
// makes the classes. The numbers are drawn in this order whatever the number of threads.
func (k *kernel) randomise(r *ops.Run) {
	m := r.Own(func() any { return new(random.Mersenne) }).(*random.Mersenne)
	seeds := [2]uint32{uint32(k.globalSeed), uint32(k.opSeed)}
	if k.globalSeed == 0 && k.opSeed == 0 {
		seeds = [2]uint32{rand.Uint32(), rand.Uint32()}
	}
	m.SeedSequence(seeds)
	meter := r.Stop.Meter()
	for i := range r.Outputs[0].Len() {
		if put(r.Outputs[0], i, int(int32(m.Next()))); meter.Spent(4) {
			return
		}
	}
}

func put(out *ir.Tensor, i, v int) {
	if out.ElementType() == ir.I32 {
		ir.Data[int32](out)[i] = int32(v)
	} else {
		ir.Data[int64](out)[i] = int64(v)
	}
}

// position returns element i of the output as a number above 0, at most 1. It is never 0, at which
// a class without probability could be drawn.
func position[F cast.Float](out *ir.Tensor, i int) F {
	v := uint32(0)
	if out.ElementType() == ir.I32 {
		v = uint32(ir.Data[int32](out)[i])
	} else {
		v = uint32(ir.Data[int64](out)[i])
	}
	return max(F(v), 0.5) / (1 << 32)
}

// drawRow draws the classes of row b, whose probs are in weights. It ends early if the work must
// stop; meter counts the work.
func drawRow[F cast.Float](r *ops.Run, k *kernel, weights []F, b int, meter *parallel.Meter) error {
	if err := k.checkRow(weightsOf(k, meter, weights), b); err != nil || len(weights) == 0 {
		return err
	}
	out := r.Outputs[0]
	if !k.replace {
		for i := b * k.samples; i < (b+1)*k.samples; i++ {
			class := drawOne(meter, weights, position[F](out, i))
			if meter.Spent(4) {
				return parallel.ErrStopped
			}
			if class < 0 {
				return faults.Errorf("num_samples is %d, but only %d classes of row %d of probs have a probability above 0", k.samples, i-b*k.samples, b)
			}
			weights[class] = 0
			put(out, i, class)
		}
		return nil
	}
	sum := F(0)
	for i, w := range weights {
		sum += w
		if weights[i] = sum; meter.Spent(1) {
			return parallel.ErrStopped
		}
	}
	for i := range weights {
		if weights[i] /= sum; meter.Spent(2) {
			return parallel.ErrStopped
		}
	}
	for i := b * k.samples; i < (b+1)*k.samples; i++ {
		put(out, i, search.Below(weights, position[F](out, i)))
		if meter.Spent(64) {
			return nil
		}
	}
	return nil
}

// drawOne returns the first class at which the sum of weights reaches u times the sum of all of
// them, or -1 if all are 0 or the work must stop.
func drawOne[F cast.Float](meter *parallel.Meter, weights []F, u F) int {
	total := F(0)
	for _, w := range weights {
		if total += w; meter.Spent(2) {
			return -1
		}
	}
	sum, last := F(0), -1
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last, sum = i, sum+w; sum >= u*total {
			break
		}
	}
	return last
}

// invalid is the first weight that cannot be drawn with; its index is -1 if there is none.
type invalid struct {
	index int
	value float64
	total float64 // of the weights
}

// weightsOf checks weights and, if they are logarithms, replaces them by their exponentials,
// divided by the greatest of them so that none overflows.
func weightsOf[F cast.Float](k *kernel, meter *parallel.Meter, weights []F) invalid {
	greatest, total := F(math.Inf(-1)), F(0)
	for i, w := range weights {
		// Comparisons with NaN are false.
		if !(w < F(math.Inf(1))) || !k.logarithm && !(w >= 0) {
			return invalid{index: i, value: float64(w)}
		}
		if greatest = max(greatest, w); meter.Spent(2) {
			return invalid{index: -1, total: 1}
		}
	}
	if k.logarithm && greatest > F(math.Inf(-1)) {
		for i, w := range weights {
			if weights[i] = F(math.Exp(float64(w - greatest))); meter.Spent(32) {
				return invalid{index: -1, total: 1}
			}
		}
	} else if k.logarithm {
		clear(weights)
	}
	for _, w := range weights {
		if total += w; meter.Spent(1) {
			return invalid{index: -1, total: 1}
		}
	}
	return invalid{index: -1, total: float64(total)}
}

// checkRow returns an error if no class of row b can be drawn.
func (k *kernel) checkRow(v invalid, b int) error {
	switch {
	case k.samples == 0 || k.classes == 0:
		return nil
	case v.index >= 0 && k.logarithm:
		return faults.Errorf("probs[%d,%d] is %v, not the logarithm of a finite number", b, v.index, v.value)
	case v.index >= 0:
		return faults.Errorf("probs[%d,%d] is %v, not a finite probability", b, v.index, v.value)
	case v.total == 0:
		return faults.Errorf("row %d of probs has %d classes, none of them with a probability above 0", b, k.classes)
	case math.IsInf(v.total, 1):
		return faults.Errorf("row %d of probs has a sum that is %v, beyond its type", b, v.total)
	}
	return nil
}
