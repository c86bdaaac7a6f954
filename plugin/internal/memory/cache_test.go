package memory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kept is a value for a Cache: the kernels have reserved some tables.
type kept struct{ Tables }

func (k *kept) Memory() *Tables { return &k.Tables }
func (k *kept) Parts() []*Cache { return nil }

func newEntry(c *Caches) *kept {
	k := &kept{}
	k.Init(c)
	return k
}

func TestCache(t *testing.T) {
	m := newCaches(newKept(1000), 100)
	l := m.NewCache(3)
	put := func(i int, bytes int64) { l.Put(fmt.Sprint(i), newEntry(m), bytes) }
	has := func(i int) bool { return l.Get([]byte(fmt.Sprint(i))) != nil }
	put(1, 1)
	put(2, 1)
	put(3, 1)
	assert.True(t, has(1))
	put(4, 1) // 2 was used least recently
	assert.Equal(t, []bool{true, false, true, true}, []bool{has(1), has(2), has(3), has(4)})
	put(5, 98) // with its key, it leaves no room for another entry
	assert.Equal(t, []bool{false, false, false, false, true}, []bool{has(1), has(2), has(3), has(4), has(5)})
	put(6, 1000) // larger than the bound, but the newest entry is always kept
	assert.Equal(t, []bool{false, true}, []bool{has(5), has(6)})
	put(7, 1)
	assert.Equal(t, []bool{false, true}, []bool{has(6), has(7)})
	assert.Equal(t, int64(2), m.bytes)
	assert.EqualValues(t, 6, m.evictions.Load())
}

func TestCache_Again(t *testing.T) {
	l := newCaches(newKept(1000), 100).NewCache(3)
	again := func(key string) bool { return l.Again([]byte(key)) }
	assert.Equal(t, []bool{false, false, true, true}, []bool{again("a"), again("b"), again("a"), again("b")})
	assert.Nil(t, l.Get([]byte("a")))
	for i := range 100 {
		again(fmt.Sprint(i))
	}
	assert.False(t, again("a") && again("b"))
}

// TestTables charges tables for values in two caches. The caches make room for each other.
func TestTables(t *testing.T) {
	total := newKept(150)
	m := newCaches(total, 100)
	a, b := m.NewCache(9), m.NewCache(9)
	made := func(bytes int64) (*kept, error) {
		k := newEntry(m)
		return k, k.Charge(bytes)
	}
	first, err := made(60)
	require.NoError(t, err)
	a.Put("first", first, 0)
	second, err := made(40)
	require.NoError(t, err)
	b.Put("second", second, 0)
	assert.True(t, first.Evicted(), "the key of the second is more than fits")
	assert.False(t, second.Evicted())
	third, err := made(50)
	require.NoError(t, err)
	assert.EqualValues(t, 90, m.tables.Used())
	require.ErrorContains(t, third.Charge(60), "the kernels need tables of 110 bytes and more, the limit for a plan is 100 (MaxPlanBytes)")
	require.NoError(t, third.Charge(40), "the second is evicted")
	assert.True(t, second.Evicted())
	_, err = made(20)
	require.ErrorContains(t, err, "tables of 20 bytes more than the 90 that other plans keep, together more than the limit of 100 (MaxPlanBytes)")
	third.Close()
	assert.Zero(t, m.tables.Used())
	assert.Zero(t, total.Used())

	total.Add(100) // constants and packed weights
	fourth, err := made(50)
	require.NoError(t, err)
	a.Put("fourth", fourth, 0)
	_, err = made(40)
	require.NoError(t, err)
	assert.True(t, fourth.Evicted(), "it left no room in the memory of the model")
	_, err = made(20)
	require.ErrorContains(t, err, "the model keeps 140 bytes in memory and needs 20 more, together more than the limit of 150 (MaxKeptBytes)")
}
