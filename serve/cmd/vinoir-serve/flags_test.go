package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vinoir/vinoir/serve"
)

// parse returns the options that arguments and variables give, or the error.
func parse(t *testing.T, variables map[string]string, args ...string) (serve.Options, error) {
	s := defaults()
	cmd := &cobra.Command{Use: "vinoir-serve"}
	s.add(cmd.Flags())
	if err := cmd.ParseFlags(args); err != nil {
		return serve.Options{}, err
	}
	return s.options(cmd, func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}, t.Output())
}

func TestOptions(t *testing.T) {
	o, err := parse(t, nil, "--model-repository=models")
	require.NoError(t, err)
	require.Equal(t, "models", o.Repository)
	require.Equal(t, "127.0.0.1:8080", o.RESTAddress)
	require.Equal(t, "127.0.0.1:9000", o.GRPCAddress)
	require.Empty(t, o.SingleAddress)
	require.Empty(t, o.MetricsAddress)
	require.Equal(t, serve.ControlNone, o.Control)
	require.Equal(t, 20*time.Second, o.DrainTimeout)
	require.Equal(t, 5*time.Second, o.DrainDelay)
	require.False(t, o.NoPage)

	o, err = parse(t, nil, "--model_path=zoo/resnet18.xml", "--repository-control=explicit", "--single-port=80",
		"--metrics-port=81", "--host=::", "--drain-delay=0", "--page=false", "--max-body-bytes=1GiB")
	require.NoError(t, err)
	require.Equal(t, []serve.Model{{Name: "resnet18", Path: "zoo/resnet18.xml"}}, o.Models)
	require.Equal(t, serve.ControlExplicit, o.Control)
	require.Equal(t, "[::]:80", o.SingleAddress)
	require.Equal(t, "[::]:81", o.MetricsAddress)
	require.Empty(t, o.RESTAddress+o.GRPCAddress)
	require.Negative(t, o.DrainDelay)
	require.True(t, o.NoPage)
	require.Equal(t, int64(1<<30), o.MaxBodyBytes)
}

// TestOptions_others checks the command lines of OVMS, as KServe has it, and of Triton.
func TestOptions_others(t *testing.T) {
	o, err := parse(t, nil, "--model_name=resnet", "--model_path=/mnt/models", "--port=9001", "--rest_port=8081",
		"--rest_bind_address=0.0.0.0", "--file_system_poll_wait_seconds=3", "--nireq=2", "--target_device=CPU",
		"--shape=(1,3,224,224)", "--batch_size", "auto", `--plugin_config={"PERFORMANCE_HINT":"LATENCY"}`,
		`--model_version_policy={"all":{}}`, "--rest_workers=4", "--metrics_enable")
	require.NoError(t, err)
	require.Len(t, o.Models, 1)
	require.Equal(t, "resnet", o.Models[0].Name)
	require.JSONEq(t, `{"shape":"(1,3,224,224)","batch_size":"auto","plugin_config":{"PERFORMANCE_HINT":"LATENCY"},
		"model_version_policy":{"all":{}}}`, string(o.Models[0].Config))
	require.Equal(t, "0.0.0.0:8081", o.RESTAddress)
	require.Equal(t, "127.0.0.1:9001", o.GRPCAddress)
	require.Equal(t, 3*time.Second, o.PollInterval)
	require.Equal(t, 2, o.Instances)
	require.True(t, o.OVMSMetrics)

	o, err = parse(t, nil, "--model-repository=/models", "--model-control-mode=poll", "--repository-poll-secs=15",
		"--http-port=8000", "--grpc-port=8001", "--metrics-port=8002", "--exit-timeout-secs=30")
	require.NoError(t, err)
	require.Equal(t, serve.ControlPoll, o.Control)
	require.Equal(t, 15*time.Second, o.PollInterval)
	require.Equal(t, "127.0.0.1:8000", o.RESTAddress)
	require.Equal(t, "127.0.0.1:8002", o.MetricsAddress)
	require.Equal(t, 30*time.Second, o.DrainTimeout)
}

func TestOptions_sources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("# ours\n---\nmodel_repository: from-file # where\n"+
		"rest-port: 1\nhost: \"0.0.0.0\"\nlog-level: 'debug'\n\n"), 0o600))
	variables := map[string]string{
		"VINOIR_CONFIG": path, "VINOIR_REST_PORT": "2", "VINOIR_GRPC_PORT": "3", "VINOIR_OTHER": "x",
	}
	o, err := parse(t, variables, "--grpc-port=4")
	require.NoError(t, err)
	require.Equal(t, "from-file", o.Repository)
	require.Equal(t, "0.0.0.0:2", o.RESTAddress, "the environment comes before the file")
	require.Equal(t, "0.0.0.0:4", o.GRPCAddress, "the command line comes before the environment")
	require.True(t, o.Logger.Enabled(t.Context(), -4))
}

