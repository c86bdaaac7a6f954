package detectionoutput

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Inputs[boxLogitsPort].Type == ir.F64 {
		return prepareAs[float64](p)
	}
	return prepareAs[float32](p)
}

// kernel selects the boxes of each class of each image, and then keeps the best boxes of each
// image. Its threads share the classes or, if a box has only its best class (decrease_label_id),
// the images. The classes are divided into as many shares as there are workers, because each share
// goes through the scores of all classes.
//
// The index of a candidate is its prior; in merged it is prior * classes + class.
type kernel[T detection.Float] struct {
	*attributes
	images, priors, classes int
	most                    int  // the greatest number of candidates of a class
	shares                  int  // of the classes
	priorsOfImages          bool // each image has its own priors
	refined                 bool // aux_class_preds and aux_box_preds are connected

	// of each class of each image; of each worker
	lists, spare        ops.Area[detection.Candidate[T]]
	counts              ops.Area[int32]                  // of each class of each image
	selections          detection.SelectionMemory[T]     // of each worker
	merged, mergedSpare ops.Area[detection.Candidate[T]] // the selected boxes of an image
	selects             ops.Step
}

func prepareAs[T detection.Float](p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	boxes, scores, proposals := p.InputShape(boxLogitsPort), p.InputShape(classPredsPort), p.InputShape(proposalsPort)
	k := &kernel[T]{attributes: at, images: boxes[0], priors: proposals[2] / int(at.priorSize), classes: int(at.classes),
		priorsOfImages: proposals[0] != 1, refined: len(p.Inputs) == 5}
	if k.classes == 0 && k.priors > 0 {
		k.classes = scores[1] / k.priors
	}
	if at.decreaseLabel && at.background != 0 {
		return nil, faults.Errorf("decrease_label_id is true and background_label_id is %d, expected 0", at.background)
	}
	if at.topK < -1 {
		return nil, faults.Errorf("top_k is %d, expected -1 or more", at.topK)
	}
	if !at.normalized && (at.width == 0 || at.height == 0) {
		return nil, faults.Errorf("input_width is %v and input_height is %v, which coordinates are divided by", at.width, at.height)
	}
	if memory.Size[uint8](k.images, k.classes, k.priors) > math.MaxInt32 {
		return nil, faults.Errorf("%d images, %d classes and %d priors are more scores than 32 bits can count", k.images, k.classes, k.priors)
	}
	k.most = k.priors
	if at.topK >= 0 {
		k.most = min(k.most, int(at.topK))
	}
	if at.decreaseLabel {
		k.selects = detection.RowsStep(p, k.images, k.classes*k.priors, k.selectImages)
	} else {
		k.selects = detection.RowsStep(p, k.classes, k.priors, k.selectClasses)
		k.shares = k.selects.Workers
		k.selects.N, k.selects.Grain = k.shares, 1
	}
	workers := k.selects.Workers
	var s ops.Scratch
	k.lists = ops.AreaOf[detection.Candidate[T]](&s, k.images, k.classes, k.priors)
	k.counts = ops.AreaOf[int32](&s, k.images, k.classes)
	k.spare = ops.AreasOf[detection.Candidate[T]](&s, workers, k.priors)
	k.selections = detection.SelectionMemoryOf[T](&s, workers, k.most)
	k.merged = ops.AreaOf[detection.Candidate[T]](&s, k.classes, k.most)
	k.mergedSpare = ops.AreaOf[detection.Candidate[T]](&s, k.classes, k.most)
	flops := float64(k.images) * float64(k.classes) * float64(k.priors) * (1 + 10*float64(k.most))
	return &ops.Prepared{Kernel: k.run, ScratchBytes: s.Bytes(), Flops: flops}, nil
}

func (k *kernel[T]) run(r *ops.Run) error {
	if k.priors > 0 {
		if err := k.selects.Run(r); err != nil {
			return err
		}
	}
	meter := r.Stop.Meter()
	for image := range k.images {
		k.keepBest(r, image, &meter)
	}
	if meter.Spent(0) {
		return parallel.ErrStopped // more boxes than the output has rows can be left
	}
	k.write(r, &meter)
	return r.Stop.Err()
}

