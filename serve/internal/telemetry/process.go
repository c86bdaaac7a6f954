package telemetry

import (
	"runtime"
	"runtime/metrics"
)

// process writes the metrics of the process and of Go, by the names that Prometheus's own client
// for Go uses.
func (t *Telemetry) process(e *exposition) {
	usage := usageOfProcess()
	usage.write(e)
	e.family("process_start_time_seconds", gauge, "When the process started, since 1970.")
	e.sample(float64(t.started.UnixMilli()) / 1000)

	e.family("go_info", gauge, "The version of Go.")
	e.sample(1, label{"version", runtime.Version()})
	samples := make([]metrics.Sample, len(goMetrics))
	for i := range samples {
		samples[i].Name = goMetrics[i].source
	}
	metrics.Read(samples)
	for i, m := range goMetrics {
		e.family(m.name, m.kind, m.help)
		switch value := samples[i].Value; value.Kind() {
		case metrics.KindUint64:
			e.sample(float64(value.Uint64()))
		case metrics.KindFloat64:
			e.sample(value.Float64())
		}
	}
}

// goMetrics are those of package runtime/metrics that a dashboard of a server needs.
var goMetrics = [...]struct{ source, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", gauge, "Number of goroutines."},
	{"/sched/gomaxprocs:threads", "go_sched_gomaxprocs_threads", gauge, "Number of processors that Go uses."},
	{"/gc/gomemlimit:bytes", "go_gc_gomemlimit_bytes", gauge, "Memory limit of Go."},
	{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total_gc_cycles_total", counter, "Number of garbage collections."},
	{"/gc/heap/allocs:bytes", "go_memstats_alloc_bytes_total", counter, "Bytes that were allocated on the heap."},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", gauge, "Bytes of objects on the heap."},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", gauge, "Bytes that Go has of the system."},
	{"/cpu/classes/gc/total:cpu-seconds", "go_cpu_classes_gc_total_cpu_seconds_total", counter, "Processor time of garbage collections."},
}

// usage is what the system says of the process. Fields that it does not tell are negative.
type usage struct {
	cpuSeconds, residentBytes, virtualBytes, openFiles, maxFiles float64
}

func (u usage) write(e *exposition) {
	for _, m := range []struct {
		name, kind, help string
		value            float64
	}{
		{"process_cpu_seconds_total", counter, "Processor time of the process.", u.cpuSeconds},
		{"process_resident_memory_bytes", gauge, "Memory of the process.", u.residentBytes},
		{"process_virtual_memory_bytes", gauge, "Addresses of the process.", u.virtualBytes},
		{"process_open_fds", gauge, "Number of open files.", u.openFiles},
		{"process_max_fds", gauge, "Number of files that can be open.", u.maxFiles},
	} {
		if m.value >= 0 {
			e.family(m.name, m.kind, m.help)
			e.sample(m.value)
		}
	}
}
