package oip

import "time"

// ModelStatistics is what a server has counted for a version of a model. Metrics and the statistics
// of the protocol both come from it.
type ModelStatistics struct {
	Name, Version string
	// LastInference is when the last inference ended; zero if there was none.
	LastInference time.Time
	// InferenceCount is the number of rows, ExecutionCount that of inferences: one inference
	// computes the rows of several requests.
	InferenceCount, ExecutionCount uint64
	// Success and Fail are requests and their whole time.
	Success, Fail Duration
	// Queue is the time that requests waited; ComputeInput, ComputeInfer and ComputeOutput are that
	// for joining inputs, inferring and taking outputs apart.
	Queue, ComputeInput, ComputeInfer, ComputeOutput Duration
	CacheHit, CacheMiss                              Duration
	// Failures are the requests that failed, by reason.
	Failures map[Reason]uint64
	// Pending is the number of requests that wait.
	Pending int
	// LoadTime is how long the version took to load.
	LoadTime time.Duration
	// Batches has the times of inferences by their number of rows, sorted.
	Batches []BatchStatistics
	// MemoryBytes is what the version keeps: weights and the memory of its requests.
	MemoryBytes int64
}

// Duration is a number of events and the time that they took together.
type Duration struct {
	Count uint64
	Total time.Duration
}

// BatchStatistics are the times of inferences of one number of rows.
type BatchStatistics struct {
	BatchSize                                 int
	ComputeInput, ComputeInfer, ComputeOutput Duration
}

// Reason says why a request failed, as Triton's metrics name it.
type Reason string

// The reasons.
const (
	// ReasonRejected is a request that does not fit the model, a limit or the queue.
	ReasonRejected Reason = "REJECTED"
	// ReasonCanceled is a request whose client has gone or whose time was over.
	ReasonCanceled Reason = "CANCELED"
	// ReasonBackend is an inference that failed.
	ReasonBackend Reason = "BACKEND"
	// ReasonOther is anything else.
	ReasonOther Reason = "OTHER"
)
