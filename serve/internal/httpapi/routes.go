// Package httpapi has what the REST protocols share: calls by path and method, bodies of requests
// with their limits, and answers in JSON.
package httpapi

import (
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Call answers a request. Its error is written as an answer, except ErrAnswered.
type Call func(w http.ResponseWriter, r *http.Request) error

// ErrAnswered is the error of a Call that has written its answer.
var ErrAnswered = errors.New("the request is answered")

// Routes is a http.Handler that finds the Call for a path and a method. Its errors for other paths
// and methods are JSON too, which http.ServeMux alone cannot do.
type Routes struct {
	mux   *http.ServeMux
	calls map[string]methods
}

// methods has the calls of a path by their methods.
type methods map[string]Call

// NewRoutes returns Routes without calls.
func NewRoutes() *Routes {
	r := &Routes{mux: http.NewServeMux(), calls: make(map[string]methods)}
	r.mux.Handle("/", Call(func(_ http.ResponseWriter, r *http.Request) error { return unknownPath(r) }))
	return r
}

// Add lets call answer the requests for the paths of a pattern of http.ServeMux. GET is also HEAD.
func (r *Routes) Add(method, pattern string, call Call) {
	calls, ok := r.calls[pattern]
	if !ok {
		calls = make(methods)
		r.calls[pattern] = calls
		r.mux.Handle(pattern, calls)
	}
	calls[method] = call
	if method == http.MethodGet {
		calls[http.MethodHead] = call
	}
}

// ServeHTTP implements http.Handler.
func (r *Routes) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if !isClean(request.URL.EscapedPath()) {
		WriteError(w, unknownPath(request))
		return
	}
	r.mux.ServeHTTP(w, request)
}

// isClean says whether a path has no elements such as "..", for which the mux would answer with a
// redirection.
func isClean(escaped string) bool {
	return escaped == "/" || strings.HasPrefix(escaped, "/") && path.Clean(escaped) == strings.TrimSuffix(escaped, "/")
}

// ServeHTTP implements http.Handler.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if call, ok := m[r.Method]; ok {
		call.ServeHTTP(w, r)
		return
	}
	allowed := make([]string, 0, len(m))
	for method := range m {
		allowed = append(allowed, method)
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	WriteError(w, oip.Errorf(oip.MethodNotAllowed, "%.100q has no method %.20q, only %s",
		r.URL.Path, r.Method, strings.Join(allowed, ", ")))
}

// ServeHTTP implements http.Handler.
func (c Call) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := c(w, r); err != nil && err != ErrAnswered {
		WriteError(w, err)
	}
}

func unknownPath(r *http.Request) error {
	return oip.Errorf(oip.NotFound, "the path %.200q is unknown", r.URL.Path)
}
