package plugin

import (
	"container/list"
	"sync"
)

// lru keeps the entries that were used last, within bounds of their number and
// size. It is safe for concurrent use.
type lru[V any] struct {
	mu       sync.Mutex
	max      int
	maxBytes int64
	bytes    int64
	entries  map[string]*list.Element
	order    list.List // of *lruEntry[V], the newest first
}

type lruEntry[V any] struct {
	key   string
	bytes int64
	value V
}

func newLRU[V any](max int, maxBytes int64) *lru[V] {
	return &lru[V]{max: max, maxBytes: maxBytes, entries: make(map[string]*list.Element)}
}

// get finds the entry of key, without an allocation.
func (l *lru[V]) get(key []byte) (v V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[string(key)]
	if !ok {
		return v, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*lruEntry[V]).value, true
}

// put adds an entry unless there is one of that key, and drops the oldest ones
// that are beyond the bounds, never the new one.
func (l *lru[V]) put(key string, value V, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.entries[key]; ok {
		return
	}
	bytes += int64(len(key))
	l.entries[key] = l.order.PushFront(&lruEntry[V]{key, bytes, value})
	l.bytes += bytes
	for len(l.entries) > 1 && (len(l.entries) > l.max || l.bytes > l.maxBytes) {
		oldest := l.order.Remove(l.order.Back()).(*lruEntry[V])
		delete(l.entries, oldest.key)
		l.bytes -= oldest.bytes
	}
}

// len returns the number of entries.
func (l *lru[V]) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}
