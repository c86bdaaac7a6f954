package plugin

import (
	"container/list"
	"sync"
)

// lru is a cache that evicts the least recently used entries. Their number and total size are bounded.
// It is safe for concurrent use.
type lru[V any] struct {
	mu       sync.Mutex
	max      int
	maxBytes int64
	bytes    int64
	entries  map[string]*list.Element
	order    list.List // of *lruEntry[V], the last used first
}

// lruEntry is an entry of an lru.
type lruEntry[V any] struct {
	key   string
	bytes int64
	value V
}

func newLRU[V any](max int, maxBytes int64) *lru[V] {
	return &lru[V]{max: max, maxBytes: maxBytes, entries: make(map[string]*list.Element)}
}

// get returns the value for key. It does not allocate.
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

// put adds an entry unless key has one, and evicts others until the cache is within its bounds. It
// never evicts the new entry.
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
