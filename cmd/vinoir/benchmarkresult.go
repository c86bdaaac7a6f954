package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vinoir/vinoir/internal/printable"
)

// timing is what benchmark prints. FPS is the number of inferences per second, whatever the batch.
// PeakRSSBytes is the peak memory of the process.
type timing struct {
	used
	repetition
	Model        string         `json:"model"`
	Hint         string         `json:"hint"`
	Requests     int            `json:"requests"`
	Streams      int            `json:"streams"`
	Threads      int            `json:"threads"`
	Inputs       []inputSummary `json:"inputs"`
	ReadMS       float64        `json:"read_ms"`
	CompileMS    float64        `json:"compile_ms"`
	FirstMS      float64        `json:"first_ms"`
	Runs         int            `json:"runs"`
	Seconds      float64        `json:"seconds"`
	FPS          float64        `json:"fps"`
	MinUS        float64        `json:"min_us"`
	MedianUS     float64        `json:"median_us"`
	P99US        float64        `json:"p99_us"`
	Percentiles  []percentileUS `json:"percentiles"`
	PeakRSSBytes uint64         `json:"peak_rss_bytes"`
	Peaks        *productPeaks  `json:"peaks,omitempty"` // nil if the measurement was interrupted
}

// percentileUS is the time that Percent of the inferences do not exceed.
type percentileUS struct {
	Percent float64 `json:"percent"`
	US      float64 `json:"us"`
}

// set sets the results of a measurement that took the given time. It sorts times, which are not
// empty.
func (r *timing) set(times []time.Duration, took time.Duration, percentiles []float64) {
	slices.Sort(times)
	r.Runs, r.Seconds = len(times), took.Seconds()
	if took > 0 {
		r.FPS = float64(r.Runs) / r.Seconds
	}
	r.MinUS, r.MedianUS, r.P99US = microseconds(times[0]), percentile(times, 50), percentile(times, 99)
	for _, p := range percentiles {
		r.Percentiles = append(r.Percentiles, percentileUS{p, percentile(times, p)})
	}
	r.PeakRSSBytes = peakRSS()
}

// percentile returns the time in microseconds that p percent of times, which are sorted, do not
// exceed.
func percentile(times []time.Duration, p float64) float64 {
	rank := int(math.Ceil(p / 100 * float64(len(times))))
	return microseconds(times[min(max(rank, 1), len(times))-1])
}

func (r *timing) print(a *app) {
	a.printf("%s: hint %s, %s, %s, %s, %v\n", r.Model, r.Hint, count(r.Requests, "request"), count(r.Streams, "stream"), count(r.Threads, "thread"), r.used)
	a.printInputs(r.Inputs)
	a.printf("read %.3f ms, compile %.3f ms, first inference %.3f ms\n", r.ReadMS, r.CompileMS, r.FirstMS)
	r.repetition.print(a)
	a.printf("%s in %.3f s: %.2f FPS\n", count(r.Runs, "inference"), r.Seconds, r.FPS)
	a.printf("latency: min %s", duration(r.MinUS))
	for _, p := range r.Percentiles {
		a.printf(", p%v %s", p.Percent, duration(p.US))
	}
	a.printf("\npeak memory %.1f MiB\n", float64(r.PeakRSSBytes)/(1<<20))
	if r.Peaks != nil {
		a.printf("%s\n", r.Peaks)
	}
}

// report writes the result to a .csv or .json file.
func (r *timing) report(file *target) error {
	return file.write(nil, func(w io.Writer) error {
		if filepath.Ext(file.name) == ".csv" {
			_, err := w.Write(r.csv())
			return err
		}
		text, err := marshal(r)
		if err == nil {
			_, err = w.Write(append(text, '\n'))
		}
		return err
	}, nil)
}

// csv returns a line of names and a line of values.
func (r *timing) csv() []byte {
	inputs := make([]string, len(r.Inputs))
	for i, in := range r.Inputs {
		inputs[i] = in.Name + " " + in.Type + in.Shape + " " + in.Source
	}
	names, values := "", ""
	for _, p := range r.Percentiles {
		names += fmt.Sprintf("p%v_us,", p.Percent)
		values += fmt.Sprintf("%v,", p.US)
	}
	return fmt.Appendf(nil, "model,hint,requests,streams,threads,precision,inputs,read_ms,compile_ms,first_ms,runs,seconds,fps,min_us,%speak_rss_bytes\n"+
		"%s,%s,%d,%d,%d,%s,%s,%v,%v,%v,%d,%v,%v,%v,%s%d\n", names,
		csvText(r.Model), r.Hint, r.Requests, r.Streams, r.Threads, r.Precision, csvText(strings.Join(inputs, "; ")),
		r.ReadMS, r.CompileMS, r.FirstMS, r.Runs, r.Seconds, r.FPS, r.MinUS, values, r.PeakRSSBytes)
}

// csvText returns s in quotes, as a value of a CSV file.
func csvText(s string) string {
	return `"` + strings.ReplaceAll(printable.Escape(s), `"`, `""`) + `"`
}

// duration formats a time of us microseconds in the unit that has 1 to 1000 of it.
func duration(us float64) string {
	switch {
	case us < 1e3:
		return fmt.Sprintf("%.1f us", us)
	case us < 1e6:
		return fmt.Sprintf("%.3f ms", us/1e3)
	}
	return fmt.Sprintf("%.3f s", us/1e6)
}
