package telemetry

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Metrics answers with all metrics as text.
func (t *Telemetry) Metrics() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(t.exposition())
	})
}

func (t *Telemetry) exposition() []byte {
	statistics, err := t.options.Service.Statistics("", "")
	if err != nil {
		t.options.Logger.Error("metrics have no statistics", "error", err.Error())
	}
	slices.SortFunc(statistics, func(a, b oip.ModelStatistics) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	e := new(exposition)
	triton(e, statistics)
	t.cpu.write(e)
	if t.options.OVMS {
		t.ovms(e, statistics)
	}
	e.family("vinoir_model_memory_bytes", gauge, "Memory that a version of a model keeps.")
	for i := range statistics {
		e.sample(float64(statistics[i].MemoryBytes), versionLabels(&statistics[i])...)
	}
	e.family("vinoir_ready", gauge, "1 if the server is ready.")
	e.sample(number(t.options.Service.Ready()))
	t.process(e)
	return e.text
}

// triton writes the metrics that Triton has, which most dashboards read.
func triton(e *exposition, statistics []oip.ModelStatistics) {
	each := func(name, kind, help string, value func(*oip.ModelStatistics) float64) {
		e.family(name, kind, help)
		for i := range statistics {
			e.sample(value(&statistics[i]), versionLabels(&statistics[i])...)
		}
	}
	count := func(name, help string, value func(*oip.ModelStatistics) uint64) {
		each(name, counter, help, func(s *oip.ModelStatistics) float64 { return float64(value(s)) })
	}
	micros := func(name, help string, value func(*oip.ModelStatistics) time.Duration) {
		each(name, counter, help, func(s *oip.ModelStatistics) float64 { return float64(value(s).Microseconds()) })
	}
	count("nv_inference_request_success", "Number of requests that were answered.",
		func(s *oip.ModelStatistics) uint64 { return s.Success.Count })
	e.family("nv_inference_request_failure", counter, "Number of requests that failed, by reason.")
	for i := range statistics {
		s := &statistics[i]
		for _, reason := range []oip.Reason{
			oip.ReasonBackend, oip.ReasonCanceled, oip.ReasonOther, oip.ReasonRejected,
		} {
			e.sample(float64(s.Failures[reason]),
				label{"model", s.Name}, label{"reason", string(reason)}, label{"version", s.Version})
		}
	}
	count("nv_inference_count", "Number of rows that were computed.",
		func(s *oip.ModelStatistics) uint64 { return s.InferenceCount })
	count("nv_inference_exec_count", "Number of inferences, each of the rows of one or more requests.",
		func(s *oip.ModelStatistics) uint64 { return s.ExecutionCount })
	micros("nv_inference_request_duration_us", "Time of the requests that were answered.",
		func(s *oip.ModelStatistics) time.Duration { return s.Success.Total })
	micros("nv_inference_queue_duration_us", "Time that requests waited.",
		func(s *oip.ModelStatistics) time.Duration { return s.Queue.Total })
	micros("nv_inference_compute_input_duration_us", "Time for joining inputs.",
		func(s *oip.ModelStatistics) time.Duration { return s.ComputeInput.Total })
	micros("nv_inference_compute_infer_duration_us", "Time for inferring.",
		func(s *oip.ModelStatistics) time.Duration { return s.ComputeInfer.Total })
	micros("nv_inference_compute_output_duration_us", "Time for taking outputs apart.",
		func(s *oip.ModelStatistics) time.Duration { return s.ComputeOutput.Total })
	each("nv_inference_pending_request_count", gauge, "Number of requests that wait.",
		func(s *oip.ModelStatistics) float64 { return float64(s.Pending) })
	each("nv_model_load_duration_secs", gauge, "Time that the version took to load.",
		func(s *oip.ModelStatistics) float64 { return s.LoadTime.Seconds() })
	count("nv_cache_num_hits_per_model", "Number of answers from the cache.",
		func(s *oip.ModelStatistics) uint64 { return s.CacheHit.Count })
	count("nv_cache_num_misses_per_model", "Number of requests that the cache had no answer for.",
		func(s *oip.ModelStatistics) uint64 { return s.CacheMiss.Count })
	micros("nv_cache_hit_duration_per_model", "Time of finding answers in the cache.",
		func(s *oip.ModelStatistics) time.Duration { return s.CacheHit.Total })
	micros("nv_cache_miss_duration_per_model", "Time of looking for answers and keeping them.",
		func(s *oip.ModelStatistics) time.Duration { return s.CacheMiss.Total })
}

// versionLabels name a version as Triton does.
func versionLabels(s *oip.ModelStatistics) []label {
	return []label{{"model", s.Name}, {"version", s.Version}}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
