package detectionoutput

import (
	"math"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

// decoder computes the boxes of an image.
type decoder[T detection.Float] struct {
	k                         *kernel[T]
	image                     int
	logits, auxScores, auxBox detection.Reader[T]
	proposals                 detection.Reader[T]
	priors, variances         int // the indices in proposals of the first prior and its variances
}

func (k *kernel[T]) decoder(r *ops.Run, image int) decoder[T] {
	d := decoder[T]{k: k, image: image}
	d.logits = detection.ReaderOf[T](r.Inputs[boxLogitsPort])
	d.proposals = detection.ReaderOf[T](r.Inputs[proposalsPort])
	if k.refined {
		d.auxScores = detection.ReaderOf[T](r.Inputs[auxClassPredsPort])
		d.auxBox = detection.ReaderOf[T](r.Inputs[auxBoxPredsPort])
	}
	if k.priorsOfImages {
		d.priors = image * int(k.proposalRows) * k.priors * int(k.priorSize)
	}
	d.variances = d.priors + k.priors*int(k.priorSize)
	return d
}

// count returns the number of priors of the image: if they are not normalized, those before the
// first one whose image is -1.
func (d *decoder[T]) count() int {
	if d.k.normalized {
		return d.k.priors
	}
	for prior := range d.k.priors {
		if d.proposals.At(d.priors+prior*int(d.k.priorSize)) == -1 {
			return prior
		}
	}
	return d.k.priors
}

// isObject reports whether the score of the object in aux_class_preds is high enough. If not, all
// scores of the prior are 0.
func (d *decoder[T]) isObject(prior int) bool {
	return !d.k.refined || !(d.auxScores.At((d.image*d.k.priors+prior)*2+1) < T(d.k.objectness))
}

// box returns the box of a prior and a class.
func (d *decoder[T]) box(prior, class int) detection.Box[T] {
	k := d.k
	size := int(k.priorSize)
	first := d.priors + prior*size + size - 4 // after the image, if there is one
	box := detection.Box[T]{X1: d.proposals.At(first), Y1: d.proposals.At(first + 1), X2: d.proposals.At(first + 2), Y2: d.proposals.At(first + 3)}
	at := d.image*k.priors + prior
	if !k.shareLocation {
		at = at*k.classes + class
	}
	if k.refined {
		box = d.move(box, &d.auxBox, 4*at, prior)
	}
	return d.move(box, &d.logits, 4*at, prior)
}

// move returns box moved by four numbers, from index at on, of an input.
func (d *decoder[T]) move(box detection.Box[T], by *detection.Reader[T], at, prior int) detection.Box[T] {
	k := d.k
	v := [4]T{by.At(at), by.At(at + 1), by.At(at + 2), by.At(at + 3)}
	if k.proposalRows == 2 {
		for i := range v {
			v[i] *= d.proposals.At(d.variances + 4*prior + i)
		}
	}
	if !k.normalized {
		box.X1, box.X2 = box.X1/T(k.width), box.X2/T(k.width)
		box.Y1, box.Y2 = box.Y1/T(k.height), box.Y2/T(k.height)
	}
	if k.centerSize {
		w, h := box.X2-box.X1, box.Y2-box.Y1
		x, y := T(v[0]*w)+(box.X1+box.X2)/2, T(v[1]*h)+(box.Y1+box.Y2)/2
		w, h = T(math.Exp(float64(v[2])))*w/2, T(math.Exp(float64(v[3])))*h/2
		box.X1, box.Y1, box.X2, box.Y2 = x-w, y-h, x+w, y+h
	} else {
		box.X1, box.Y1, box.X2, box.Y2 = box.X1+v[0], box.Y1+v[1], box.X2+v[2], box.Y2+v[3]
	}
	if k.clipBefore {
		clip(&box)
	}
	return detection.BoxOf(box.X1, box.Y1, box.X2, box.Y2, 0)
}

// clip limits coordinates to the range from 0 to 1. NaN becomes 1.
func clip[T detection.Float](b *detection.Box[T]) {
	for _, v := range []*T{&b.X1, &b.Y1, &b.X2, &b.Y2} {
		switch {
		case *v <= 0:
			*v = 0
		case !(*v < 1):
			*v = 1
		}
	}
}