func TestOptions_wrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for content, want := range map[string]string{
		"rest-port: 70000":           `config.yaml: line 1: rest-port: "70000": not a port, from 0 to 65535`,
		"a: 1\nrest-port: 1":         `line 1: there is no flag "a"`,
		"config: other":              `there is no flag "config"`,
		"rest-port: 1\nrest-port: 2": "line 2: rest-port is in line 1 already",
		"rest-port:":                 "there is no value",
		"rest-port 1":                "is not a line such as rest-port: 8080",
		"models:\n  - a":             "there is no value",
		"host: [a]":                  "put it in quotes",
		"host: a: b":                 "put it in quotes",
		`host: "a\n"`:                "without escapes",
		`host: "a`:                   "is not a text in quotes",
		`host: "a" b`:                "stands behind the quotes",
	} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := parse(t, nil, "--model-repository=m", "--config="+path)
		require.ErrorContains(t, err, want, content)
	}
	for _, c := range []struct{ want, args string }{
		{"there is nothing to serve", ""},
		{"no such file", "--config=/no/such/file"},
		{"need --model-path", "--model-name=a"},
		{"need --model-path", "--shape=auto"},
		{`--plugin-config "{" is not JSON`, "--model-path=a --plugin-config={"},
		{`"GPU": models run on the CPU`, "--model-path=a --target-device=GPU"},
		{"not one of none, poll, explicit", "--repository-control=sometimes"},
		{"not a time, such as 20s", "--drain=soon"},
		{"not a time, such as 20s", "--drain=-1s"},
		{"not a number of bytes", "--max-body-bytes=1TB"},
		{"not a port", "--rest-port=-1"},
		{"--rest-port and --grpc-port are both 0", "--model-path=a --rest-port=0 --grpc-port=0"},
	} {
		_, err := parse(t, nil, strings.Fields(c.args)...)
		require.ErrorContains(t, err, c.want, c.args)
	}
	_, err := parse(t, map[string]string{"VINOIR_REST_PORT": "x"}, "--model-path=a")
	require.EqualError(t, err, `VINOIR_REST_PORT: "x": not a port, from 0 to 65535`)
}

func FuzzParseConfig(f *testing.F) {
	f.Add("rest-port: 8080\n# comment\nhost: \"a\" # b\n")
	f.Add("a: 'b'\r\nc:\td")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseConfig(text)
		if err != nil {
			return
		}
		// What is accepted means the same as YAML.
		var values map[string]any
		if yaml.Unmarshal([]byte(text), &values) != nil {
			return // YAML refuses more, such as control characters
		}
		for _, line := range lines {
			if s, ok := values[line.key].(string); ok {
				require.Equal(t, s, line.value, "%q", text)
			}
		}
	})
}

// TestFlags_deployed checks that the arguments in the files of deploy are flags.
func TestFlags_deployed(t *testing.T) {
	for _, file := range []string{"servingruntime.yaml", "kubernetes.yaml"} {
		content, err := os.ReadFile("../../deploy/" + file)
		require.NoError(t, err)
		args := regexp.MustCompile(`(?m)^ *- "?(--[^"\n]*)`).FindAllStringSubmatch(string(content), -1)
		require.NotEmpty(t, args)
		var list []string
		for _, a := range args {
			list = append(list, strings.ReplaceAll(a[1], "{{.Name}}", "name"))
		}
		o, err := parse(t, nil, list...)
		require.NoError(t, err, file)
		require.Equal(t, "0.0.0.0:8080", o.RESTAddress)
		require.Equal(t, "0.0.0.0:9000", o.GRPCAddress)
	}
	content, err := os.ReadFile("../../deploy/Dockerfile")
	require.NoError(t, err)
	require.Contains(t, string(content), "ENV VINOIR_HOST=0.0.0.0")
}

// TestFlags_usage checks that each flag says what it does, and that synonyms are of flags.
func TestFlags_usage(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	defaults().add(flags)
	flags.VisitAll(func(f *pflag.Flag) { require.NotEmpty(t, f.Usage, f.Name) })
	for other, ours := range synonyms {
		require.NotNil(t, flags.Lookup(ours), other)
		require.Equal(t, ours, flags.Lookup(strings.ReplaceAll(other, "-", "_")).Name)
	}
	require.Equal(t, "1KiB", (func() string { b := byteCount(1024); return b.String() })())
}
