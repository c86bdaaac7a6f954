package widened

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
)

// block is the number of elements that are converted at a time. They stay in the L1 cache.
const block = 2048

// Elementwise returns the kernel of a layer of type c.From that computes the n elements of output 0
// independently of each other. f sets out to the results for x, elements of input 0 in the type
// c.To; parameters are those of the other inputs, which have one element each. out has the type
// c.To, and is x, if output 0 has the type of input 0. Otherwise it has the type of output 0. An
// element has the given cost, as in ops.Grain.
func Elementwise(p *ops.Preparation, c *Conversion, n int, cost float64, f func(out, x, parameters []byte)) *ops.Prepared {
	// A part is the share of one worker. Each worker has its own scratch memory.
	e := &elementwise{c: c, n: n, workers: p.Workers(n, cost), compute: f, same: p.Outputs[0].Type == c.From, size: p.Outputs[0].Type.Size()}
	var s ops.Scratch
	e.wide = ops.AreasOf[byte](&s, e.workers, block, c.To.Size())
	e.parameters = ops.AreasOf[byte](&s, e.workers, len(p.Inputs)-1, c.To.Size())
	part := e.part
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.For(e.workers, 1, part) },
		ScratchBytes: s.Bytes(),
	}
}

type elementwise struct {
	c                *Conversion
	n, workers       int
	compute          func(out, x, parameters []byte)
	same             bool           // the output has the type of the input
	size             int            // of an element of the output
	wide, parameters ops.Area[byte] // of each worker
}

// part computes the shares of workers lo to hi-1 in the scratch memory of worker lo.
func (e *elementwise) part(r *ops.Run, lo, hi int) error {
	from, to := e.c.From.Size(), e.c.To.Size()
	wide, parameters := e.wide.Of(r, lo), e.parameters.Of(r, lo)
	for i, parameter := range r.Inputs[1:] {
		e.c.Widen(parameters[i*to:][:to], parameter.Bytes())
	}
	data, out := r.Inputs[0].Bytes(), r.Outputs[0].Bytes()
	for i, end := parallel.Share(e.n, e.workers, lo), parallel.Share(e.n, e.workers, hi); i < end && !r.Stop.Requested(); i += block {
		n := min(block, end-i)
		x, result := wide[:n*to], out[i*e.size:][:n*e.size]
		e.c.Widen(x, data[i*from:][:n*from])
		if !e.same {
			e.compute(result, x, parameters)
			continue
		}
		e.compute(x, x, parameters)
		e.c.Narrow(result, x)
	}
	return nil
}
