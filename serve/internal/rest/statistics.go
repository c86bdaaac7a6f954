package rest

import (
	"net/http"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// durationJSON is a number of events and their time in nanoseconds.
type durationJSON struct {
	Count uint64 `json:"count"`
	NS    uint64 `json:"ns"`
}

func durationOf(d oip.Duration) durationJSON {
	return durationJSON{d.Count, uint64(max(d.Total, 0))}
}

// modelStatisticsJSON is what was counted for a version of a model.
type modelStatisticsJSON struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// LastInference is in milliseconds since 1970.
	LastInference  int64                   `json:"last_inference"`
	InferenceCount uint64                  `json:"inference_count"`
	ExecutionCount uint64                  `json:"execution_count"`
	InferenceStats inferenceStatisticsJSON `json:"inference_stats"`
	BatchStats     []batchStatisticsJSON   `json:"batch_stats"`
	MemoryUsage    []memoryUsageJSON       `json:"memory_usage"`
}

type inferenceStatisticsJSON struct {
	Success       durationJSON `json:"success"`
	Fail          durationJSON `json:"fail"`
	Queue         durationJSON `json:"queue"`
	ComputeInput  durationJSON `json:"compute_input"`
	ComputeInfer  durationJSON `json:"compute_infer"`
	ComputeOutput durationJSON `json:"compute_output"`
	CacheHit      durationJSON `json:"cache_hit"`
	CacheMiss     durationJSON `json:"cache_miss"`
}

type batchStatisticsJSON struct {
	BatchSize     int          `json:"batch_size"`
	ComputeInput  durationJSON `json:"compute_input"`
	ComputeInfer  durationJSON `json:"compute_infer"`
	ComputeOutput durationJSON `json:"compute_output"`
}

type memoryUsageJSON struct {
	Type     string `json:"type"`
	ID       int    `json:"id"`
	ByteSize int64  `json:"byte_size"`
}

func statisticsOf(s *oip.ModelStatistics) modelStatisticsJSON {
	answer := modelStatisticsJSON{
		Name: s.Name, Version: s.Version, InferenceCount: s.InferenceCount, ExecutionCount: s.ExecutionCount,
		InferenceStats: inferenceStatisticsJSON{
			Success: durationOf(s.Success), Fail: durationOf(s.Fail), Queue: durationOf(s.Queue),
			ComputeInput: durationOf(s.ComputeInput), ComputeInfer: durationOf(s.ComputeInfer),
			ComputeOutput: durationOf(s.ComputeOutput),
			CacheHit:      durationOf(s.CacheHit), CacheMiss: durationOf(s.CacheMiss),
		},
		BatchStats:  make([]batchStatisticsJSON, len(s.Batches)),
		MemoryUsage: []memoryUsageJSON{{"CPU", 0, s.MemoryBytes}},
	}
	if !s.LastInference.IsZero() {
		answer.LastInference = s.LastInference.UnixMilli()
	}
	for i, b := range s.Batches {
		answer.BatchStats[i] = batchStatisticsJSON{
			b.BatchSize, durationOf(b.ComputeInput), durationOf(b.ComputeInfer), durationOf(b.ComputeOutput),
		}
	}
	return answer
}

func (h *handler) statistics(w http.ResponseWriter, r *http.Request) error {
	statistics, err := h.Service.Statistics(target(r))
	if err != nil {
		return err
	}
	list := make([]modelStatisticsJSON, len(statistics))
	for i := range statistics {
		list[i] = statisticsOf(&statistics[i])
	}
	return httpapi.WriteJSON(w, http.StatusOK, struct {
		ModelStats []modelStatisticsJSON `json:"model_stats"`
	}{list})
}
