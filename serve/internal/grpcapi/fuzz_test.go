package grpcapi

import (
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// fuzzLimits keep what a message can hold small.
var fuzzLimits = oip.Limits{MaxBodyBytes: 1 << 16, MaxInputs: 8, MaxRank: 8}.WithDefaults()

// FuzzInferRequest reads any message. One that is right answers itself, so all of it is read.
func FuzzInferRequest(f *testing.F) {
	for _, text := range []string{
		`model_name: "m" id: "1" inputs { name: "x" datatype: "FP32" shape: 1 } raw_input_contents: "1234"`,
		`inputs { datatype: "BYTES" shape: 1 contents { bytes_contents: "a" } }`,
		`inputs { datatype: "INT8" shape: 2 contents { int_contents: [1, -2] } } parameters { key: "a" value { double_param: 1 } }`,
		`outputs { name: "y" parameters { key: "a" value { uint64_param: 1 } } }`,
	} {
		message, err := proto.Marshal(messageOf(f, "ModelInferRequest", text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(message, 3)
	}
	c := newCodec(fuzzLimits, new(buffers.Pool))
	f.Fuzz(func(t *testing.T, message []byte, cut int) {
		// The pieces that a message comes in change nothing.
		pieces := mem.BufferSlice{mem.SliceBuffer(message)}
		if cut > 0 && cut < len(message) {
			pieces = mem.BufferSlice{mem.SliceBuffer(message[:cut]), mem.SliceBuffer(message[cut:])}
		}
		r := new(inferRequest)
		r.read(pieces, c)
		defer r.release()
		if r.err != nil {
			return
		}
		response := &oip.InferResponse{Model: r.Model, ID: r.ID, Parameters: r.Parameters}
		for _, input := range r.Inputs {
			response.Outputs = append(response.Outputs, oip.Output(input))
		}
		data, err := c.Marshal(inferReply{InferResponse: response, typed: r.typed})
		if err != nil {
			t.Fatal(err)
		}
		if err := proto.Unmarshal(data.Materialize(), newMessage(t, "ModelInferResponse")); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRequests reads any message as each of the small requests.
func FuzzRequests(f *testing.F) {
	f.Add([]byte("\x0a\x01m\x12\x011"))
	f.Add([]byte("\x0a\x01m\x10\x01\x1a\x07\x0a\x01k\x12\x02\x08\x01"))
	c := newCodec(fuzzLimits, new(buffers.Pool))
	f.Fuzz(func(_ *testing.T, message []byte) {
		for _, r := range []request{new(emptyRequest), new(modelRequest), new(indexRequest), new(loadRequest), new(reflectionRequest)} {
			r.read(mem.BufferSlice{mem.SliceBuffer(message)}, c)
		}
	})
}
