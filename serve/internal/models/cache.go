package models

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// cached is an answer that is kept. Its tensors are not changed any more.
type cached struct{ outputs []oip.Output }

// cacheKey returns what tells a task from others, of all versions; empty if answers of v are not
// kept.
func (v *version) cacheKey(t *task) string {
	if v.cache == nil {
		return ""
	}
	hash := sha256.New()
	var digits [8]byte
	number := func(n int) {
		binary.LittleEndian.PutUint64(digits[:], uint64(n))
		hash.Write(digits[:])
	}
	number(int(v.generation))
	number(len(t.wanted))
	for _, at := range t.wanted {
		number(at)
	}
	for _, tensor := range t.inputs {
		for _, n := range tensor.Shape() {
			number(n)
		}
		if tensor.ElementType() != ir.String {
			hash.Write(tensor.Bytes())
			continue
		}
		for _, text := range tensor.Strings() {
			number(len(text))
			hash.Write([]byte(text))
		}
	}
	return string(hash.Sum(nil))
}

// cachedResponse returns the answer that is kept under key; nil if there is none.
func (v *version) cachedResponse(key string, request *oip.InferRequest, times *Times) *oip.InferResponse {
	if key == "" {
		return nil
	}
	found, ok := v.cache.Get(key)
	if !ok {
		v.counted.cacheMiss(time.Since(times.Start))
		return nil
	}
	v.counted.cacheHit(time.Since(times.Start))
	times.Cached = true
	return &oip.InferResponse{Model: v.model, Version: v.number, ID: request.ID, Outputs: found.outputs}
}

// keep keeps the answer of t under key, which can be empty: then it does nothing.
func (v *version) keep(key string, t *task) {
	if key == "" {
		return
	}
	kept := &cached{outputs: make([]oip.Output, len(t.outputs))}
	tensors := make([]*ir.Tensor, len(t.outputs))
	for i, output := range t.outputs {
		copied, err := output.Tensor.Clone()
		if err != nil {
			return
		}
		kept.outputs[i] = oip.Output{Name: output.Name, Tensor: copied}
		tensors[i] = copied
	}
	v.cache.Put(key, kept, bytesOf(tensors))
}
