package plugin

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// twoStreams are options for two thread pools of one thread.
var twoStreams = CompileOptions{InferenceNumThreads: 2, PerformanceHint: PerformanceHintThroughput}

func newQueue(t *testing.T, g *testGraph, options QueueOptions) *Queue {
	queue, err := compile(t, g, twoStreams).NewQueue(options)
	require.NoError(t, err)
	return queue
}

// holdStreams makes the inferences of queue wait until release is called.
func holdStreams(t *testing.T, queue *Queue) (release func()) {
	for _, stream := range queue.streams {
		require.NoError(t, stream.Acquire(nil))
	}
	return func() {
		for _, stream := range queue.streams {
			stream.Release()
		}
	}
}

func TestQueue(t *testing.T) {
	for _, options := range []QueueOptions{{}, {Requests: 1}, {Requests: 5}, {Ordered: true}, {Requests: 5, Ordered: true}} {
		queue := newQueue(t, chain("?"), options)
		var mu sync.Mutex
		sums, order := map[int]int32{}, []int{}
		for n := 1; n <= 50; n++ {
			require.NoError(t, queue.Submit(background, []*ir.Tensor{ramp(t, n)}, func(r *InferRequest, err error) {
				assert.NoError(t, err)
				mu.Lock()
				defer mu.Unlock()
				sums[r.Output(0).Len()] = ir.Data[int32](r.Output(0))[n-1]
				order = append(order, n)
			}))
		}
		require.NoError(t, queue.Wait(background))
		require.Len(t, sums, 50)
		for n, sum := range sums {
			assert.Equal(t, int32(n+2), sum)
		}
		if options.Ordered {
			assert.IsIncreasing(t, order)
		}
		require.NoError(t, queue.Submit(background, []*ir.Tensor{ramp(t, 3)}, nil), "after Wait")
		require.NoError(t, queue.Close())
	}
}

// TestQueue_ordered lets the second inference end first.
func TestQueue_ordered(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		queue := newQueue(t, chain("4"), QueueOptions{Ordered: ordered})
		first, second := <-queue.idle, <-queue.idle
		queue.idle <- first
		queue.idle <- second
		require.NoError(t, queue.streams[first.shared.Pool].Acquire(nil))
		ended := make(chan int, 2)
		for i := range 2 {
			require.NoError(t, queue.Submit(background, []*ir.Tensor{ramp(t, 4)}, func(*InferRequest, error) { ended <- i }))
		}
		if !ordered {
			assert.Equal(t, 1, <-ended)
			ended <- 1
		}
		queue.streams[first.shared.Pool].Release()
		require.NoError(t, queue.Close())
		assert.Equal(t, !ordered, <-ended == 1)
	}
}

func TestQueue_backPressure(t *testing.T) {
	queue := newQueue(t, chain("4"), QueueOptions{Requests: 3})
	release := holdStreams(t, queue)
	inputs := []*ir.Tensor{ramp(t, 4)}
	ctx, cancel := context.WithCancel(background)
	stopped := make(chan error, 1)
	require.NoError(t, queue.Submit(ctx, inputs, func(_ *InferRequest, err error) { stopped <- err }))
	for range 2 {
		require.NoError(t, queue.Submit(background, inputs, nil))
	}
	waiting, stop := context.WithTimeout(background, time.Millisecond)
	defer stop()
	assert.ErrorIs(t, queue.Submit(waiting, inputs, nil), context.DeadlineExceeded, "no request is idle")
	assert.ErrorIs(t, queue.Submit(waiting, inputs, nil), context.DeadlineExceeded, "the context has ended")
	assert.ErrorIs(t, queue.Wait(waiting), context.DeadlineExceeded)
	cancel()
	assert.ErrorIs(t, <-stopped, context.Canceled)
	require.NoError(t, queue.Submit(background, inputs, nil), "the place of the one that was stopped")
	release()
	assert.EqualError(t, queue.Close(), "inference 0: context canceled")
}

