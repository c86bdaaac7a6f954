package grpcapi

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	health "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestDescriptors compares descriptors.pb with the files that it comes from. With VINOIR_UPDATE=1,
// it writes it.
func TestDescriptors(t *testing.T) {
	want := new(descriptorpb.FileDescriptorSet)
	for _, file := range []protoreflect.FileDescriptor{
		messages, health.File_grpc_health_v1_health_proto,
		reflectionv1.File_grpc_reflection_v1_reflection_proto, reflectionv1alpha.File_grpc_reflection_v1alpha_reflection_proto,
	} {
		require.Zero(t, file.Imports().Len(), "reflection answers with one file")
		want.File = append(want.File, protodesc.ToFileDescriptorProto(file))
	}
	if os.Getenv("VINOIR_UPDATE") != "" {
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("descriptors.pb", data, 0o644))
		return
	}
	got := new(descriptorpb.FileDescriptorSet)
	require.NoError(t, proto.Unmarshal(descriptors, got))
	require.True(t, proto.Equal(want, got), "descriptors.pb is old: VINOIR_UPDATE=1 go test ./internal/grpcapi -run Descriptors")
}
