package repository

import (
	"strings"
	"time"

	"github.com/vinoir/vinoir/ir"
)

// decoder sets the fields of a configuration. The fields of Triton's model configuration and those
// of a model of OVMS have different names, so that one decoder reads both.
type decoder struct {
	config   *Config
	model    string
	warnings []string
}

// warn adds a warning about f.
func (d *decoder) warn(f *field, format string, arguments ...any) {
	d.warnings = append(d.warnings, f.errorf(format, arguments...).Error())
}

// unknown adds a warning about a field that has no effect.
func (d *decoder) unknown(f *field) { d.warn(f, "the field is ignored") }

// each calls decode for each field in f, with its name in the form with underscores. The errors
// have the name of f.
func each(f *field, decode func(name string, f *field) error) error {
	fields, err := f.fields()
	if err != nil {
		return err
	}
	for i := range fields {
		if err := decode(snake(fields[i].name), &fields[i]); err != nil {
			return f.in(err)
		}
	}
	return nil
}

// unsupported are fields that change what is computed, and that vinoir does not have, with what
// they ask for.
var unsupported = map[string]string{
	"ensemble_scheduling": "an ensemble of models",
	"sequence_batching":   "a state that requests share",
	"stateful":            "a state that requests share",
	"mean":                "a mean that is subtracted; it can be put into the model",
	"scale":               "a scale; it can be put into the model",
	"color_format":        "a conversion of colours; it can be put into the model",
	"precision":           "another type of the inputs; it can be put into the model",
}

// fields decodes the fields of a configuration.
func (d *decoder) fields(fields []field) error {
	for i := range fields {
		f := &fields[i]
		name := snake(f.name)
		if what, ok := unsupported[name]; ok {
			if isOff(f) {
				continue
			}
			return f.errorf("not supported: %s", what)
		}
		if err := d.field(name, f); err != nil {
			return err
		}
	}
	return nil
}

// isOff reports whether a field says that its feature is not wanted.
func isOff(f *field) bool {
	return f.message == nil && (f.text == "" || strings.EqualFold(f.text, "false"))
}

// field decodes a field of a configuration.
func (d *decoder) field(name string, f *field) error {
	c := d.config
	switch name {
	case "name":
		if f.text != d.model {
			d.warn(f, "%q is ignored: the model is called %q", f.text, d.model)
		}
	case "base_path", "platform", "backend", "runtime":
	case "default_model_filename":
		return d.file(f)
	case "max_batch_size":
		return setInt(f, &c.MaxBatchSize, 0, 1<<20)
	case "input":
		return d.port(f, &c.Inputs)
	case "output":
		return d.port(f, &c.Outputs)
	case "version_policy", "model_version_policy":
		c.Versions = Policy{}
		return d.policy(f)
	case "instance_group":
		return d.instances(f)
	case "nireq":
		return setInt(f, &c.Instances, 0, 1<<16)
	case "dynamic_batching":
		return d.batching(f)
	case "response_cache":
		return each(f, func(name string, f *field) error {
			if name == "enable" {
				return f.setBool(&c.ResponseCache)
			}
			d.unknown(f)
			return nil
		})
	case "model_warmup":
		return d.warmup(f)
	case "parameters":
		return d.parameters(f)
	case "plugin_config":
		return each(f, func(_ string, f *field) error { return d.property(f, f.name) })
	case "shape":
		return d.shapes(f)
	case "batch_size":
		return d.batchSize(f)
	case "layout":
		return d.layout(f)
	case "target_device":
		d.device(f)
	default:
		d.unknown(f)
	}
	return nil
}

// file decodes the name of the model's file.
func (d *decoder) file(f *field) error {
	if err := f.setText(&d.config.File); err != nil {
		return err
	}
	if d.config.File != "" && !isModelFile(d.config.File) {
		d.warn(f, "%q is ignored: the names of models end with .xml or .onnx", d.config.File)
		d.config.File = ""
	}
	return nil
}