func TestQueue_errors(t *testing.T) {
	g := &testGraph{}
	g.result(g.op("Fail", g.parameter("x", "i32", "2")))
	queue := newQueue(t, g, QueueOptions{})
	assert.EqualError(t, queue.Submit(background, nil, nil), "0 inputs are given, the model has 1")
	assert.ErrorContains(t, queue.Submit(background, []*ir.Tensor{ramp(t, 3)}, nil), `input 0 "x": the tensor is i32[3], the model has i32[2]`)
	assert.ErrorContains(t, queue.Submit(background, []*ir.Tensor{nil}, nil), `input 0 "x"`)
	require.NoError(t, queue.Wait(background), "nothing was started")
	for range 3 {
		require.NoError(t, queue.Submit(background, []*ir.Tensor{ramp(t, 2)}, func(r *InferRequest, err error) {
			assert.Error(t, err)
			assert.Nil(t, r.Output(0))
		}))
	}
	err := queue.Wait(background)
	var index *ops.IndexError
	require.ErrorAs(t, err, &index)
	assert.ErrorContains(t, err, `inference 0: layer 1 "Fail1" (Fail, opset1): index 7 at position [1] is outside [-2,1] (3 inferences failed)`)
	assert.NoError(t, queue.Wait(background), "the error was returned")
	require.NoError(t, queue.Submit(background, []*ir.Tensor{ramp(t, 2)}, nil))
	assert.ErrorContains(t, queue.Close(), "inference 3: layer 1")

	_, err = compile(t, chain("4"), CompileOptions{}).NewQueue(QueueOptions{Requests: -1})
	assert.EqualError(t, err, "a queue of -1 requests, not of 0 or more")
}

func TestQueue_Close(t *testing.T) {
	before := runtime.NumGoroutine()
	queue := newQueue(t, chain("4"), QueueOptions{})
	release := holdStreams(t, queue)
	inputs := []*ir.Tensor{ramp(t, 4)}
	done := 0
	var mu sync.Mutex
	for range 2 {
		require.NoError(t, queue.Submit(background, inputs, func(*InferRequest, error) {
			mu.Lock()
			done++
			mu.Unlock()
			runtime.Goexit() // as t.FailNow does
		}))
	}
	waits := make(chan error)
	go func() { waits <- queue.Submit(background, inputs, nil) }()
	closes := make(chan error)
	go func() { closes <- queue.Close() }()
	assert.ErrorIs(t, <-waits, ErrQueueClosed)
	release()
	require.NoError(t, <-closes)
	assert.Equal(t, 2, done)
	assert.ErrorIs(t, queue.Submit(background, inputs, nil), ErrQueueClosed)
	assert.NoError(t, queue.Close())
	queue.compiled.Close()
	for range 10_000 { // goroutines end a little later
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// TestQueue_variables runs a model that adds its input to a variable.
func TestQueue_variables(t *testing.T) {
	g := &testGraph{}
	x := g.parameter("x", "i32", "1")
	sum := g.op("Sum", x, g.variable("v", "1", g.constant(i32(t, ir.Shape{1}, 5))))
	g.assign("v", sum)
	g.result(sum)
	queue := newQueue(t, g, QueueOptions{Requests: 1})
	for range 3 {
		require.NoError(t, queue.Submit(background, []*ir.Tensor{i32(t, ir.Shape{1}, 2)}, func(r *InferRequest, err error) {
			assert.NoError(t, err)
			assert.Equal(t, []int32{7}, ir.Data[int32](r.Output(0)))
		}))
	}
	require.NoError(t, queue.Close())
}

func TestOptimalRequests(t *testing.T) {
	for _, c := range []struct {
		options           CompileOptions
		requests, threads int
	}{
		{CompileOptions{InferenceNumThreads: 4}, 1, 4},
		{CompileOptions{InferenceNumThreads: 4, PerformanceHint: PerformanceHintThroughput}, 4, 4},
		{CompileOptions{InferenceNumThreads: 5, NumStreams: 2}, 2, 4},
		{CompileOptions{InferenceNumThreads: 2, NumStreams: 5}, 2, 2},
	} {
		compiled := compile(t, chain("4"), c.options)
		assert.Equal(t, c.requests, compiled.OptimalRequests())
		assert.Equal(t, c.threads, compiled.Threads())
		queue, err := compiled.NewQueue(QueueOptions{})
		require.NoError(t, err)
		assert.Equal(t, c.requests, cap(queue.idle))
		assert.Len(t, queue.streams, c.requests, "each request has a stream")
	}
}

func TestParsePerformanceHint(t *testing.T) {
	for h := PerformanceHintLatency; h <= PerformanceHintCumulativeThroughput; h++ {
		got, err := ParsePerformanceHint(h.String())
		require.NoError(t, err)
		assert.Equal(t, h, got)
	}
	got, err := ParsePerformanceHint("throughput")
	require.NoError(t, err)
	assert.Equal(t, PerformanceHintThroughput, got)
	_, err = ParsePerformanceHint("fast")
	assert.EqualError(t, err, `"fast" is not a performance hint; there are LATENCY, THROUGHPUT and CUMULATIVE_THROUGHPUT`)
}
