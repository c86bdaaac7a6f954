package rest_test

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// service is an oip.Service with models that return their inputs: "identity" has an input x of FP32
// [-1,-1], "texts" one of BYTES [-1], "batched" one of INT32 with rows of 2, "pair" inputs a and b.
// The model "loading" is not ready, "full" has no place, "slow" waits for the end of the context.
type service struct {
	notReady bool
	infer    func(request *oip.InferRequest) (*oip.InferResponse, error)

	mutex    sync.Mutex
	refused  []error
	loaded   map[string]oip.LoadOptions
	unloaded []string
	released int
}

var ports = map[string][]oip.Port{
	"identity": {{Name: "x", Datatype: "FP32", Shape: []int64{-1, 4}}},
	"free":     {{Name: "x", Datatype: "FP32", Shape: []int64{-1, -1}}},
	"fixed":    {{Name: "x", Datatype: "UINT8", Shape: []int64{2, 2}}},
	"texts":    {{Name: "x", Datatype: "BYTES", Shape: []int64{-1}}},
	"batched":  {{Name: "x", Datatype: "INT32", Shape: []int64{-1, 2}}},
	"pair":     {{Name: "a", Datatype: "FP32", Shape: []int64{-1}}, {Name: "b", Datatype: "INT64", Shape: []int64{-1}}},
	"loading":  {},
	"full":     {{Name: "x", Datatype: "FP32", Shape: []int64{-1, 4}}},
	"slow":     {{Name: "x", Datatype: "FP32", Shape: []int64{-1, 4}}},
	"empty":    {},
}

func find(model, version string) ([]oip.Port, error) {
	found, ok := ports[model]
	if !ok {
		return nil, oip.Errorf(oip.NotFound, "model %.100q is unknown", model)
	}
	if version != "" && version != "1" {
		return nil, oip.Errorf(oip.NotFound, "model %q has no version %.20q", model, version)
	}
	return found, nil
}

func (s *service) Ready() bool { return !s.notReady }

func (s *service) Server() oip.ServerMetadata {
	return oip.ServerMetadata{Name: "vinoir", Version: "1.2", Extensions: []string{"binary_tensor_data"}}
}

func (s *service) Models() []string { return []string{"identity", "texts"} }

func (s *service) ModelReady(model, version string) (bool, error) {
	_, err := find(model, version)
	return model != "loading", err
}

func (s *service) ModelMetadata(model, version string) (*oip.ModelMetadata, error) {
	found, err := find(model, version)
	if err != nil {
		return nil, err
	}
	return &oip.ModelMetadata{Name: model, Versions: []string{"1"}, Platform: "openvino", Inputs: found, Outputs: found}, nil
}

func (s *service) ModelConfig(model, version string) (*oip.ModelConfig, error) {
	found, err := find(model, version)
	if err != nil {
		return nil, err
	}
	config := &oip.ModelConfig{Name: model, Platform: "openvino", Inputs: found, Outputs: found, Instances: 2}
	if model == "batched" {
		config.MaxBatchSize, config.MaxQueueSize, config.MaxQueueDelayMicroseconds = 8, 64, 100
		config.ResponseCache, config.Parameters = true, map[string]string{"hint": "LATENCY"}
		config.Inputs = []oip.Port{{Name: "x", Datatype: "INT32", Shape: []int64{2}}}
	}
	return config, nil
}

func (s *service) Statistics(model, version string) ([]oip.ModelStatistics, error) {
	if _, err := find(model, version); model != "" && err != nil {
		return nil, err
	}
	return []oip.ModelStatistics{{
		Name: "identity", Version: "1", InferenceCount: 3, ExecutionCount: 2, LastInference: time.UnixMilli(5000),
		Success: oip.Duration{Count: 2, Total: time.Microsecond}, MemoryBytes: 7,
		Batches: []oip.BatchStatistics{{BatchSize: 2, ComputeInfer: oip.Duration{Count: 1, Total: 9}}},
	}, {Name: "texts", Version: "1"}}, nil
}

func (s *service) Infer(ctx context.Context, request *oip.InferRequest) (*oip.InferResponse, error) {
	if _, err := find(request.Model, request.Version); err != nil {
		return nil, err
	}
	switch request.Model {
	case "full":
		return nil, oip.Errorf(oip.QueueFull, "the queue of model full has no place")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.infer != nil {
		return s.infer(request)
	}
	response := &oip.InferResponse{
		Model: request.Model, Version: "1", ID: request.ID,
		Outputs: make([]oip.Output, len(request.Inputs)),
		Free: func() {
			s.mutex.Lock()
			s.released++
			s.mutex.Unlock()
		},
	}
	for i, input := range request.Inputs {
		response.Outputs[i] = oip.Output(input)
	}
	return response, nil
}

func (s *service) Refused(_, _ string, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.refused = append(s.refused, err)
}

func (s *service) Index() []oip.IndexEntry {
	return []oip.IndexEntry{
		{Name: "identity", Version: "1", State: oip.StateReady},
		{Name: "loading", Version: "1", State: oip.StateLoading, Reason: "not yet"},
	}
}

func (s *service) Load(_ context.Context, model string, options oip.LoadOptions) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if model == "broken" {
		return oip.Errorf(oip.Malformed, "model broken cannot be read")
	}
	if s.loaded == nil {
		s.loaded = make(map[string]oip.LoadOptions)
	}
	s.loaded[model] = options
	return nil
}

func (s *service) Unload(_ context.Context, model string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.unloaded = append(s.unloaded, model)
	return nil
}

// file returns the contents of a file that model was loaded with.
func (s *service) file(model, name string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	content, err := fs.ReadFile(s.loaded[model].Files, name)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// tensor returns a tensor of FP32.
func tensor(data []float32, shape ...int) *ir.Tensor {
	t, err := ir.TensorFrom(data, shape...)
	if err != nil {
		panic(err)
	}
	return t
}
