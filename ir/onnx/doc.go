// Package onnx reads ONNX files as models of OpenVINO's layers, which vinoir infers, compiles, runs
// and writes like any other:
//
//	registry, err := plugin.NewRegistry(builtin.Ops()...)
//	model, err := onnx.ReadFile(ctx, "model.onnx", onnx.Options{Rules: registry})
//	compiled, err := plugin.NewCore(registry, plugin.Options{}).CompileModel(ctx, model, plugin.CompileOptions{})
//
// A program that opens models by package vinoir names Format in vinoir.Options. A decoder of texts
// that was exported with its past as inputs is read with Options.Stateful for package generate.
//
// It reads models of all IR versions and of versions 1 to 28 of ONNX's operators, with functions,
// external data, sparse initializers, and all encodings of tensors. Weights stay where they are in
// the file. Nodes that no output needs are left out, unknown operators among them.
//
// Inputs, outputs and tensors have the names of the values in the file, and DimNames returns those
// of unknown lengths. A layer has the name of the first value that it computes. Its rt_info tells
// the node that it was made for: fused_names has the name, and onnx_operator the operator with its
// domain and version, such as com.microsoft:Gelu-1. The rt_info of the model has the producer and
// the metadata of the file.
//
// # Sequences and optionals
//
// A model that is made has only tensors. An output that is a sequence of known length becomes an
// output for each of its tensors, y.0, y.1 and so on, and no output if it is empty; so does an
// optional with a sequence in it, and one without a value is no output. An input that is a sequence
// needs its length in Options.Lengths, and becomes as many inputs. An input that is an optional is
// read as what it has a value of, unless Options.Lengths says that it has none. Sequences in the
// model can be of a length that depends on data if a loop only appends to them, and if they are
// only read, or joined to a tensor. For other operators the length must be known: Options.Constants
// can have the inputs that decide it.
//
// # Element types
//
// Element types that OpenVINO does not have are held by wider types that have all of their values:
// FLOAT8E4M3FNUZ, FLOAT8E5M2FNUZ, FLOAT6E2M3 and FLOAT6E3M2 by f16, and INT2 by i4. NarrowType
// tells which inputs and outputs have such a type in the file, and Expand makes tensors for them.
// Complex numbers are refused.
//
// Programs that do not import this package do not link it.
package onnx
