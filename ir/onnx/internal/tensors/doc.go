// Package tensors makes tensors of those in an ONNX file: of raw data, of typed fields, of data in
// other files, and of sparse tensors. Raw data and that of other files is not copied if it is
// aligned for its elements.
package tensors
