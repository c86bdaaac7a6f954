package widened

import "github.com/vinoir/vinoir/ops"

// maxBlock is the greatest number of elements that are converted at a time. They stay in the L1
// cache.
const maxBlock = 2048

// Elementwise returns the kernel of a layer of type c.From that computes the n elements of output 0
// independently of each other. f sets out to the results for x, elements of input 0 in the type
// c.To; parameters are those of the other inputs, which have one element each. out has the type
// c.To, and is x, if output 0 has the type of input 0. Otherwise it has the type of output 0. An
// element has the given cost, as in ops.Grain.
func Elementwise(p *ops.Preparation, c *Conversion, n int, cost float64, f func(out, x, parameters []byte)) *ops.Prepared {
	next := func(lo, hi int) Block { return Block{At: lo, N: hi - lo, A: lo, ALen: hi - lo, BLen: 1} }
	return Blocks(p, c, n, cost, next, func(out, x, parameters []byte, _ Block) error {
		f(out, x, parameters)
		return nil
	})
}

// Block is N elements of output 0, from number At on. They are computed from ALen elements of input
// 0, from number A on, and BLen elements of each other input, from number B on. Neither is more
// than N. A layer that computes rows sets Row to their length.
type Block struct {
	At, N, A, ALen, B, BLen, Row int
}

// Blocks is Elementwise for a layer whose other inputs may have more elements. next returns a block
// from element lo of the output on, which ends at hi or before. f gets the elements of the inputs
// that the block names; those of all inputs but the first follow each other in y. out can be x.
func Blocks(p *ops.Preparation, c *Conversion, n int, cost float64, next func(lo, hi int) Block, f func(out, x, y []byte, b Block) error) *ops.Prepared {
	from, to, size := c.From.Size(), c.To.Size(), p.Outputs[0].Type.Size()
	workers, same := p.Workers(n, cost), p.Outputs[0].Type == c.From
	var s ops.Scratch
	xs, ys, results := ops.AreasOf[byte](&s, workers, maxBlock, to), ops.AreasOf[byte](&s, workers, len(p.Inputs)-1, maxBlock, to), ops.AreasOf[byte](&s, workers, maxBlock, to)
	part := func(r *ops.Run, worker, lo, hi int) error {
		wideX, wideY, result := xs.Of(r, worker), ys.Of(r, worker), results.Of(r, worker)
		data, others, out := r.Inputs[0].Bytes(), r.Inputs[1:], r.Outputs[0].Bytes()
		for lo < hi {
			b := next(lo, min(hi, lo+maxBlock))
			x, y := wideX[:b.ALen*to], wideY[:len(others)*b.BLen*to]
			c.Widen(x, data[b.A*from:][:b.ALen*from])
			for i, t := range others {
				c.Widen(y[i*b.BLen*to:][:b.BLen*to], t.Bytes()[b.B*from:][:b.BLen*from])
			}
			narrow := out[b.At*size:][:b.N*size]
			computed := narrow
			switch {
			case same && b.ALen == b.N:
				computed = x
			case same:
				computed = result[:b.N*to]
			}
			if err := f(computed, x, y, b); err != nil {
				return err
			}
			if same {
				c.Narrow(narrow, computed)
			}
			lo += b.N
		}
		return nil
	}
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.ForWorkers(n, ops.Grain(cost), workers, part) },
		ScratchBytes: s.Bytes(),
	}
}
