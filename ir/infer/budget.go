package infer

import (
	"context"
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// The limits of one Propagate. A file can have a million layers that read one large tensor, or a
// body that many loops infer again: without limits, time and memory would grow with the number of
// layers times the size of the largest thing in the file. Beyond a limit, values are unknown and
// shapes may be less precise. Models in use stay far below.
const (
	// maxKnownElements limits the number of elements of all Fact.Values, of 16 bytes each, and of
	// the tensors that are computed from constants.
	maxKnownElements = 1 << 21
	// maxReadElements limits the number of known elements that rules read, counted for each input
	// of each layer. Inputs with at most freeElements do not count; lists of more than ir.MaxValues
	// count eightfold, because rules copy them.
	maxReadElements = 1 << 25
	freeElements    = ir.MaxRank
	// maxFoldWork limits the work of Rule.Fold: bytes read and written, and floating-point
	// operations. Layers of at most freeFoldWork do not count.
	maxFoldWork  = 1 << 24
	freeFoldWork = 1 << 10
	// maxErrors limits the number of layers whose errors are reported, and maxErrorText the length
	// of the text of an error in bytes.
	maxErrors    = 10_000
	maxErrorText = 8 << 10
)

// budget counts what one Propagate has used of the limits.
type budget struct {
	ctx   context.Context
	done  <-chan struct{}
	ended error // the error of ctx after it is done

	work                int // number of layers inferred, and of their inputs
	known, read, folded int
	noted               bool
}

func newBudget(ctx context.Context) budget { return budget{ctx: ctx, done: ctx.Done()} }

// poll returns the error of the context if it is done.
func (b *budget) poll() error {
	if b.ended == nil {
		select {
		case <-b.done:
			b.ended = b.ctx.Err()
		default:
		}
	}
	return b.ended
}

// admitFold implements Context.AdmitFold.
func (b *budget) admitFold(work float64) bool {
	if work <= freeFoldWork {
		return b.poll() == nil
	}
	if work > float64(maxFoldWork-b.folded) {
		return false
	}
	b.folded += int(work)
	return b.poll() == nil
}

// limitRead hides the values of large inputs from the rule after maxReadElements, and reports
// whether it did. A rule reads the values of small tensors, and of all inputs in Rule.Values.
func (b *budget) limitRead(rule *Rule, inputs []ir.Fact) (hidden bool) {
	for i := range inputs {
		f := &inputs[i]
		n := len(f.Values)
		if f.Tensor != nil && (f.Tensor.Len() <= ir.MaxValues || rule.reads(i)) {
			n = f.Tensor.Len()
		}
		switch {
		case n <= freeElements:
			continue
		case n > ir.MaxValues:
			n = min(n, maxReadElements) * 8
		}
		if n > maxReadElements-b.read {
			f.Tensor, f.Values, hidden = nil, nil, true
		} else {
			b.read += n
		}
	}
	return hidden
}

// limitKnown drops the values of outputs beyond maxKnownElements. Larger tensors do not count: they
// are those of Constants, and shared.
func (b *budget) limitKnown(outputs []ir.Fact) {
	for i := range outputs {
		f := &outputs[i]
		n := len(f.Values)
		if f.Tensor != nil && f.Tensor.Len() <= ir.MaxValues {
			n += f.Tensor.Len()
		}
		if n > maxKnownElements-b.known {
			f.Tensor, f.Values = nil, nil
		} else {
			b.known += n
		}
	}
}

// shortened returns err, with a text of at most maxErrorText bytes.
func shortened(err error) error {
	text := err.Error()
	if len(text) <= maxErrorText {
		return err
	}
	return errors.New(text[:maxErrorText] + "...")
}

// errTooMany is the last error if there are more than maxErrors.
var errTooMany = fmt.Errorf("this layer and others behind it cannot be inferred: only the first %d errors are reported", maxErrors)
