package parallel

import (
	"runtime"
	"syscall"
)

// yield lets other goroutines run, and other threads and processes that wait for
// this processor: a thread that only spins keeps them from it until its time slice
// ends, the thread that it waits for among them.
func yield() {
	runtime.Gosched()
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}
