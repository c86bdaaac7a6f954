// Package page is the status page of a server: models, versions, states, queues, latencies as small
// charts, the last errors, and a form that infers with made-up inputs. It only reads, and loads
// nothing from elsewhere.
package page

import (
	"cmp"
	"embed"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/telemetry"
)

//go:embed page.html page.css page.js
var files embed.FS

// Options for New. Service and Recent must be set.
type Options struct {
	Service oip.Service
	// Recent returns the last errors.
	Recent func() []telemetry.Event
	// Addresses says where the server listens, by what it is for: REST, gRPC, metrics.
	Addresses func() map[string]string
}

// The paths of the page: itself, its files and what it shows.
const (
	Path       = "/"
	StylePath  = "/status/page.css"
	ScriptPath = "/status/page.js"
	DataPath   = "/status/status.json"
)

// New returns the handlers of the page by their paths, for GET.
func New(options Options) map[string]http.Handler {
	return map[string]http.Handler{
		Path:       file("page.html", "text/html; charset=utf-8"),
		StylePath:  file("page.css", "text/css; charset=utf-8"),
		ScriptPath: file("page.js", "text/javascript; charset=utf-8"),
		DataPath: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			body, err := json.Marshal(options.status())
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "no-store")
			_, _ = w.Write(body)
		}),
	}
}

// policy allows the page its own files and nothing else, and no other page to frame it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// file returns a handler that answers with an embedded file.
func file(name, contentType string) http.Handler {
	content, err := files.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error()) // it is embedded
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Content-Type", contentType)
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-cache")
		_, _ = w.Write(content)
	})
}

// status is what the page shows.
type status struct {
	Name      string            `json:"name"`
	Version   string            `json:"version"`
	Ready     bool              `json:"ready"`
	Time      time.Time         `json:"time"`
	Addresses map[string]string `json:"addresses"`
	Models    []version         `json:"models"`
	Errors    []telemetry.Event `json:"errors"`
}

// version is a version of a model. Times are in microseconds, and grow as counts do: the page shows
// the differences.
type version struct {
	Name          string     `json:"name"`
	Version       string     `json:"version"`
	State         string     `json:"state"`
	Reason        string     `json:"reason,omitempty"`
	Inputs        []port     `json:"inputs,omitempty"`
	Outputs       []port     `json:"outputs,omitempty"`
	Pending       int        `json:"pending"`
	Success       uint64     `json:"success"`
	Fail          uint64     `json:"fail"`
	Rows          uint64     `json:"rows"`
	Executions    uint64     `json:"executions"`
	RequestMicros int64      `json:"request_us"`
	QueueMicros   int64      `json:"queue_us"`
	InferMicros   int64      `json:"infer_us"`
	MemoryBytes   int64      `json:"memory_bytes"`
	LoadSeconds   float64    `json:"load_seconds"`
	Last          *time.Time `json:"last_inference,omitempty"`
}

type port struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// status reads the state of the server.
func (o Options) status() status {
	server := o.Service.Server()
	s := status{
		Name: server.Name, Version: server.Version, Ready: o.Service.Ready(), Time: time.Now(),
		Models: []version{}, Errors: o.Recent(),
	}
	if o.Addresses != nil {
		s.Addresses = o.Addresses()
	}
	all, _ := o.Service.Statistics("", "") // without statistics, the states are shown
	statistics := make(map[[2]string]*oip.ModelStatistics)
	for i := range all {
		statistics[[2]string{all[i].Name, all[i].Version}] = &all[i]
	}
	for _, entry := range o.Service.Index() {
		v := version{Name: entry.Name, Version: entry.Version, State: string(entry.State), Reason: entry.Reason}
		if metadata, err := o.Service.ModelMetadata(entry.Name, entry.Version); err == nil {
			v.Inputs, v.Outputs = ports(metadata.Inputs), ports(metadata.Outputs)
		}
		if counts := statistics[[2]string{entry.Name, entry.Version}]; counts != nil {
			v.count(counts)
		}
		s.Models = append(s.Models, v)
	}
	slices.SortStableFunc(s.Models, func(a, b version) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// count sets what is counted.
func (v *version) count(s *oip.ModelStatistics) {
	v.Pending, v.Success, v.Fail = s.Pending, s.Success.Count, s.Fail.Count
	v.Rows, v.Executions = s.InferenceCount, s.ExecutionCount
	v.RequestMicros = s.Success.Total.Microseconds()
	v.QueueMicros = s.Queue.Total.Microseconds()
	v.InferMicros = s.ComputeInfer.Total.Microseconds()
	v.MemoryBytes, v.LoadSeconds = s.MemoryBytes, s.LoadTime.Seconds()
	if !s.LastInference.IsZero() {
		v.Last = &s.LastInference
	}
}

func ports(list []oip.Port) []port {
	converted := make([]port, len(list))
	for i, p := range list {
		converted[i] = port{p.Name, string(p.Datatype), p.Shape}
	}
	return converted
}
