package grpcapi

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestModelInfer_typed(t *testing.T) {
	for _, c := range []struct {
		datatype, contents string
		want               any
	}{
		{"BOOL", `bool_contents: [true, false]`, []bool{true, false}},
		{"INT8", `int_contents: [-128, 127]`, []int8{-128, 127}},
		{"INT16", `int_contents: [-32768, 32767]`, []int16{math.MinInt16, math.MaxInt16}},
		{"INT32", `int_contents: [-2147483648, 2147483647]`, []int32{math.MinInt32, math.MaxInt32}},
		{"INT64", `int64_contents: [-9223372036854775808, 9223372036854775807]`, []int64{math.MinInt64, math.MaxInt64}},
		{"UINT8", `uint_contents: [0, 255]`, []uint8{0, 255}},
		{"UINT16", `uint_contents: [0, 65535]`, []uint16{0, 65535}},
		{"UINT32", `uint_contents: [0, 4294967295]`, []uint32{0, math.MaxUint32}},
		{"UINT64", `uint64_contents: [0, 18446744073709551615]`, []uint64{0, math.MaxUint64}},
		{"FP32", `fp32_contents: [-1.5, inf]`, []float32{-1.5, float32(math.Inf(1))}},
		{"FP64", `fp64_contents: [-1.5, 1e300]`, []float64{-1.5, 1e300}},
	} {
		service := &fakeService{}
		_, client := start(t, Options{Service: service})
		tensor := fmt.Sprintf(`name: "x" datatype: %q shape: 2 shape: 1 contents { %s }`, c.datatype, c.contents)
		answer, err := call(t, client, "ModelInfer", fmt.Sprintf(`model_name: "identity" inputs { %s }`, tensor))
		require.NoError(t, err, c.datatype)
		requireMessage(t, fmt.Sprintf(`model_name: "identity" model_version: "3" outputs { %s }`, tensor), answer)
		got := service.requests[0].Inputs[0].Tensor
		require.Equal(t, tensorOf(t, c.want, 2, 1).Bytes(), got.Bytes(), c.datatype)
		require.Equal(t, ir.Shape{2, 1}, got.Shape())
	}
}

func TestModelInfer_typedStrings(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service})
	const tensor = `name: "x" datatype: "BYTES" shape: 3 contents { bytes_contents: "a" bytes_contents: "" bytes_contents: "\377" }`
	answer, err := call(t, client, "ModelInfer", `model_name: "identity" inputs { `+tensor+` }`)
	require.NoError(t, err)
	requireMessage(t, `model_name: "identity" model_version: "3" outputs { `+tensor+` }`, answer)
	require.Equal(t, []string{"a", "", "\xff"}, service.requests[0].Inputs[0].Tensor.Strings())
}

func TestModelInfer_raw(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service})
	answer, err := call(t, client, "ModelInfer", `
		model_name: "identity" model_version: "5" id: "request é"
		parameters { key: "priority" value { int64_param: -2 } }
		parameters { key: "b" value { bool_param: false } }
		parameters { key: "s" value { string_param: "text" } }
		parameters { key: "d" value { double_param: 0.5 } }
		parameters { key: "u" value { uint64_param: 18446744073709551615 } }
		inputs { name: "x" datatype: "FP16" shape: 2 parameters { key: "any" value { bool_param: true } } }
		inputs { name: "s" datatype: "BYTES" shape: 1 shape: 1 }
		inputs { name: "none" datatype: "FP64" shape: 0 shape: 4 }
		outputs { name: "x" parameters { key: "binary_data" value { bool_param: true } } }
		raw_input_contents: "\001\002\003\004"
		raw_input_contents: "\002\000\000\000ab"
		raw_input_contents: ""`)
	require.NoError(t, err)
	requireMessage(t, `
		model_name: "identity" model_version: "3" id: "request é"
		outputs { name: "x" datatype: "FP16" shape: 2 }
		outputs { name: "s" datatype: "BYTES" shape: 1 shape: 1 }
		outputs { name: "none" datatype: "FP64" shape: 0 shape: 4 }
		raw_output_contents: "\001\002\003\004"
		raw_output_contents: "\002\000\000\000ab"
		raw_output_contents: ""`, answer)
	request := service.requests[0]
	require.Equal(t, "5", request.Version)
	require.Equal(t, map[string]any{
		"priority": int64(-2), "b": false, "s": "text", "d": 0.5, "u": uint64(math.MaxUint64),
	}, request.Parameters)
	require.Equal(t, []oip.RequestedOutput{{Name: "x", Parameters: map[string]any{"binary_data": true}}}, request.Outputs)
	require.Equal(t, []string{"ab"}, request.Inputs[1].Tensor.Strings())
}

