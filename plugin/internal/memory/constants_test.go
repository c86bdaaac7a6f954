package memory

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
)

// deferredTensor returns a deferred tensor of 100 elements of the given value. It counts in filled
// how often the elements are computed.
func deferredTensor(t *testing.T, b *Buffers, elements byte, filled *int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.DeferredTensor(ir.U8, ir.Shape{100}, NewDeferred(100, b, nil, func(dst []byte, _ parallel.Stop) error {
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
	b := Buffers{ledger: newKept(1 << 30)}
	filled := 0
	one, two := deferredTensor(t, &b, 1, &filled), deferredTensor(t, &b, 2, &filled)
	Acquire(one)
	Acquire(one)
	first := one.Bytes()
	assert.Same(t, &first[0], &one.Bytes()[0])
	Release(one, false)
	assert.Empty(t, b.free, "it has another reader")
	Release(one, false)
	assert.Len(t, b.free, 1)

	Acquire(two)
	assert.Same(t, &first[0], &two.Bytes()[0], "the memory is used again")
	assert.EqualValues(t, 2, two.Bytes()[99])
	Release(two, true)
	assert.Empty(t, b.free, "it stays")
	assert.Equal(t, 2, filled)

	assert.EqualValues(t, 1, one.Bytes()[99], "read without Acquire")
	Acquire(one)
	Release(one, false)
	assert.Empty(t, b.free)
	plain, err := InMemory(one, nil)
	require.NoError(t, err)
	assert.Nil(t, plain.Deferred())
	assert.Same(t, &one.Bytes()[0], &plain.Bytes()[0])
}

func TestBuffers(t *testing.T) {
	b := Buffers{ledger: newKept(1 << 30)}
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
	b.Drop()
	assert.Empty(t, b.free)
	assert.Equal(t, 1300, b.garbage)

	b.give(make([]byte, collectBytes))
	b.Drop()
	assert.Zero(t, b.garbage, "collected")
	b.give(make([]byte, collectBytes))
	b.Drop()
	assert.Zero(t, b.garbage, "collected")
}

// TestDeferredConcurrently acquires, reads and releases two deferred tensors on several goroutines.
func TestDeferredConcurrently(t *testing.T) {
	b := Buffers{ledger: newKept(1 << 30)}
	filled := [2]int{}
	tensors := []*ir.Tensor{deferredTensor(t, &b, 1, &filled[0]), deferredTensor(t, &b, 2, &filled[1])}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				tensor := tensors[i%2]
				Acquire(tensor)
				for _, v := range tensor.Bytes() {
					if v != byte(1+i%2) {
						t.Errorf("element %d of constant %d", v, 1+i%2)
						break
					}
				}
				Release(tensor, false)
			}
		})
	}
	all.Wait()
}

// TestRead_stopped reads a constant whose computation is stopped: the kernel reads zeros, EndRead
// says so, and the next one reads the elements.
func TestRead_stopped(t *testing.T) {
	b := Buffers{ledger: newKept(1 << 30)}
	filled := 0
	tensor := deferredTensor(t, &b, 7, &filled)
	ended := make(chan struct{})
	close(ended)
	require.NoError(t, Acquire(tensor))
	stopped, err := BeginRead(tensor, ended)
	require.NoError(t, err)
	assert.Equal(t, make([]byte, 100), stopped.Bytes())
	require.ErrorIs(t, EndRead(stopped), parallel.ErrStopped)
	_, err = InMemory(tensor, ended)
	require.ErrorIs(t, err, parallel.ErrStopped)

	read, err := BeginRead(tensor, make(chan struct{}))
	require.NoError(t, err)
	assert.EqualValues(t, 7, read.Bytes()[99])
	require.NoError(t, EndRead(read))
	assert.EqualValues(t, 7, stopped.Bytes()[99], "a kernel may keep the tensor")
}

// TestRead_failed reads a constant that cannot be computed: it is an error, not a panic.
func TestRead_failed(t *testing.T) {
	b := Buffers{ledger: newKept(1 << 30)}
	wrong := errors.New("wrong")
	tensor, err := ir.DeferredTensor(ir.U8, ir.Shape{3}, NewDeferred(3, &b, nil, func([]byte, parallel.Stop) error { return wrong }))
	require.NoError(t, err)
	read, err := BeginRead(tensor, make(chan struct{}))
	require.NoError(t, err)
	assert.Equal(t, make([]byte, 3), read.Bytes())
	require.ErrorIs(t, EndRead(read), wrong)
	_, err = InMemory(tensor, nil)
	require.ErrorIs(t, err, wrong)
}
