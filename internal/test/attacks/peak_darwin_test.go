package attacks

import (
	"os"
	"syscall"
)

const measurable = true

// peak returns the largest resident memory of a process that has ended, in bytes.
func peak(state *os.ProcessState) int64 { return state.SysUsage().(*syscall.Rusage).Maxrss }