// A message of many frames, with tensors before, between and after other fields.
func TestModelInfer_large(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service})
	elements := make([]byte, 600_000)
	for i := range elements {
		elements[i] = byte(i * 7)
	}
	request := newMessage(t, "ModelInferRequest")
	raw := request.Mutable(request.Descriptor().Fields().ByName("raw_input_contents")).List()
	for range 2 {
		raw.Append(protoBytes(elements))
	}
	proto.Merge(request, messageOf(t, "ModelInferRequest", `model_name: "identity"
		inputs { name: "x" datatype: "FP32" shape: 150000 }
		inputs { name: "y" datatype: "UINT8" shape: 600000 }`))
	answer := newMessage(t, "ModelInferResponse")
	require.NoError(t, client.Invoke(t.Context(), "/"+ServiceName+"/ModelInfer", request, answer))
	outputs := answer.Get(answer.Descriptor().Fields().ByName("raw_output_contents")).List()
	require.Equal(t, 2, outputs.Len())
	for i := range 2 {
		require.Equal(t, elements, outputs.Get(i).Bytes())
	}
}

func TestModelInfer_errors(t *testing.T) {
	service := &fakeService{}
	_, client := start(t, Options{Service: service, Limits: oip.Limits{MaxInputs: 3, MaxRank: 3, MaxIDBytes: 5, MaxBodyBytes: 10_000}})
	input := func(datatype, shape, contents string) string {
		return fmt.Sprintf(`model_name: "identity" inputs { name: "x" datatype: %q %s contents { %s } }`, datatype, shape, contents)
	}
	raw := func(datatype, shape, contents string) string {
		return fmt.Sprintf(`model_name: "identity" inputs { name: "x" datatype: %q %s } raw_input_contents: "%s"`, datatype, shape, contents)
	}
	many := func(text string) string { return `model_name: "identity" ` + strings.Repeat(text, 4) }
	cases := map[string]string{
		input("FLOAT", "shape: 1", ""):                                                 `input "x": there is no datatype "FLOAT"`,
		input("FP32", "shape: 2", "fp32_contents: 1"):                                  `input "x": FP32[2] has 2 elements, the request 1`,
		input("FP32", "shape: 1", "fp64_contents: 1"):                                  "FP32 is sent in field 6 of the contents, not in 7",
		input("FP16", "shape: 1", "fp32_contents: 1"):                                  "FP16 has no typed field: send raw_input_contents",
		input("UINT8", "shape: 2", "uint_contents: [1, 256]"):                          "element 1 is 256, which UINT8 cannot hold",
		input("INT8", "shape: 1", "int_contents: -129"):                                "element 0 is -129, which INT8 cannot hold",
		input("FP32", "shape: -1", ""):                                                 "dimension 0 of shape [-1] is -1",
		input("FP32", "shape: [1, 1, 1, 1]", "fp32_contents: 1"):                       "has more than 3 dimensions",
		input("FP32", "shape: [1000000000, 1000000]", "fp32_contents: [1, 2]"):         "takes 4000000000000000 bytes, the limit is 10000",
		input("FP32", "shape: [1000000000000, 100000000000]", "fp32_contents: [1, 2]"): "has more elements than fit an int",
		input("BYTES", "shape: 1000", ""):                                              "takes 16000 bytes",
		raw("FP32", "shape: 2", "1234"):                                                "FP32[2] needs 8 bytes, the request has 4",
		raw("BOOL", "shape: 1", "\\002"):                                               "element 0 of BOOL is 2",
		raw("BYTES", "shape: 1", "\\005\\000\\000\\000a"):                              "element 0 of BYTES[1] has 5 bytes",
		raw("FP32", "shape: 1 contents { fp32_contents: 1 }", "1234"):                  "the request has raw tensors, and contents too",
		raw("FP32", "shape: 1", `1234" raw_input_contents: "`):                         "there are 1 inputs and 2 raw tensors",
		many(`inputs {}`):                     "more than 3 inputs",
		many(`outputs {}`):                    "more than 3 outputs",
		many(`raw_input_contents: ""`):        "more than 3 raw tensors",
		`model_name: "identity" id: "123456"`: "the id has 6 bytes, the limit is 5",
		`parameters { key: "a" } parameters { key: "b" } parameters { key: "c" } parameters {}`: "more than 3 parameters",
	}
	for request, text := range cases {
		_, err := call(t, client, "ModelInfer", request)
		require.Equal(t, codes.InvalidArgument, status.Code(err), "%s: %v", request, err)
		require.ErrorContains(t, err, text)
	}
	require.Len(t, service.refused, len(cases))
	require.Empty(t, service.requests)

	_, err := call(t, client, "ModelInfer", raw("UINT8", "shape: 10000", strings.Repeat("x", 10_000)))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
}

// read reads a message with a codec of small limits.
func read(r request, message []byte) error {
	r.read(mem.BufferSlice{mem.SliceBuffer(message)}, newCodec(oip.Limits{MaxBodyBytes: 1 << 20}.WithDefaults(), new(buffers.Pool)))
	return r.fault()
}

