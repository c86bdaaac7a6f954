package rest

import (
	"net/http"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// configJSON is the configuration of a model as Triton's clients read it.
type configJSON struct {
	Name            string                   `json:"name"`
	Platform        string                   `json:"platform"`
	Backend         string                   `json:"backend"`
	MaxBatchSize    int                      `json:"max_batch_size"`
	Input           []configPortJSON         `json:"input"`
	Output          []configPortJSON         `json:"output"`
	InstanceGroup   []instanceGroupJSON      `json:"instance_group"`
	DynamicBatching *dynamicBatchingJSON     `json:"dynamic_batching,omitempty"`
	ResponseCache   *responseCacheJSON       `json:"response_cache,omitempty"`
	Parameters      map[string]parameterJSON `json:"parameters"`
}

type configPortJSON struct {
	Name     string  `json:"name"`
	DataType string  `json:"data_type"`
	Dims     []int64 `json:"dims"`
}

type instanceGroupJSON struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

type dynamicBatchingJSON struct {
	MaxQueueDelayMicroseconds int64           `json:"max_queue_delay_microseconds"`
	DefaultQueuePolicy        queuePolicyJSON `json:"default_queue_policy"`
}

type queuePolicyJSON struct {
	MaxQueueSize int `json:"max_queue_size"`
}

type responseCacheJSON struct {
	Enable bool `json:"enable"`
}

type parameterJSON struct {
	StringValue string `json:"string_value"`
}

func configPortsJSON(ports []oip.Port) []configPortJSON {
	list := make([]configPortJSON, len(ports))
	for i, port := range ports {
		list[i] = configPortJSON{port.Name, dataType(port.Datatype), notNil(port.Shape)}
	}
	return list
}

// dataType returns the name that Triton's configurations have for d.
func dataType(d oip.Datatype) string {
	if d == "BYTES" {
		return "TYPE_STRING"
	}
	return "TYPE_" + string(d)
}

func (h *handler) config(w http.ResponseWriter, r *http.Request) error {
	config, err := h.Service.ModelConfig(target(r))
	if err != nil {
		return err
	}
	answer := configJSON{
		Name: config.Name, Platform: config.Platform, Backend: config.Platform, MaxBatchSize: config.MaxBatchSize,
		Input: configPortsJSON(config.Inputs), Output: configPortsJSON(config.Outputs),
		InstanceGroup: []instanceGroupJSON{{config.Name, "KIND_CPU", config.Instances}},
		Parameters:    make(map[string]parameterJSON, len(config.Parameters)),
	}
	if config.MaxBatchSize > 0 {
		answer.DynamicBatching = &dynamicBatchingJSON{
			config.MaxQueueDelayMicroseconds, queuePolicyJSON{config.MaxQueueSize},
		}
	}
	if config.ResponseCache {
		answer.ResponseCache = &responseCacheJSON{Enable: true}
	}
	for name, value := range config.Parameters {
		answer.Parameters[name] = parameterJSON{value}
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}
