// Package quantization has the passes that bring quantized models as ONNX files have them, and as
// OpenVINO's converter leaves them, into the forms that other passes and kernels recognise.
package quantization
