package main

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/plugin"
)

// memoryFlag is the limit of the tensors of a model.
type memoryFlag struct{ limit byteSize }

func (f *memoryFlag) add(cmd *cobra.Command) {
	f.limit = byteSize(defaultMemory())
	cmd.Flags().Var(&f.limit, "max-memory", "allow `SIZE` bytes each for the tensors of an inference, for computed constants and for packed\nweights; by default half of the memory of the machine, at most 16G")
}

// options returns the limits for plugin.NewCore.
func (f *memoryFlag) options() (plugin.Options, error) {
	if f.limit == 0 {
		return plugin.Options{}, usagef("--max-memory 0 leaves no memory")
	}
	return plugin.Options{MaxTotalBytes: int64(f.limit), MaxTensorBytes: min(int64(f.limit), maxTensor)}, nil
}

const (
	maxMemory = 16 << 30
	maxTensor = 4 << 30
)

// defaultMemory returns half of the memory of the machine, or of the control group of the process if
// that is less, but at most maxMemory. If the system does not say, it returns maxMemory, or 1 GiB where
// addresses have 32 bits.
func defaultMemory() int64 {
	total := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		fields := strings.Fields(string(text[:min(len(text), 100)]))
		if len(fields) > 1 && fields[0] == "MemTotal:" {
			if kB, err := strconv.ParseInt(fields[1], 10, 53); err == nil {
				total = kB << 10
			}
		}
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(path); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				total = min(total, n)
			}
		}
	}
	if total == math.MaxInt64 && (strconv.IntSize == 32 || runtime.GOARCH == "wasm") {
		return 1 << 30
	}
	return min(total/2>>20<<20, maxMemory)
}

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
