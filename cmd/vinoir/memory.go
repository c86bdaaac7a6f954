package main

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// peakRSS returns the peak resident set size of the process in bytes. On systems without /proc, it
// returns the memory that the Go runtime has obtained from the system.
func peakRSS() uint64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			fields := strings.Fields(line)
			if len(fields) == 3 && fields[0] == "VmHWM:" && fields[2] == "kB" {
				if kB, err := strconv.ParseUint(fields[1], 10, 54); err == nil {
					return kB << 10
				}
			}
		}
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
