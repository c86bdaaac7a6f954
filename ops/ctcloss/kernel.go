package ctcloss

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// prepare returns a kernel that adds the probabilities of all alignments, step by step. The labels
// are seen as a path of states: blank, label, blank, label, ..., blank. For each state s,
// forward[s] is the probability of all alignments of the steps so far that end in s:
//
//	next forward[s] = p(class of s) * (forward[s] + forward[s-1] + forward[s-2])
//
// The first term is dropped if ctc_merge_repeated is false, except for blanks. The last one is
// dropped for blanks, and where an alignment must not skip the blank between two labels.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	k := &kernel{attributes: p.Attributes.(attributes), batch: shape[0], steps: shape[1], classes: shape[2], blank: len(p.Inputs) > 4}
	if k.classes == 0 && k.batch*k.steps > 0 {
		return nil, faults.Errorf("logits has shape %v: there are no classes", shape)
	}
	switch p.Inputs[0].Type {
	case ir.F32:
		k.logSumExp = logSumExp(func(t *ir.Tensor, i, n int, _ []float32) []float32 { return ir.Data[float32](t)[i : i+n] })
	case ir.F64:
		k.logSumExp = logSumExp64
	default: // f16 and bf16
		c := widened.Find(widened.Halves, p.Inputs[0].Type)
		k.logSumExp = logSumExp(func(t *ir.Tensor, i, n int, buffer []float32) []float32 {
			c.Load(nil, cast.Memory(buffer[:n]), t, i)
			return buffer[:n]
		})
	}
	k.part = k.items
	var s ops.Scratch
	k.logitLengths, k.labelLengths = ops.AreaOf[int64](&s, k.batch), ops.AreaOf[int64](&s, k.batch)
	k.labels, k.blankIndex = ops.AreaOf[int64](&s, k.batch, k.steps), ops.AreaOf[int64](&s, 1)
	k.states, k.buffer = ops.AreasOf[scaled](&s, k.batch, 2*k.steps+1), ops.AreasOf[float32](&s, k.batch, min(k.classes, piece))
	if k.unique {
		k.seen = ops.AreasOf[byte](&s, k.batch, k.classes)
	}
	work := float64(k.steps) * (4*float64(k.classes) + 4*float64(2*k.steps+1)) // of an item
	k.grain = ops.Grain(work / 4)
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: float64(k.batch) * work}, nil
}

type kernel struct {
	attributes
	batch, steps, classes int
	blank                 bool // there is an input blank_index
	logSumExp             rowFunc
	part                  ops.Part
	grain                 int
	// The elements of the inputs of integers.
	logitLengths, labelLengths, labels, blankIndex ops.Area[int64]
	// Of each item: its states, a buffer for logits, and a mark for each class, if unique is set.
	states ops.Area[scaled]
	buffer ops.Area[float32]
	seen   ops.Area[byte]
}

func (k *kernel) run(r *ops.Run) error {
	gatherscatter.Widen(r.Stop, k.logitLengths.In(r), r.Inputs[1])
	gatherscatter.Widen(r.Stop, k.labels.In(r), r.Inputs[2])
	gatherscatter.Widen(r.Stop, k.labelLengths.In(r), r.Inputs[3])
	blank := k.blankIndex.In(r)
	blank[0] = int64(k.classes - 1)
	if k.blank {
		gatherscatter.Widen(r.Stop, blank, r.Inputs[4])
	}
	if err := r.Stop.Err(); err != nil {
		return err // the integers are not complete
	}
	if k.blank && k.batch > 0 && (blank[0] < 0 || blank[0] >= int64(k.classes)) {
		return faults.Errorf("blank_index is %d, expected 0 to %d", blank[0], k.classes-1)
	}
	return r.For(k.batch, k.grain, k.part)
}

