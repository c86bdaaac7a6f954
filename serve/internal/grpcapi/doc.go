// Package grpcapi is the gRPC form of the Open Inference Protocol: inference.GRPCInferenceService
// with the calls of Triton and of KServe, grpc.health.v1.Health and reflection.
//
// Messages are read and written by hand, with protowire, and the service is described by hand, too.
// Nothing of package inference comes into Go's registry of protocol buffers, so a program that
// serves models can also use generated clients, which register it. It also means that the bytes of
// a tensor are copied once, from the frames of the connection to where the model reads them. See
// RATIONALE.md for the figures. inference.proto has the messages.
package grpcapi
