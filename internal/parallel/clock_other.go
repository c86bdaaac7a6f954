//go:build !linux

package parallel

import "time"

// threadTime returns a time that grows while the thread works, and also while other programs have
// its processor.
func threadTime() time.Duration { return time.Since(started) }

var started = time.Now() // of the program
