// Package oip has what the two forms of the Open Inference Protocol V2, REST and gRPC, share: the
// service that both call, its requests and answers, datatypes, errors and limits.
//
// The packages that speak a protocol, rest and grpcapi, turn bytes into an InferRequest and an
// InferResponse into bytes. Package models is the Service behind them.
package oip

import (
	"context"
	"io/fs"
)

// Service is what a server does, whatever protocol asks for it. Its methods can be called at the
// same time. Errors are of type *Error; any other error is a fault of the server.
type Service interface {
	// Ready says whether the server has started, all models that should be there are loaded, and it
	// is not about to end.
	Ready() bool
	// Server says what the server is.
	Server() ServerMetadata
	// Models returns the names of the models that have a ready version, sorted.
	Models() []string
	// ModelReady says whether a version of a model can be asked. An empty version is the one that
	// the server chooses. The error has the code NotFound if there is no such model or version.
	ModelReady(model, version string) (bool, error)
	// ModelMetadata describes the inputs and outputs of a version.
	ModelMetadata(model, version string) (*ModelMetadata, error)
	// ModelConfig returns how a version is served.
	ModelConfig(model, version string) (*ModelConfig, error)
	// Statistics returns what was counted for the versions of a model, for one of them, or, if both
	// are empty, for all models.
	Statistics(model, version string) ([]ModelStatistics, error)
	// Infer computes a request. It checks the request against the ports of the model, waits its
	// turn, and returns when the answer is there or ctx is done. It reads the tensors of request
	// until it returns and not afterwards. The caller releases the response.
	Infer(ctx context.Context, request *InferRequest) (*InferResponse, error)
	// Refused counts a request for a model that a protocol refused before Infer. An unknown model
	// is not counted by its name.
	Refused(model, version string, err error)
	// Index lists all versions of all models that the server knows, ready or not.
	Index() []IndexEntry
	// Load loads a model, or loads it again, and returns when it is ready or failed. Where Load and
	// Unload are not allowed, the error has the code Unavailable.
	Load(ctx context.Context, model string, options LoadOptions) error
	// Unload takes a model away. Requests that run end as usual.
	Unload(ctx context.Context, model string) error
}

// ServerMetadata describes a server.
type ServerMetadata struct {
	Name, Version string
	// Extensions of the protocol that the server has, such as binary_tensor_data.
	Extensions []string
}

// ModelMetadata describes a version of a model.
type ModelMetadata struct {
	Name string
	// Versions are those that are ready, sorted as numbers.
	Versions []string
	// Platform is the runtime's name, openvino.
	Platform        string
	Inputs, Outputs []Port
}

// Port is an input or output of a model.
type Port struct {
	Name     string
	Datatype Datatype
	// Shape has -1 for dimensions that are not known.
	Shape []int64
}

// ModelConfig says how a version of a model is served, in the terms of Triton's configuration.
type ModelConfig struct {
	Name, Platform string
	// MaxBatchSize is the most rows that are computed together; 0 if the first dimension of the
	// ports does not count rows.
	MaxBatchSize int
	// Inputs and Outputs have shapes without the rows if MaxBatchSize is not 0.
	Inputs, Outputs []Port
	// MaxQueueDelayMicroseconds is how long a request waits for others while one could run.
	MaxQueueDelayMicroseconds int64
	// MaxQueueSize is the number of requests that wait at most.
	MaxQueueSize int
	// Instances is how many inferences run at the same time.
	Instances     int
	ResponseCache bool
	Parameters    map[string]string
}

// IndexEntry is the state of a version of a model.
type IndexEntry struct {
	Name, Version string
	State         State
	// Reason says why the version is not ready.
	Reason string
}

// State of a version of a model.
type State string

// The states that the protocol names.
const (
	StateReady       State = "READY"
	StateLoading     State = "LOADING"
	StateUnloading   State = "UNLOADING"
	StateUnavailable State = "UNAVAILABLE"
)

// LoadOptions can come with a call that loads a model.
type LoadOptions struct {
	// Config is the configuration to load the model with, as JSON, in place of that in the
	// repository.
	Config []byte
	// Files are files of the model, in place of those in the repository. They are never written to
	// the disk. nil means the repository's.
	Files fs.FS
}
