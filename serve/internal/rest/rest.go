// Package rest serves the Open Inference Protocol V2 over HTTP, with Triton's extensions for binary
// tensors, statistics, configurations and repositories.
//
// Requests and answers of inferences are read and written by hand, without reflection, and with
// memory that is used again: the bytes of a binary tensor go from the connection into the memory
// that the model reads, and from the memory that it wrote to the connection.
//
// Specifications: https://github.com/kserve/open-inference-protocol and
// https://github.com/triton-inference-server/server/tree/main/docs/protocol
package rest

import (
	"net/http"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Options say what is served.
type Options struct {
	// Service answers the calls.
	Service oip.Service
	// Limits bound requests. Zero fields mean the defaults.
	Limits oip.Limits
	// RepositoryControl allows the calls that load and unload models.
	RepositoryControl bool
}

// New returns a handler for all paths below /v2. Other paths are errors with the status 404.
func New(options Options) http.Handler {
	h := &handler{Options: options, routes: httpapi.NewRoutes()}
	h.Limits = options.Limits.WithDefaults()

	h.routes.Add(http.MethodGet, "/v2", h.server)
	h.routes.Add(http.MethodGet, "/v2/{$}", h.server)
	h.routes.Add(http.MethodGet, "/v2/health/live", h.live)
	h.routes.Add(http.MethodGet, "/v2/health/ready", h.ready)
	h.routes.Add(http.MethodGet, "/v2/models", h.models)
	h.routes.Add(http.MethodGet, "/v2/models/stats", h.statistics)
	for _, model := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		h.routes.Add(http.MethodGet, model, h.metadata)
		h.routes.Add(http.MethodGet, model+"/ready", h.modelReady)
		h.routes.Add(http.MethodGet, model+"/config", h.config)
		h.routes.Add(http.MethodGet, model+"/stats", h.statistics)
		h.routes.Add(http.MethodPost, model+"/infer", h.infer)
	}
	// Triton has names of repositories, of which a server here has one.
	for _, repository := range []string{"/v2/repository", "/v2/repository/{repository}"} {
		h.routes.Add(http.MethodPost, repository+"/index", h.index)
		h.routes.Add(http.MethodPost, repository+"/models/{model}/load", h.load)
		h.routes.Add(http.MethodPost, repository+"/models/{model}/unload", h.unload)
	}
	return h.routes
}

// handler has the calls.
type handler struct {
	Options
	routes *httpapi.Routes
	// pool has the memory of bodies and texts.
	pool        buffers.Pool
	compressors httpapi.Compressors
}

// target returns the model and the version that the path of r names.
func target(r *http.Request) (model, version string) {
	return r.PathValue("model"), r.PathValue("version")
}
