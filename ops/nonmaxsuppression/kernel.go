package nonmaxsuppression

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// The input ports.
const (
	boxesPort = iota
	scoresPort
	maxOutputPort
	iouPort
	scorePort
	sigmaPort
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[boxesPort].Type == ir.F64 || p.Inputs[scoresPort].Type == ir.F64 {
		return prepareAs[float64](p)
	}
	return prepareAs[float32](p)
}

// kernel selects the boxes of each row, a class of a batch, and then writes the selected boxes of
// all rows:
//
//	candidates := scores above score_threshold, sorted
//	for each candidate: select it unless it overlaps a selected box
type kernel[T detection.Float] struct {
	attributes
	batches, classes, boxes int
	limit                   int // the greatest number of boxes to select of a row
	inputs                  int

	rows detection.Rows[T]
	// The memory of each worker; heap is for soft suppression.
	heap       ops.Area[softCandidate[T]]
	selections detection.SelectionMemory[T]
	out        detection.Triplets[T]
}

func prepareAs[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	scores := p.InputShape(scoresPort)
	k := &kernel[T]{attributes: p.Attributes.(attributes), batches: scores[0], classes: scores[1], boxes: scores[2], inputs: len(p.Inputs)}
	maxOutput, _, err := detection.MaxOutput(p.Inputs)
	if err != nil {
		return nil, err
	}
	if maxOutput < 0 {
		return nil, faults.Errorf("%s is %d, expected 0 or more", detection.Names[maxOutputPort], maxOutput)
	}
	k.limit = int(min(int64(k.boxes), maxOutput))
	for i := range p.Inputs {
		if i == maxOutputPort {
			continue
		}
		if err := detection.CheckNumbers(detection.Names[i], p.Inputs[i].Type); err != nil {
			return nil, err
		}
	}
	rows := k.batches * k.classes
	if k.boxes > math.MaxInt32 || k.limit > 0 && rows > math.MaxInt32/k.limit {
		return nil, faults.Errorf("%d boxes of %d classes and batches are more than 32 bits can count", k.boxes, rows)
	}
	k.out = detection.Triplets[T]{Rows: rows, Classes: k.classes, Limit: k.limit, Descending: k.descending, Known: p.Outputs[0].Shape.IsStatic()}
	var s ops.Scratch
	if k.rows, err = detection.NewRows[T](p, &s, detection.Names[scoresPort], p.Inputs[scoresPort].Type, rows, k.boxes, k.selectPart); err != nil {
		return nil, err
	}
	if k.version >= 5 {
		k.heap = ops.AreasOf[softCandidate[T]](&s, k.rows.Workers, k.boxes)
	}
	k.selections = detection.SelectionMemoryOf[T](&s, k.rows.Workers, k.limit)
	k.out.LayOut(&s)
	// Each candidate is compared with each selected box, and each comparison takes about ten
	// operations.
	flops := float64(rows) * float64(k.boxes) * (1 + 10*float64(k.limit))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: flops}, nil
}

func (k *kernel[T]) run(r *ops.Run) error {
	if k.limit > 0 {
		if err := k.rows.Run(r); err != nil {
			return err
		}
	}
	return k.out.Write(r)
}

// boxOf returns a box of a batch.
func (k *kernel[T]) boxOf(boxes *detection.Reader[T], batch, i int) detection.Box[T] {
	at := 4 * (batch*k.boxes + i)
	return k.box(boxes.At(at), boxes.At(at+1), boxes.At(at+2), boxes.At(at+3))
}

// box returns the box of its four numbers in the input. The two axes of a corner can change places.
func (k *kernel[T]) box(a, b, c, d T) detection.Box[T] {
	if k.center {
		w, h := c/2, d/2
		return detection.BoxOf(a-w, b-h, a+w, b+h, 0)
	}
	if a > c {
		a, c = c, a
	}
	if b > d {
		b, d = d, b
	}
	return detection.BoxOf(a, b, c, d, 0)
}

// number returns the only element of an input, or 0 if it is missing.
func (k *kernel[T]) number(r *ops.Run, input int) T {
	if input >= k.inputs {
		return 0
	}
	return detection.NumberAt[T](r.Inputs[input], 0)
}

// selectPart selects the boxes of rows lo to hi-1.
func (k *kernel[T]) selectPart(r *ops.Run, worker, lo, hi int) error {
	threshold, above, sigma := k.number(r, scorePort), detection.Before(k.number(r, iouPort)), k.number(r, sigmaPort)
	meter := r.Stop.Meter()
	for row := lo; row < hi; row++ {
		candidates, spare := k.rows.Candidates(r, worker, r.Inputs[scoresPort], row*k.boxes, k.boxes, threshold, &meter)
		into := k.out.Row(r, row)
		selection := k.selections.New(r, worker, above, 0)
		selection.NoAreaNoIoU = true
		n := 0
		if sigma > 0 {
			heap := k.heap.Of(r, worker)[:len(candidates)]
			n = k.selectSoft(r, into, heap, candidates, softSuppression[T]{-0.5 / sigma, threshold}, row/k.classes, &selection, &meter)
		} else {
			n = k.selectHard(r, into, candidates, spare, row/k.classes, &selection, &meter)
		}
		k.out.SetCount(r, row, n)
		if meter.Spent(1) {
			return parallel.ErrStopped
		}
	}
	return nil
}

// selectHard writes the candidates that do not overlap one selected before to into, which has as
// many elements as can be selected, and returns their number. It sorts only as many candidates as
// it needs.
func (k *kernel[T]) selectHard(r *ops.Run, into, candidates, spare []detection.Candidate[T], batch int, selection *detection.Selection[T], meter *parallel.Meter) int {
	boxes := detection.ReaderOf[T](r.Inputs[boxesPort])
	for len(candidates) > 0 {
		best := detection.Best(meter, candidates, spare, 2*(len(into)-selection.Len()))
		detection.Sort(meter, candidates[:best], spare)
		for _, c := range candidates[:best] {
			n := selection.Len()
			if n == len(into) || meter.Spent(n+50) {
				return n
			}
			if box := k.boxOf(&boxes, batch, int(c.Index)); selection.Add(&box) {
				into[n] = c
			}
		}
		candidates = candidates[best:]
	}
	return selection.Len()
}
