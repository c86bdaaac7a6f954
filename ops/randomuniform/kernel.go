package randomuniform

import (
	"math/rand/v2"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
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
	// Each share of the groups is computed in a buffer of its own.
	shares := max(min(p.Threads, n/(4*groups)), 1)
	var c *bound
	switch at.outputType {
	case ir.I32:
		c, err = bind(lo, hi, int32s)
	case ir.I64:
		c, err = bind(lo, hi, int64s)
	case ir.F32:
		c, err = bind(lo, hi, float32s)
	case ir.F64:
		c, err = bind(lo, hi, float64s)
	case ir.F16:
		c, err = bind(lo, hi, halves(half.F16ToF32, half.F32ToF16, 10))
	case ir.BF16:
		c, err = bind(lo, hi, halves(half.BFloat16.Float32, half.BFloat16Of, 7))
	default:
		return nil, faults.Errorf("output_type %v has no kernel", at.outputType)
	}
	if err != nil {
		return nil, err
	}
	// A group of Philox is 10 rounds of about ten operations.
	return &ops.Prepared{Kernel: kernelOf(at, n, shares, c), Flops: 32 * float64(n), ScratchBytes: shares * bufferLen * 4}, nil
}

// conversion converts random words to elements of type T from lo to hi.
type conversion[T ir.Element] struct {
	less func(lo, hi T) bool
	// perGroup is the number of elements that fill converts from a group: 2 or 4. fill converts the
	// groups from first on to out. sequence converts the numbers of m. buffer is for bufferLen
	// words.
	perGroup int
	fill     func(out []T, g random.Philox, first uint64, lo, hi T, buffer []uint32)
	sequence func(out []T, m *random.Mersenne, lo, hi T, buffer []uint32)
}

const (
	// groups is the number of groups that are worth another thread.
	groups = 1 << 11
	// piece and pieceGroups are the numbers of elements and of groups between two checks of
	// Run.Stop.
	piece       = 1 << 14
	pieceGroups = 1 << 12
)

// state is where the sequence of a Run is.
type state struct {
	philox  random.Philox
	group   uint64
	seed    uint32
	twister random.Mersenne // of each run anew; here because it must not be allocated
}

// bound is a conversion with its limits: fill and sequence write elements from to to-1 of out.
type bound struct {
	perGroup int
	fill     func(out *ir.Tensor, from, to int, g random.Philox, first uint64, buffer []uint32)
	sequence func(out *ir.Tensor, from, to int, m *random.Mersenne, buffer []uint32)
}

// bind returns a conversion to elements from minval to maxval, of which each has one.
func bind[T ir.Element](minval, maxval *ir.Tensor, c conversion[T]) (*bound, error) {
	from, to := ir.Data[T](minval), ir.Data[T](maxval)
	if len(from) != 1 || len(to) != 1 {
		return nil, faults.Errorf("minval has %d elements, maxval has %d, expected 1", len(from), len(to))
	}
	lo, hi := from[0], to[0]
	if !c.less(lo, hi) {
		return nil, faults.Errorf("minval %v is not below maxval %v", minval, maxval)
	}
	return &bound{
		perGroup: c.perGroup,
		fill: func(out *ir.Tensor, from, to int, g random.Philox, first uint64, buffer []uint32) {
			c.fill(ir.Data[T](out)[from:to], g, first, lo, hi, buffer)
		},
		sequence: func(out *ir.Tensor, from, to int, m *random.Mersenne, buffer []uint32) {
			c.sequence(ir.Data[T](out)[from:to], m, lo, hi, buffer)
		},
	}, nil
}

func kernelOf(at attributes, n, shares int, c *bound) ops.Kernel {
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
			for from := 0; from < n; from += piece {
				c.sequence(r.Outputs[0], from, min(from+piece, n), &s.twister, cast.Bytes[uint32](r.Scratch))
				if r.Stop.Requested() {
					return nil
				}
			}
			if at.globalSeed == 0 && at.opSeed == 0 {
				s.seed = rand.Uint32()
			}
			return nil
		}
	}
	total := n / c.perGroup // (n+perGroup-1)/perGroup can overflow
	if n%c.perGroup > 0 {
		total++
	}
	part := func(r *ops.Run, lo, hi int) error {
		s := r.Own(start).(*state)
		meter := r.Stop.Meter()
		for share := lo; share < hi; share++ {
			buffer := cast.Bytes[uint32](r.Scratch)[share*bufferLen:][:bufferLen]
			end := parallel.Share(total, shares, share+1)
			for at := parallel.Share(total, shares, share); at < end; at += pieceGroups {
				k := min(pieceGroups, end-at)
				c.fill(r.Outputs[0], at*c.perGroup, min((at+k)*c.perGroup, n), s.philox, s.group+uint64(at), buffer)
				if meter.Spent(32 * k) {
					return nil
				}
			}
		}
		return nil
	}
	return func(r *ops.Run) error {
		s := r.Own(start).(*state)
		err := r.For(shares, 1, part)
		s.group, s.philox.Counter = random.Advance(s.group, s.philox.Counter, uint64(n), groupsPerElement)
		return err
	}
}

// groupsPerElement is the number of groups that TensorFlow and OpenVINO reserve for an element: the
// next run continues after them.
const groupsPerElement = 256
