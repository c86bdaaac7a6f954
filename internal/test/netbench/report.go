package main

import (
	"math"
	"slices"
	"time"
)

// report has all results.
type report struct {
	Machine string  `json:"machine"`
	Date    string  `json:"date"`
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`
	// Versions has the versions of engines, if they report them.
	Versions map[string]string `json:"versions"`
	Rows     []*row            `json:"cases"`
	// Means has the geometric means of the ratios over all cases.
	Means []*mean `json:"geometric_means"`
}

// row is the result of a case with a number of threads.
type row struct {
	Case    string              `json:"case"`
	Threads int                 `json:"threads"`
	Engines map[string]*figures `json:"engines"`
	// Ratios has vinoir's figures divided by those of each other engine.
	Ratios map[string]*ratios `json:"ratios"`
}

// figures are the smallest values of all rounds. GrownBytes is the peak minus the memory before
// the model is read; 0 if the engine does not report it.
type figures struct {
	LatencyUS  float64 `json:"latency_us"`
	ColdMS     float64 `json:"cold_ms"` // read, compile and first inference together
	PeakBytes  float64 `json:"peak_bytes"`
	GrownBytes float64 `json:"grown_bytes,omitempty"`

	version       string
	latency, cold []float64 // values of each round
}

// ratio is the quotient of two figures, and the smallest and largest quotient of a round.
type ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

type ratios struct {
	Latency ratio `json:"latency"`
	Cold    ratio `json:"cold"`
	// Peak compares the memory of whole processes. Grown compares vinoir's whole process with the
	// memory that the other engine takes for the model.
	Peak  float64 `json:"peak"`
	Grown float64 `json:"grown,omitempty"`
}

// mean is the geometric mean of the ratios to one engine.
type mean struct {
	Engine  string  `json:"engine"`
	Threads int     `json:"threads"`
	Cases   int     `json:"cases"`
	Latency float64 `json:"latency"`
	Worst   float64 `json:"worst_latency"`
	Cold    float64 `json:"cold"`
	Peak    float64 `json:"peak"`
}

// add adds the timing of a round.
func (r *row) add(engine string, t *timing) {
	cold := t.ReadMS + t.CompileMS + t.FirstMS
	f := r.Engines[engine]
	if f == nil {
		f = &figures{LatencyUS: math.Inf(1), ColdMS: math.Inf(1), PeakBytes: math.Inf(1), version: t.Version}
		r.Engines[engine] = f
	}
	f.latency, f.cold = append(f.latency, t.MinUS), append(f.cold, cold)
	f.LatencyUS, f.ColdMS = min(f.LatencyUS, t.MinUS), min(f.ColdMS, cold)
	if t.PeakRSSBytes < f.PeakBytes {
		f.PeakBytes = t.PeakRSSBytes
		if t.BaseRSSBytes > 0 {
			f.GrownBytes = t.PeakRSSBytes - t.BaseRSSBytes
		}
	}
}

// compare computes the ratios.
func (r *row) compare() {
	r.Ratios = map[string]*ratios{}
	own := r.Engines[vinoir]
	for name, other := range r.Engines {
		if name == vinoir || own == nil {
			continue
		}
		q := &ratios{
			Latency: ratioOf(own.latency, other.latency), Cold: ratioOf(own.cold, other.cold),
			Peak: own.PeakBytes / other.PeakBytes,
		}
		if other.GrownBytes > 0 {
			q.Grown = own.PeakBytes / other.GrownBytes
		}
		r.Ratios[name] = q
	}
}

// ratioOf compares the values of two engines in each round.
func ratioOf(own, other []float64) ratio {
	q := ratio{Value: slices.Min(own) / slices.Min(other), Low: math.Inf(1)}
	for i := range min(len(own), len(other)) {
		q.Low, q.High = min(q.Low, own[i]/other[i]), max(q.High, own[i]/other[i])
	}
	return q
}

// summarise sets the means, the versions of engines and the date.
func (r *report) summarise() {
	r.Date, r.Versions = time.Now().Format(time.DateOnly), map[string]string{}
	type key struct {
		engine  string
		threads int
	}
	of := map[key]*mean{}
	for _, row := range r.Rows {
		for name, f := range row.Engines {
			if f.version != "" {
				r.Versions[name] = f.version
			}
		}
		for _, name := range []string{openVINO, onnxRuntime} {
			q := row.Ratios[name]
			if q == nil {
				continue
			}
			m := of[key{name, row.Threads}]
			if m == nil {
				m = &mean{Engine: name, Threads: row.Threads}
				of[key{name, row.Threads}] = m
				r.Means = append(r.Means, m)
			}
			m.Cases++
			m.Latency += math.Log(q.Latency.Value)
			m.Cold += math.Log(q.Cold.Value)
			m.Peak += math.Log(q.Peak)
			m.Worst = max(m.Worst, q.Latency.Value)
		}
	}
	for _, m := range r.Means {
		n := float64(m.Cases)
		m.Latency, m.Cold, m.Peak = math.Exp(m.Latency/n), math.Exp(m.Cold/n), math.Exp(m.Peak/n)
	}
}
