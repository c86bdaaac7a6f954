package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/serve"
)

// The exit codes. Scripts and orchestrators rely on them.
const (
	exitGood  = 0
	exitFault = 1
	exitUsage = 2
)

// usageError is an error in the flags. It makes the exit code exitUsage.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run executes the command line and returns the exit code. The end of ctx drains the server.
func run(
	ctx context.Context, args []string, lookup func(string) (string, bool), stdout, stderr io.Writer,
) int {
	started := false
	root := command(lookup, stdout, stderr, &started)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitGood
	case errors.Is(err, errCheck):
		return exitFault
	case !started || errors.As(err, &usage):
		fmt.Fprintf(stderr, "vinoir-serve: %v\nSee vinoir-serve --help.\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "vinoir-serve: %v\n", err)
	return exitFault
}

// command returns the command. started is set once cobra has accepted the command line.
func command(lookup func(string) (string, bool), stdout, stderr io.Writer, started *bool) *cobra.Command {
	s := defaults()
	root := &cobra.Command{
		Use:   "vinoir-serve",
		Short: "Serve OpenVINO IR and ONNX models by the Open Inference Protocol",
		Long: "vinoir-serve answers inference requests over REST and gRPC.\n\n" +
			"Each flag can also be set in the environment, as VINOIR_MODEL_REPOSITORY is --model-repository, and in the file\n" +
			"of --config. Flags can be written with _ for -, and by the names that OVMS and Triton have for them.",
		Example: "  vinoir-serve --model-repository models\n  vinoir-serve --model-name resnet --model-path resnet18.xml\n" +
			"  vinoir-serve check models",
		Args:             cobra.NoArgs,
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { *started = true },
		RunE: func(cmd *cobra.Command, _ []string) error {
			options, err := s.options(cmd, lookup, stderr)
			if err != nil {
				return err
			}
			limitMemory(lookup)
			server, err := serve.New(cmd.Context(), options)
			if err != nil {
				return err
			}
			return server.Run(cmd.Context())
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Flags().SortFlags = false
	s.add(root.Flags())
	root.AddCommand(checkCommand(stdout), versionCommand(stdout))
	return root
}

// options returns what the flags, the environment and the file of --config say.
func (s *settings) options(
	cmd *cobra.Command, lookup func(string) (string, bool), stderr io.Writer,
) (serve.Options, error) {
	if err := fill(cmd.Flags(), lookup); err != nil {
		return serve.Options{}, usageError{err}
	}
	model, err := s.model()
	if err != nil {
		return serve.Options{}, err
	}
	if s.repository == "" && s.configPath == "" && model == nil {
		return serve.Options{}, usagef("there is nothing to serve: give --model-repository, --model-path or --config-path")
	}
	if !strings.EqualFold(s.device, "CPU") && !strings.EqualFold(s.device, "AUTO") {
		return serve.Options{}, usagef("--target-device %q: models run on the CPU", s.device)
	}
	options := serve.Options{
		Repository: s.repository, ConfigFile: s.configPath, Models: model,
		PollInterval: s.pollInterval.time(),
		Threads:      s.threads, Instances: s.instances, MaxBatchSize: s.maxBatchSize,
		MaxQueueRequests: s.maxQueue, MaxQueueBytes: int64(s.maxQueueBytes),
		RequestTimeout: s.requestTimeout.time(), CacheBytes: int64(s.cacheBytes),
		MaxModelBytes: int64(s.maxModelBytes), MaxBodyBytes: int64(s.maxBodyBytes),
		MaxConnections: s.maxConnections, MaxConnectionAge: s.maxConnectionAge.time(),
		Certificate: s.certificate, CertificateKey: s.key, ClientCA: s.clientCA, APIKeyFile: s.apiKeys,
		DrainDelay: orNone(s.drainDelay), DrainTimeout: orNone(s.drain),
		OVMSMetrics: s.ovmsMetrics, Profiling: s.profiling, NoPage: !s.page,
		Version: version(), Logger: s.logger(stderr), Environment: lookup,
	}
	switch s.control.value {
	case "poll":
		options.Control = serve.ControlPoll
	case "explicit":
		options.Control = serve.ControlExplicit
	}
	s.addresses(&options)
	if options.SingleAddress == "" && options.RESTAddress == "" && options.GRPCAddress == "" {
		return options, usagef("--rest-port and --grpc-port are both 0")
	}
	return options, nil
}
