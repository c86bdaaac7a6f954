package grpcapi

import (
	"maps"
	"slices"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// smallReply is a reply other than that of an inference: it appends its fields to a slice.
type smallReply func([]byte) []byte

func (r smallReply) write(*codec) mem.BufferSlice {
	if b := r(nil); len(b) > 0 {
		return mem.BufferSlice{mem.SliceBuffer(b)}
	}
	return nil
}

// flagReply is ServerLiveResponse, ServerReadyResponse and ModelReadyResponse.
func flagReply(flag bool) reply {
	return smallReply(func(b []byte) []byte { return appendBool(b, 1, flag) })
}

// serverReply is ServerMetadataResponse.
func serverReply(server oip.ServerMetadata) reply {
	return smallReply(func(b []byte) []byte {
		b = appendText(b, 1, server.Name)
		b = appendText(b, 2, server.Version)
		return appendTexts(b, 3, server.Extensions)
	})
}

// metadataReply is ModelMetadataResponse.
func metadataReply(model *oip.ModelMetadata) reply {
	return smallReply(func(b []byte) []byte {
		b = appendText(b, 1, model.Name)
		b = appendTexts(b, 2, model.Versions)
		b = appendText(b, 3, model.Platform)
		b = appendPorts(b, 4, model.Inputs)
		return appendPorts(b, 5, model.Outputs)
	})
}

// appendPorts appends repeated TensorMetadata.
func appendPorts(b []byte, number protowire.Number, ports []oip.Port) []byte {
	for _, port := range ports {
		b = appendMessage(b, number, func(b []byte) []byte {
			b = appendText(b, 1, port.Name)
			b = appendText(b, 2, string(port.Datatype))
			return appendDims(b, 3, port.Shape)
		})
	}
	return b
}

// indexReply is RepositoryIndexResponse, of the versions that are ready or of all.
func indexReply(entries []oip.IndexEntry, ready bool) reply {
	return smallReply(func(b []byte) []byte {
		for _, entry := range entries {
			if ready && entry.State != oip.StateReady {
				continue
			}
			b = appendMessage(b, 1, func(b []byte) []byte {
				b = appendText(b, 1, entry.Name)
				b = appendText(b, 2, entry.Version)
				b = appendText(b, 3, string(entry.State))
				return appendText(b, 4, entry.Reason)
			})
		}
		return b
	})
}

// loadReply is KServe's answer when a model was loaded or unloaded. Triton's is empty, so its
// clients ignore the fields.
func loadReply(model string) reply {
	return smallReply(func(b []byte) []byte {
		b = appendText(b, 1, model)
		return appendBool(b, 2, true)
	})
}

// configReply is ModelConfigResponse.
func configReply(config *oip.ModelConfig) reply {
	return smallReply(func(b []byte) []byte {
		return appendMessage(b, 1, func(b []byte) []byte { return appendConfig(b, config) })
	})
}

// appendConfig appends the fields of ModelConfig.
func appendConfig(b []byte, config *oip.ModelConfig) []byte {
	b = appendText(b, 1, config.Name)
	b = appendText(b, 2, config.Platform)
	b = appendNumber(b, 4, uint64(config.MaxBatchSize))
	for _, port := range config.Inputs {
		b = appendMessage(b, 5, func(b []byte) []byte { return appendConfigPort(b, port, 4) })
	}
	for _, port := range config.Outputs {
		b = appendMessage(b, 6, func(b []byte) []byte { return appendConfigPort(b, port, 3) })
	}
	b = appendMessage(b, 7, func(b []byte) []byte {
		const kindCPU = 2
		b = appendText(b, 1, config.Name)
		b = appendNumber(b, 2, uint64(config.Instances))
		return appendNumber(b, 4, kindCPU)
	})
	b = appendMessage(b, 11, func(b []byte) []byte {
		b = appendNumber(b, 2, uint64(config.MaxQueueDelayMicroseconds))
		return appendMessage(b, 6, func(b []byte) []byte { return appendNumber(b, 4, uint64(config.MaxQueueSize)) })
	})
	for _, key := range slices.Sorted(maps.Keys(config.Parameters)) {
		b = appendMessage(b, 14, func(b []byte) []byte {
			b = appendText(b, 1, key)
			return appendMessage(b, 2, func(b []byte) []byte { return appendText(b, 1, config.Parameters[key]) })
		})
	}
	if config.ResponseCache {
		b = appendMessage(b, 24, func(b []byte) []byte { return appendBool(b, 1, true) })
	}
	return b
}

// appendConfigPort appends the fields of ModelInput or ModelOutput, which differ in the number of
// the dims.
func appendConfigPort(b []byte, port oip.Port, dims protowire.Number) []byte {
	b = appendText(b, 1, port.Name)
	b = appendNumber(b, 2, configTypes[port.Datatype])
	return appendDims(b, dims, port.Shape)
}

// configTypes are the numbers of the enumeration DataType.
var configTypes = map[oip.Datatype]uint64{
	"BOOL": 1, "UINT8": 2, "UINT16": 3, "UINT32": 4, "UINT64": 5, "INT8": 6, "INT16": 7, "INT32": 8,
	"INT64": 9, "FP16": 10, "FP32": 11, "FP64": 12, "BYTES": 13, "BF16": 14,
}

// statisticsReply is ModelStatisticsResponse.
func statisticsReply(models []oip.ModelStatistics) reply {
	return smallReply(func(b []byte) []byte {
		for i := range models {
			b = appendMessage(b, 1, func(b []byte) []byte { return appendStatistics(b, &models[i]) })
		}
		return b
	})
}

// appendStatistics appends the fields of ModelStatistics.
func appendStatistics(b []byte, model *oip.ModelStatistics) []byte {
	b = appendText(b, 1, model.Name)
	b = appendText(b, 2, model.Version)
	if !model.LastInference.IsZero() {
		b = appendNumber(b, 3, uint64(model.LastInference.UnixMilli()))
	}
	b = appendNumber(b, 4, model.InferenceCount)
	b = appendNumber(b, 5, model.ExecutionCount)
	b = appendMessage(b, 6, func(b []byte) []byte {
		return appendDurations(b, 1, model.Success, model.Fail, model.Queue, model.ComputeInput,
			model.ComputeInfer, model.ComputeOutput, model.CacheHit, model.CacheMiss)
	})
	for _, batch := range model.Batches {
		b = appendMessage(b, 7, func(b []byte) []byte {
			b = appendNumber(b, 1, uint64(batch.BatchSize))
			return appendDurations(b, 2, batch.ComputeInput, batch.ComputeInfer, batch.ComputeOutput)
		})
	}
	if model.MemoryBytes > 0 {
		b = appendMessage(b, 8, func(b []byte) []byte {
			b = appendText(b, 1, "CPU")
			return appendNumber(b, 3, uint64(model.MemoryBytes))
		})
	}
	return b
}

// appendDurations appends durations, each StatisticDuration, to the fields from number first on.
func appendDurations(b []byte, first protowire.Number, durations ...oip.Duration) []byte {
	for i, d := range durations {
		b = appendMessage(b, first+protowire.Number(i), func(b []byte) []byte {
			b = appendNumber(b, 1, d.Count)
			return appendNumber(b, 2, uint64(d.Total.Nanoseconds()))
		})
	}
	return b
}
