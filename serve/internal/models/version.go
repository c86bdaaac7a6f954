package models

import (
	"sync/atomic"
	"time"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/repository"
	"github.com/vinoir/vinoir/serve/internal/schedule"
)

// version is a version of a model that is ready. It does not change; a version that is loaded again
// is another one.
type version struct {
	model, number string
	config        repository.Config
	opened        *vinoir.Model
	compiled      *plugin.CompiledModel

	inputs, outputs             []port
	inputIndices, outputIndices map[string]int
	allOutputs                  []int // the indices of outputs
	// maxRows is the most rows of a request, if the configuration says that the first dimension
	// counts rows; otherwise 0. joinRows is the most rows that are computed together; up to 1 means
	// that requests are not joined.
	maxRows, joinRows int
	// joinBytes is the size of the largest row that is joined with others; 0 means any size.
	joinBytes int64

	queue    *schedule.Queue[*task]
	requests requests
	buffers  *buffers.Pool
	cache    *schedule.Cache[*cached] // nil if answers are not kept
	counted  *statistics
	// generation is different for each version that is loaded.
	generation uint64

	// timeout is how long a request may take that says nothing, or any request if fixedTimeout is
	// set. queueTimeout is how long it may wait. 0 means any time.
	timeout, queueTimeout time.Duration
	fixedTimeout          bool
	instances, maxQueue   int
	loadTime              time.Duration
	// bytes is what is reserved for the version.
	bytes int64

	// uses counts the requests, and 1 for the slot that the version is live in.
	uses atomic.Int64
	// gone is called when uses is 0.
	gone func()
}

// release ends a use of v.
func (v *version) release() {
	if v.uses.Add(-1) == 0 {
		v.gone()
	}
}

// requests are the InferRequests of a version that do not run.
type requests struct {
	compiled *plugin.CompiledModel
	free     chan *plugin.InferRequest
}

func newRequests(compiled *plugin.CompiledModel, n int) requests {
	return requests{compiled: compiled, free: make(chan *plugin.InferRequest, n)}
}

// take returns a request whose variables have their initial values.
func (r *requests) take() (*plugin.InferRequest, error) {
	var request *plugin.InferRequest
	select {
	case request = <-r.free:
	default:
		request = r.compiled.NewInferRequest()
	}
	for _, state := range request.QueryState() {
		if err := state.Reset(); err != nil {
			return nil, err
		}
	}
	return request, nil
}

// put takes a request back.
func (r *requests) put(request *plugin.InferRequest) {
	select {
	case r.free <- request:
	default:
	}
}
