package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/plugin"
)

// memoryFlag has the limits of memory: of the tensors of a model, and of all that the model takes.
type memoryFlag struct{ limit, model byteSize }

func (f *memoryFlag) add(cmd *cobra.Command) {
	f.limit = byteSize(defaultMemory())
	cmd.Flags().Var(&f.limit, "max-memory", "allow `SIZE` bytes each for the tensors of an inference, for computed constants and for packed\nweights; by default half of the memory of the machine, at most 16G")
	f.model = byteSize(memory.Limit())
	cmd.Flags().Var(&f.model, "max-model-memory", "refuse a model that takes more than `SIZE` bytes together: its weights, the values between its layers and scratch memory;\nby default the memory of the machine, or of the control group; 0 means no limit")
}

// options returns the limits for plugin.NewCore.
func (f *memoryFlag) options() (plugin.Options, error) {
	if f.limit == 0 {
		return plugin.Options{}, usagef("--max-memory 0 leaves no memory")
	}
	return plugin.Options{MaxTotalBytes: int64(f.limit), MaxTensorBytes: min(int64(f.limit), maxTensor), MaxModelBytes: int64(f.model)}, nil
}

const (
	maxMemory = 16 << 30
	maxTensor = 4 << 30
)

// defaultMemory returns half of the memory of the machine, or of the control group of the process
// if that is less, but at most maxMemory. If the system does not say, it returns maxMemory, or 1
// GiB where addresses have 32 bits.
func defaultMemory() int64 {
	switch limit := memory.Limit(); {
	case limit > 0:
		return min(limit/2>>20<<20, maxMemory)
	case strconv.IntSize == 32 || runtime.GOARCH == "wasm":
		return 1 << 30
	}
	return maxMemory
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
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.Sys
}
