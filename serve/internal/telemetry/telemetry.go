// Package telemetry tells what a server does: metrics for Prometheus by the names of Triton and of
// OVMS, spans for OpenTelemetry, a log of requests, and the last errors.
//
// It looks at the server through oip.Service: Observe returns a Service for one protocol that
// counts what passes. Statistics of models are read when somebody asks for the metrics, and cost a
// request nothing.
package telemetry

import (
	"log/slog"
	"sync"
	"time"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/trace"
)

// Options for New. Service and Logger must be set.
type Options struct {
	Service oip.Service
	// OVMS adds the metrics by the names of OVMS.
	OVMS bool
	// Tracer makes spans; nil means none.
	Tracer *trace.Tracer
	// Logger gets a record of each request at the level Debug, and one of each error that is the
	// server's fault at the level Error.
	Logger *slog.Logger
}

// Telemetry watches a server.
type Telemetry struct {
	options Options
	started time.Time
	bounds  []float64
	cpu     cpuMeter

	mu     sync.Mutex // guards the fields below
	series map[key]*series
	recent []Event // of which next is the oldest, once there are maxEvents
	next   int
}

// New returns a Telemetry without counts.
func New(options Options) *Telemetry {
	return &Telemetry{
		options: options, started: time.Now(), bounds: bounds(), series: make(map[key]*series),
	}
}

// key names what is counted together.
type key struct{ model, version, protocol string }

// series are the counts of a version of a model in one protocol.
type series struct {
	mu               sync.Mutex
	calls            map[string]*calls // by method
	current          int               // inferences
	request          histogram
	queue, inference histogram
}

// calls counts the calls of a method.
type calls struct{ success, fail uint64 }

// count counts a call.
func (s *series) count(method string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[method]
	if c == nil {
		c = new(calls)
		s.calls[method] = c
	}
	if err == nil {
		c.success++
	} else {
		c.fail++
	}
}

// enter adds change to the number of inferences that run or wait.
func (s *series) enter(change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current += change
}

// of returns the series of k, which must be of a model that exists: names that clients make up
// would fill the memory.
func (t *Telemetry) of(k key) *series {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.series[k]
	if s == nil {
		s = &series{calls: make(map[string]*calls)}
		t.series[k] = s
	}
	return s
}

// Event is an error that a client got.
type Event struct {
	Time time.Time `json:"time"`
	// Protocol is REST or gRPC, Method the call of the protocol.
	Protocol string `json:"protocol"`
	Method   string `json:"method"`
	Model    string `json:"model,omitempty"`
	Version  string `json:"version,omitempty"`
	Text     string `json:"text"`
}

// maxEvents is the number of errors that are kept, maxEventName the length of a client's texts in
// them.
const (
	maxEvents    = 32
	maxEventName = 128
)

// Recent returns the last errors, the newest first.
func (t *Telemetry) Recent() []Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	events := make([]Event, 0, len(t.recent))
	for i := range t.recent {
		events = append(events, t.recent[(t.next+2*len(t.recent)-1-i)%len(t.recent)])
	}
	return events
}

// remember keeps an error in the place of the oldest.
func (t *Telemetry) remember(e Event) {
	e.Model, e.Version = cut(e.Model), cut(e.Version)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.recent) < maxEvents {
		t.recent = append(t.recent, e)
		return
	}
	t.recent[t.next] = e
	t.next = (t.next + 1) % maxEvents
}

func cut(name string) string {
	if len(name) <= maxEventName {
		return name
	}
	return name[:maxEventName] + "..."
}
