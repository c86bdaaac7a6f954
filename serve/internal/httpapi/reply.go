package httpapi

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// statuses has the status of each code. StatusClientClosed is never seen, but logged.
var statuses = [...]int{
	oip.Malformed:           http.StatusBadRequest,
	oip.NotFound:            http.StatusNotFound,
	oip.Unauthenticated:     http.StatusUnauthorized,
	oip.PermissionDenied:    http.StatusForbidden,
	oip.MethodNotAllowed:    http.StatusMethodNotAllowed,
	oip.Slow:                http.StatusRequestTimeout,
	oip.TooLarge:            http.StatusRequestEntityTooLarge,
	oip.UnsupportedEncoding: http.StatusUnsupportedMediaType,
	oip.QueueFull:           http.StatusTooManyRequests,
	oip.Internal:            http.StatusInternalServerError,
	oip.Unavailable:         http.StatusServiceUnavailable,
	oip.DeadlineExceeded:    http.StatusGatewayTimeout,
	oip.Canceled:            StatusClientClosed,
}

// StatusClientClosed is the status of a request whose client has gone, as nginx has it.
const StatusClientClosed = 499

// Status returns the status of an answer with the code.
func Status(code oip.Code) int {
	if int(code) < len(statuses) {
		return statuses[code]
	}
	return http.StatusInternalServerError
}

// WriteError writes err as {"error": "…"}, with its status.
func WriteError(w http.ResponseWriter, err error) {
	known := oip.ErrorOf(err)
	text, _ := jsonscan.AppendText([]byte(`{"error":`), strings.ToValidUTF8(known.Text, "\uFFFD"))
	WriteErrorBody(w, known, append(text, "}\n"...))
}

// WriteErrorBody writes an answer with the status of err, and a body of JSON that has its text.
func WriteErrorBody(w http.ResponseWriter, err *oip.Error, body []byte) {
	wait := err.RetryAfter
	if wait == 0 && err.Code == oip.QueueFull {
		wait = time.Second
	}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	if err.Code == oip.Unauthenticated {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	WriteBody(w, Status(err.Code), body)
}

// WriteJSON writes value, which encoding/json can encode, as JSON.
func WriteJSON(w http.ResponseWriter, status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	WriteBody(w, status, append(body, '\n'))
	return nil
}

// WriteBody writes an answer of JSON. Its errors are those of a connection that is gone.
func WriteBody(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
