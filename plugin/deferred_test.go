package plugin

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// deferredTensor returns a deferred tensor of 100 elements of the given value. It counts in filled how
// often the elements are computed.
func deferredTensor(t *testing.T, b *buffers, elements byte, filled *int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.DeferredTensor(ir.U8, ir.Shape{100}, newDeferred(100, b, nil, func(dst []byte, _ parallel.Stop) error {
		for i := range dst {
			dst[i] = elements
		}
		*filled++
		return nil
	}))
	require.NoError(t, err)
	return tensor
}

func TestDeferredIsReleased(t *testing.T) {
	b := buffers{memory: &account{limit: 1 << 30}}
	filled := 0
	one, two := deferredTensor(t, &b, 1, &filled), deferredTensor(t, &b, 2, &filled)
	hold(one)
	hold(one)
	first := one.Bytes()
	assert.Same(t, &first[0], &one.Bytes()[0])
	release(one, false)
	assert.Empty(t, b.free, "it is held once more")
	release(one, false)
	assert.Len(t, b.free, 1)

	hold(two)
	assert.Same(t, &first[0], &two.Bytes()[0], "the memory is used again")
	assert.EqualValues(t, 2, two.Bytes()[99])
	release(two, true)
	assert.Empty(t, b.free, "it is kept")
	assert.Equal(t, 2, filled)

	assert.EqualValues(t, 1, one.Bytes()[99], "read outside of a hold")
	hold(one)
	release(one, false)
	assert.Empty(t, b.free)
	plain, err := inMemory(one, nil)
	require.NoError(t, err)
	assert.Nil(t, plain.Deferred())
	assert.Same(t, &one.Bytes()[0], &plain.Bytes()[0])
}

func TestBuffers(t *testing.T) {
	b := buffers{memory: &account{limit: 1 << 30}}
	large, small := b.take(1000), b.take(300)
	b.give(large)
	b.give(small)
	assert.Same(t, &small[0], &b.take(250)[0], "the smallest that holds it")
	assert.Same(t, &large[0], &b.take(260)[0])
	b.give(large[:260])
	assert.Len(t, b.take(1000), 1000)
	b.give(large)
	assert.NotSame(t, &large[0], &b.take(100)[0], "more than four times as large")
	assert.Empty(t, b.free)
	b.give(small)
	b.drop()
	assert.Empty(t, b.free)
	assert.Equal(t, 1300, b.garbage)

	b.give(make([]byte, collectBytes))
	b.drop()
	assert.Zero(t, b.garbage, "collected")
	b.give(make([]byte, collectBytes))
	b.drop()
	assert.Zero(t, b.garbage, "collected")
}

// TestDeferredConcurrently holds, reads and releases two deferred tensors on several goroutines.
func TestDeferredConcurrently(t *testing.T) {
	b := buffers{memory: &account{limit: 1 << 30}}
	filled := [2]int{}
	tensors := []*ir.Tensor{deferredTensor(t, &b, 1, &filled[0]), deferredTensor(t, &b, 2, &filled[1])}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				tensor := tensors[i%2]
				hold(tensor)
				for _, v := range tensor.Bytes() {
					if v != byte(1+i%2) {
						t.Errorf("element %d of constant %d", v, 1+i%2)
						break
					}
				}
				release(tensor, false)
			}
		})
	}
	all.Wait()
}
