package pairwisecoupling

import (
	"math"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare returns a kernel that computes one row after the other.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	rows, n := p.InputShape(0)[0], p.Attributes.(attributes).classes
	cost := float64(n) * float64(n) * usualSteps
	workers := p.Workers(rows, cost)
	var s ops.Scratch
	q, products := ops.AreasOf[float32](&s, workers, n, n), ops.AreasOf[float32](&s, workers, n)
	part := func(r *ops.Run, worker, lo, hi int) error {
		c := coupling{n: n, q: q.Of(r, worker), products: products.Of(r, worker), meter: r.Stop.Meter()}
		in, out := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Outputs[0])
		pairs := n * (n - 1) / 2
		for i := lo; i < hi; i++ {
			if !c.solve(in[i*pairs:][:pairs], out[i*n:][:n]) {
				return parallel.ErrStopped
			}
		}
		return nil
	}
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.ForWorkers(rows, ops.Grain(cost), workers, part) },
		ScratchBytes: s.Bytes(),
		Flops:        float64(rows) * cost,
	}, nil
}

const (
	// usualSteps is about the number of steps until p is near enough.
	usualSteps = 10
	// minSteps is the number of steps that are allowed for few classes.
	minSteps = 100
	// near is how far the products of a row may be from their mean, times the number of classes.
	near = 0.005
)

// coupling computes rows of n classes.
type coupling struct {
	n        int
	q        []float32 // [n, n]: the sum to make small is p*q*p
	products []float32 // q*p
	meter    parallel.Meter
}

// solve sets p for the probabilities of all pairs. It returns false if it was stopped.
func (c *coupling) solve(pairs, p []float32) bool {
	c.fill(pairs)
	for i := range p {
		p[i] = 1 / float32(c.n)
	}
	for range max(minSteps, c.n) {
		if c.meter.Spent(4 * c.n * c.n) {
			return false
		}
		total := c.multiply(p)
		far := float32(0)
		for _, x := range c.products {
			far = max(far, float32(math.Abs(float64(x-total))))
		}
		if far < near/float32(c.n) {
			break
		}
		c.step(p, total)
	}
	return true
}

// fill sets q.
func (c *coupling) fill(pairs []float32) {
	clear(c.q)
	for i := range c.n {
		for j := i + 1; j < c.n; j++ {
			r := pairs[0]
			pairs = pairs[1:]
			c.q[i*c.n+i] += (1 - r) * (1 - r)
			c.q[j*c.n+j] += r * r
			c.q[i*c.n+j], c.q[j*c.n+i] = -r*(1-r), -r*(1-r)
		}
	}
}

// multiply sets products, and returns p*q*p.
func (c *coupling) multiply(p []float32) float32 {
	total := float32(0)
	for i := range c.products {
		sum := float32(0)
		for j, x := range c.q[i*c.n:][:c.n] {
			sum += x * p[j]
		}
		c.products[i] = sum
		total += p[i] * sum
	}
	return total
}

// step improves one element of p after the other, and keeps products and total, p*q*p, up to date.
func (c *coupling) step(p []float32, total float32) {
	for i := range p {
		row := c.q[i*c.n:][:c.n]
		change := (total - c.products[i]) / row[i]
		p[i] += change
		total = (total + change*(change*row[i]+2*c.products[i])) / (1 + change) / (1 + change)
		for j := range p {
			c.products[j] = (c.products[j] + change*row[j]) / (1 + change)
			p[j] /= 1 + change
		}
	}
}
