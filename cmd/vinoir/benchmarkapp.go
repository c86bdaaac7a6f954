package main

import "strings"

// benchmarkAppArgs returns a command line in which the flags of OpenVINO's benchmark_app that mean the same
// are those of vinoir benchmark. pflag would read -hint as -h -i -n -t.
func benchmarkAppArgs(args []string) ([]string, error) {
	if len(args) == 0 || args[0] != "benchmark" {
		return args, nil
	}
	out := args[:1:1]
	for i := 1; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		flag := benchmarkAppFlag(name)
		if flag == "" {
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
		switch name {
		case "-m":
			out = append(out, value)
			continue
		case "-d":
			if value != "CPU" {
				return nil, usagef("-d %s: there is only CPU", value)
			}
			continue
		case "-hint":
			switch value {
			case "none": // what a device does without a hint, as without --hint
				continue
			case "tput":
				values[0] = "throughput"
			}
		case "-shape", "-data_shape":
			values = benchmarkAppShapes(value)
		case "-i":
			values = benchmarkAppInputs(value)
		}
		for _, value := range values {
			out = append(out, flag+"="+value)
		}
	}
	return out, nil
}

// benchmarkAppFlag returns the flag of vinoir benchmark that means the same as one of benchmark_app; "" if
// there is none.
func benchmarkAppFlag(name string) string {
	switch name {
	case "-m", "-d":
		return name
	case "-hint":
		return "--hint"
	case "-nireq":
		return "--requests"
	case "-nstreams":
		return "--streams"
	case "-nthreads":
		return "--threads"
	case "-niter":
		return "--runs"
	case "-t":
		return "--seconds"
	case "-infer_precision":
		return "--precision"
	case "-latency_percentile":
		return "--percentiles"
	case "-i":
		return "--in"
	// A dynamic model has a plan for each set of shapes, so that data of a shape takes as long as in a
	// model of that shape.
	case "-shape", "-data_shape":
		return "--shape"
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

// benchmarkAppInputs splits "a:F.npy,b:G.npy", or a file for the first input, into values of --in.
func benchmarkAppInputs(list string) []string {
	values := strings.Split(list, ",")
	for i, item := range values {
		if at := strings.LastIndexByte(item, ':'); at >= 0 {
			values[i] = item[:at] + "=" + item[at+1:]
		} else {
			values[i] = "0=" + item
		}
	}
	return values
}
