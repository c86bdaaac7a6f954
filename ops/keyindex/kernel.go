package keyindex

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// lookupCost is the cost of finding a key.
const lookupCost = 20

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	switch p.Inputs[0].Type {
	case ir.I64:
		return kernelOf(p, ir.Data[int64])
	case ir.F64:
		return kernelOf(p, ir.Data[float64])
	}
	return kernelOf(p, (*ir.Tensor).Strings)
}

// table has the positions of keys.
type table[K comparable] struct {
	positions map[K]int64
	// missing is the position of NaN, which no map finds; none if it is no key.
	missing, none int64
}

func kernelOf[K comparable](p *ops.Preparation, elements func(*ir.Tensor) []K) (*ops.Prepared, error) {
	keys := p.Inputs[1].Tensor
	bytes := memory.Sum(memory.Size[K](2*keys.Len()), memory.Size[int64](2*keys.Len()))
	made, err := p.Once(keys, "positions", bytes, func() (any, error) { return newTable(elements(keys), p.Stop) })
	if err != nil {
		return nil, err
	}
	t, strict := made.(*table[K]), p.Attributes.(attributes).strict
	part := func(r *ops.Run, lo, hi int) error {
		in, out := elements(r.Inputs[0])[lo:hi], ir.Data[int64](r.Outputs[0])[lo:hi]
		for i, key := range in {
			if out[i] = t.find(key); strict && out[i] == t.none {
				return faults.Errorf("element %d of data is %s, which is none of the %d keys", lo+i, text(key), t.none)
			}
		}
		return nil
	}
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(r.Outputs[0].Len(), ops.Grain(lookupCost), part) }}, nil
}

// maxText is the length of a key in an error.
const maxText = 40

// text returns a key as in an error.
func text(key any) string {
	if s, ok := key.(string); ok {
		return printable.Quote(s, maxText)
	}
	return faults.Errorf("%v", key).Error()
}

// newTable returns the positions of keys.
func newTable[K comparable](keys []K, stop parallel.Stop) (*table[K], error) {
	t := &table[K]{make(map[K]int64, len(keys)), int64(len(keys)), int64(len(keys))}
	meter := stop.Meter()
	for i := len(keys) - 1; i >= 0; i-- { // so that the first of equal keys is kept
		if meter.Spent(2 * lookupCost) {
			return nil, parallel.ErrStopped
		}
		if keys[i] != keys[i] {
			t.missing = int64(i)
			continue
		}
		t.positions[keys[i]] = int64(i)
	}
	return t, nil
}

// find returns the position of a key; the number of keys if it is none.
func (t *table[K]) find(key K) int64 {
	if at, ok := t.positions[key]; ok {
		return at
	}
	if key != key {
		return t.missing
	}
	return t.none
}
