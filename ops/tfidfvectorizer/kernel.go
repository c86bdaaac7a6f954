package tfidfvectorizer

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// findBlock is the number of items that are looked for between two checks of a stop.
const findBlock = 1 << 10

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[0].Type == ir.I64 {
		return kernelOf(p, ir.Data[int64])
	}
	return kernelOf(p, (*ir.Tensor).Strings)
}

// kernelOf returns the kernel that counts the n-grams of one row after the other.
func kernelOf[K comparable](p *ops.Preparation, elements func(*ir.Tensor) []K) (*ops.Prepared, error) {
	a, pool := p.Attributes.(attributes), p.Inputs[1].Tensor
	key := fmt.Sprint(a.starts, a.shortest, a.longest)
	made, err := p.Once(pool, key, tableBytes[K](pool.Len()), func() (any, error) { return newTable(elements(pool), &a, p.Stop) })
	if err != nil {
		return nil, err
	}
	v := vectorizer[K]{attributes: a, table: made.(*table[K]), columns: ir.Data[int64](p.Inputs[2].Tensor)}
	if v.count > len(v.columns) {
		return nil, faults.Errorf("pool has %d n-grams, columns has %d elements", v.count, len(v.columns))
	}
	if len(p.Inputs) > 3 {
		v.weights = ir.Data[float32](p.Inputs[3].Tensor)
	}
	part := func(r *ops.Run, worker, lo, hi int) error {
		data, out, meter := elements(r.Inputs[0]), ir.Data[float32](r.Outputs[0]), r.Stop.Meter()
		numbers := v.numbers.Of(r, worker)
		for row := lo; row < hi; row++ {
			if !v.row(out[row*v.width:][:v.width], data[row*v.items:][:v.items], numbers, &meter) {
				return parallel.ErrStopped
			}
		}
		return nil
	}
	prepared := &ops.Prepared{Kernel: func(r *ops.Run) error {
		return r.ForWorkers(v.rows, ops.Grain(v.cost), v.workers, part)
	}}
	constants := p.Inputs[1:]
	prepared.Refit = func(p *ops.Preparation) (bool, error) {
		for i := range constants {
			if p.Inputs[1+i].Tensor != constants[i].Tensor {
				return false, nil
			}
		}
		return true, v.fit(p, prepared)
	}
	return prepared, v.fit(p, prepared)
}

// vectorizer is what the rows of a layer have in common.
type vectorizer[K comparable] struct {
	attributes
	*table[K]
	columns []int64
	weights []float32 // nil if all are 1

	rows, items, width int // of data, in each row of it, in each row of the output
	cost               float64
	workers            int
	numbers            ops.Area[int32] // of the items of a row, for each worker
}

// fit sets what depends on the shape of data.
func (v *vectorizer[K]) fit(p *ops.Preparation, prepared *ops.Prepared) error {
	in := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return err
	}
	v.rows, v.items, v.width = out[:len(out)-1].Elements(), in[max(len(in)-1, 0):].Elements(), out[len(out)-1]
	starts := 1 // of n-grams, for each item
	if v.longest > 1 {
		starts += min(v.distances, v.items)
	}
	v.cost = lookupCost*float64(v.items)*float64(starts) + float64(v.width)/8
	v.workers = p.Workers(v.rows, v.cost)
	var s ops.Scratch
	v.numbers = ops.AreasOf[int32](&s, v.workers, v.items)
	prepared.ScratchBytes = s.Bytes()
	return nil
}

// row computes a row of the output. It returns false if it has to stop.
func (v *vectorizer[K]) row(out []float32, items []K, numbers []int32, meter *parallel.Meter) bool {
	if meter.Spent(len(out) / 8) {
		return false
	}
	clear(out)
	for at := 0; at < len(items); at += findBlock {
		end := min(at+findBlock, len(items))
		if meter.Spent(lookupCost * (end - at)) {
			return false
		}
		v.find(numbers[at:end], items[at:end])
	}
	if v.shortest == 1 {
		for _, item := range numbers {
			if item != noItem {
				v.found(out, v.first[item])
			}
		}
	}
	// A longer n-gram with the least items must fit behind the first item.
	least := max(v.shortest, 2) - 1
	for distance := 1; v.longest > 1 && distance <= v.distances && distance <= (len(items)-1)/least; distance++ {
		for start := 0; start < len(items)-distance*least; start++ {
			if meter.Spent(1) || !v.from(out, numbers[start:], distance, meter) {
				return false
			}
		}
	}
	return true
}

// from counts the n-grams of more than one item that start with the first item.
func (v *vectorizer[K]) from(out []float32, numbers []int32, distance int, meter *parallel.Meter) bool {
	if numbers[0] == noItem {
		return true
	}
	node := v.first[numbers[0]]
	for at := distance; node != none && at < len(numbers) && numbers[at] != noItem; at += distance {
		if meter.Spent(lookupCost) {
			return false
		}
		node = v.edges[edgeOf(node, numbers[at])]
		v.found(out, node)
	}
	return true
}

// found counts the n-gram that ends at a node, if any does.
func (v *vectorizer[K]) found(out []float32, node int32) {
	gram := v.grams[node] - 1
	if gram < 0 {
		return
	}
	weight := float32(1)
	if v.weights != nil {
		weight = v.weights[gram]
	}
	if v.binary {
		out[v.columns[gram]] = weight
		return
	}
	out[v.columns[gram]] += weight
}
