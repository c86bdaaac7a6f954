// Package heldtext counts the memory of texts that a kernel makes. The strings of an output are
// parts of it, so that it outlives the run.
package heldtext

import "github.com/vinoir/vinoir/ops"

// held is what the last run has reserved, which counts until the next one.
type held struct{ bytes int64 }

func newHeld() any { return new(held) }

// Reserve reserves memory for the text of this run, in place of that of the last one. It takes
// Run.Own.
func Reserve(r *ops.Run, bytes int64) error {
	h := r.Own(newHeld).(*held)
	if err := r.Reserve(bytes - h.bytes); err != nil {
		return err
	}
	h.bytes = bytes
	return nil
}
