package text

import (
	"context"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/internal/text/sptokenizer"
)

// exactDecoder decodes without a graph, as the libraries do whose files it reads.
type exactDecoder struct {
	hf       *hf.Tokenizer // nil if model is set
	model    *sptokenizer.Tokenizer
	maxBytes int64
	cleanUp  bool
	works    sync.Pool // of *exactWork
}

// exactWork is the memory of a call.
type exactWork struct {
	hf       hf.Scratch
	model    sptokenizer.Scratch
	reserved int64
}

// newWork returns the memory of a call, whose limits are those of d.
func (d *exactDecoder) newWork() *exactWork {
	w := &exactWork{}
	w.hf.Reserve = func(bytes int64) error {
		if w.reserved += bytes; w.reserved > d.maxBytes {
			return faults.Errorf("the text needs more than the limit of %d bytes", d.maxBytes)
		}
		return nil
	}
	w.model.Reserve = w.hf.Reserve
	return w
}

// append appends the text of tokens.
func (d *exactDecoder) append(ctx context.Context, dst []byte, tokens []int32, keep bool) ([]byte, error) {
	w, _ := d.works.Get().(*exactWork)
	if w == nil {
		w = d.newWork()
	}
	w.hf.Stop, w.model.Stop = ctx.Done(), ctx.Done()
	start := len(dst)
	var err error
	if d.model != nil {
		dst, err = d.model.Decode(dst, tokens, keep, &w.model)
	} else {
		dst, err = d.hf.Decode(dst, tokens, keep, &w.hf)
	}
	if err == nil && d.cleanUp {
		dst = append(dst[:start], hf.Cleanup(string(dst[start:]))...)
	}
	w.hf.Stop, w.model.Stop = nil, nil
	if err == nil && w.reserved <= maxKept {
		d.works.Put(w)
	}
	return dst, err
}
