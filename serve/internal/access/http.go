package access

import (
	"net/http"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Handler passes the requests on to next that a key allows, and the others to refuse, which answers
// with the error.
func (k *Keys) Handler(next http.Handler, refuse func(http.ResponseWriter, *http.Request, *oip.Error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err, ok := k.Authorize(ScopeOf(r), r.Header.Get("Authorization")).(*oip.Error)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		if err.Code == oip.Unauthenticated {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		refuse(w, r, err)
	})
}

// ScopeOf returns the scope of a request of REST. A path that is not known is Infer, or Metadata if
// it only reads.
func ScopeOf(r *http.Request) Scope {
	path := strings.Trim(r.URL.Path, "/")
	words := strings.Split(path, "/")
	last := words[len(words)-1]
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case path == "metrics" || strings.HasPrefix(path, "debug/"):
		return Metrics
	case strings.HasPrefix(path, "v2/repository/") || strings.HasPrefix(path, "v1/config"):
		return Repository
	case !reads:
		return Infer
	case strings.HasPrefix(path, "v2/health/"), strings.HasPrefix(path, "v2/models/") && last == "ready" && len(words) >= 4:
		return Health
	case strings.HasPrefix(path, "v2/models/") && last == "stats":
		return Statistics
	}
	return Metadata
}
