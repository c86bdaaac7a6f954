package randomuniform

import (
	"math/rand/v2"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/random"
)

// prepare returns the kernel. The values of all inputs are known.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	if at.globalSeed < 0 || at.opSeed < 0 {
		return nil, faults.Errorf("global_seed is %d, op_seed is %d, of which none may be negative", at.globalSeed, at.opSeed)
	}
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	n := shape.Elements()
	lo, hi := p.Inputs[1].Tensor, p.Inputs[2].Tensor
	if lo == nil || hi == nil {
		return nil, faults.Errorf("minval and maxval are not known")
	}
	var c conversion
	switch at.outputType {
	case ir.I32:
		c, err = bind(lo, hi, at.pytorch, less, int32s)
	case ir.I64:
		c, err = bind(lo, hi, at.pytorch, less, int64s)
	case ir.F32:
		c, err = bind(lo, hi, at.pytorch, less, float32s)
	case ir.F64:
		c, err = bind(lo, hi, at.pytorch, less, float64s)
	case ir.F16:
		c, err = bindHalves(lo, hi, at.pytorch, half.F16ToF32, half.F32ToF16, 10)
	case ir.BF16:
		c, err = bindHalves(lo, hi, at.pytorch, half.BFloat16.Float32, half.BFloat16Of, 7)
	default:
		return nil, faults.Errorf("output_type %v has no kernel", at.outputType)
	}
	if err != nil {
		return nil, err
	}
	workers := p.Workers(n, groupCost/4)
	var s ops.Scratch
	kernel := kernelOf(at, n, workers, c, ops.AreasOf[uint32](&s, workers, bufferLen))
	// A group of Philox is 10 rounds of about ten operations.
	return &ops.Prepared{Kernel: kernel, Flops: 32 * float64(n), ScratchBytes: s.Bytes()}, nil
}

// groupCost is the cost of a group of Philox, most of whose groups have four elements.
const groupCost = 8

// state is where the sequence of a Run is.
type state struct {
	philox  random.Philox
	group   uint64
	seed    uint32
	twister random.Mersenne // of each run anew; here because it must not be allocated
}

// bind returns the conversion to elements from minval to maxval, of which each has one.
func bind[T ir.Element](minval, maxval *ir.Tensor, pytorch bool, less func(lo, hi T) bool, to func(lo, hi T, pytorch bool) conversion) (conversion, error) {
	lo, hi := ir.Data[T](minval), ir.Data[T](maxval)
	if len(lo) != 1 || len(hi) != 1 {
		return conversion{}, faults.Errorf("minval has %d elements, maxval has %d, expected 1", len(lo), len(hi))
	}
	if !less(lo[0], hi[0]) {
		return conversion{}, faults.Errorf("minval %v is not below maxval %v", minval, maxval)
	}
	return to(lo[0], hi[0], pytorch), nil
}

func bindHalves[T ir.Element](minval, maxval *ir.Tensor, pytorch bool, load func(T) float32, store func(float32) T, mantissa int) (conversion, error) {
	less := func(lo, hi T) bool { return load(lo) < load(hi) }
	return bind(minval, maxval, pytorch, less, halves(load, store, mantissa))
}

func kernelOf(at attributes, n, workers int, c conversion, buffers ops.Area[uint32]) ops.Kernel {
	start := func() any {
		s := &state{philox: random.Philox{Key: uint64(at.globalSeed), Counter: uint64(at.opSeed)}, seed: uint32(at.globalSeed)}
		if at.globalSeed == 0 && at.opSeed == 0 {
			s.philox, s.seed = random.Philox{Key: rand.Uint64(), Counter: rand.Uint64()}, rand.Uint32()
		}
		return s
	}
	if at.pytorch {
		return func(r *ops.Run) error {
			s := r.Own(start).(*state)
			s.twister.Seed(s.seed)
			meter := r.Stop.Meter()
			for from, step := 0, bufferLen/c.words; from < n; from += step {
				k := min(step, n-from)
				x := buffers.In(r)[:k*c.words]
				s.twister.Fill(x)
				c.convert(r.Outputs[0], from, from+k, x)
				if meter.Spent(8 * k) {
					return nil
				}
			}
			if at.globalSeed == 0 && at.opSeed == 0 {
				s.seed = rand.Uint32()
			}
			return nil
		}
	}
	perGroup := 4 / c.words
	total := n / perGroup // (n+perGroup-1)/perGroup can overflow
	if n%perGroup > 0 {
		total++
	}
	part := func(r *ops.Run, worker, lo, hi int) error {
		s, buffer := r.Own(start).(*state), buffers.Of(r, worker)
		meter := r.Stop.Meter()
		for at := lo; at < hi; at += bufferLen / 4 {
			k := min(bufferLen/4, hi-at)
			from, to := at*perGroup, min((at+k)*perGroup, n)
			x := buffer[:(to-from)*c.words]
			s.philox.Fill(x, s.group+uint64(at))
			c.convert(r.Outputs[0], from, to, x)
			if meter.Spent(32 * k) {
				return nil
			}
		}
		return nil
	}
	return func(r *ops.Run) error {
		s := r.Own(start).(*state)
		err := r.ForWorkers(total, ops.Grain(groupCost), workers, part)
		s.group, s.philox.Counter = random.Advance(s.group, s.philox.Counter, uint64(n), groupsPerElement)
		return err
	}
}

// groupsPerElement is the number of groups that TensorFlow and OpenVINO reserve for an element: the
// next run continues after them.
const groupsPerElement = 256
