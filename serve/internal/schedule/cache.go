package schedule

import (
	"container/list"
	"sync"
)

// Cache keeps values by key, up to a number of bytes: those that were used last. It is safe for
// concurrent use.
type Cache[V any] struct {
	limit int64

	mu      sync.Mutex // guards the fields below
	entries map[string]*list.Element
	order   list.List // of *entry[V], the one that was used last first
	bytes   int64
}

type entry[V any] struct {
	key   string
	value V
	bytes int64
}

// NewCache returns an empty Cache of at most limit bytes.
func NewCache[V any](limit int64) *Cache[V] {
	return &Cache[V]{limit: limit, entries: make(map[string]*list.Element)}
}

// Get returns the value of a key.
func (c *Cache[V]) Get(key string) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[V]).value, true
}

// Put keeps a value that takes bytes of memory, without its key. A value that is larger than the
// cache is not kept.
func (c *Cache[V]) Put(key string, value V, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
	added := &entry[V]{key: key, value: value, bytes: bytes + int64(len(key))}
	if added.bytes > c.limit {
		return
	}
	for c.bytes > c.limit-added.bytes {
		c.remove(c.order.Back())
	}
	c.entries[key] = c.order.PushFront(added)
	c.bytes += added.bytes
}

func (c *Cache[V]) remove(e *list.Element) {
	old := c.order.Remove(e).(*entry[V])
	delete(c.entries, old.key)
	c.bytes -= old.bytes
}

// Bytes returns the memory of what is kept.
func (c *Cache[V]) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
