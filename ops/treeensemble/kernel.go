package treeensemble

import (
	"math/bits"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// block is the number of rows that go through a tree before the next tree, whose nodes then are in
// the cache for all of them.
const block = 64

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[data].Type == ir.F64 {
		return kernelOf[float64](p)
	}
	return kernelOf[float32](p)
}

// kernel computes the rows of the output.
type kernel[T number] struct {
	*forest[T]
	features, columns int
	aggregate         string
	workers, grain    int
	// tracks means that the kernel finds out which elements of a row have a weight. Where nothing
	// else has room for that, reached has it for a block of rows.
	tracks  bool
	reached ops.Area[uint8]
}

func kernelOf[T number](p *ops.Preparation) (*ops.Prepared, error) {
	features, a := p.InputShape(data)[1], p.Attributes.(attributes)
	f, err := newForest[T](p, features, a.columns)
	if err != nil {
		return nil, err
	}
	k := &kernel[T]{forest: f, features: features, columns: a.columns, aggregate: a.aggregate}
	part := func(r *ops.Run, worker, lo, hi int) error { return k.run(r, worker, lo, hi) }
	prepared := &ops.Prepared{Kernel: func(r *ops.Run) error {
		return r.ForWorkers(blocks(r.Inputs[data].Shape()[0]), k.grain, k.workers, part)
	}}
	k.fit(p, prepared)
	trees := p.Inputs
	prepared.Refit = func(p *ops.Preparation) (bool, error) {
		same := p.InputShape(data)[1] == features
		for i := roots; i <= weights; i++ {
			same = same && p.Inputs[i].Tensor == trees[i].Tensor
		}
		if same {
			k.fit(p, prepared)
		}
		return same, nil
	}
	return prepared, nil
}

// blocks returns the number of blocks of rows.
func blocks(rows int) int { return (rows + block - 1) / block }

// fit sets what depends on the number of rows.
func (k *kernel[T]) fit(p *ops.Preparation, prepared *ops.Prepared) {
	rows := p.InputShape(data)[0]
	// The way through a tree is about as long as that of a balanced one.
	steps := len(k.roots) * (1 + bits.Len(uint(len(k.nodes)/max(len(k.roots), 1))))
	cost := float64(4*steps + k.columns)
	k.workers, k.grain = p.Workers(blocks(rows), cost*block), max(ops.Grain(cost)/block, 1)
	wanted := len(p.Outputs) > 1 && !(len(p.Unread) > 1 && p.Unread[1])
	k.tracks = wanted || k.aggregate == lowest || k.aggregate == highest
	var s ops.Scratch
	if k.tracks && len(p.Outputs) < 2 {
		k.reached = ops.AreasOf[uint8](&s, k.workers, block, k.columns)
	}
	prepared.ScratchBytes, prepared.Flops = s.Bytes(), float64(rows)*cost
}

// run computes the blocks of rows lo to hi-1.
func (k *kernel[T]) run(r *ops.Run, worker, lo, hi int) error {
	x, out := ir.Data[T](r.Inputs[data]), ir.Data[T](r.Outputs[0])
	rows := r.Inputs[data].Shape()[0]
	meter := r.Stop.Meter()
	var reachedLeaves [block]int32
	for b := lo; b < hi; b++ {
		first, last := b*block, min((b+1)*block, rows)
		features, leaves := x[first*k.features:last*k.features], reachedLeaves[:last-first]
		plain := k.isPlain(features)
		y := out[first*k.columns : last*k.columns]
		clear(y)
		reached := k.reachedIn(r, worker, first*k.columns, last*k.columns)
		clear(reached)
		var ok bool
		if plain && len(leaves) < 4 {
			ok = k.eachRow(features, len(leaves), y, reached, &meter)
		} else {
			ok = k.eachTree(features, leaves, y, reached, plain, &meter)
		}
		if !ok {
			return parallel.ErrStopped
		}
		if k.aggregate == average && len(k.roots) > 0 {
			for i := range y {
				y[i] /= T(len(k.roots))
			}
		}
	}
	return nil
}

// eachTree computes the rows of a block tree by tree. It returns false if it has to stop.
func (k *kernel[T]) eachTree(features []T, leaves []int32, y []T, reached []uint8, plain bool, meter *parallel.Meter) bool {
	for _, root := range k.roots {
		if !k.walk(root, features, k.features, leaves, plain, meter) {
			return false
		}
		for i, leaf := range leaves {
			k.take(leaf, i*k.columns, y, reached)
		}
	}
	return true
}

// eachRow computes a few rows, each of which goes through four trees at a time: see walk.
func (k *kernel[T]) eachRow(features []T, rows int, y []T, reached []uint8, meter *parallel.Meter) bool {
	for i := range rows {
		row := features[i*k.features:][:k.features]
		roots := k.roots
		for ; len(roots) >= 4; roots = roots[4:] {
			if meter.Spent(8*k.depth + 4) {
				return false
			}
			leaves := [4]int32(roots)
			k.walkFour(&leaves, row, row, row, row)
			for _, leaf := range leaves {
				k.take(leaf, i*k.columns, y, reached)
			}
		}
		for _, root := range roots {
			if meter.Spent(2*k.depth + 1) {
				return false
			}
			k.take(k.leaf(root, row), i*k.columns, y, reached)
		}
	}
	return true
}

// take counts a leaf for the row of the output that starts at an element.
func (k *kernel[T]) take(leaf int32, at int, y []T, reached []uint8) {
	switch {
	case k.single && !k.tracks:
		y[at+int(k.targets[leaf])] += k.weights[leaf]
	case !k.tracks:
		k.add(leaf, y[at:][:k.columns])
	case k.aggregate == lowest || k.aggregate == highest:
		k.limit(leaf, y[at:][:k.columns], reached[at:][:k.columns])
	default:
		k.add(leaf, y[at:][:k.columns])
		k.mark(leaf, reached[at:][:k.columns])
	}
}

// reachedIn returns where the kernel notes which of the elements lo to hi-1 of the output have a
// weight; nil if it does not.
func (k *kernel[T]) reachedIn(r *ops.Run, worker, lo, hi int) []uint8 {
	switch {
	case !k.tracks:
		return nil
	case len(r.Outputs) > 1:
		return r.Outputs[1].Bytes()[lo:hi]
	}
	return k.reached.Of(r, worker)[:hi-lo]
}

// add adds the weights of a leaf to a row of the output.
func (k *kernel[T]) add(leaf int32, y []T) {
	first, n := k.leaves[leafWidth*leaf], k.leaves[leafWidth*leaf+1]
	targets := k.targets[first : first+n]
	for i, w := range k.weights[first : first+n] {
		y[targets[i]] += w
	}
}

// mark sets the elements of a row that a leaf has weights for to 1.
func (k *kernel[T]) mark(leaf int32, reached []uint8) {
	first, n := k.leaves[leafWidth*leaf], k.leaves[leafWidth*leaf+1]
	for _, t := range k.targets[first : first+n] {
		reached[t] = 1
	}
}

// limit makes the elements of a row of the output the least or the greatest of them and of the
// weights of a leaf.
func (k *kernel[T]) limit(leaf int32, y []T, reached []uint8) {
	first, n := k.leaves[leafWidth*leaf], k.leaves[leafWidth*leaf+1]
	for i := first; i < first+n; i++ {
		w, t := k.weights[i], k.targets[i]
		if reached[t] == 0 || (k.aggregate == lowest && w < y[t]) || (k.aggregate == highest && w > y[t]) {
			y[t], reached[t] = w, 1
		}
	}
}
