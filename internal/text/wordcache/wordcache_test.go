package wordcache

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEntry(t *testing.T) {
	assert.Equal(t, uintptr(entryBytes), unsafe.Sizeof(entry{}))
}

func TestCache(t *testing.T) {
	c := New(100)
	many := make([]int32, MaxIDs+1)
	for i := range many {
		many[i] = int32(-i)
	}
	for n := 1; n <= MaxWord; n++ { // all lengths of words, and numbers of ids
		word := []byte(strings.Repeat("w", n))
		room := idsPerField * (fields - (n+pieceBytes-1)/pieceBytes)
		ids := many[:n%(room+1)]
		got, ok := c.Append([]int32{7}, word)
		assert.False(t, ok)
		assert.Equal(t, []int32{7}, got)
		c.Put(word, ids)
		got, ok = c.Append([]int32{7}, word)
		require.True(t, ok, n)
		assert.Equal(t, append([]int32{7}, ids...), got)
		for i := range word { // one byte differs
			word[i] = 'v'
			_, ok = c.Append(nil, word)
			require.False(t, ok, "%s", word)
			word[i] = 'w'
		}
		word[0] = 'u'
		c.Put(word, many[:room+1])
		_, ok = c.Append(nil, word)
		require.False(t, ok, "more ids than there is room for")
	}
	c.Clear()
	_, ok := c.Append(nil, []byte("w"))
	assert.False(t, ok)
}

func TestNotKept(t *testing.T) {
	for _, c := range []*Cache{new(Cache), New(0), New(-1), New(8)} {
		for _, word := range []string{"", strings.Repeat("w", MaxWord+1), "w"} {
			if len(c.sets) > 0 && word == "w" {
				continue
			}
			c.Put([]byte(word), []int32{1})
			_, ok := c.Append(nil, []byte(word))
			assert.False(t, ok)
		}
		c.Put([]byte("w"), make([]int32, MaxIDs+1))
		_, ok := c.Append(nil, []byte("w"))
		assert.False(t, ok)
	}
}

func TestBytes(t *testing.T) {
	assert.Equal(t, int64(0), Bytes(-1))
	assert.Equal(t, int64(12800), Bytes(100))
	assert.Equal(t, int64(MaxBytes), Bytes(1<<62))
	assert.Len(t, New(1<<62).sets, MaxBytes/setBytes)
}

// TestGoroutines has so few entries that the goroutines replace each other's words while others
// read them.
func TestGoroutines(t *testing.T) {
	c := New(4)
	idsOf := func(word []byte) []int32 {
		sum := crc32.ChecksumIEEE(word)
		ids := make([]int32, 1+sum%MaxIDs)
		for i := range ids {
			ids[i] = int32(sum) + int32(i)
		}
		return ids
	}
	var group sync.WaitGroup
	found := make([]int, 4)
	for worker := range found {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 1))
			for range 20000 {
				word := bytes.Repeat(fmt.Append(nil, rng.IntN(12)), 1+rng.IntN(20))
				ids, ok := c.Append(nil, word)
				if !ok {
					c.Put(word, idsOf(word))
					continue
				}
				found[worker]++
				if !assert.Equal(t, idsOf(word), ids) {
					return
				}
			}
		})
	}
	group.Wait()
	for _, n := range found {
		assert.Positive(t, n)
	}
}

func BenchmarkAppend(b *testing.B) {
	c := New(20000)
	words := make([][]byte, 1000)
	for i := range words {
		words[i] = fmt.Append(nil, "word", i)
		c.Put(words[i], []int32{int32(i), 2})
	}
	dst := make([]int32, 0, 10)
	for i := 0; b.Loop(); i++ {
		dst, _ = c.Append(dst[:0], words[i%len(words)])
	}
}
