package dynamicquantizelstm

import "github.com/vinoir/vinoir/ops"

// sharedSteps goes through the steps if there are more threads than directions: in each step, they
// share the columns of the products.
type sharedSteps struct {
	*kernel
	step ops.Area[int64] // the number of the step

	begins, multiplies, updates ops.Part
}

// newSharedSteps returns nil if a step has too little work for further threads.
func newSharedSteps(k *kernel, p *ops.Preparation, s *ops.Scratch) *sharedSteps {
	if p.Workers(k.dirs*k.r[0].blocks(), blockCost(k.batch, k.size)) <= k.dirs {
		return nil
	}
	q := &sharedSteps{kernel: k, step: ops.AreaOf[int64](s, 1)}
	q.begins, q.multiplies, q.updates = q.beginPart, q.multiplyPart, q.updatePart
	return q
}

// blockCost returns the cost of a block of the columns of a product. Instructions for integers of 8
// bits multiply four times as many as those for float32.
func blockCost(rows, depth int) float64 {
	return ops.MultiplyCost / 4 * float64(rows) * float64(depth) * blockColumns
}

func (q *sharedSteps) run(r *ops.Run) error {
	if err := r.For(q.dirs, 1, q.begins); err != nil {
		return err
	}
	blocks, grain := q.dirs*q.r[0].blocks(), ops.Grain(blockCost(q.batch, q.size))
	for step := range q.longest(r) {
		q.step.In(r)[0] = int64(step)
		if err := r.For(blocks, grain, q.multiplies); err != nil {
			return err
		}
		if err := r.For(q.dirs, 1, q.updates); err != nil {
			return err
		}
	}
	return nil
}

func (q *sharedSteps) beginPart(r *ops.Run, lo, hi int) error {
	for ; lo < hi; lo++ {
		w := q.bind(r, lo)
		w.begin()
	}
	return r.Stop.Err()
}

func (q *sharedSteps) updatePart(r *ops.Run, lo, hi int) error {
	for ; lo < hi; lo++ {
		w := q.bind(r, lo)
		w.update(int(q.step.In(r)[0]))
	}
	return r.Stop.Err()
}

// multiplyPart computes blocks lo to hi-1 of the products of all directions.
func (q *sharedSteps) multiplyPart(r *ops.Run, lo, hi int) error {
	blocks := q.r[0].blocks()
	for lo < hi {
		w, from := q.bind(r, lo/blocks), lo%blocks
		to := min(from+hi-lo, blocks)
		w.multiply(from, to)
		lo += to - from
	}
	return r.Stop.Err()
}
