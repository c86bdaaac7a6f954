package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ir/onnx"
)

// onnxFlags are the flags that say how the inputs of an ONNX model are read.
type onnxFlags struct {
	lengths, constants []string
	stateful           bool
}

// noValue is the value of --length for an optional without a value.
const noValue = "none"

func (f *onnxFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.constants, "constant", nil, "make an input of an ONNX model a constant: `NAME=F.npy`, or NAME=N for a whole number of i64; can be repeated")
	cmd.Flags().StringArrayVar(&f.lengths, "length", nil, "read an input of an ONNX model that is a sequence as N tensors: `NAME=N`, or none for an optional without a value; can be repeated")
	cmd.Flags().BoolVar(&f.stateful, "stateful", false, "make variables of the past that a decoder, an ONNX model, takes and returns, as generate needs it")
}

// set sets the options that the flags are about.
func (f *onnxFlags) set(options *onnx.Options) error {
	options.Stateful = f.stateful
	for _, flag := range f.lengths {
		name, value, ok := cutLast(flag)
		length, err := strconv.Atoi(value)
		if value == noValue {
			length, err = onnx.NoValue, nil
		} else if length < 0 {
			ok = false
		}
		if !ok || err != nil {
			return usagef("--length %s is not NAME=N", flag)
		}
		if options.Lengths == nil {
			options.Lengths = make(map[string]int)
		}
		options.Lengths[name] = length
	}
	for _, flag := range f.constants {
		name, value, ok := cutLast(flag)
		if !ok {
			return usagef("--constant %s is not NAME=F.npy or NAME=N", flag)
		}
		tensor, err := constantOfFlag(value)
		if err != nil {
			return err
		}
		if options.Constants == nil {
			options.Constants = make(map[string]*ir.Tensor)
		}
		options.Constants[name] = tensor
	}
	return nil
}

// given returns an error if a flag is given, for a model that is an IR.
func (f *onnxFlags) given() error {
	if len(f.lengths)+len(f.constants) > 0 || f.stateful {
		return usagef("--length, --constant and --stateful go with an ONNX model")
	}
	return nil
}

// cutLast cuts NAME=VALUE at the last "=", which a name can contain.
func cutLast(flag string) (name, value string, ok bool) {
	i := strings.LastIndexByte(flag, '=')
	if i < 1 {
		return "", "", false
	}
	return flag[:i], flag[i+1:], true
}

// constantOfFlag returns the tensor that a number or the name of a file stands for.
func constantOfFlag(value string) (*ir.Tensor, error) {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return ir.TensorOfInts(ir.I64, ir.Shape{}, []int64{n})
	}
	array, err := npy.ReadFile(value)
	if err != nil {
		return nil, err
	}
	return array.Tensor(array.ElementType(), nil)
}
