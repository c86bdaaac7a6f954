package grpcapi

import (
	"google.golang.org/grpc/mem"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// smallRequest is a request other than for an inference.
type smallRequest struct{ err error }

func (r *smallRequest) fault() error { return r.err }

// readFields calls field for each field of a message, and keeps the first error.
func (r *smallRequest) readFields(data mem.BufferSlice, c *codec, field func(f *fields)) {
	whole := data.MaterializeToBuffer(c.pool)
	defer whole.Free()
	f := fields{data: whole.ReadOnlyData()}
	for f.next() {
		field(&f)
	}
	r.err = f.err
}

// emptyRequest is ServerLiveRequest, ServerReadyRequest and ServerMetadataRequest.
type emptyRequest struct{ smallRequest }

func (r *emptyRequest) read(data mem.BufferSlice, c *codec) {
	r.readFields(data, c, func(*fields) {})
}

// modelRequest is ModelReadyRequest, ModelMetadataRequest, ModelConfigRequest and
// ModelStatisticsRequest.
type modelRequest struct {
	smallRequest
	name, version string
}

func (r *modelRequest) read(data mem.BufferSlice, c *codec) {
	r.readFields(data, c, func(f *fields) {
		switch f.tag {
		case 1<<3 | delimited:
			r.name = f.text()
		case 2<<3 | delimited:
			r.version = f.text()
		}
	})
}

// indexRequest is RepositoryIndexRequest. There is one repository, so its name is ignored.
type indexRequest struct {
	smallRequest
	ready bool
}

func (r *indexRequest) read(data mem.BufferSlice, c *codec) {
	r.readFields(data, c, func(f *fields) {
		if f.tag == 2<<3|varint {
			r.ready = f.value != 0
		}
	})
}

// loadRequest is RepositoryModelLoadRequest and RepositoryModelUnloadRequest. In Triton's form,
// field 1 is the repository and 2 the model, in KServe's, field 1 is the model.
type loadRequest struct {
	smallRequest
	model      string
	parameters map[string]any
}

func (r *loadRequest) read(data mem.BufferSlice, c *codec) {
	var first, second string
	r.readFields(data, c, func(f *fields) {
		switch f.tag {
		case 1<<3 | delimited:
			first = f.text()
		case 2<<3 | delimited:
			second = f.text()
		case 3<<3 | delimited:
			if err := addParameter(&r.parameters, f.bytes, c.limits.MaxInputs, true); err != nil {
				f.err = err
			}
		}
	})
	r.model = second
	if second == "" {
		r.model = first
	}
	if r.err == nil && r.model == "" {
		r.err = oip.Errorf(oip.Malformed, "the request names no model")
	}
}
