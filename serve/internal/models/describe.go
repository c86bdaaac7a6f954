package models

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// platform is the name of the runtime in metadata, as OVMS and KServe have it.
const platform = "openvino"

// ModelMetadata implements oip.Service.
func (s *Server) ModelMetadata(name, version string) (*oip.ModelMetadata, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, err := s.slot(name, version)
	if err != nil {
		return nil, err
	}
	metadata := &oip.ModelMetadata{Name: name, Platform: platform, Versions: []string{}}
	for _, slot := range s.models[name].sorted() {
		if slot.live != nil {
			metadata.Versions = append(metadata.Versions, slot.name())
		}
	}
	metadata.Inputs = describe(found.live.inputs, false)
	metadata.Outputs = describe(found.live.outputs, false)
	return metadata, nil
}

// ModelConfig implements oip.Service.
func (s *Server) ModelConfig(name, version string) (*oip.ModelConfig, error) {
	v, err := s.acquire(name, version)
	if err != nil {
		return nil, err
	}
	defer v.release()
	return &oip.ModelConfig{
		Name: name, Platform: platform,
		MaxBatchSize:              v.maxRows,
		Inputs:                    describe(v.inputs, v.maxRows > 0),
		Outputs:                   describe(v.outputs, v.maxRows > 0),
		MaxQueueDelayMicroseconds: v.config.Batching.MaxDelay.Microseconds(),
		MaxQueueSize:              v.maxQueue,
		Instances:                 v.instances,
		ResponseCache:             v.cache != nil,
		Parameters:                v.config.Parameters,
	}, nil
}

// Statistics implements oip.Service.
func (s *Server) Statistics(name, version string) ([]oip.ModelStatistics, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []oip.ModelStatistics
	if name == "" {
		for _, m := range s.models {
			list = append(list, m.statistics()...)
		}
		slices.SortStableFunc(list, func(a, b oip.ModelStatistics) int { return strings.Compare(a.Name, b.Name) })
		return list, nil
	}
	m := s.models[name]
	if m == nil {
		return nil, unknownModel(name)
	}
	if version == "" {
		return m.statistics(), nil
	}
	slot, err := s.slot(name, version)
	if slot == nil {
		return nil, err
	}
	return []oip.ModelStatistics{slot.statistics()}, nil
}

// statistics returns what was counted for the versions of m.
func (m *model) statistics() []oip.ModelStatistics {
	list := []oip.ModelStatistics{}
	for _, slot := range m.sorted() {
		list = append(list, slot.statistics())
	}
	return list
}

// statistics returns what was counted for the version in s.
func (s *slot) statistics() oip.ModelStatistics {
	counted := s.counted.snapshot()
	if v := s.live; v != nil {
		counted.Pending = v.queue.Waiting()
		counted.LoadTime = v.loadTime
		counted.MemoryBytes = v.bytes
	}
	return counted
}

// Refused implements oip.Service.
func (s *Server) Refused(name, version string, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if slot, _ := s.slot(name, version); slot != nil {
		slot.counted.refused(err)
	}
}
