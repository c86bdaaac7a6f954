package models

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"time"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/repository"
	"github.com/vinoir/vinoir/serve/internal/schedule"
)

// load returns a version that is ready, with one use: that of its place.
func (s *Server) load(ctx context.Context, found *repository.Model, on *repository.Version, place *slot) (*version, error) {
	if on.Err != nil {
		return nil, on.Err
	}
	select {
	case s.loads <- struct{}{}:
		defer func() { <-s.loads }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	start := time.Now()
	estimate := estimateBytes(on)
	if err := s.memory.reserve(estimate); err != nil {
		return nil, err
	}
	v, err := s.open(ctx, found, on)
	if err != nil {
		s.memory.change(-estimate)
		return nil, err
	}
	v.counted = place.counted
	v.bytes = v.memoryBytes(on)
	s.memory.change(v.bytes - estimate)
	v.loadTime = time.Since(start)
	v.uses.Store(1)
	v.gone = func() { s.close(v, place) }
	return v, nil
}

// close closes a version that nobody uses any more.
func (s *Server) close(v *version, place *slot) {
	if err := v.opened.Close(); err != nil {
		s.log.Error("a version was not closed", "model", v.model, "version", v.number, "error", err)
	}
	s.memory.change(-v.bytes)
	s.mu.Lock()
	defer s.mu.Unlock()
	if place.state == oip.StateUnloading {
		place.state = oip.StateUnavailable
	}
}

// open opens and prepares the model of a version.
func (s *Server) open(ctx context.Context, found *repository.Model, on *repository.Version) (*version, error) {
	opened, err := s.compile(ctx, &found.Config, on)
	if err != nil {
		return nil, err
	}
	v := &version{
		model: found.Name, number: on.Name(), config: found.Config,
		opened: opened, compiled: opened.Compiled(),
		buffers:    &s.buffers,
		generation: s.generation.Add(1),
		timeout:    s.options.Timeout,
	}
	if err := s.prepare(ctx, v, on.Mapping); err != nil {
		_ = opened.Close() // the error of preparing is the one to report
		return nil, err
	}
	return v, nil
}

// compile reads and compiles the model of a version, with the shapes and the properties that its
// configuration has.
func (s *Server) compile(ctx context.Context, config *repository.Config, on *repository.Version) (*vinoir.Model, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	options := s.options.Open
	config.Compile.Apply(&options.CompileOptions)
	model, err := readModel(ctx, options, on.Folder, on.File)
	if err != nil {
		return nil, err
	}
	if options.Reshape, err = newShapes(model, config); err != nil {
		_ = model.Close() // the error of the shapes is the one to report
		return nil, err
	}
	return options.Compile(model)
}

// readModel reads a model without compiling it, as vinoir.Options.Open and OpenFS do.
func readModel(ctx context.Context, options vinoir.Options, folder repository.Folder, name string) (*ir.Model, error) {
	path := filepath.Join(folder.Path, name)
	if !irxml.FileIsOther(func() (io.ReadCloser, error) { return folder.FS.Open(name) }) {
		if folder.Path == "" {
			return irxml.ReadFS(folder.FS, name, options.Reading)
		}
		return irxml.ReadFile(path, options.Reading)
	}
	registry, err := plugin.NewRegistry(options.Ops...)
	if err != nil {
		return nil, err
	}
	if folder.Path == "" {
		return options.Format.ReadFS(ctx, folder.FS, name, registry)
	}
	return options.Format.ReadFile(ctx, path, registry)
}

// prepare sets what v needs besides the model.
func (s *Server) prepare(ctx context.Context, v *version, mapping repository.Mapping) error {
	var err error
	if v.inputs, v.inputIndices, err = portsOf("input", v.compiled.Inputs(), mapping.Inputs, v.config.Inputs); err != nil {
		return err
	}
	if v.outputs, v.outputIndices, err = portsOf("output", v.compiled.Outputs(), mapping.Outputs, v.config.Outputs); err != nil {
		return err
	}
	for i := range v.outputs {
		v.allOutputs = append(v.allOutputs, i)
	}
	if err := v.configurePorts(); err != nil {
		return err
	}
	v.instances = cmp.Or(v.config.Instances, s.options.Instances, v.compiled.OptimalRequests())
	v.requests = newRequests(v.compiled, v.instances)
	rules := v.config.Batching.Queue
	v.maxQueue = cmp.Or(rules.MaxSize, s.options.MaxQueueRequests)
	v.queueTimeout, v.fixedTimeout = rules.Timeout, rules.FixedTimeout
	if v.config.ResponseCache {
		v.cache = s.cache
	}
	if err := s.decideJoining(ctx, v); err != nil {
		return err
	}
	if err := v.warmUp(ctx); err != nil {
		return err
	}
	v.queue = schedule.New(schedule.Options{
		Instances: v.instances,
		MaxRows:   v.joinRows,
		MaxDelay:  v.config.Batching.MaxDelay,
		MaxJobs:   v.maxQueue,
		MaxBytes:  s.options.MaxQueueBytes,
		Levels:    v.config.Batching.Levels,
	}, v.run)
	return nil
}

// estimateBytes returns about the memory that a version will need: its files are read, and weights
// can be kept in another form besides.
func estimateBytes(on *repository.Version) int64 { return 2 * on.Files.Bytes() }

// memoryBytes returns the memory that v keeps: its files, what was computed from them, and what its
// InferRequests need, as far as that is known.
func (v *version) memoryBytes(on *repository.Version) int64 {
	memory, _ := v.compiled.Memory()
	return on.Files.Bytes() + memory.Kept + int64(v.instances)*memory.Arena
}