// items computes items lo to hi-1.
func (k *kernel) items(r *ops.Run, lo, hi int) error {
	logitLengths, labelLengths, all, blank := k.logitLengths.In(r), k.labelLengths.In(r), k.labels.In(r), k.blankIndex.In(r)[0]
	for b := lo; b < hi; b++ {
		steps, length, labels := logitLengths[b], labelLengths[b], all[b*k.steps:][:k.steps]
		switch {
		case steps < 0 || steps > int64(k.steps):
			return faults.Errorf("logit_length[%d] is %d, expected 0 to %d", b, steps, k.steps)
		case length < 0 || length > steps:
			return faults.Errorf("label_length[%d] is %d, expected 0 to %d, the logit_length", b, length, steps)
		}
		for i, label := range labels[:length] {
			if label < 0 || label >= int64(k.classes) {
				return faults.Errorf("labels[%d,%d] is %d, expected 0 to %d", b, i, label, k.classes-1)
			}
		}
		var seen []byte
		if k.unique {
			seen = k.seen.Of(r, b)
		}
		labels = labels[:k.reduce(labels[:length], seen)]
		i := item{
			first: b * k.steps, steps: int(steps), labels: labels, blank: blank,
			forward: k.states.Of(r, b)[:2*len(labels)+1], buffer: k.buffer.Of(r, b),
		}
		loss, err := k.loss(r, &i)
		if err != nil {
			return err
		}
		floats.Set(r.Outputs[0], b, loss)
	}
	return nil
}

// reduce drops labels as the attributes ask for, and returns the number of the others. seen has a
// byte for each class.
func (k *kernel) reduce(labels []int64, seen []byte) int {
	n := 0
	clear(seen)
	for i, label := range labels {
		switch {
		case k.unique:
			if seen[label] != 0 {
				continue
			}
			seen[label] = 1
		case k.collapse && i > 0 && labels[i-1] == label:
			continue
		}
		labels[n] = label
		n++
	}
	return n
}

// item is an item of the batch.
type item struct {
	first, steps int     // the row of logits of the first step, and the number of steps
	labels       []int64 // without those that the attributes drop
	blank        int64
	forward      []scaled // for each state
	buffer       []float32
}

// loss returns the loss of an item.
func (k *kernel) loss(r *ops.Run, i *item) (float64, error) {
	f, states := i.forward, len(i.forward)
	parallel.Clear(r.Stop, f)
	meter := r.Stop.Meter()
	for t := range i.steps {
		if meter.Spent(4*k.classes + 4*states) {
			return 0, parallel.ErrStopped
		}
		row := (i.first + t) * k.classes
		sum := k.logSumExp(r.Stop, r.Inputs[0], row, k.classes, i.buffer)
		if sum != sum {
			return sum, nil
		}
		blank := exp(floats.At(r.Inputs[0], row+int(i.blank)) - sum)
		if t == 0 {
			f[0] = blank
			if states > 1 {
				f[1] = exp(floats.At(r.Inputs[0], row+int(i.labels[0])) - sum)
			}
			continue
		}
		// Only these states can be reached from the start, and reach the end. From the last to the
		// first, each state is replaced when the states after it no longer need it.
		lo, hi := max(0, states-2*(i.steps-t)), min(states, 2*(t+1))
		for s := hi - 1; s >= lo; s-- {
			if s&1 == 0 {
				if s > 0 {
					f[s] = f[s].plus(f[s-1])
				}
				f[s] = f[s].times(blank)
				continue
			}
			label := i.labels[s/2]
			total := f[s-1]
			if k.merge || label == i.blank {
				total = total.plus(f[s])
			}
			if s > 1 {
				if before := i.labels[s/2-1]; before != i.blank && !(k.merge && before == label) {
					total = total.plus(f[s-2])
				}
			}
			f[s] = total.times(exp(floats.At(r.Inputs[0], row+int(label)) - sum))
		}
	}
	if i.steps == 0 {
		return 0, nil
	}
	end := f[states-1]
	if states > 1 {
		end = end.plus(f[states-2])
	}
	if end.m == 0 {
		return math.Inf(1), nil
	}
	return max(0, -end.log()), nil
}