func TestInferRequest_broken(t *testing.T) {
	for text, message := range map[string]string{
		"unexpected EOF": "\x80",
		"field 1 has 5 bytes, of which 2 are there": "\x0a\x05ab",
		"field 7 has 5 bytes, of which 2 are there": "\x3a\x05ab",
		"field 1 has the wire type 3":               "\x0b\x0c",
		"field 1 is not UTF-8":                      "\x0a\x01\xff",
		"the message is broken: EOF":                "\x08",
		"varint overflows a 64-bit integer":         "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"invalid field number":                      "\x00\x00",
		"contents twice":                            "\x2a\x04\x2a\x00\x2a\x00",
	} {
		require.ErrorContains(t, read(new(inferRequest), []byte(message)), text)
	}
}

func TestInferRequest_cutElement(t *testing.T) {
	for field, contents := range map[string]string{"FP32": "\x32\x03abc", "FP64": "\x3a\x04abcd", "INT32": "\x12\x01\x80"} {
		input := appendText(nil, 2, field)
		input = appendNumber(input, 3, 1)
		input = appendText(input, 5, contents)
		require.ErrorContains(t, read(new(inferRequest), appendText(nil, 5, string(input))), "the elements of "+field+" end within one")
	}
}

// Fields that no version of the protocol has, and fields with other wire types, are skipped.
func TestInferRequest_unknownFields(t *testing.T) {
	message := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 7)
	message = protowire.AppendFixed32(protowire.AppendTag(message, 99, protowire.Fixed32Type), 7)
	message = protowire.AppendFixed64(protowire.AppendTag(message, 98, protowire.Fixed64Type), 7)
	message = protowire.AppendString(protowire.AppendTag(message, 97, protowire.BytesType), "text")
	message = appendText(message, 1, "m")
	r := new(inferRequest)
	require.NoError(t, read(r, message))
	require.Equal(t, "m", r.Model)
}

// Packed fields may come in parts, and elements one by one.
func TestInferRequest_notPacked(t *testing.T) {
	contents := appendNumber(nil, 2, 1)
	contents = appendDims(contents, 2, []int{2, 3})
	contents = appendNumber(contents, 2, 4)
	input := appendText(nil, 2, "INT32")
	input = appendNumber(input, 3, 2)
	input = appendNumber(input, 3, 2)
	input = protowire.AppendBytes(protowire.AppendTag(input, 5, protowire.BytesType), contents)
	r := new(inferRequest)
	require.NoError(t, read(r, protowire.AppendBytes(protowire.AppendTag(nil, 5, protowire.BytesType), input)))
	require.Equal(t, []int32{1, 2, 3, 4}, ir.Data[int32](r.Inputs[0].Tensor))
}

// A response is released when all of it is sent, which can be long after it was written.
func TestInferReply_release(t *testing.T) {
	c := newCodec(oip.Limits{}.WithDefaults(), new(buffers.Pool))
	large, small := tensorOf(t, make([]float32, 5000), 5000), tensorOf(t, make([]float32, 5), 5)
	for _, outputs := range [][]oip.Output{
		{{Name: "x", Tensor: large}, {Name: "y", Tensor: small}, {Name: "z", Tensor: large}},
		{{Name: "y", Tensor: small}},
	} {
		freed := 0
		data, err := c.Marshal(inferReply{InferResponse: &oip.InferResponse{Outputs: outputs, Free: func() { freed++ }}})
		require.NoError(t, err)
		if len(outputs) == 1 {
			require.Equal(t, 1, freed)
			continue
		}
		require.Same(t, &large.Bytes()[0], &data[1].ReadOnlyData()[0], "a large tensor is copied")
		data[1].Free()
		require.Zero(t, freed)
		data[3].Free()
		require.Equal(t, 1, freed)
	}
}

// FP16 has no typed field, so no output gets one.
func TestInferReply_typedAndFP16(t *testing.T) {
	half, err := ir.NewTensor(ir.F16, 1)
	require.NoError(t, err)
	c := newCodec(oip.Limits{}.WithDefaults(), new(buffers.Pool))
	data, err := c.Marshal(inferReply{typed: true, InferResponse: &oip.InferResponse{
		Parameters: map[string]any{"b": true, "i": int64(-1), "u": uint64(1), "d": 0.5, "s": "", "unknown": 'x'},
		Outputs:    []oip.Output{{Name: "h", Tensor: half}, {Name: "f", Tensor: tensorOf(t, []float32{1}, 1)}},
	}})
	require.NoError(t, err)
	answer := newMessage(t, "ModelInferResponse")
	require.NoError(t, proto.Unmarshal(data.Materialize(), answer))
	requireMessage(t, `
		parameters { key: "b" value { bool_param: true } } parameters { key: "i" value { int64_param: -1 } }
		parameters { key: "u" value { uint64_param: 1 } } parameters { key: "d" value { double_param: 0.5 } }
		parameters { key: "s" value { string_param: "" } } parameters { key: "unknown" value {} }
		outputs { name: "h" datatype: "FP16" shape: 1 } outputs { name: "f" datatype: "FP32" shape: 1 }
		raw_output_contents: "\000\000" raw_output_contents: "\000\000\200\077"`, answer)
}
