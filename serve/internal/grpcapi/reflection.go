package grpcapi

import (
	_ "embed"
	"maps"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// descriptors is a FileDescriptorSet: inference.proto, health and reflection. A test writes it.
//
//go:embed descriptors.pb
var descriptors []byte

// reflectionNames are the names of the service in the two versions that clients speak. The messages
// are the same.
var reflectionNames = [...]string{"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"}

// reflection answers which services there are and what their messages look like. The package
// reflection of grpc needs half a megabyte of the program: it makes a model of each message.
type reflection struct {
	server *grpc.Server
	// names are the files by name, symbols by what they describe. A file is FileDescriptorProto.
	names, symbols map[string][]byte
	ending         <-chan struct{}
}

// registerReflection adds reflection to a server.
func registerReflection(server *grpc.Server, ending <-chan struct{}) {
	r := &reflection{server: server, names: make(map[string][]byte), symbols: make(map[string][]byte), ending: ending}
	for set := (fields{data: descriptors}); set.next(); {
		r.add(set.bytes)
	}
	for _, name := range reflectionNames {
		server.RegisterService(&grpc.ServiceDesc{
			ServiceName: name,
			HandlerType: (*any)(nil),
			Streams: []grpc.StreamDesc{{
				StreamName: "ServerReflectionInfo", Handler: func(_ any, stream grpc.ServerStream) error { return r.answer(stream) },
				ServerStreams: true, ClientStreams: true,
			}},
		}, r)
	}
}

// Fields of FileDescriptorProto and of what is in it. A name is field 1 everywhere.
const (
	filePackage   = 2<<3 | delimited
	fileMessage   = 4<<3 | delimited
	fileEnum      = 5<<3 | delimited
	fileService   = 6<<3 | delimited
	messageNested = 3<<3 | delimited
	messageEnum   = 4<<3 | delimited
	serviceMethod = 2<<3 | delimited
)

// add adds a file.
func (r *reflection) add(file []byte) {
	r.names[nameOf(file)] = file
	var scope string
	for f := (fields{data: file}); f.next(); {
		if f.tag == filePackage {
			scope = f.text()
		}
	}
	for f := (fields{data: file}); f.next(); {
		switch f.tag {
		case fileMessage:
			r.addMessage(file, scope, f.bytes)
		case fileEnum:
			r.symbols[scope+"."+nameOf(f.bytes)] = file
		case fileService:
			service := scope + "." + nameOf(f.bytes)
			r.symbols[service] = file
			for s := (fields{data: f.bytes}); s.next(); {
				if s.tag == serviceMethod {
					r.symbols[service+"."+nameOf(s.bytes)] = file
				}
			}
		}
	}
}

// addMessage adds a message, and what is nested in it.
func (r *reflection) addMessage(file []byte, scope string, message []byte) {
	name := scope + "." + nameOf(message)
	r.symbols[name] = file
	for f := (fields{data: message}); f.next(); {
		switch f.tag {
		case messageNested:
			r.addMessage(file, name, f.bytes)
		case messageEnum:
			r.symbols[name+"."+nameOf(f.bytes)] = file
		}
	}
}

// nameOf returns the name of a file, message, enum, service or method.
func nameOf(descriptor []byte) string {
	for f := (fields{data: descriptor}); f.next(); {
		if f.tag == 1<<3|delimited {
			return f.text()
		}
	}
	return ""
}

// answer answers the requests of a stream.
func (r *reflection) answer(stream grpc.ServerStream) error {
	return serveStream(stream, r.ending, func(request *reflectionRequest) error {
		if request.err != nil {
			return statusError(request.err)
		}
		return stream.SendMsg(r.reply(request))
	})
}

// reply answers one request with a ServerReflectionResponse.
func (r *reflection) reply(request *reflectionRequest) reply {
	return smallReply(func(b []byte) []byte {
		b = appendText(b, 1, request.host)
		b = protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), request.message)
		var file []byte
		var found bool
		switch request.kind {
		case fileByName:
			file, found = r.names[request.argument]
		case fileBySymbol:
			file, found = r.symbols[request.argument]
		case listServices:
			return appendMessage(b, 6, r.appendServices)
		}
		if found {
			return appendMessage(b, 4, func(b []byte) []byte { return appendText(b, 1, string(file)) })
		}
		return appendMessage(b, 7, func(b []byte) []byte {
			b = appendNumber(b, 1, uint64(codes.NotFound))
			return appendText(b, 2, "nothing has the name "+request.argument)
		})
	})
}

// appendServices appends the names of all services, as ListServiceResponse has them.
func (r *reflection) appendServices(b []byte) []byte {
	for _, name := range slices.Sorted(maps.Keys(r.server.GetServiceInfo())) {
		b = appendMessage(b, 1, func(b []byte) []byte { return appendText(b, 1, name) })
	}
	return b
}

// What a request asks for, as numbers of fields. Extensions are never found: there are none.
const (
	fileByName   = 3
	fileBySymbol = 4
	extension    = 5
	extensionsOf = 6
	listServices = 7
)

// reflectionRequest is ServerReflectionRequest. The response repeats it.
type reflectionRequest struct {
	smallRequest
	message        []byte
	host, argument string
	kind           uint64
}

func (r *reflectionRequest) read(data mem.BufferSlice, c *codec) {
	r.message = data.Materialize()
	r.readFields(data, c, func(f *fields) {
		switch f.tag {
		case 1<<3 | delimited:
			r.host = f.text()
		case fileByName<<3 | delimited, fileBySymbol<<3 | delimited, extensionsOf<<3 | delimited, listServices<<3 | delimited:
			r.kind, r.argument = f.tag>>3, f.text()
		case extension<<3 | delimited:
			// The argument is a message with the name of the type, which is enough to say.
			r.kind, r.argument = extension, nameOf(f.bytes)
		}
	})
}
