package parallel

import (
	"runtime"
	"time"
)

const (
	// spinLoads is the number of checks of a condition, each with a pause, before spin looks at the
	// clock.
	spinLoads = 64
	// yieldAfter is the time after which spin also lets other goroutines and processes run. On a
	// busy machine they keep the processor for milliseconds, so yieldAfter is longer than the usual
	// time between two kernels of a model.
	yieldAfter = 30 * time.Microsecond
	// spinFor is the longest time of a spin: a few times the time to wake a thread whose
	// processor is idle.
	spinFor = 200 * time.Microsecond
)

// spin waits without sleeping until cond returns true, at most for about spinFor. It reports
// whether cond returned true. locked means that the goroutine is locked to its thread: then it does
// not call the Go scheduler, which would put the thread to sleep and wake another.
func spin(cond func() bool, locked bool) bool {
	for start := time.Now(); ; {
		for range spinLoads {
			if cond() {
				return true
			}
			pause(1)
		}
		waited := time.Since(start)
		if waited >= spinFor {
			return false
		}
		if waited < yieldAfter {
			continue
		}
		if !locked {
			runtime.Gosched()
		}
		yield()
	}
}
