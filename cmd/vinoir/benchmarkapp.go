package main

import (
	"os"
	"path/filepath"
	"strings"
)

// benchmarkAppArgs returns a command line in which the flags of OpenVINO's benchmark_app that mean
// the same are those of vinoir benchmark. pflag would read -hint as -h -i -n -t.
func benchmarkAppArgs(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != "benchmark" {
		return args, nil
	}
	out := args[:1:1]
	for i := 1; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		flag := benchmarkAppFlag(name)
		if flag == "" {
			if use := benchmarkAppInstead(name); use != "" {
				return nil, usagef("%s is a flag of benchmark_app only: %s", name, use)
			}
			out = append(out, args[i])
			continue
		}
		if !joined {
			if i++; i == len(args) {
				return nil, usagef("%s needs a value", name)
			}
			value = args[i]
		}
		values := []string{value}
		switch flag {
		case "-m":
			out = append(out, value)
			continue
		case "-d":
			if value != "CPU" {
				return nil, usagef("%s %s: there is only CPU", name, value)
			}
			continue
		case "-api":
			switch value {
			case "sync":
				out = append(out, "--requests=1")
			case "async": // any number of requests, as without -api
			default:
				return nil, usagef("%s %s is none of sync, async", name, value)
			}
			continue
		case "--hint":
			switch value {
			case "none": // what a device does without a hint, as without --hint
				continue
			case "tput":
				values[0] = "throughput"
			case "ctput":
				values[0] = "cumulative_throughput"
			}
		case "--runs":
			if value == "0" { // means any number to vinoir
				return nil, usagef("%s 0: vinoir benchmark infers at least once; vinoir info --plan only compiles the model", name)
			}
		case "--shape":
			values = benchmarkAppShapes(value)
		case "--in":
			var err error
			if values, err = benchmarkAppInputs(name, value); err != nil {
				return nil, err
			}
		case "--layout", "--mean", "--scale":
			if value = strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"); strings.ContainsAny(value, "[]") {
				return nil, usagef("%s %s: %s holds for all pictures, write it without the name of an input", name, values[0], flag)
			}
			values[0] = value
		}
		for _, value := range values {
			out = append(out, flag+"="+value)
		}
	}
	return out, nil
}

// benchmarkAppFlag returns the flag of vinoir benchmark that means the same as one of
// benchmark_app, -m and -d for the model and the device, and "" if there is none.
func benchmarkAppFlag(name string) string {
	switch name {
	case "-m", "--path_to_model":
		return "-m"
	case "-d", "--target_device":
		return "-d"
	case "-api", "--api_type":
		return "-api"
	case "-hint", "--perf_hint":
		return "--hint"
	case "-nireq", "--number_infer_requests":
		return "--requests"
	case "-nstreams", "--number_streams":
		return "--streams"
	case "-nthreads", "--number_threads":
		return "--threads"
	case "-niter", "--number_iterations":
		return "--runs"
	case "-t", "--time":
		return "--seconds"
	case "-b", "--batch_size":
		return "--batch"
	case "-infer_precision":
		return "--precision"
	case "-latency_percentile", "--latency_percentile":
		return "--percentiles"
	case "-i", "--paths_to_input":
		return "--in"
	case "-layout":
		return "--layout"
	case "--mean_values":
		return "--mean"
	case "--scale_values":
		return "--scale"
	// A dynamic model has a plan for each set of shapes, so that data of a shape takes as long as
	// in a model of that shape.
	case "-shape", "-data_shape":
		return "--shape"
	}
	return ""
}

// benchmarkAppInstead returns what to do instead of using a flag that only benchmark_app has, and
// "" for other flags.
func benchmarkAppInstead(name string) string {
	if !strings.HasPrefix(name, "-") {
		return ""
	}
	switch strings.TrimLeft(name, "-") {
	case "pc", "perf_counts", "pcsort", "perf_counts_sort", "pcseq", "exec_graph_path":
		return "vinoir profile MODEL measures each layer"
	case "report_type", "report_folder", "json_stats":
		return "--report F.csv or F.json writes the result to a file"
	case "ip", "input_precision", "op", "output_precision", "iop", "input_output_precision":
		return "vinoir convert --preprocess gives an input another type"
	case "max_irate", "maximum_inference_rate", "extensions", "c", "path_to_cldnn_config", "cdir", "cache_dir", "lfile", "load_from_file", "inference_only", "no_warmup",
		"pin", "infer_threads_pinning", "dump_config", "load_config":
		return "leave it out"
	}
	return ""
}

// benchmarkAppShapes splits "a[1,3],b[2]" into values of --shape.
func benchmarkAppShapes(list string) []string {
	var values []string
	for _, item := range strings.SplitAfter(list, "]") {
		item = strings.TrimPrefix(item, ",")
		if i := strings.IndexByte(item, '['); i > 0 && item[i-1] != '=' {
			item = item[:i] + "=" + item[i:]
		}
		if item != "" {
			values = append(values, item)
		}
	}
	return values
}

// benchmarkAppInputs splits "a:F.npy,b:G.jpg", or a file for the first input, into values of --in.
// A directory stands for the file in it. benchmark_app gives each request the next of several
// files; vinoir gives all requests the same.
func benchmarkAppInputs(flag, list string) ([]string, error) {
	values := strings.Split(list, ",")
	for i, item := range values {
		input, path := "0", item
		if at := strings.LastIndexByte(item, ':'); at >= 0 {
			input, path = item[:at], item[at+1:]
		} else if i > 0 {
			return nil, usagef("%s %s: %s has no name of an input: vinoir benchmark takes one file for each", flag, list, item)
		}
		if entries, err := os.ReadDir(path); err == nil {
			if len(entries) != 1 {
				return nil, usagef("%s %s: %s has %d files: vinoir benchmark takes one for each input, name it", flag, list, path, len(entries))
			}
			path = filepath.Join(path, entries[0].Name())
		}
		values[i] = input + "=" + path
	}
	return values, nil
}
