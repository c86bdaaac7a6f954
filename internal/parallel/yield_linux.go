package parallel

import "syscall"

// yield lets other threads and processes run that wait for this processor: a thread
// that only spins keeps them from it until its time slice ends, the thread that it
// waits for among them.
func yield() {
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}
