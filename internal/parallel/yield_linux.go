package parallel

import "syscall"

// yield lets other threads and processes run that wait for this processor. Without it, a
// thread that spins would use its whole time slice, even if the thread that it waits for needs
// this processor.
func yield() {
	syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
}
