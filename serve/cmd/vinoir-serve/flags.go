package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// settings are the values of all flags.
type settings struct {
	config string

	repository, configPath, modelName, modelPath                  string
	control                                                       choice
	pollInterval                                                  duration
	shape, batchSize, layout, pluginConfig, versionPolicy, device string

	host, restHost, grpcHost                    string
	restPort, grpcPort, singlePort, metricsPort port

	threads, instances, maxBatchSize, maxQueue, maxConnections int
	maxQueueBytes, cacheBytes, maxModelBytes, maxBodyBytes     byteCount
	requestTimeout, maxConnectionAge                           duration

	certificate, key, clientCA, apiKeys string

	drain, drainDelay            duration
	ovmsMetrics, profiling, page bool
	logLevel, logFormat          choice
	ignoredText                  [3]string
}

// defaults returns the settings of a server that is told nothing.
func defaults() *settings {
	return &settings{
		control: choice{"none", []string{"none", "poll", "explicit"}},
		// OVMS reads no changes if the interval is 0, and we are told so by the control.
		pollInterval: duration(time.Second),
		host:         "127.0.0.1", restPort: 8080, grpcPort: 9000,
		maxQueue: 1024, maxQueueBytes: 256 << 20, maxConnections: 10_000,
		cacheBytes: 64 << 20, maxBodyBytes: 256 << 20,
		drain: duration(20 * time.Second), drainDelay: duration(5 * time.Second),
		page:      true,
		logLevel:  choice{"info", []string{"debug", "info", "warn", "error"}},
		logFormat: choice{"json", []string{"json", "text"}},
	}
}

// add defines the flags. Their names are the canonical ones: synonyms has those of other servers.
func (s *settings) add(f *pflag.FlagSet) {
	f.StringVar(&s.config, "config", "", "read these flags from a YAML `FILE`, with a line such as rest-port: 8080 for each")

	f.StringVar(&s.repository, "model-repository", "", "serve the models in `DIR`: folders of models with version folders, one model's folder, or a file")
	f.StringVar(&s.configPath, "config-path", "", "serve the models that OVMS's config.json at `FILE` lists")
	f.StringVar(&s.modelName, "model-name", "", "the `NAME` of the model at --model-path")
	f.StringVar(&s.modelPath, "model-path", "", "serve the model in `DIR`, with version folders or without, or a file")
	f.Var(&s.control, "repository-control", "what changes models after the start: `none`, poll (changed files) or explicit (calls)")
	f.Var(&s.pollInterval, "poll-interval", "the time between two looks at the files with poll")
	f.StringVar(&s.shape, "shape", "", "the shape of the inputs of --model-path, as OVMS has it: (1,3,224,224), auto or JSON by input")
	f.StringVar(&s.batchSize, "batch-size", "", "the first dimension of the inputs of --model-path, or auto")
	f.StringVar(&s.layout, "layout", "", "the layouts of the inputs of --model-path, as OVMS has them")
	f.StringVar(&s.pluginConfig, "plugin-config", "", "properties for compiling --model-path, as `JSON` with OpenVINO's names")
	f.StringVar(&s.versionPolicy, "model-version-policy", "", "the versions of --model-path that are served, as `JSON`: {\"latest\":{\"num_versions\":2}}, {\"all\":{}} or {\"specific\":{\"versions\":[1]}}")

	f.StringVar(&s.host, "host", s.host, "the `ADDRESS` to listen on; 0.0.0.0 is all")
	f.StringVar(&s.restHost, "rest-bind-address", "", "the `ADDRESS` for REST, if it is another one")
	f.StringVar(&s.grpcHost, "grpc-bind-address", "", "the `ADDRESS` for gRPC, if it is another one")
	f.Var(&s.restPort, "rest-port", "the port for REST, also for metrics and the status page; 0 is none")
	f.Var(&s.grpcPort, "grpc-port", "the port for gRPC; 0 is none")
	f.Var(&s.singlePort, "single-port", "one port for REST and gRPC, in place of both")
	f.Var(&s.metricsPort, "metrics-port", "another port for metrics; 0 is none")

	f.IntVar(&s.threads, "threads", 0, "the number of threads that compute; 0 is one for each processor")
	f.IntVar(&s.instances, "instances", 0, "the number of inferences of a model at the same time; 0 is as many as use all threads")
	f.IntVar(&s.maxBatchSize, "max-batch-size", 16, "the most rows that are computed together, of models that do not say so and whose rows are independent; -1 is none")
	f.IntVar(&s.maxQueue, "max-queue", s.maxQueue, "the most requests that wait for a model")
	f.Var(&s.maxQueueBytes, "max-queue-bytes", "the most bytes of inputs that wait for a model")
	f.Var(&s.requestTimeout, "request-timeout", "how long a request may take that does not say itself; 0s is any time")
	f.Var(&s.cacheBytes, "cache-bytes", "the memory of the response cache, which models use that say so")
	f.Var(&s.maxModelBytes, "max-model-bytes", "the most memory of all models; 0 is what the process can have")
	f.Var(&s.maxBodyBytes, "max-body-bytes", "the longest request, also after it is decompressed")
	f.IntVar(&s.maxConnections, "max-connections", s.maxConnections, "the most connections of a port")
	f.Var(&s.maxConnectionAge, "max-connection-age", "the age at which connections of gRPC are ended, once their calls have; 0s is none")

	f.StringVar(&s.certificate, "tls-certificate", "", "speak TLS with the certificates in `FILE`, which is read again when it changes")
	f.StringVar(&s.key, "tls-key", "", "the key of --tls-certificate, in `FILE`")
	f.StringVar(&s.clientCA, "tls-client-ca", "", "take only clients with a certificate that one in `FILE` has signed")
	f.StringVar(&s.apiKeys, "api-key-file", "", "take only calls with a key in `FILE`, which is read again when it changes")

	f.Var(&s.drainDelay, "drain-delay", "how long the server serves after SIGTERM, while it is not ready any more")
	f.Var(&s.drain, "drain", "how long it then waits for the requests that are left")
	f.BoolVar(&s.ovmsMetrics, "ovms-metrics", false, "add metrics by the names of OVMS")
	f.BoolVar(&s.profiling, "pprof", false, "serve profiles below /debug/pprof/")
	f.BoolVar(&s.page, "page", s.page, "serve a status page at /")
	f.Var(&s.logLevel, "log-level", "what is logged: debug (each request), `info`, warn or error")
	f.Var(&s.logFormat, "log-format", "how it is logged: `json` or text")

	f.StringVar(&s.device, "target-device", "CPU", "OVMS's: only CPU")
	for i, name := range ignored {
		f.StringVar(&s.ignoredText[i], name, "", "OVMS's: has no effect")
	}
	for _, name := range append([]string{"target-device"}, ignored[:]...) {
		_ = f.MarkHidden(name) // it is there
	}
	f.SetNormalizeFunc(canonical)
}

