package grpcapi

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// finalParameter says that a response is the last one to its request: Triton's clients can ask for
// it, and each request has one response.
const finalParameter = "triton_final_response"

// streamInfer answers ModelStreamInfer: each request by itself, when it is computed. The error of
// one does not end the stream.
func (s *service) streamInfer(stream grpc.ServerStream) error {
	ctx, cancel := context.WithCancel(stream.Context())
	var running sync.WaitGroup
	// First nothing is computed for a client that has gone, then nothing is sent.
	defer running.Wait()
	defer cancel()

	replies := replySender{stream: stream}
	places := make(chan struct{}, s.concurrency)
	err := serveStream(stream, s.ending, func(r *inferRequest) error {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			r.release()
			return statusError(ctx.Err())
		}
		running.Go(func() {
			defer func() { <-places }()
			replies.send(s.streamReply(ctx, r))
		})
		return nil
	})
	if err != nil && stream.Context().Err() != nil {
		return err
	}
	// What was asked for before the end is answered.
	if running.Wait(); err == nil {
		err = replies.err
	}
	return err
}

// serveStream calls handle for each request of a stream, one after the other, until it fails, the
// stream ends, which is no error, or ending is closed.
func serveStream[R any, P interface {
	*R
	request
}](stream grpc.ServerStream, ending <-chan struct{}, handle func(P) error) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	requests, failed := make(chan P), make(chan error, 1)
	// It ends with the stream at the latest.
	go func() { failed <- receive(ctx, stream, requests) }()
	for {
		select {
		case r := <-requests:
			if err := handle(r); err != nil {
				return err
			}
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case <-ending:
			return statusError(oip.Errorf(oip.Unavailable, "the server is ending"))
		}
	}
}

// receive sends the requests of a stream to requests, until the stream or ctx ends.
func receive[R any, P interface {
	*R
	request
}](ctx context.Context, stream grpc.ServerStream, requests chan<- P) error {
	for {
		r := P(new(R))
		if err := stream.RecvMsg(r); err != nil {
			return err
		}
		select {
		case requests <- r:
		case <-ctx.Done():
			// The memory of its tensors is for the garbage collector.
			return statusError(ctx.Err())
		}
	}
}

// streamReply computes one request of a stream.
func (s *service) streamReply(ctx context.Context, r *inferRequest) *streamReply {
	answer, err := s.infer(ctx, r)
	if err != nil {
		// The client finds the request by its id.
		response := &oip.InferResponse{Model: r.Model, Version: r.Version, ID: r.ID}
		answer = inferReply{InferResponse: response}
	}
	parameters := map[string]any{finalParameter: true}
	for key, value := range answer.Parameters {
		parameters[key] = value
	}
	answer.Parameters = parameters
	if err != nil {
		return &streamReply{errorText: oip.ErrorOf(err).Text, inferReply: answer}
	}
	return &streamReply{inferReply: answer}
}

// replySender sends the replies of requests that are computed at the same time.
type replySender struct {
	mutex  sync.Mutex
	stream grpc.ServerStream
	err    error
}

// send sends a reply, unless another one could not be sent.
func (s *replySender) send(r *streamReply) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.err == nil {
		s.err = s.stream.SendMsg(r)
		return
	}
	r.Release()
}
