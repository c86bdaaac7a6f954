// Package memory has the memory that a compiled model keeps and what counts it. A Ledger counts the
// bytes of one purpose and charges them to its parent too:
//
//	Compiled.Kept            all that the model keeps         MaxKeptBytes
//	  Caches.tables          the tables of all plans          MaxPlanBytes
//	    Tables               those of one plan                MaxPlanBytes
//	a request's tensors                                       MaxTotalBytes
//	the tables of the plans that a request runs               MaxPlanBytes
//
// Besides it has what is kept: constants that are computed when they are read (Deferred), results
// that are computed once for all plans (OnceStore), and caches of plans that make room for each
// other (Cache).
package memory

import (
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/faults"
	sizes "github.com/vinoir/vinoir/internal/memory"
)

// Ledger counts bytes against a limit, before they are allocated. What is charged to it is also
// charged to its parents. It is safe for concurrent use.
type Ledger struct {
	parent *Ledger // may be nil
	limit  int64
	used   atomic.Int64
	// exceeded is the format of the error. Its arguments are the bytes that are needed, those in
	// use, the limit, and the sum of the first two.
	exceeded string
	// admits, if not nil, returns an error unless n more bytes than those in use are allowed for
	// another reason.
	admits func(used, n int64) error
	// reclaim, if not nil, returns memory that is not needed. It reports whether there was any, so
	// that the charge can be tried again.
	reclaim func() bool
}

// NewRequest returns the ledger of the tensors of one InferRequest. admits returns an error unless
// n more bytes than those in use are allowed together with the memory of the model.
func NewRequest(limits *Limits, admits func(used, n int64) error) *Ledger {
	return &Ledger{limit: limits.MaxTotalBytes, admits: admits, exceeded: "the tensors need %[1]d bytes more than the %[2]d in use, together more than MaxTotalBytes, %[3]d"}
}

// NewRunning returns the ledger of the tables of the plans that one InferRequest runs at the same
// time, such as that of the model and that of a body in it.
func NewRunning(limits *Limits) *Ledger {
	return &Ledger{limit: limits.MaxPlanBytes, exceeded: "the plans of a layer and of its bodies need tables of %[4]d bytes, the limit is %[3]d (MaxPlanBytes)"}
}

// newKept returns the ledger of all that a compiled model keeps.
func newKept(limit int64) *Ledger {
	return &Ledger{limit: limit, exceeded: "the model keeps %[2]d bytes in memory and needs %[1]d more, together more than the limit of %[3]d (MaxKeptBytes)"}
}

// Charge adds n bytes to those in use, here and in the parents. It returns an error, and adds
// nothing, if a sum would exceed a limit even without the memory that can be reclaimed. A negative
// n returns memory.
func (l *Ledger) Charge(n int64) error {
	for {
		err := l.charge(n)
		if err == nil || l.reclaim == nil || !l.reclaim() {
			return err
		}
	}
}

// charge is Charge without the memory that this ledger, not a parent, can reclaim.
func (l *Ledger) charge(n int64) error {
	used, ok := l.take(n)
	if !ok {
		return faults.Errorf(l.exceeded, n, used, l.limit, sizes.Sum(n, used))
	}
	var err error
	if l.admits != nil && n > 0 {
		err = l.admits(used, n)
	}
	if err == nil && l.parent != nil {
		err = l.parent.Charge(n)
	}
	if err != nil {
		l.used.Add(-n)
	}
	return err
}

// take adds n bytes to those in use here, unless the sum would exceed the limit. Then it returns
// those in use.
func (l *Ledger) take(n int64) (used int64, ok bool) {
	for {
		used := l.used.Load()
		if n > 0 && n > l.limit-used {
			return used, false
		}
		if l.used.CompareAndSwap(used, used+n) {
			return used, true
		}
	}
}

// try is Charge for a ledger without a parent, and reclaims nothing. It reports whether the sum is
// within the limit.
func (l *Ledger) try(n int64) bool {
	_, ok := l.take(n)
	return ok
}

// Add adds n bytes, which may be negative, without a check.
func (l *Ledger) Add(n int64) {
	for ; l != nil; l = l.parent {
		l.used.Add(n)
	}
}

// Close returns all bytes in use to the parents.
func (l *Ledger) Close() {
	if n := l.used.Swap(0); l.parent != nil {
		l.parent.Add(-n)
	}
}

// Used returns the bytes in use.
func (l *Ledger) Used() int64 { return l.used.Load() }

// Fits reports whether n more bytes are within the limit of l.
func (l *Ledger) Fits(n int64) bool { return n <= l.limit-l.used.Load() }
