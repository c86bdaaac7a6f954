package trace

import (
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// FromEnvironment returns the Tracer that the variables OTEL_* describe; nil if they name no
// endpoint or switch traces off. lookup is os.LookupEnv. The server's own attributes come from
// service, and OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace and add to them.
//
// Of the protocols of OTLP it has http/protobuf, the default of the specification.
func FromEnvironment(lookup func(string) (string, bool), service []Attribute, logger *slog.Logger) (*Tracer, error) {
	e := environment{lookup: lookup}
	options, on := e.options(service)
	if e.err != nil {
		return nil, e.err
	}
	if !on {
		return nil, nil
	}
	options.Logger = logger
	return New(options), nil
}

// environment reads variables, and keeps the first error.
type environment struct {
	lookup func(string) (string, bool)
	err    error
}

// options reads all variables. on is false if no spans are wanted.
func (e *environment) options(service []Attribute) (o Options, on bool) {
	o.Endpoint = e.endpoint()
	if o.Endpoint == "" || e.text("OTEL_TRACES_EXPORTER", "otlp") == "none" ||
		strings.EqualFold(e.text("OTEL_SDK_DISABLED", ""), "true") {
		return o, false
	}
	const supported = "http/protobuf"
	if protocol := e.otlp("PROTOCOL", supported); protocol != supported {
		e.fail("OTEL_EXPORTER_OTLP_PROTOCOL %q: spans are sent by %s only, which collectors take on port 4318",
			protocol, supported)
	}
	o.Header = e.header()
	o.Timeout = e.milliseconds(e.otlp("TIMEOUT", "10000"), "OTEL_EXPORTER_OTLP_TIMEOUT")
	o.Roots = e.roots()
	o.Resource = e.resource(service)
	o.Sampler = e.sampler()
	o.Delay = e.milliseconds(e.text("OTEL_BSP_SCHEDULE_DELAY", "5000"), "OTEL_BSP_SCHEDULE_DELAY")
	o.QueueSize = e.count("OTEL_BSP_MAX_QUEUE_SIZE", 2048)
	o.BatchSize = e.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)
	return o, true
}

// endpoint returns the URL for spans. A general endpoint gets the path of the signal, one for
// traces is used as it is.
func (e *environment) endpoint() string {
	endpoint := e.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
	if endpoint == "" {
		if endpoint = e.text("OTEL_EXPORTER_OTLP_ENDPOINT", ""); endpoint == "" {
			return ""
		}
		endpoint = strings.TrimSuffix(endpoint, "/") + "/v1/traces"
	}
	if u, err := url.Parse(endpoint); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		e.fail("OTEL_EXPORTER_OTLP_ENDPOINT %q is not an http or https URL", endpoint)
	}
	return endpoint
}

// header returns the headers of OTEL_EXPORTER_OTLP_HEADERS, a list as key=value,key=value.
func (e *environment) header() http.Header {
	header := http.Header{}
	for _, pair := range pairs(e.otlp("HEADERS", "")) {
		header.Set(pair.Key, pair.Value.(string))
	}
	return header
}

// roots returns the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE; nil means the system's.
func (e *environment) roots() *x509.CertPool {
	path := e.otlp("CERTIFICATE", "")
	if path == "" {
		return nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		e.fail("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		return nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		e.fail("OTEL_EXPORTER_OTLP_CERTIFICATE: no certificate in %s", path)
	}
	return roots
}

// resource joins the attributes, of which later ones replace earlier ones.
func (e *environment) resource(attributes []Attribute) []Attribute {
	all := append([]Attribute(nil), attributes...)
	all = append(all, pairs(e.text("OTEL_RESOURCE_ATTRIBUTES", ""))...)
	if name := e.text("OTEL_SERVICE_NAME", ""); name != "" {
		all = append(all, Attribute{"service.name", name})
	}
	place := make(map[string]int)
	var unique []Attribute
	for _, a := range all {
		if i, ok := place[a.Key]; ok {
			unique[i] = a
			continue
		}
		place[a.Key] = len(unique)
		unique = append(unique, a)
	}
	return unique
}

func (e *environment) sampler() Sampler {
	name := e.text("OTEL_TRACES_SAMPLER", "parentbased_always_on")
	own, parentBased := strings.CutPrefix(name, "parentbased_")
	s := Sampler{ParentBased: parentBased}
	switch own {
	case "always_on":
		s.Ratio = 1
	case "always_off":
	case "traceidratio":
		argument := e.text("OTEL_TRACES_SAMPLER_ARG", "1")
		ratio, err := strconv.ParseFloat(argument, 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			e.fail("OTEL_TRACES_SAMPLER_ARG %q is not a number from 0 to 1", argument)
		}
		s.Ratio = ratio
	default:
		e.fail("OTEL_TRACES_SAMPLER %q: there are always_on, always_off, traceidratio, and each with parentbased_", name)
	}
	return s
}

// otlp reads OTEL_EXPORTER_OTLP_name, before which that for traces alone comes.
func (e *environment) otlp(name, byDefault string) string {
	return e.text("OTEL_EXPORTER_OTLP_TRACES_"+name, e.text("OTEL_EXPORTER_OTLP_"+name, byDefault))
}

// text reads a variable. An empty one is the same as none.
func (e *environment) text(name, byDefault string) string {
	if value, ok := e.lookup(name); ok && value != "" {
		return value
	}
	return byDefault
}

func (e *environment) milliseconds(value, name string) time.Duration {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || n == 0 {
		e.fail("%s %q is not a number of milliseconds", name, value)
		return time.Second
	}
	return time.Duration(n) * time.Millisecond
}

func (e *environment) count(name string, byDefault int) int {
	value := e.text(name, strconv.Itoa(byDefault))
	n, err := strconv.ParseUint(value, 10, 20)
	if err != nil || n == 0 {
		e.fail("%s %q is not a number from 1 to 1048575", name, value)
		return byDefault
	}
	return int(n)
}

func (e *environment) fail(format string, arguments ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, arguments...)
	}
}

// pairs reads key=value,key=value, in which values are escaped as in URLs. Pairs that are malformed
// are left out, as the specification wants.
func pairs(list string) []Attribute {
	var attributes []Attribute
	for item := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(item, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			continue
		}
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil {
			continue
		}
		attributes = append(attributes, Attribute{key, value})
	}
	return attributes
}
