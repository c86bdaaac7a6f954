// Package proto has the messages of ONNX as structs, and reads them:
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. Fields that say nothing about what a
// model computes are left out: documentation, training, devices, names of shards.
//
// Each message has a method that reads fields into it. If a message is in a file in several pieces,
// the method is called for each of them: lists grow, and of other fields the last one counts, as
// the encoding demands.
package proto
