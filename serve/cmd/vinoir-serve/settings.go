package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve"
)

// model returns the model of --model-path, if there is one.
func (s *settings) model() ([]serve.Model, error) {
	config, err := s.modelConfig()
	if err != nil {
		return nil, err
	}
	if s.modelPath == "" {
		if s.modelName != "" || config != nil {
			return nil, usagef("--model-name, --shape and the other flags of one model need --model-path")
		}
		return nil, nil
	}
	name := s.modelName
	if name == "" {
		name = filepath.Base(filepath.Clean(s.modelPath))
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return []serve.Model{{Name: name, Path: s.modelPath, Config: config}}, nil
}

// modelConfig returns OVMS's configuration of the model of --model-path; nil if no flag says
// something about it.
func (s *settings) modelConfig() ([]byte, error) {
	config := make(map[string]any)
	for key, text := range map[string]string{"shape": s.shape, "batch_size": s.batchSize, "layout": s.layout} {
		if text != "" {
			config[key] = text
			if json.Valid([]byte(text)) && text[0] == '{' {
				config[key] = json.RawMessage(text)
			}
		}
	}
	for key, text := range map[string]string{"plugin_config": s.pluginConfig, "model_version_policy": s.versionPolicy} {
		if text == "" {
			continue
		}
		if !json.Valid([]byte(text)) {
			return nil, usagef("--%s %q is not JSON", strings.ReplaceAll(key, "_", "-"), text)
		}
		config[key] = json.RawMessage(text)
	}
	if len(config) == 0 {
		return nil, nil
	}
	return json.Marshal(config)
}

// addresses sets where the server listens.
func (s *settings) addresses(o *serve.Options) {
	address := func(host string, p port) string {
		if p == 0 {
			return ""
		}
		if host == "" {
			host = s.host
		}
		return net.JoinHostPort(host, p.String())
	}
	o.MetricsAddress = address("", s.metricsPort)
	if o.SingleAddress = address("", s.singlePort); o.SingleAddress == "" {
		o.RESTAddress, o.GRPCAddress = address(s.restHost, s.restPort), address(s.grpcHost, s.grpcPort)
	}
}

func (s *settings) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{}
	level := new(slog.LevelVar)
	_ = level.UnmarshalText([]byte(s.logLevel.value)) // the choices are its names
	options.Level = level
	if s.logFormat.value == "text" {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// limitMemory makes Go collect garbage more often when the process comes near to the memory that it
// can use. Unlike GOMAXPROCS, GOMEMLIMIT does not follow the control group by itself.
func limitMemory(lookup func(string) (string, bool)) {
	if _, ok := lookup("GOMEMLIMIT"); ok {
		return
	}
	if limit := plugin.SystemMemory(); limit > 0 {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}
