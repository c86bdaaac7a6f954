// Package tfs serves models by the REST protocol of TensorFlow Serving, with the calls that
// OpenVINO Model Server had added to it: for the clients of servers that have either no more.
//
// Each version of a model has one signature, with the inputs and outputs of the model, whatever
// name a request gives it. There are no labels.
//
// Specification: https://www.tensorflow.org/tfx/serving/api_rest
package tfs

import (
	"net/http"
	"strings"

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
}

// New returns a handler for the paths below /v1/models and /v1/config. Other paths are errors with
// the status 404.
func New(options Options) http.Handler {
	h := &handler{Options: options}
	h.Limits = options.Limits.WithDefaults()
	routes := httpapi.NewRoutes()
	for _, model := range []string{"/v1/models/{model}", "/v1/models/{model}/versions/{version}"} {
		routes.Add(http.MethodGet, model, h.status)
		routes.Add(http.MethodPost, model, h.predict)
		routes.Add(http.MethodGet, model+"/metadata", h.metadata)
	}
	routes.Add(http.MethodGet, "/v1/models", h.models)
	routes.Add(http.MethodGet, "/v1/config", h.config)
	routes.Add(http.MethodPost, "/v1/config/reload", h.reload)
	return routes
}

// handler has the calls.
type handler struct {
	Options
	// pool has the memory of bodies and texts.
	pool        buffers.Pool
	compressors httpapi.Compressors
}

// target returns the model and the version that the path of r names, and the name of the call that
// is behind a colon at its end.
func target(r *http.Request) (model, version, call string) {
	model, version = r.PathValue("model"), r.PathValue("version")
	last := &model
	if version != "" {
		last = &version
	}
	if colon := strings.LastIndexByte(*last, ':'); colon >= 0 {
		*last, call = (*last)[:colon], (*last)[colon+1:]
	}
	return model, version, call
}
