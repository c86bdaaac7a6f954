package telemetry

import (
	"cmp"
	"maps"
	"slices"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// ovms writes the metrics that OVMS has.
func (t *Telemetry) ovms(e *exposition, statistics []oip.ModelStatistics) {
	snapshot := t.snapshot()
	keys := slices.SortedFunc(maps.Keys(snapshot), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.version, b.version),
			cmp.Compare(a.protocol, b.protocol))
	})
	counters := func(name, help string, value func(calls) uint64) {
		e.family(name, counter, help)
		for _, k := range keys {
			counts := snapshot[k].calls
			for _, method := range slices.Sorted(maps.Keys(counts)) {
				e.sample(float64(value(counts[method])), label{"api", "KServe"}, label{"interface", k.protocol},
					label{"method", method}, label{"name", k.model}, label{"version", k.version})
			}
		}
	}
	counters("ovms_requests_success", "Number of calls that were answered.", func(c calls) uint64 { return c.success })
	counters("ovms_requests_fail", "Number of calls that failed.", func(c calls) uint64 { return c.fail })
	histograms := func(name, help string, value func(*series) *histogram) {
		e.family(name, histogramKind, help)
		for _, k := range keys {
			if k.version != "" {
				value(snapshot[k].series).write(e, t.bounds, label{"interface", k.protocol}, label{"name", k.model},
					label{"version", k.version})
			}
		}
	}
	histograms("ovms_request_time_us", "Time from the arrival of a request to its answer.",
		func(s *series) *histogram { return &s.request })
	histograms("ovms_inference_time_us", "Time of the inference that a request was part of.",
		func(s *series) *histogram { return &s.inference })
	histograms("ovms_wait_for_infer_req_time_us", "Time that a request waited for an inference.",
		func(s *series) *histogram { return &s.queue })

	current := make(map[[2]string]int)
	for k, s := range snapshot {
		current[[2]string{k.model, k.version}] += s.current
	}
	gauges := func(name, help string, value func(*oip.ModelStatistics, *oip.ModelConfig) int) {
		e.family(name, gauge, help)
		for i := range statistics {
			s := &statistics[i]
			config, err := t.options.Service.ModelConfig(s.Name, s.Version)
			if err != nil {
				continue // it was unloaded just now
			}
			e.sample(float64(value(s, config)), label{"name", s.Name}, label{"version", s.Version})
		}
	}
	// Requests that name no version are those of the newest.
	newest := make(map[string]string)
	for _, s := range statistics {
		if known, ok := newest[s.Name]; !ok || len(s.Version) > len(known) ||
			len(s.Version) == len(known) && s.Version > known {
			newest[s.Name] = s.Version
		}
	}
	requests := func(s *oip.ModelStatistics) int {
		n := current[[2]string{s.Name, s.Version}]
		if newest[s.Name] == s.Version {
			n += current[[2]string{s.Name, ""}]
		}
		return n
	}
	gauges("ovms_current_requests", "Number of inferences that run or wait.",
		func(s *oip.ModelStatistics, _ *oip.ModelConfig) int { return requests(s) })
	gauges("ovms_streams", "Number of inferences that can run at the same time.",
		func(_ *oip.ModelStatistics, c *oip.ModelConfig) int { return c.Instances })
	gauges("ovms_infer_req_queue_size", "Number of inferences that are prepared.",
		func(_ *oip.ModelStatistics, c *oip.ModelConfig) int { return c.Instances })
	gauges("ovms_infer_req_active", "Number of inferences that run.",
		func(s *oip.ModelStatistics, c *oip.ModelConfig) int {
			return min(max(requests(s)-s.Pending, 0), c.Instances)
		})
}

// counted is a series with counts that do not change any more.
type counted struct {
	*series
	calls   map[string]calls
	current int
}

// snapshot returns all series of models that there still are, and forgets the others.
func (t *Telemetry) snapshot() map[key]counted {
	known := make(map[string]bool)
	for _, entry := range t.options.Service.Index() {
		known[entry.Name] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make(map[key]counted)
	for k, s := range t.series {
		s.mu.Lock()
		if !known[k.model] && s.current == 0 {
			delete(t.series, k)
			s.mu.Unlock()
			continue
		}
		c := counted{series: s, calls: make(map[string]calls), current: s.current}
		for method, counts := range s.calls {
			c.calls[method] = *counts
		}
		s.mu.Unlock()
		all[k] = c
	}
	return all
}