// policy decodes a version policy.
func (d *decoder) policy(f *field) error {
	p := &d.config.Versions
	return each(f, func(name string, f *field) error {
		switch name {
		case "all":
			p.All = true
		case "latest":
			return each(f, func(name string, f *field) error {
				if name == "num_versions" {
					return setInt(f, &p.Latest, 1, 1<<20)
				}
				d.unknown(f)
				return nil
			})
		case "specific":
			return each(f, func(name string, f *field) error {
				if name != "versions" {
					d.unknown(f)
					return nil
				}
				var n int64
				err := setInt(f, &n, 1, 1<<62)
				p.Specific = append(p.Specific, n)
				return err
			})
		default:
			d.unknown(f)
		}
		return nil
	})
}

// instances decodes a group of instances.
func (d *decoder) instances(f *field) error {
	count := 1
	err := each(f, func(name string, f *field) error {
		switch name {
		case "count":
			return setInt(f, &count, 1, 1<<16)
		case "kind":
			if f.text == "KIND_GPU" {
				d.warn(f, "the model is computed on the CPU")
			}
		case "name":
		default:
			d.unknown(f)
		}
		return nil
	})
	d.config.Instances = min(d.config.Instances+count, 1<<16)
	return err
}

// batching decodes the rules for joining requests.
func (d *decoder) batching(f *field) error {
	b := &d.config.Batching
	return each(f, func(name string, f *field) error {
		switch name {
		case "max_queue_delay_microseconds":
			return setMicroseconds(f, &b.MaxDelay)
		case "priority_levels":
			return setInt(f, &b.Levels, 0, 1<<10)
		case "default_priority_level":
			return setInt(f, &b.DefaultLevel, 0, 1<<10)
		case "default_queue_policy":
			return d.queuePolicy(f)
		case "preferred_batch_size":
			// A batch never waits for a size while it could run.
		default:
			d.unknown(f)
		}
		return nil
	})
}

// queuePolicy decodes how requests wait.
func (d *decoder) queuePolicy(f *field) error {
	q := &d.config.Batching.Queue
	return each(f, func(name string, f *field) error {
		switch name {
		case "max_queue_size":
			return setInt(f, &q.MaxSize, 0, 1<<24)
		case "default_timeout_microseconds":
			return setMicroseconds(f, &q.Timeout)
		case "allow_timeout_override":
			var allowed bool
			err := f.setBool(&allowed)
			q.FixedTimeout = !allowed
			return err
		case "timeout_action":
			if f.text == "DELAY" {
				d.warn(f, "requests whose time is over are refused")
			}
		default:
			d.unknown(f)
		}
		return nil
	})
}

// setMicroseconds sets to to the time in f.
func setMicroseconds(f *field, to *time.Duration) error {
	var n int64
	err := setInt(f, &n, 0, int64(24*time.Hour/time.Microsecond))
	*to = time.Duration(n) * time.Microsecond
	return err
}

// port decodes an input or output.
func (d *decoder) port(f *field, to *[]Port) error {
	var p Port
	err := each(f, func(name string, f *field) (err error) {
		switch name {
		case "name":
			return f.setText(&p.Name)
		case "data_type":
			p.Type, err = dataType(f)
			return err
		case "dims":
			return appendDim(f, &p.Dims)
		case "reshape":
			p.Reshape = []int64{}
			return each(f, func(name string, f *field) error {
				if name == "shape" {
					return appendDim(f, &p.Reshape)
				}
				d.unknown(f)
				return nil
			})
		default:
			d.unknown(f)
		}
		return nil
	})
	if err == nil && p.Name == "" {
		err = f.errorf("the name is missing")
	}
	*to = append(*to, p)
	return err
}

// appendDim appends the dimension in f: -1 means that it is not known.
func appendDim(f *field, to *[]int64) error {
	if len(*to) == ir.MaxRank {
		return f.errorf("there are more than %d dimensions", ir.MaxRank)
	}
	var n int64
	err := setInt(f, &n, -1, 1<<40)
	*to = append(*to, n)
	return err
}

