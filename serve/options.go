package serve

import (
	"io/fs"
	"log/slog"
	"time"
)

// Options say what a server serves, and how. Zero fields mean the defaults.
type Options struct {
	// Repository is the path of a folder of models, of the folder of one model, with version
	// folders or without, or of a model file. With Models or ConfigFile it can be empty.
	Repository string
	// ConfigFile is the path of a config.json as OVMS reads it.
	ConfigFile string
	// Models lists models by name, in addition.
	Models []Model

	// Control says whether models change while the server runs.
	Control Control
	// PollInterval is the time between two looks at the files with ControlPoll. 0 means a second.
	PollInterval time.Duration

	// RESTAddress, GRPCAddress and MetricsAddress are where the server listens, such as
	// "127.0.0.1:8080"; port 0 lets the system choose one. Empty means that it does not. Metrics
	// are on the address of REST too.
	RESTAddress, GRPCAddress, MetricsAddress string
	// SingleAddress is where REST and gRPC are both answered, in place of RESTAddress and
	// GRPCAddress.
	SingleAddress string

	// Threads is how many threads compute. 0 means GOMAXPROCS.
	Threads int
	// Instances is how many inferences of a model run at the same time, unless its configuration
	// says so. 0 means as many as use all threads.
	Instances int
	// MaxBatchSize is the most rows that are computed together of a model whose configuration does
	// not say, if its rows are independent and at most 64 KiB. 0 means 16; negative numbers mean
	// that only models whose configuration says so are batched.
	MaxBatchSize int
	// MaxQueueRequests and MaxQueueBytes bound what waits for a model: requests, and bytes of their
	// inputs. 0 means 1,024 requests and 256 MiB.
	MaxQueueRequests int
	MaxQueueBytes    int64
	// RequestTimeout is how long a request may take that does not say itself. 0 means any time.
	RequestTimeout time.Duration
	// CacheBytes bounds the memory of the response cache. 0 means 64 MiB.
	CacheBytes int64
	// MaxModelBytes bounds the memory of all models. 0 means the memory that the process can use, a
	// negative number no bound.
	MaxModelBytes int64
	// MaxBodyBytes bounds a message, also after it is decompressed. 0 means 256 MiB.
	MaxBodyBytes int64
	// MaxConnections bounds the connections of each address. 0 means 10,000.
	MaxConnections int
	// MaxConnectionAge ends connections of gRPC that are older, once their calls have ended, so
	// that clients find new servers behind a balancer. 0 means never.
	MaxConnectionAge time.Duration

	// Certificate and CertificateKey are files in PEM: with them the addresses speak TLS. They are
	// read again when they change.
	Certificate, CertificateKey string
	// ClientCA is a file of certificates, one of which must have signed the client's.
	ClientCA string
	// APIKeyFile is a file of keys, one a line, with the scopes that each may call. Without it, all
	// calls are allowed. It is read again when it changes.
	APIKeyFile string

	// DrainDelay is how long the server goes on taking connections after it has said that it is not
	// ready; DrainTimeout how long it waits after that for the requests that are left. 0 means 5
	// and 20 seconds; a negative DrainDelay means none.
	DrainDelay, DrainTimeout time.Duration

	// OVMSMetrics adds the metrics by the names of OVMS.
	OVMSMetrics bool
	// Profiling serves net/http/pprof below /debug/pprof/, to keys with the scope metrics.
	Profiling bool
	// NoPage leaves the status page at / out.
	NoPage bool

	// Name and Version are what the server says it is. Empty means vinoir, and the version of the
	// module.
	Name, Version string
	// Logger gets what happens. nil means that nothing is logged.
	Logger *slog.Logger
	// Environment is where variables such as OTEL_EXPORTER_OTLP_ENDPOINT are looked up. nil means
	// that there are none: a program that embeds a server decides itself.
	Environment func(name string) (string, bool)
}

// Model is a model with its name.
type Model struct {
	Name string
	// Path is the folder of the model, with version folders or without, or its file.
	Path string
	// FS has the files instead, such as an embed.FS. Path is then a path in FS; empty means all.
	FS fs.FS
	// Config is the configuration as JSON, either OVMS's for one model or Triton's.
	Config []byte
}

// Control says whether models change while a server runs. All models are loaded at the start.
type Control uint8

// The kinds of control.
const (
	// ControlNone serves what was there at the start.
	ControlNone Control = iota
	// ControlPoll looks for new, changed and removed models and versions at an interval.
	ControlPoll
	// ControlExplicit loads and unloads by calls of the protocols.
	ControlExplicit
)
