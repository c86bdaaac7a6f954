package memory

import (
	"container/list"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// Caches has the bounds of all caches of a compiled model: of plans, and of the kernels that are
// prepared at run time. To make room for new entries, it evicts those that were used least
// recently, of any cache.
type Caches struct {
	tables *Ledger // of all plans, including those that are being made
	limit  int64   // Options.MaxPlanBytes
	seed   maphash.Seed

	mu    sync.Mutex
	bytes int64     // of the entries of all caches, including their tables
	order list.List // of *entry, the last used first
	// evictions counts the evicted entries.
	evictions atomic.Int64
}

// newCaches returns Caches whose entries have at most limit bytes. Their tables are charged to kept
// too.
func newCaches(kept *Ledger, limit int64) *Caches {
	c := &Caches{limit: limit, seed: maphash.MakeSeed()}
	c.tables = &Ledger{
		parent: kept, limit: limit, reclaim: c.evictOldest,
		exceeded: "the kernels need tables of %[1]d bytes more than the %[2]d that other plans keep, together more than the limit of %[3]d (MaxPlanBytes)",
	}
	return c
}

// Evictions returns the number of entries that were evicted so far.
func (c *Caches) Evictions() int64 { return c.evictions.Load() }

// Tables is the memory that the kernels of a plan, or of a layer that is prepared at run time, have
// reserved with Preparation.Reserve.
type Tables struct {
	Ledger
	// Size is the number of bytes when the plan was complete.
	Size int64
	// evicted means that the cache has dropped the plan. Nothing may keep it any longer.
	evicted atomic.Bool
}

// Init prepares t, which is charged to c.
func (t *Tables) Init(c *Caches) {
	t.parent, t.limit = c.tables, c.limit
	t.exceeded = "the kernels need tables of %[4]d bytes and more, the limit for a plan is %[3]d (MaxPlanBytes)"
}

// Evicted reports whether the cache has dropped the plan.
func (t *Tables) Evicted() bool { return t.evicted.Load() }

// Cached is a value in a Cache.
type Cached interface {
	// Memory returns the tables of the value.
	Memory() *Tables
	// Parts returns the caches that are part of the value.
	Parts() []*Cache
}

// Cache evicts the least recently used entries. Their number is bounded, and their bytes together
// with those of the other Caches of a compiled model. It is safe for concurrent use.
type Cache struct {
	all     *Caches
	max     int
	entries map[string]*entry
	order   list.List // of *entry, the last used first
	seen    filter    // keys that Again was called with
}

// entry is an entry of a Cache.
type entry struct {
	of              *Cache
	key             string
	bytes           int64
	value           Cached
	local, together *list.Element // in the lists of the Cache and of all Caches
}

// NewCache returns a Cache of at most max entries.
func (c *Caches) NewCache(max int) *Cache {
	return &Cache{all: c, max: max, entries: make(map[string]*entry)}
}

// Get returns the value for key, or nil. It does not allocate.
func (l *Cache) Get(key []byte) Cached {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	e := l.entries[string(key)]
	if e == nil {
		return nil
	}
	l.order.MoveToFront(e.local)
	l.all.order.MoveToFront(e.together)
	return e.value
}

// Again reports whether it was called with key before; rarely, it takes another key for it. It
// forgets all keys when there are more of them than the cache can have entries.
func (l *Cache) Again(key []byte) bool {
	hash := maphash.Bytes(l.all.seed, key)
	l.all.mu.Lock()
	found := l.seen.add(hash, l.max)
	l.all.mu.Unlock()
	return found
}

// Put adds an entry unless key has one, and evicts others until the caches are within their bounds.
// It never evicts the new entry. bytes is the size of value without its tables. Put returns the
// value of the entry for key.
func (l *Cache) Put(key string, value Cached, bytes int64) Cached {
	c := l.all
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := l.entries[key]; e != nil {
		value.Memory().Close()
		return e.value
	}
	e := &entry{of: l, key: key, bytes: bytes + int64(len(key)) + value.Memory().Used(), value: value}
	for len(l.entries) > 0 && len(l.entries) >= l.max {
		c.evict(l.order.Back().Value.(*entry))
	}
	for c.bytes+e.bytes > c.limit && c.order.Len() > 0 {
		c.evict(c.order.Back().Value.(*entry))
	}
	e.local, e.together = l.order.PushFront(e), c.order.PushFront(e)
	l.entries[key] = e
	c.bytes += e.bytes
	return value
}

// Len returns the number of entries.
func (l *Cache) Len() int {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	return len(l.entries)
}

// EvictAll evicts the entries whose values are to be dropped.
func (l *Cache) EvictAll(drop func(Cached) bool) {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	for _, e := range l.entries {
		if drop(e.value) {
			l.all.evict(e)
		}
	}
}

// evictOldest evicts the entry that was used least recently. It reports whether there was one.
func (c *Caches) evictOldest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	oldest := c.order.Back()
	if oldest == nil {
		return false
	}
	c.evict(oldest.Value.(*entry))
	return true
}

// evict removes an entry, and those of the caches in its value. The caller has locked c.mu.
func (c *Caches) evict(e *entry) {
	e.of.order.Remove(e.local)
	c.order.Remove(e.together)
	delete(e.of.entries, e.key)
	c.bytes -= e.bytes
	e.value.Memory().Close()
	e.value.Memory().evicted.Store(true)
	c.evictions.Add(1)
	for _, l := range e.value.Parts() {
		for l.order.Len() > 0 {
			c.evict(l.order.Front().Value.(*entry))
		}
	}
}