// dataTypes are Triton's names of types.
var dataTypes = map[string]ir.ElementType{
	"TYPE_BOOL": ir.Boolean, "TYPE_STRING": ir.String,
	"TYPE_UINT8": ir.U8, "TYPE_UINT16": ir.U16, "TYPE_UINT32": ir.U32, "TYPE_UINT64": ir.U64,
	"TYPE_INT8": ir.I8, "TYPE_INT16": ir.I16, "TYPE_INT32": ir.I32, "TYPE_INT64": ir.I64,
	"TYPE_FP16": ir.F16, "TYPE_BF16": ir.BF16, "TYPE_FP32": ir.F32, "TYPE_FP64": ir.F64,
}

// dataType returns the type that f names.
func dataType(f *field) (ir.ElementType, error) {
	text, err := f.value()
	if err != nil {
		return ir.Dynamic, err
	}
	t, ok := dataTypes[text]
	if !ok {
		return ir.Dynamic, f.errorf("%q is not a type, such as TYPE_FP32", text)
	}
	return t, nil
}

// warmup decodes an inference that is made before the model is ready.
func (d *decoder) warmup(f *field) error {
	w := Warmup{Rows: 1, Count: 1}
	err := each(f, func(name string, f *field) error {
		switch name {
		case "name":
			return f.setText(&w.Name)
		case "batch_size":
			return setInt(f, &w.Rows, 0, 1<<20)
		case "count":
			return setInt(f, &w.Count, 0, 1<<10)
		case "inputs":
			return d.warmupInput(f, &w)
		default:
			d.unknown(f)
		}
		return nil
	})
	if len(d.config.Warmup) == maxWarmups {
		return f.errorf("there are more than %d", maxWarmups)
	}
	w.Rows, w.Count = max(w.Rows, 1), max(w.Count, 1)
	d.config.Warmup = append(d.config.Warmup, w)
	return err
}

// maxWarmups bounds the inferences that a configuration can ask for.
const maxWarmups = 100

// warmupInput decodes an entry of the inputs of w.
func (d *decoder) warmupInput(f *field, w *Warmup) error {
	entries, err := f.entries()
	if err != nil {
		return err
	}
	for i := range entries {
		in := WarmupInput{Name: entries[i].name}
		err := each(&entries[i], func(name string, f *field) (err error) {
			switch name {
			case "data_type":
				in.Type, err = dataType(f)
				return err
			case "dims":
				return appendDim(f, &in.Dims)
			case "zero_data":
			case "random_data":
				return f.setBool(&in.Random)
			case "input_data_file":
				d.warn(f, "zeros are used in the place of the file")
			default:
				d.unknown(f)
			}
			return nil
		})
		if err != nil {
			return f.in(err)
		}
		w.Inputs = append(w.Inputs, in)
	}
	return nil
}

// parameters decodes texts for programs. Those that are called like properties of OpenVINO set
// these, as in Triton's backend for OpenVINO.
func (d *decoder) parameters(f *field) error {
	entries, err := f.entries()
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		text := e.text
		if e.message != nil {
			for j := range e.message.fields {
				if inner := &e.message.fields[j]; snake(inner.name) == "string_value" {
					text = inner.text
				}
			}
		}
		if d.config.Parameters == nil {
			d.config.Parameters = make(map[string]string)
		}
		d.config.Parameters[e.name] = text
		if isProperty(e.name) {
			if err := d.property(&field{name: e.name, line: e.line, text: text}, e.name); err != nil {
				return f.in(err)
			}
		}
	}
	return nil
}

// layout decodes OVMS's layouts. One that only describes the model changes nothing.
func (d *decoder) layout(f *field) error {
	layouts := []field{*f}
	if f.message != nil {
		layouts = f.message.fields
	}
	for i := range layouts {
		from, to, converts := strings.Cut(layouts[i].text, ":")
		if converts && from != to {
			return f.errorf("not supported: a conversion of the layout %s; it can be put into the model", layouts[i].text)
		}
	}
	return nil
}

// device decodes the name of a device.
func (d *decoder) device(f *field) {
	switch name, _, _ := strings.Cut(f.text, ":"); strings.ToUpper(name) {
	case "CPU", "AUTO", "":
	default:
		d.warn(f, "the model is computed on the CPU, not on %s", f.text)
	}
}
