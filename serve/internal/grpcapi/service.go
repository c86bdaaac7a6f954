package grpcapi

import (
	"context"
	"strings"

	"google.golang.org/grpc"

	"github.com/vinoir/vinoir/serve/internal/access"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// ServiceName is the name of the service.
const ServiceName = "inference.GRPCInferenceService"

// streamMethod is the one call that is a stream.
const streamMethod = "ModelStreamInfer"

// methods lists the calls but that with a stream.
var methods = []grpc.MethodDesc{
	unary("ServerLive", func(*service, context.Context, *emptyRequest) (reply, error) {
		return flagReply(true), nil
	}),
	unary("ServerReady", func(s *service, _ context.Context, _ *emptyRequest) (reply, error) {
		return flagReply(s.models.Ready()), nil
	}),
	unary("ServerMetadata", func(s *service, _ context.Context, _ *emptyRequest) (reply, error) {
		return serverReply(s.models.Server()), nil
	}),
	unary("ModelReady", (*service).modelReady),
	unary("ModelMetadata", func(s *service, _ context.Context, r *modelRequest) (reply, error) {
		model, err := s.models.ModelMetadata(r.name, r.version)
		if err != nil {
			return nil, err
		}
		return metadataReply(model), nil
	}),
	unary("ModelConfig", func(s *service, _ context.Context, r *modelRequest) (reply, error) {
		config, err := s.models.ModelConfig(r.name, r.version)
		if err != nil {
			return nil, err
		}
		return configReply(config), nil
	}),
	unary("ModelStatistics", func(s *service, _ context.Context, r *modelRequest) (reply, error) {
		statistics, err := s.models.Statistics(r.name, r.version)
		if err != nil {
			return nil, err
		}
		return statisticsReply(statistics), nil
	}),
	unary("ModelInfer", (*service).modelInfer),
	unary("RepositoryIndex", func(s *service, _ context.Context, r *indexRequest) (reply, error) {
		return indexReply(s.models.Index(), r.ready), nil
	}),
	unary("RepositoryModelLoad", (*service).load),
	unary("RepositoryModelUnload", func(s *service, ctx context.Context, r *loadRequest) (reply, error) {
		if err := s.models.Unload(ctx, r.model); err != nil {
			return nil, err
		}
		return loadReply(r.model), nil
	}),
}

// scopes says which calls a key must allow.
var scopes = map[string]access.Scope{
	"/" + ServiceName + "/ServerLive":            access.Health,
	"/" + ServiceName + "/ServerReady":           access.Health,
	"/" + ServiceName + "/ModelReady":            access.Health,
	"/grpc.health.v1.Health/Check":               access.Health,
	"/grpc.health.v1.Health/Watch":               access.Health,
	"/grpc.health.v1.Health/List":                access.Health,
	"/" + ServiceName + "/ModelInfer":            access.Infer,
	"/" + ServiceName + "/" + streamMethod:       access.Infer,
	"/" + ServiceName + "/ModelStatistics":       access.Statistics,
	"/" + ServiceName + "/RepositoryIndex":       access.Repository,
	"/" + ServiceName + "/RepositoryModelLoad":   access.Repository,
	"/" + ServiceName + "/RepositoryModelUnload": access.Repository,
}

// scopeOf returns the scope of a method. Metadata, configuration and reflection say what is there.
func scopeOf(method string) access.Scope {
	if scope, ok := scopes[method]; ok {
		return scope
	}
	return access.Metadata
}

// description is the service as grpc registers it.
func description() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: ServiceName,
		HandlerType: (*any)(nil),
		Methods:     methods,
		Streams: []grpc.StreamDesc{{
			StreamName: streamMethod,
			Handler: func(server any, stream grpc.ServerStream) error {
				return server.(*service).streamInfer(stream)
			},
			ServerStreams: true,
			ClientStreams: true,
		}},
		Metadata: "inference.proto",
	}
}

