package grpcapi

import (
	"encoding/binary"
	"io"
	"slices"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// inferRequest is ModelInferRequest. A message with a tensor of some kilobytes arrives in many
// pieces. split copies each raw tensor from them to memory of its own, where it is aligned, and
// everything else to one slice, from which parse reads it.
type inferRequest struct {
	oip.InferRequest
	// typed says that the tensors came in typed fields, so that the response has such fields, too.
	typed bool
	raw   []*[]byte
	c     *codec
	err   error
}

// inferInput is InferInputTensor.
type inferInput struct {
	name     string
	datatype oip.Datatype
	dims     []int64
	// contents is InferTensorContents.
	contents []byte
}

func (r *inferRequest) fault() error { return r.err }

// release gives the memory of the tensors back. They must not be used afterwards.
func (r *inferRequest) release() {
	for i := range r.Inputs {
		r.Inputs[i].Tensor = nil
	}
	for _, b := range r.raw {
		r.c.pool.Put(b)
	}
	r.raw = nil
}

func (r *inferRequest) read(data mem.BufferSlice, c *codec) {
	r.c = c
	// What is not a raw tensor is mostly small. If not, append makes a larger slice.
	memory := c.pool.Get(min(data.Len(), 64<<10))
	defer c.pool.Put(memory)
	rest, err := r.split(data, (*memory)[:0])
	if err != nil {
		r.err = err
		return
	}
	r.err = r.parse(rest)
}

// rawContents is the tag of raw_input_contents.
const rawContents = 7<<3 | delimited

// split copies the raw tensors of a message to r.raw, and appends all other fields to rest.
func (r *inferRequest) split(data mem.BufferSlice, rest []byte) ([]byte, error) {
	reader := data.Reader()
	defer reader.Close()
	for reader.Remaining() > 0 {
		tag, err := binary.ReadUvarint(reader)
		if err != nil {
			return nil, broken(err)
		}
		if tag != rawContents {
			rest = binary.AppendUvarint(rest, tag)
		}
		var size int
		switch tag & 7 {
		case varint:
			v, err := binary.ReadUvarint(reader)
			if err != nil {
				return nil, broken(err)
			}
			rest = binary.AppendUvarint(rest, v)
		case fixed64:
			size = 8
		case fixed32:
			size = 4
		case delimited:
			length, err := binary.ReadUvarint(reader)
			if err != nil {
				return nil, broken(err)
			}
			if length > uint64(reader.Remaining()) {
				return nil, oip.Errorf(oip.Malformed, "the message is broken: field %d has %d bytes, of which %d are there",
					tag>>3, length, reader.Remaining())
			}
			size = int(length)
			if tag != rawContents {
				rest = binary.AppendUvarint(rest, length)
			}
		default:
			return nil, oip.Errorf(oip.Malformed, "the message is broken: field %d has the wire type %d", tag>>3, tag&7)
		}
		var to []byte
		if tag == rawContents {
			if len(r.raw) == r.c.limits.MaxInputs {
				return nil, oip.Errorf(oip.Malformed, "there are more than %d raw tensors", r.c.limits.MaxInputs)
			}
			b := r.c.pool.Get(size)
			r.raw, to = append(r.raw, b), *b
		} else {
			rest = slices.Grow(rest, size)[:len(rest)+size]
			to = rest[len(rest)-size:]
		}
		if _, err := io.ReadFull(reader, to); err != nil {
			return nil, broken(err)
		}
	}
	return rest, nil
}

// broken returns the error for a message that ends too early, or has a number that is too long.
func broken(err error) error { return oip.Errorf(oip.Malformed, "the message is broken: %v", err) }

// parse reads all fields but the raw tensors.
func (r *inferRequest) parse(message []byte) error {
	var inputs []inferInput
	limits := r.c.limits
	f := fields{data: message}
	for f.next() {
		var err error
		switch f.tag {
		case 1<<3 | delimited:
			r.Model = f.text()
		case 2<<3 | delimited:
			r.Version = f.text()
		case 3<<3 | delimited:
			if len(f.bytes) > limits.MaxIDBytes {
				return oip.Errorf(oip.Malformed, "the id has %d bytes, the limit is %d", len(f.bytes), limits.MaxIDBytes)
			}
			r.ID = f.text()
		case 4<<3 | delimited:
			err = addParameter(&r.Parameters, f.bytes, limits.MaxInputs, false)
		case 5<<3 | delimited:
			if len(inputs) == limits.MaxInputs {
				return oip.Errorf(oip.Malformed, "there are more than %d inputs", limits.MaxInputs)
			}
			var input inferInput
			input, err = readInput(f.bytes, limits)
			inputs = append(inputs, input)
		case 6<<3 | delimited:
			if len(r.Outputs) == limits.MaxInputs {
				return oip.Errorf(oip.Malformed, "there are more than %d outputs", limits.MaxInputs)
			}
			var output oip.RequestedOutput
			output, err = readOutput(f.bytes, limits)
			r.Outputs = append(r.Outputs, output)
		}
		if err != nil {
			return err
		}
	}
	if f.err != nil {
		return f.err
	}
	return r.setInputs(inputs)
}

// readInput reads InferInputTensor. Nothing that is served reads parameters of inputs.
func readInput(message []byte, limits oip.Limits) (inferInput, error) {
	var input inferInput
	f := fields{data: message}
	for f.next() {
		switch f.tag {
		case 1<<3 | delimited:
			input.name = f.text()
		case 2<<3 | delimited:
			input.datatype = oip.Datatype(f.text())
		case 3<<3 | varint:
			input.dims = append(input.dims, int64(f.value))
		case 3<<3 | delimited:
			for packed := f.bytes; len(packed) > 0 && len(input.dims) <= limits.MaxRank; {
				d, n := protowire.ConsumeVarint(packed)
				if n < 0 {
					f.fail(n)
					break
				}
				input.dims, packed = append(input.dims, int64(d)), packed[n:]
			}
		case 5<<3 | delimited:
			if input.contents != nil {
				return input, oip.Errorf(oip.Malformed, "input %.100q has contents twice", input.name)
			}
			input.contents = f.bytes
		}
		if len(input.dims) > limits.MaxRank {
			return input, oip.Errorf(oip.Malformed, "the shape of input %.100q has more than %d dimensions", input.name, limits.MaxRank)
		}
	}
	return input, f.err
}

// readOutput reads InferRequestedOutputTensor.
func readOutput(message []byte, limits oip.Limits) (oip.RequestedOutput, error) {
	var output oip.RequestedOutput
	f := fields{data: message}
	for f.next() {
		switch f.tag {
		case 1<<3 | delimited:
			output.Name = f.text()
		case 2<<3 | delimited:
			if err := addParameter(&output.Parameters, f.bytes, limits.MaxInputs, false); err != nil {
				return output, err
			}
		}
	}
	return output, f.err
}

// setInputs makes the tensors of inputs: all are raw or all are typed.
func (r *inferRequest) setInputs(inputs []inferInput) error {
	r.typed = len(r.raw) == 0 && len(inputs) > 0
	if !r.typed && len(r.raw) != len(inputs) {
		return oip.Errorf(oip.Malformed, "there are %d inputs and %d raw tensors", len(inputs), len(r.raw))
	}
	r.Inputs = make([]oip.Input, len(inputs))
	for i, input := range inputs {
		tensor, err := r.tensor(i, input)
		if err != nil {
			return oip.Errorf(oip.Malformed, "input %.100q: %v", input.name, err)
		}
		r.Inputs[i] = oip.Input{Name: input.name, Tensor: tensor}
	}
	return nil
}

// tensor makes the tensor of input number i.
func (r *inferRequest) tensor(i int, input inferInput) (*ir.Tensor, error) {
	t, ok := input.datatype.ElementType()
	if !ok {
		return nil, oip.Errorf(oip.Malformed, "there is no datatype %.100q", input.datatype)
	}
	shape, err := oip.ShapeOf(t, input.dims, r.c.limits.MaxRank)
	if err != nil {
		return nil, err
	}
	// Elements can take more memory than they took in the message: a number of one byte up to
	// eight, an empty string 16.
	if size, _ := ir.ByteSize(t, shape); int64(size) > r.c.limits.MaxBodyBytes {
		return nil, oip.Errorf(oip.Malformed, "%s%v takes %d bytes, the limit is %d", input.datatype, []int(shape), size, r.c.limits.MaxBodyBytes)
	}
	if r.typed {
		return typedTensor(t, shape, input.contents)
	}
	if len(input.contents) > 0 {
		return nil, oip.Errorf(oip.Malformed, "the request has raw tensors, and contents too")
	}
	return oip.BinaryTensor(t, shape, *r.raw[i])
}
