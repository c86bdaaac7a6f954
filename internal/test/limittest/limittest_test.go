package limittest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var sink []byte

func TestRun(t *testing.T) {
	Run(t, Limits{Bytes: 8 << 20, Time: time.Minute}, func(context.Context) { sink = make([]byte, 1<<20) })
	err := run(Limits{Bytes: 1 << 20, Time: time.Minute}, func(context.Context) {
		for range 4 {
			sink = make([]byte, 1<<19)
		}
	})
	assert.ErrorContains(t, err, "more than 1048576")
	err = run(Limits{Bytes: 1 << 20, Time: time.Nanosecond, Overrun: time.Nanosecond}, func(ctx context.Context) {
		<-ctx.Done()
		time.Sleep(time.Millisecond)
	})
	assert.ErrorContains(t, err, "with a context of 1ns")
}