// unary describes a call with one request of type R.
func unary[R any, P interface {
	*R
	request
}](name string, answer func(*service, context.Context, P) (reply, error)) grpc.MethodDesc {
	handler := func(
		server any, ctx context.Context, receive func(any) error, interceptor grpc.UnaryServerInterceptor,
	) (any, error) {
		message := P(new(R))
		stop := linkOf(ctx).startReceiving()
		err := receive(message)
		if stop(); err != nil {
			return nil, err
		}
		handle := func(ctx context.Context, _ any) (any, error) {
			r, err := reply(nil), message.fault()
			// The request of an inference is answered there, also if it is broken: it is counted.
			if _, infer := any(message).(*inferRequest); err == nil || infer {
				r, err = answer(server.(*service), ctx, message)
			}
			if err != nil {
				return nil, answerError(ctx, err)
			}
			return r, nil
		}
		if interceptor == nil {
			return handle(ctx, message)
		}
		return interceptor(ctx, message, &grpc.UnaryServerInfo{Server: server, FullMethod: "/" + ServiceName + "/" + name}, handle)
	}
	return grpc.MethodDesc{MethodName: name, Handler: handler}
}

// service answers the calls.
type service struct {
	models oip.Service
	links  *links
	// concurrency is how many requests of one stream are answered at the same time.
	concurrency int
	// ending is closed when streams have to end.
	ending <-chan struct{}
}

// modelReady answers false for a model that does not exist: Triton's client expects no error.
func (s *service) modelReady(_ context.Context, r *modelRequest) (reply, error) {
	ready, err := s.models.ModelReady(r.name, r.version)
	if err != nil && oip.ErrorOf(err).Code != oip.NotFound {
		return nil, err
	}
	return flagReply(ready && err == nil), nil
}

// modelInfer answers ModelInfer.
func (s *service) modelInfer(ctx context.Context, r *inferRequest) (reply, error) {
	answer, err := s.infer(ctx, r)
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// infer computes a request, and releases it.
func (s *service) infer(ctx context.Context, r *inferRequest) (inferReply, error) {
	defer r.release()
	if err := r.fault(); err != nil {
		s.models.Refused(r.Model, r.Version, err)
		return inferReply{}, err
	}
	if err := s.links.full(); err != nil {
		s.models.Refused(r.Model, r.Version, err)
		return inferReply{}, err
	}
	response, err := s.models.Infer(ctx, &r.InferRequest)
	if err != nil {
		return inferReply{}, err
	}
	if err := oip.Classify(s.models, &r.InferRequest, response); err != nil {
		response.Release()
		return inferReply{}, err
	}
	return inferReply{InferResponse: response, typed: r.typed, link: linkOf(ctx)}, nil
}

// The parameters of a load that Triton has: the configuration, and the content of files.
const (
	configParameter = "config"
	filePrefix      = "file:"
)

// load answers RepositoryModelLoad.
func (s *service) load(ctx context.Context, r *loadRequest) (reply, error) {
	var options oip.LoadOptions
	files := make(map[string][]byte)
	for key, value := range r.parameters {
		path, isFile := strings.CutPrefix(key, filePrefix)
		switch content, isBytes := value.([]byte); {
		case key == configParameter:
			config, ok := value.(string)
			if !ok {
				return nil, oip.Errorf(oip.Malformed, "parameter config is a %T, not a string", value)
			}
			options.Config = []byte(config)
		case isFile && !isBytes:
			return nil, oip.Errorf(oip.Malformed, "parameter %.100q is a %T, not bytes", key, value)
		case isFile:
			files[path] = content
		}
	}
	if len(files) > 0 {
		var err error
		if options.Files, err = oip.Files(files); err != nil {
			return nil, err
		}
	}
	if err := s.models.Load(ctx, r.model, options); err != nil {
		return nil, err
	}
	return loadReply(r.model), nil
}
