package grpcapi

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/vinoir/vinoir/serve/internal/buffers"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// codec is the encoding.CodecV2 of a server. It reads and writes the messages of this package, and
// leaves those of health and reflection to grpc's codec.
type codec struct {
	limits oip.Limits
	pool   *buffers.Pool
	other  encoding.CodecV2
}

func newCodec(limits oip.Limits, pool *buffers.Pool) *codec {
	return &codec{limits: limits, pool: pool, other: encoding.GetCodecV2(proto.Name)}
}

// request is a message that a client sends.
type request interface {
	// read sets the request to what data has. It keeps what is wrong with data for fault: an error
	// that a codec returns would reach the client as INTERNAL.
	read(data mem.BufferSlice, c *codec)
	// fault returns what is wrong with the message.
	fault() error
}

// reply is a message to a client.
type reply interface {
	write(c *codec) mem.BufferSlice
}

// Name is that of protocol buffers: clients send it, or none.
func (c *codec) Name() string { return proto.Name }

// Unmarshal reads v, a request or a message of protocol buffers.
func (c *codec) Unmarshal(data mem.BufferSlice, v any) error {
	if r, ok := v.(request); ok {
		r.read(data, c)
		return nil
	}
	return c.other.Unmarshal(data, v)
}

// Marshal returns v, a reply or a message of protocol buffers, as it is sent.
func (c *codec) Marshal(v any) (mem.BufferSlice, error) {
	if r, ok := v.(reply); ok {
		return r.write(c), nil
	}
	return c.other.Marshal(v)
}
