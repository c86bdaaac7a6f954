package grpcapi

import (
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// inferReply is ModelInferResponse.
type inferReply struct {
	*oip.InferResponse
	// typed says to send the tensors in typed fields, if all outputs have one.
	typed bool
	// link is the connection that the response goes to.
	link *link
}

// write returns the message. The response is released when it is sent.
func (r inferReply) write(*codec) mem.BufferSlice { return r.message().pieces }

// message writes the fields.
func (r inferReply) message() *message {
	typed := r.typed
	for _, output := range r.Outputs {
		_, _, ok := typedField(output.Tensor.ElementType())
		typed = typed && ok
	}
	m := &message{sending: &sending{link: r.link, response: r.InferResponse}}
	m.sending.parts.Store(1)
	defer m.sending.done()
	m.b = appendText(m.b, 1, r.Model)
	m.b = appendText(m.b, 2, r.Version)
	m.b = appendText(m.b, 3, r.ID)
	m.b = appendParameters(m.b, 4, r.Parameters)
	for _, output := range r.Outputs {
		m.b = appendMessage(m.b, 5, func(b []byte) []byte { return appendOutput(b, output, typed) })
	}
	if !typed {
		for _, output := range r.Outputs {
			m.appendRaw(output.Tensor)
		}
	}
	m.flush()
	return m
}

// appendOutput appends InferOutputTensor.
func appendOutput(b []byte, output oip.Output, typed bool) []byte {
	name, _ := oip.DatatypeOf(output.Tensor.ElementType())
	b = appendText(b, 1, output.Name)
	b = appendText(b, 2, string(name))
	b = appendDims(b, 3, output.Tensor.Shape())
	if typed {
		b = appendMessage(b, 5, func(b []byte) []byte { return appendContents(b, output.Tensor) })
	}
	return b
}

// message is a message in pieces: large tensors are pieces of their own.
type message struct {
	sending *sending
	pieces  mem.BufferSlice
	// size is the number of bytes in pieces.
	size int
	// b comes after the pieces.
	b []byte
}

// pieceBytes is the size of the smallest tensor that becomes a piece of its own.
const pieceBytes = 4 << 10

// appendRaw appends an element of raw_output_contents. If it is large, it is the memory of the
// tensor.
func (m *message) appendRaw(tensor *ir.Tensor) {
	size := oip.BinarySize(tensor)
	m.b = protowire.AppendTag(m.b, 6, protowire.BytesType)
	m.b = protowire.AppendVarint(m.b, uint64(size))
	if data, ok := oip.SharedBinary(tensor); ok && size >= pieceBytes {
		m.flush()
		m.append(data)
		return
	}
	m.b = oip.AppendBinary(m.b, tensor)
}

// append appends a large piece.
func (m *message) append(piece []byte) {
	m.sending.parts.Add(1)
	m.sending.link.addUnread(len(piece))
	m.pieces = append(m.pieces, mem.NewBuffer(&piece, &unsent{sending: m.sending, size: len(piece)}))
	m.size += len(piece)
}

// flush makes b a piece.
func (m *message) flush() {
	switch {
	case len(m.b) == 0:
		return
	case len(m.b) < pieceBytes:
		m.pieces = append(m.pieces, mem.SliceBuffer(m.b))
		m.size += len(m.b)
	default:
		m.append(m.b)
	}
	m.b = nil
}

// streamReply is ModelStreamInferResponse: a response, or an error and the response that has only
// the names of its request.
type streamReply struct {
	errorText string
	inferReply
}

// write returns the message. The response is released when it is sent.
func (r streamReply) write(*codec) mem.BufferSlice {
	m := r.message()
	var before []byte
	before = appendText(before, 1, r.errorText)
	before = protowire.AppendTag(before, 2, protowire.BytesType)
	before = protowire.AppendVarint(before, uint64(m.size))
	return append(mem.BufferSlice{mem.SliceBuffer(before)}, m.pieces...)
}
