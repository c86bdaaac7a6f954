// Package subnormal lets the processor compute with 0 instead of subnormal numbers, which take it a
// hundred cycles each on some cores.
//
// What applies is a mode of a thread of the operating system, which the Go scheduler neither saves
// nor knows. Flush therefore locks the goroutine to its thread until Restore: a goroutine that the
// scheduler interrupts could go on on another thread, and leave the mode to the next goroutine on
// this one. A thread that the runtime starts meanwhile does not inherit the mode, as the runtime
// starts none from a locked thread.
package subnormal

import "runtime"

// Mode is the mode of a thread before Flush.
type Mode struct {
	control uint64 // MXCSR or FPCR
	locked  bool
}

// Flush makes arithmetic on floats of 32 and 64 bits treat subnormal numbers as 0, until Restore:
// those that it reads, and those that it would return, with their sign. Copies keep them. It does
// nothing if the processor or the build cannot, see Supported.
//
//	mode := subnormal.Flush()
//	defer mode.Restore()
//
// Calls nest. Flush takes some nanoseconds and does not allocate.
func Flush() Mode {
	if !Supported {
		return Mode{}
	}
	runtime.LockOSThread()
	before := control()
	if before&flushBits != flushBits {
		setControl(before | flushBits)
	}
	return Mode{before, true}
}

// Restore ends what Flush has begun. It must be called on the same goroutine. The zero Mode ends
// nothing.
func (m Mode) Restore() {
	if !m.locked {
		return
	}
	if m.control&flushBits != flushBits {
		setControl(m.control)
	}
	runtime.UnlockOSThread()
}

// Flushes reports whether the thread flushes subnormal numbers. Unless the goroutine is locked to
// its thread, that says nothing of what follows.
func Flushes() bool { return Supported && control()&flushBits == flushBits }
