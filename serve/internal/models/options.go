package models

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Options are options for New. At least one of Repository, ConfigFile and Models must be set; the
// other fields have useful zero values.
type Options struct {
	// Repository is the path of a folder of models, of the folder of one model, with version
	// folders or without, or of a model file. Package repository says how they are told apart.
	Repository string
	// ConfigFile is the path of a config.json as OVMS reads it. It names models and their folders.
	ConfigFile string
	// Models lists models by name, in addition to those of Repository and ConfigFile.
	Models []Model

	// Control says who loads and unloads models after the start. All models are loaded at the
	// start.
	Control Control
	// PollInterval is the time between two looks at the files with ControlPoll. 0 means one second.
	PollInterval time.Duration

	// Open has the options that each model is opened with: layer types, formats, limits, threads.
	// The configuration of a model overrides them. If Ops is nil, they are all that vinoir has, and
	// if Format is nil, it is that of ONNX. If Limits.MaxTotalBytes is 0, an inference can take
	// half of the memory that the process can use, at most 16 GiB. With ControlNone, Reading.MMap
	// is set: weights then need less memory, but files must not be changed in place while they are
	// served.
	Open vinoir.Options
	// MaxMemoryBytes bounds the memory that all versions of all models keep together: before a
	// version is loaded, its need is estimated from its files. 0 means the memory that the process
	// can use, negative numbers that nothing is checked.
	MaxMemoryBytes int64
	// LoadsAtOnce is the number of versions that are loaded at the same time. 0 means 2.
	LoadsAtOnce int

	// Instances is how many inferences of a version run at the same time, if its configuration does
	// not say. 0 means as many as use all threads.
	Instances int
	// MaxBatchSize is the most rows that are computed together for a model whose configuration does
	// not say, and whose inputs and outputs all have a first dimension of any length. Whether rows
	// are independent is tried first, and rows of more than 64 KiB are not joined. 0 means 16;
	// negative numbers mean that only models whose configuration says so are computed together.
	MaxBatchSize int
	// MaxQueueRequests and MaxQueueBytes bound, for each version, the requests that wait and the
	// bytes of their inputs. 0 means 1,024 requests and 256 MiB.
	MaxQueueRequests int
	MaxQueueBytes    int64
	// Timeout is how long a request may take that does not say itself. 0 means that it may take any
	// time.
	Timeout time.Duration
	// CacheBytes bounds the memory of the response cache, which models use whose configuration
	// says so. 0 means 64 MiB.
	CacheBytes int64

	// Server is what Service.Server returns. Empty fields are set to vinoir's.
	Server oip.ServerMetadata
	// Log gets what happens to models. nil means that nothing is written.
	Log *slog.Logger
	// Observe, if not nil, is called for each request after it has ended, on the goroutine of its
	// Infer and with its context.
	Observe func(ctx context.Context, times Times)
}

// Model is a model that is named by the program rather than by the place of its files.
type Model struct {
	Name string
	// Path is the folder of the model, with version folders or without, or its file.
	Path string
	// FS has the files instead, such as an embed.FS. Path is then a path in FS; empty means all.
	FS fs.FS
	// Config is the configuration as JSON, either OVMS's for one model or Triton's. It is added to
	// that in the folder. nil means none.
	Config []byte
}

// Control says who loads and unloads models after the start.
type Control uint8

// The kinds of control.
const (
	// ControlNone serves what was there at the start.
	ControlNone Control = iota
	// ControlPoll looks for new, changed and removed models and versions at an interval.
	ControlPoll
	// ControlExplicit loads and unloads by calls.
	ControlExplicit
)

// String returns the name of c, as flags have it: none, poll or explicit.
func (c Control) String() string {
	switch c {
	case ControlPoll:
		return "poll"
	case ControlExplicit:
		return "explicit"
	}
	return "none"
}

// Times says how the time of a request was spent.
type Times struct {
	Model, Version, ID string
	// Rows is the number of rows of the inference that the request was a part of; 0 if there was
	// none, as if the request was refused or the answer came from the cache.
	Rows int
	// Start is when the request came, Dequeued when its inference began, Inputs when its inputs
	// were joined with others, Inferred when the inference had ended, and End when the answer was
	// ready. Steps that were not reached are zero.
	Start, Dequeued, Inputs, Inferred, End time.Time
	// Cached says that the answer came from the response cache.
	Cached bool
	Err    error
}

// withDefaults returns o with the defaults in the place of zeros.
func (o Options) withDefaults() Options {
	o.PollInterval = cmp.Or(o.PollInterval, time.Second)
	if o.Open.Ops == nil {
		o.Open.Ops = slices.Concat(builtin.Ops(), extension.Ops(), onnxextension.Ops())
	}
	if o.Control == ControlNone {
		o.Open.Reading.MMap = true
	}
	if o.Open.Format == nil {
		o.Open.Format = onnx.Format{Options: onnx.Options{MMap: o.Open.Reading.MMap}}
	}
	o.Open.Limits = withMemory(o.Open.Limits, plugin.SystemMemory())
	o.MaxMemoryBytes = cmp.Or(o.MaxMemoryBytes, plugin.SystemMemory())
	o.LoadsAtOnce = cmp.Or(o.LoadsAtOnce, 2)
	o.MaxBatchSize = cmp.Or(o.MaxBatchSize, 16)
	o.MaxQueueRequests = cmp.Or(o.MaxQueueRequests, 1024)
	o.MaxQueueBytes = cmp.Or(o.MaxQueueBytes, 256<<20)
	o.CacheBytes = cmp.Or(o.CacheBytes, 64<<20)
	o.Server.Name = cmp.Or(o.Server.Name, "vinoir")
	o.Server.Version = cmp.Or(o.Server.Version, "0")
	if o.Server.Extensions == nil {
		o.Server.Extensions = []string{
			"binary_tensor_data", "classification", "model_configuration", "model_repository", "model_repository(unload_dependents)",
			"parameters", "schedule_policy", "statistics",
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// withMemory returns limits under which one inference, whose shapes a client can choose, cannot
// take all the memory of a process. memory is what the process can use; 0 if that is not known.
func withMemory(limits plugin.Options, memory int64) plugin.Options {
	const most = 16 << 30 // the default of package plugin
	if limits.MaxTotalBytes == 0 && 0 < memory && memory < 2*most {
		limits.MaxTotalBytes = memory / 2
		// Clients have no influence on weights.
		limits.MaxKeptBytes = cmp.Or(limits.MaxKeptBytes, memory)
	}
	return limits
}
