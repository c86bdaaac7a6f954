package repository

import (
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// properties are the properties of OpenVINO that vinoir has, and how each is decoded.
var properties = map[string]func(c *Compile, f *field) error{
	"PERFORMANCE_HINT": func(c *Compile, f *field) error {
		return setParsed(f, &c.PerformanceHint, plugin.ParsePerformanceHint)
	},
	"EXECUTION_MODE_HINT": func(c *Compile, f *field) error {
		return setParsed(f, &c.ExecutionMode, plugin.ParseExecutionMode)
	},
	"INFERENCE_PRECISION_HINT": func(c *Compile, f *field) error {
		return setParsed(f, &c.InferencePrecision, ir.ParseElementType)
	},
	"KV_CACHE_PRECISION": func(c *Compile, f *field) error {
		return setParsed(f, &c.KVCachePrecision, ir.ParseElementType)
	},
	"NUM_STREAMS":                     func(c *Compile, f *field) error { return setCount(f, &c.NumStreams) },
	"CPU_THROUGHPUT_STREAMS":          func(c *Compile, f *field) error { return setCount(f, &c.NumStreams) },
	"INFERENCE_NUM_THREADS":           func(c *Compile, f *field) error { return setCount(f, &c.InferenceNumThreads) },
	"CPU_THREADS_NUM":                 func(c *Compile, f *field) error { return setCount(f, &c.InferenceNumThreads) },
	"DYNAMIC_QUANTIZATION_GROUP_SIZE": setGroupSize,
	"PERF_COUNT":                      setProfiling,
	"ENABLE_PROFILING":                setProfiling,
}

// harmless are properties that change neither the results nor how they are asked for.
var harmless = map[string]bool{
	"AFFINITY": true, "CACHE_DIR": true, "CACHE_MODE": true, "COMPILATION_NUM_THREADS": true, "CPU_BIND_THREAD": true,
	"ENABLE_CPU_PINNING": true, "ENABLE_CPU_RESERVATION": true, "ENABLE_HYPER_THREADING": true, "ENABLE_MMAP": true,
	"LOG_LEVEL": true, "MODEL_DISTRIBUTION_POLICY": true, "MODEL_PRIORITY": true, "PERFORMANCE_HINT_NUM_REQUESTS": true,
	"SCHEDULING_CORE_TYPE": true,
}

// isProperty reports whether name is a property that vinoir has, or need not have.
func isProperty(name string) bool { return properties[name] != nil || harmless[name] }

// property decodes a property of OpenVINO.
func (d *decoder) property(f *field, name string) error {
	if harmless[name] {
		d.unknown(f)
		return nil
	}
	decode := properties[name]
	if decode == nil {
		return f.errorf("the property is not known")
	}
	return decode(&d.config.Compile, f)
}

// setParsed sets to to what parse makes of the text of f.
func setParsed[T any](f *field, to **T, parse func(string) (T, error)) error {
	text, err := f.value()
	if err != nil {
		return err
	}
	value, err := parse(text)
	if err != nil {
		return f.errorf("%v", err)
	}
	*to = &value
	return nil
}

// setCount sets to to a number of threads or streams. AUTO is 0, which lets vinoir decide.
func setCount(f *field, to **int) error {
	n := 0
	if text := strings.ToUpper(f.text); !strings.HasSuffix(text, "AUTO") && text != "-1" {
		if err := setInt(f, &n, 0, 1<<16); err != nil {
			return err
		}
	}
	*to = &n
	return nil
}

// setGroupSize sets the size of groups of activations. OpenVINO's 0 means none, which is -1 here.
func setGroupSize(c *Compile, f *field) error {
	var n int
	if err := setInt(f, &n, 0, 1<<16); err != nil {
		return err
	}
	if n == 0 {
		n = -1
	}
	c.DynamicQuantizationGroupSize = &n
	return nil
}

func setProfiling(c *Compile, f *field) error {
	var on bool
	if err := f.setBool(&on); err != nil {
		return err
	}
	c.EnableProfiling = &on
	return nil
}