// list returns the memory for the candidates of a class of an image.
func (k *kernel[T]) list(r *ops.Run, image, class int) []detection.Candidate[T] {
	return k.lists.Piece(r, (image*k.classes+class)*k.priors, k.priors)
}

// countsOf returns the number of candidates of each class of an image.
func (k *kernel[T]) countsOf(r *ops.Run, image int) []int32 {
	return k.counts.Piece(r, image*k.classes, k.classes)
}

// selectClasses selects the boxes of shares lo to hi-1 of the classes, for all images.
func (k *kernel[T]) selectClasses(r *ops.Run, worker, lo, hi int) error {
	meter := r.Stop.Meter()
	first, end := parallel.Share(k.classes, k.shares, lo), parallel.Share(k.classes, k.shares, hi)
	for image := range k.images {
		k.findCandidates(r, image, first, end, &meter)
		for class := first; class < end; class++ {
			k.selectBoxes(r, worker, image, class, false, &meter)
			if meter.Spent(1) {
				return parallel.ErrStopped
			}
		}
	}
	return nil
}

// findCandidates lists the priors with a score above the threshold, for the classes first to end-1.
func (k *kernel[T]) findCandidates(r *ops.Run, image, first, end int, meter *parallel.Meter) {
	counts, lists := k.countsOf(r, image), k.lists.Piece(r, image*k.classes*k.priors, k.classes*k.priors)
	clear(counts[first:end])
	scores, threshold := detection.ReaderOf[T](r.Inputs[classPredsPort]), T(k.confidence)
	d := k.decoder(r, image)
	for prior := range d.count() {
		row := (image*k.priors + prior) * k.classes
		isObject := d.isObject(prior)
		for class := first; class < end; class++ {
			score := T(0)
			if isObject {
				score = scores.At(row + class)
			}
			if score > threshold && class != k.background {
				lists[class*k.priors+int(counts[class])] = detection.Candidate[T]{Score: score, Index: int32(prior)}
				counts[class]++
			}
		}
		if meter.Spent(end - first + 10) {
			return
		}
	}
}

// selectBoxes sorts the candidates of a class, unless they are sorted, and keeps those that do not
// overlap one before.
func (k *kernel[T]) selectBoxes(r *ops.Run, worker, image, class int, sorted bool, meter *parallel.Meter) {
	count := &k.countsOf(r, image)[class]
	candidates := k.list(r, image, class)[:*count]
	if !sorted {
		spare := k.spare.Of(r, worker)
		candidates = candidates[:detection.Best(meter, candidates, spare, k.most)]
		detection.Sort(meter, candidates, spare)
		candidates = candidates[:min(len(candidates), k.most)]
	}
	d, selection := k.decoder(r, image), k.selections.New(r, worker, T(k.overlap), 0)
	for _, c := range candidates {
		if meter.Spent(selection.Len() + 100) {
			break
		}
		n := selection.Len()
		if box := d.box(int(c.Index), class); selection.Add(&box) {
			candidates[n] = c
		}
	}
	*count = int32(selection.Len())
}

// selectImages selects the boxes of images lo to hi-1. Each prior only has the class with its
// highest score, and at most top_k of all are candidates.
func (k *kernel[T]) selectImages(r *ops.Run, worker, lo, hi int) error {
	meter := r.Stop.Meter()
	for image := lo; image < hi; image++ {
		total := k.findBestClasses(r, image, &meter)
		sorted := total > k.most
		if sorted {
			k.limitImage(r, worker, image, &meter)
		}
		for class := range k.classes {
			k.selectBoxes(r, worker, image, class, sorted, &meter)
			if meter.Spent(1) {
				return parallel.ErrStopped
			}
		}
	}
	return nil
}

// findBestClasses lists each prior for the class with the highest score, but not class 0, if that
// is at least the threshold. Of equal scores, the first counts. It returns the number of
// candidates.
func (k *kernel[T]) findBestClasses(r *ops.Run, image int, meter *parallel.Meter) int {
	counts := k.countsOf(r, image)
	clear(counts)
	scores, threshold, total := detection.ReaderOf[T](r.Inputs[classPredsPort]), T(k.confidence), 0
	d := k.decoder(r, image)
	for prior := range d.count() {
		row := (image*k.priors + prior) * k.classes
		isObject := d.isObject(prior)
		best, bestScore := 0, T(-1)
		for class := 1; class < k.classes; class++ {
			score := T(0)
			if isObject {
				score = scores.At(row + class)
			}
			if score >= threshold && score > bestScore {
				best, bestScore = class, score
			}
		}
		if best > 0 {
			k.list(r, image, best)[counts[best]] = detection.Candidate[T]{Score: bestScore, Index: int32(prior)}
			counts[best]++
			total++
		}
		if meter.Spent(k.classes + 10) {
			return total
		}
	}
	return total
}

