package plugin

import (
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
)

// account counts the memory that a CompiledModel keeps: constants that are computed, packed weights and
// the tables of kernels. It is safe for concurrent use.
type account struct {
	mu          sync.Mutex
	limit, used int64
	// spare, if not nil, returns memory that is not in use.
	spare func()
}

// charge adds n bytes to those in use, before they are allocated. It returns an error if the sum would
// exceed the limit.
func (a *account) charge(n int64) error {
	if a.try(n) {
		return nil
	}
	if a.spare != nil {
		if a.spare(); a.try(n) {
			return nil
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return faults.Errorf("the model keeps %d bytes in memory and needs %d more, together more than the limit of %d (MaxKeptBytes)",
		a.used, n, a.limit)
}

// try is charge without spare. It reports whether the sum is within the limit.
func (a *account) try(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n > a.limit-a.used {
		return false
	}
	a.used += n
	return true
}

// add adds n bytes, which may be negative, to those in use without a check.
func (a *account) add(n int64) {
	a.mu.Lock()
	a.used += n
	a.mu.Unlock()
}

// inUse returns the bytes in use.
func (a *account) inUse() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// fits reports whether n more bytes are within the limit.
func (a *account) fits(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return n <= a.limit-a.used
}

// tables is the memory that the kernels of a plan, or of a layer that is prepared at run time, have
// reserved with Preparation.Reserve.
type tables struct {
	plans *planMemory
	bytes int64 // guarded by plans.mu; 0 once they are released
	size  int64 // the bytes when the plan was complete
	// evicted means that the cache has dropped the plan. Nothing may keep it any longer.
	evicted atomic.Bool
}

// charge implements Preparation.Charge.
func (t *tables) charge(n int64) error { return t.plans.charge(t, n) }

// release returns the memory of a plan that is not in the cache.
func (t *tables) release() {
	t.plans.mu.Lock()
	defer t.plans.mu.Unlock()
	t.plans.release(t)
}

// reserved returns the bytes.
func (t *tables) reserved() int64 {
	t.plans.mu.Lock()
	defer t.plans.mu.Unlock()
	return t.bytes
}

// planMemory is the memory of all plans of a CompiledModel, and of the kernels that are prepared at run
// time. It evicts those that were used least recently from the caches, to make room for new ones.
type planMemory struct {
	mu     sync.Mutex
	total  *account
	limit  int64 // Options.MaxPlanBytes
	tables int64 // of all plans, including those that are being made
	bytes  int64 // of the entries of all caches, including their tables
	order  entryList
	// evictions counts the evicted entries.
	evictions atomic.Int64
}

// charge adds n bytes to t. It evicts plans if there is not enough room for them. If n is negative, there always is.
func (m *planMemory) charge(t *tables, n int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n < 0 {
		m.tables += n
		m.total.add(n)
		t.bytes += n
		return nil
	}
	if n > m.limit-t.bytes {
		return faults.Errorf("the kernels need tables of %d bytes and more, the limit for a plan is %d (MaxPlanBytes)",
			memory.Sum(n, t.bytes), m.limit)
	}
	for n > m.limit-m.tables && m.evictOldest() {
	}
	if n > m.limit-m.tables {
		return faults.Errorf("the kernels need tables of %d bytes more than the %d that other plans keep, together more than the limit of %d (MaxPlanBytes)",
			n, m.tables, m.limit)
	}
	err := m.total.charge(n)
	for err != nil && m.evictOldest() {
		err = m.total.charge(n)
	}
	if err == nil {
		t.bytes += n
		m.tables += n
	}
	return err
}

// release returns the memory of t.
func (m *planMemory) release(t *tables) {
	m.tables -= t.bytes
	m.total.add(-t.bytes)
	t.bytes = 0
}