// ignored are flags of OVMS that say how OVMS works and not what it serves.
var ignored = [...]string{"rest-workers", "grpc-workers", "cache-dir"}

// synonyms are the names that OVMS and Triton have for a flag.
var synonyms = map[string]string{
	"model-repository-path":         "model-repository",
	"model-store":                   "model-repository",
	"model-control-mode":            "repository-control",
	"file-system-poll-wait-seconds": "poll-interval",
	"repository-poll-secs":          "poll-interval",
	"port":                          "grpc-port",
	"http-port":                     "rest-port",
	"http-address":                  "rest-bind-address",
	"grpc-address":                  "grpc-bind-address",
	"nireq":                         "instances",
	"exit-timeout-secs":             "drain",
	"metrics-enable":                "ovms-metrics",
	"tls-cert":                      "tls-certificate",
}

// canonical returns the name of a flag: words are joined by - or _, and other servers' names are
// known.
func canonical(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	if ours, ok := synonyms[name]; ok {
		name = ours
	}
	return pflag.NormalizedName(name)
}

// choice is one of some words.
type choice struct {
	value string
	words []string
}

func (c *choice) String() string { return c.value }
func (*choice) Type() string     { return "WORD" }

func (c *choice) Set(text string) error {
	for _, word := range c.words {
		if strings.EqualFold(text, word) {
			c.value = word
			return nil
		}
	}
	return fmt.Errorf("not one of %s", strings.Join(c.words, ", "))
}

// port is a number of a port.
type port uint16

func (p *port) String() string { return strconv.Itoa(int(*p)) }
func (*port) Type() string     { return "PORT" }

func (p *port) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return fmt.Errorf("not a port, from 0 to 65535")
	}
	*p = port(n)
	return nil
}

// duration is a time. A number without a unit is one of seconds, as other servers have it.
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }
func (*duration) Type() string     { return "TIME" }

func (d *duration) Set(text string) error {
	parsed, err := time.ParseDuration(text)
	if seconds, numberErr := strconv.ParseFloat(text, 64); numberErr == nil && seconds < 1e9 {
		parsed, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil || parsed < 0 {
		return fmt.Errorf("not a time, such as 20s, 500ms or 2m")
	}
	*d = duration(parsed)
	return nil
}

// byteCount is a number of bytes, with a unit or without.
type byteCount int64

func (b *byteCount) String() string {
	n, unit := int64(*b), 0
	for n != 0 && n%1024 == 0 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	return strconv.FormatInt(n, 10) + units[unit]
}

func (*byteCount) Type() string { return "BYTES" }

// units are powers of 1024.
var units = [...]string{"", "KiB", "MiB", "GiB"}

func (b *byteCount) Set(text string) error {
	digits := strings.TrimRight(text, "KMGiB")
	n, err := strconv.ParseInt(digits, 10, 64)
	for i, unit := range units {
		if err == nil && n >= 0 && text[len(digits):] == unit && n <= (1<<62)>>(10*i) {
			*b = byteCount(n << (10 * i))
			return nil
		}
	}
	return fmt.Errorf("not a number of bytes, such as 65536, 64KiB, 256MiB or 1GiB")
}

func (d duration) time() time.Duration { return time.Duration(d) }

// orNone returns d in the terms of serve.Options, in which 0 is the default and less is none.
func orNone(d duration) time.Duration {
	if d == 0 {
		return -1
	}
	return time.Duration(d)
}
