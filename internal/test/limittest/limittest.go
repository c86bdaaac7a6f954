// Package limittest watches the memory and the time of one operation in a test.
package limittest

import (
	"context"
	"fmt"
	"runtime/metrics"
	"testing"
	"time"
)

// Limits are what an operation may take.
type Limits struct {
	// Bytes bounds the bytes that are allocated in all, also those that are freed again. Other
	// goroutines count too, so there should be none that allocate much.
	Bytes uint64
	// Time is the deadline of the context that the operation gets. It must be generous.
	Time time.Duration
	// Overrun is how long the operation may take after the deadline. It must be generous too; 0
	// means 10 seconds.
	Overrun time.Duration
}

// Run runs an operation, and fails t if it takes more than limits. It measures without stopping the
// program, so that fuzzing stays fast.
func Run(t testing.TB, limits Limits, operation func(ctx context.Context)) {
	t.Helper()
	if err := run(limits, operation); err != nil {
		t.Error(err)
	}
}

func run(limits Limits, operation func(ctx context.Context)) error {
	if limits.Overrun == 0 {
		limits.Overrun = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limits.Time)
	defer cancel()
	before, start := allocated(), time.Now()
	operation(ctx)
	took, bytes := time.Since(start), allocated()-before
	switch {
	case bytes > limits.Bytes:
		return fmt.Errorf("%d bytes are allocated, more than %d", bytes, limits.Bytes)
	case took > limits.Time+limits.Overrun:
		return fmt.Errorf("it takes %v, with a context of %v", took, limits.Time)
	}
	return nil
}

// allocated returns the number of bytes that the program has allocated so far. Blocks of small
// objects are counted when they are full.
func allocated() uint64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}
