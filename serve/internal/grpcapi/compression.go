package grpcapi

import (
	"compress/zlib"
	"io"
)

// deflate reads what Triton's client sends if it is told to compress by deflate: the format of
// zlib. It belongs to one server. As an encoding.Compressor it would be one of the whole program.
// Responses to such requests are not compressed; those to gzip are, by grpc itself.
type deflate struct {
	// limit is the size of the largest message.
	limit int64
}

// Type is the name of the encoding.
func (deflate) Type() string { return "deflate" }

// Do decompresses a message. What is above the limit, it returns up to one byte more than that, and
// grpc refuses it.
func (d deflate) Do(r io.Reader) ([]byte, error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, d.limit+1))
}
