package serve

import (
	"net/http"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// maxProfileSeconds bounds how long the processor is watched.
const maxProfileSeconds = 300

// profile answers below /debug/pprof/ as net/http/pprof does, of which it is the part that go tool
// pprof asks for: the rest, pages for browsers and differences, would take 300 KB of the program.
func profile(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, profilingPath)
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	switch known := pprof.Lookup(name); {
	case name == "":
		header.Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("profile\n"))
		for _, p := range pprof.Profiles() {
			_, _ = w.Write([]byte(p.Name() + "\n"))
		}
	case name == "profile":
		seconds, err := strconv.Atoi(r.FormValue("seconds"))
		if err != nil || seconds < 1 {
			seconds = 30
		}
		header.Set("Content-Type", "application/octet-stream")
		if err := pprof.StartCPUProfile(w); err != nil {
			httpapi.WriteError(w, oip.Errorf(oip.QueueFull, "%v", err))
			return
		}
		select {
		case <-time.After(time.Duration(min(seconds, maxProfileSeconds)) * time.Second):
		case <-r.Context().Done():
		}
		pprof.StopCPUProfile()
	case known != nil:
		// 0, the default, is the format of go tool pprof.
		debug, _ := strconv.Atoi(r.FormValue("debug"))
		if debug == 0 {
			header.Set("Content-Type", "application/octet-stream")
		}
		_ = known.WriteTo(w, debug)
	default:
		httpapi.WriteError(w, oip.Errorf(oip.NotFound, "there is no profile %.100q", name))
	}
}
