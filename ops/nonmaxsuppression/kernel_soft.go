package nonmaxsuppression

import (
	"math"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// softSuppression lowers the score of a box by each selected box that overlaps it:
//
//	score *= exp(scale * IoU * IoU)
type softSuppression[T detection.Float] struct {
	scale, threshold T
}

// softCandidate is a candidate whose score takes the first `seen` selected boxes into account.
type softCandidate[T detection.Float] struct {
	detection.Candidate[T]
	seen int32
}

// selectSoft is selectHard for soft suppression. It selects the boxes in the order of their lowered
// scores: a heap has the candidate with the highest score first, which is selected if its score
// takes all selected boxes into account.
func (k *kernel[T]) selectSoft(r *ops.Run, into []detection.Candidate[T], heap []softCandidate[T], candidates []detection.Candidate[T], soft softSuppression[T], batch int, selection *detection.Selection[T], meter *parallel.Meter) int {
	for i, c := range candidates {
		if meter.Spent(2) {
			break
		}
		heap[i] = softCandidate[T]{Candidate: c}
	}
	for i := len(heap)/2 - 1; i >= 0 && !meter.Spent(32); i-- {
		down(heap, i)
	}
	boxes, n := detection.ReaderOf[T](r.Inputs[boxesPort]), 0
	for len(heap) > 0 && n < len(into) && !meter.Spent(100+16*(n-int(heap[0].seen))) {
		c := &heap[0]
		before := c.Score
		box := k.boxOf(&boxes, batch, int(c.Index))
		c.Score = soft.lower(c.Score, &box, selection, int(c.seen))
		if c.Score == before {
			into[n] = c.Candidate
			selection.Append(&box)
			n++
		}
		if c.Score != before && c.Score > soft.threshold {
			c.seen = int32(n)
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		down(heap, 0)
	}
	if k.descending {
		sortByIndex(meter, into[:n]) // detection.Triplets keeps this order of equal scores
	}
	return n
}

// lower returns the score of a box after the selected boxes from number seen on, the last one
// first. It ends once the score is not above the threshold.
func (s *softSuppression[T]) lower(score T, box *detection.Box[T], selection *detection.Selection[T], seen int) T {
	for i := selection.Len() - 1; i >= seen; i-- {
		// Without overlap, the factor is 1.
		if iou := box.IoU(selection.At(i), 0); iou > 0 {
			if score *= T(math.Exp(float64(s.scale * iou * iou))); !(score > s.threshold) {
				break
			}
		}
	}
	return score
}

// down moves the candidate at i down the heap to its place.
func down[T detection.Float](heap []softCandidate[T], i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && detection.Compare(heap[child+1].Candidate, heap[child].Candidate) < 0 {
			child++
		}
		if detection.Compare(heap[i].Candidate, heap[child].Candidate) <= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// sortByIndex sorts candidates by their index alone.
func sortByIndex[T detection.Float](meter *parallel.Meter, candidates []detection.Candidate[T]) {
	detection.SortBy(meter, candidates, func(a, b detection.Candidate[T]) int { return int(a.Index) - int(b.Index) })
}
