package plugin

import "container/list"

// entryList lists entries, the last used first. Its elements are *lruEntry.
type entryList = list.List

// cached is a value in an lru.
type cached interface {
	// memory returns the tables of the value.
	memory() *tables
	// caches returns the caches that are part of the value.
	caches() []*lru
}

// lru is a cache that evicts the least recently used entries. Their number is bounded. The bytes of all
// caches of a CompiledModel together are bounded by their planMemory. It is safe for concurrent use.
type lru struct {
	plans   *planMemory
	max     int
	entries map[string]*lruEntry
	order   entryList
}

// lruEntry is an entry of an lru.
type lruEntry struct {
	of              *lru
	key             string
	bytes           int64
	value           cached
	local, together *list.Element // in the lists of the lru and of the planMemory
}

func newLRU(max int, plans *planMemory) *lru {
	return &lru{plans: plans, max: max, entries: make(map[string]*lruEntry)}
}

// get returns the value for key, or nil. It does not allocate.
func (l *lru) get(key []byte) cached {
	l.plans.mu.Lock()
	defer l.plans.mu.Unlock()
	e := l.entries[string(key)]
	if e == nil {
		return nil
	}
	l.order.MoveToFront(e.local)
	l.plans.order.MoveToFront(e.together)
	return e.value
}

// put adds an entry unless key has one, and evicts others until the caches are within their bounds. It
// never evicts the new entry. bytes is the size of value without its tables. put returns the value of
// the entry for key.
func (l *lru) put(key string, value cached, bytes int64) cached {
	m := l.plans
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := l.entries[key]; e != nil {
		m.release(value.memory())
		return e.value
	}
	e := &lruEntry{of: l, key: key, bytes: bytes + int64(len(key)) + value.memory().bytes, value: value}
	for len(l.entries) > 0 && len(l.entries) >= l.max {
		m.evict(l.order.Back().Value.(*lruEntry))
	}
	for m.bytes+e.bytes > m.limit && m.evictOldest() {
	}
	e.local, e.together = l.order.PushFront(e), m.order.PushFront(e)
	l.entries[key] = e
	m.bytes += e.bytes
	return value
}

// evictAll evicts the entries whose values are to be dropped.
func (l *lru) evictAll(drop func(cached) bool) {
	l.plans.mu.Lock()
	defer l.plans.mu.Unlock()
	for _, e := range l.entries {
		if drop(e.value) {
			l.plans.evict(e)
		}
	}
}

// evictOldest evicts the entry that was used least recently. It reports whether there was one.
func (m *planMemory) evictOldest() bool {
	oldest := m.order.Back()
	if oldest == nil {
		return false
	}
	m.evict(oldest.Value.(*lruEntry))
	return true
}

// evict removes an entry, and those of the caches in its value.
func (m *planMemory) evict(e *lruEntry) {
	e.of.order.Remove(e.local)
	m.order.Remove(e.together)
	delete(e.of.entries, e.key)
	m.bytes -= e.bytes
	m.release(e.value.memory())
	e.value.memory().evicted.Store(true)
	m.evictions.Add(1)
	for _, l := range e.value.caches() {
		for l.order.Len() > 0 {
			m.evict(l.order.Front().Value.(*lruEntry))
		}
	}
}