// limitImage reduces the candidates of all classes of an image to the best top_k, and sorts them.
// Equal scores are in the order of class and prior.
func (k *kernel[T]) limitImage(r *ops.Run, worker, image int, meter *parallel.Meter) {
	// Each prior is a candidate of one class only: the list of class 0, which has none, has room
	// for all.
	counts, all := k.countsOf(r, image), k.list(r, image, 0)[:0]
	for class, n := range counts {
		if meter.Spent(2*int(n) + 1) {
			return
		}
		for _, c := range k.list(r, image, class)[:n] {
			all = append(all, detection.Candidate[T]{Score: c.Score, Index: int32(class*k.priors) + c.Index})
		}
	}
	spare := k.spare.Of(r, worker)
	all = all[:detection.Best(meter, all, spare, k.most)]
	detection.Sort(meter, all, spare)
	clear(counts)
	for _, c := range all[:min(len(all), k.most)] {
		if meter.Spent(20) {
			return
		}
		class, prior := int(c.Index)/k.priors, int(c.Index)%k.priors
		k.list(r, image, class)[counts[class]] = detection.Candidate[T]{Score: c.Score, Index: int32(prior)}
		counts[class]++
	}
}

// keepBest keeps the best keep_top_k boxes of an image, sorted. Equal scores are in the order of
// prior and class.
func (k *kernel[T]) keepBest(r *ops.Run, image int, meter *parallel.Meter) {
	counts, total := k.countsOf(r, image), 0
	if k.priors == 0 {
		clear(counts)
	}
	if meter.Spent(k.classes + 10) {
		return
	}
	for _, n := range counts {
		total += int(n)
	}
	if k.keepTopK < 0 || total <= int(k.keepTopK) {
		return
	}
	merged := k.merged.In(r)[:0]
	for class, n := range counts {
		if meter.Spent(2*int(n) + 1) {
			return
		}
		for _, c := range k.list(r, image, class)[:n] {
			merged = append(merged, detection.Candidate[T]{Score: c.Score, Index: c.Index*int32(k.classes) + int32(class)})
		}
	}
	clear(counts)
	keep := int(k.keepTopK)
	if keep > 0 {
		merged = merged[:detection.Best(meter, merged, k.mergedSpare.In(r), keep)]
		detection.SortBy(meter, merged, detection.Compare[T])
	}
	for _, c := range merged[:min(keep, len(merged))] {
		if meter.Spent(20) {
			return
		}
		prior, class := int(c.Index)/k.classes, int(c.Index)%k.classes
		k.list(r, image, class)[counts[class]] = detection.Candidate[T]{Score: c.Score, Index: int32(prior)}
		counts[class]++
	}
}

// write writes a row for each selected box: image, class, score and the corners. The next row
// starts with -1, and all other numbers are 0.
func (k *kernel[T]) write(r *ops.Run, meter *parallel.Meter) {
	out, at := r.Outputs[0], 0
	parallel.Clear(r.Stop, out.Bytes())
	for image := range k.images {
		if meter.Spent(k.classes + 10) {
			return
		}
		d := k.decoder(r, image)
		for class, n := range k.countsOf(r, image) {
			if n == 0 {
				continue
			}
			label := class
			if k.decreaseLabel {
				label--
			}
			for _, c := range k.list(r, image, class)[:n] {
				box := d.box(int(c.Index), class)
				if k.clipAfter {
					clip(&box)
				}
				for i, v := range [...]T{T(image), T(label), c.Score, box.X1, box.Y1, box.X2, box.Y2} {
					detection.WriteNumber(out, at+i, v)
				}
				at += 7
				if meter.Spent(100) {
					return
				}
			}
		}
	}
	if at < out.Len() {
		detection.WriteNumber(out, at, T(-1))
	}
}
