package telemetry

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// clockTicks is the unit of processor time in /proc, in ticks a second: Linux has the same on all
// architectures that Go builds for.
const clockTicks = 100

// usageOfProcess reads what /proc tells of this process.
func usageOfProcess() usage {
	u := usage{-1, -1, -1, -1, -1}
	if fields := statFields(); len(fields) > 21 {
		// proc(5) counts the fields from 1, and these begin with number 3: the name before them can
		// contain anything.
		u.cpuSeconds = (parse(fields[14-3]) + parse(fields[15-3])) / clockTicks
		u.virtualBytes = parse(fields[23-3])
		u.residentBytes = parse(fields[24-3]) * float64(os.Getpagesize())
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.openFiles = float64(len(files) - 1) // without that of the folder
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		u.maxFiles = float64(limit.Cur)
	}
	return u
}

// statFields returns the fields of /proc/self/stat behind the name.
func statFields() []string {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil
	}
	_, behind, _ := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(" "))
	return strings.Fields(string(behind))
}

// parse returns the number in text; 0 if it is none.
func parse(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

// cpuMeter measures how busy the machine was since it was last asked.
type cpuMeter struct {
	mu          sync.Mutex
	busy, total float64
}

// write writes the metrics of the machine, as Triton has them.
func (m *cpuMeter) write(e *exposition) {
	if busy, total, ok := cpuTimes(); ok {
		m.mu.Lock()
		utilization := 0.0
		if passed := total - m.total; passed > 0 {
			utilization = min(max((busy-m.busy)/passed, 0), 1)
		}
		m.busy, m.total = busy, total
		m.mu.Unlock()
		e.family("nv_cpu_utilization", gauge, "Share of the processors of the machine that was busy, from 0 to 1.")
		e.sample(utilization)
	}
	if total, available, ok := memory(); ok {
		e.family("nv_cpu_memory_total_bytes", gauge, "Memory of the machine.")
		e.sample(total)
		e.family("nv_cpu_memory_used_bytes", gauge, "Memory of the machine that is in use.")
		e.sample(total - available)
	}
}

// cpuTimes returns the times of all processors since the start of the machine, in ticks.
func cpuTimes() (busy, total float64, ok bool) {
	stat, err := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	if err != nil || len(fields) < 6 || fields[0] != "cpu" {
		return 0, 0, false
	}
	// user nice system idle iowait irq softirq steal; the guest times behind them are parts of
	// user.
	for i, field := range fields[1:min(len(fields), 9)] {
		ticks := parse(field)
		total += ticks
		if i != 3 && i != 4 {
			busy += ticks
		}
	}
	return busy, total, true
}

// memory returns the memory of the machine in bytes.
func memory() (total, available float64, ok bool) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(info)) {
		name, value, _ := strings.Cut(line, ":")
		kibibytes := parse(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch name {
		case "MemTotal":
			total = kibibytes * 1024
		case "MemAvailable":
			available = kibibytes * 1024
		}
	}
	return total, available, total > 0
}
