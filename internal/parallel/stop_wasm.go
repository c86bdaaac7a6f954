package parallel

import "runtime"

// letTimersRun lets the Go scheduler run timers and other goroutines. There is one thread, and
// nothing interrupts a goroutine that computes: without it, a deadline would not be noticed.
func letTimersRun() { runtime.Gosched() }
