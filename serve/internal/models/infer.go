package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/schedule"
)

// Infer implements oip.Service.
func (s *Server) Infer(ctx context.Context, request *oip.InferRequest) (*oip.InferResponse, error) {
	start := time.Now()
	v, err := s.acquire(request.Model, request.Version)
	if err != nil {
		return nil, err
	}
	defer v.release()
	times := Times{Model: v.model, Version: v.number, ID: request.ID, Start: start}
	response, rows, err := v.infer(ctx, request, &times)
	times.End, times.Err = time.Now(), err
	reason := oip.Reason("")
	if err != nil {
		err, reason = s.asError(err)
		times.Err = err
	}
	v.counted.request(rows, &times, reason)
	if s.options.Observe != nil {
		s.options.Observe(ctx, times)
	}
	if err != nil {
		return nil, err
	}
	return response, nil
}

// infer computes a request of the returned number of rows, and sets the times of its steps.
func (v *version) infer(ctx context.Context, request *oip.InferRequest, times *Times) (response *oip.InferResponse, rows int, err error) {
	t, err := v.check(request)
	if err != nil {
		return nil, 0, err
	}
	ctx, stop, err := v.withDeadline(ctx, request)
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	level, err := numberOf(request, oip.ParameterPriority, math.MaxInt32)
	if err != nil {
		return nil, 0, err
	}
	key := v.cacheKey(t)
	if response := v.cachedResponse(key, request, times); response != nil {
		return response, t.rows, nil
	}
	bytes := bytesOf(t.inputs)
	job := &schedule.Job[*task]{Value: t, Key: v.joinKey(t, bytes), Rows: t.rows, Bytes: bytes, Level: v.level(int(level))}
	if v.queueTimeout > 0 {
		job.StartBy = times.Start.Add(v.queueTimeout)
	}
	err = v.queue.Do(ctx, job)
	times.Dequeued, times.Inputs, times.Inferred, times.Rows = job.Dequeued, t.inputsAt, t.inferredAt, t.batch
	if err != nil {
		t.free()
		return nil, t.rows, err
	}
	v.keep(key, t)
	response = &oip.InferResponse{Model: v.model, Version: v.number, ID: request.ID, Outputs: t.outputs}
	if t.memory != nil {
		response.Free = t.free
	}
	return response, t.rows, nil
}

// withDeadline returns ctx with the deadline that the request or the options set.
func (v *version) withDeadline(ctx context.Context, request *oip.InferRequest) (context.Context, context.CancelFunc, error) {
	timeout, err := timeoutOf(request)
	if err != nil {
		return nil, nil, err
	}
	if timeout == 0 || v.fixedTimeout {
		timeout = v.timeout
	}
	if timeout == 0 {
		return ctx, func() {}, nil
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	return ctx, stop, nil
}

// level returns the place of a priority in the queue: 1 is the highest, and 0 means the default.
func (v *version) level(priority int) int {
	if priority == 0 {
		priority = v.config.Batching.DefaultLevel
	}
	return priority - 1
}

// bytesOf returns the memory of tensors.
func bytesOf(tensors []*ir.Tensor) int64 {
	const stringHeader = 16
	var n int64
	for _, t := range tensors {
		if t.ElementType() != ir.String {
			n += int64(len(t.Bytes()))
			continue
		}
		for _, text := range t.Strings() {
			n += int64(len(text)) + stringHeader
		}
	}
	return n
}

// retryAfter is how long a client should wait when the queue is full.
const retryAfter = time.Second

// asError returns err as clients see it, and how it is counted.
func (s *Server) asError(err error) (*oip.Error, oip.Reason) {
	var known *oip.Error
	var failed *inferenceError
	var panicked *schedule.PanicError
	switch {
	case errors.As(err, &known):
		return known, reasonOf(known)
	case errors.Is(err, context.DeadlineExceeded):
		return oip.Errorf(oip.DeadlineExceeded, "the deadline of the request is over"), oip.ReasonCanceled
	case errors.Is(err, schedule.ErrLate):
		return oip.Errorf(oip.DeadlineExceeded, "%v", err), oip.ReasonCanceled
	case errors.Is(err, context.Canceled):
		return oip.Errorf(oip.Canceled, "the request was cancelled"), oip.ReasonCanceled
	case errors.Is(err, schedule.ErrFull):
		full := oip.Errorf(oip.QueueFull, "%v", err)
		full.RetryAfter = retryAfter
		return full, oip.ReasonRejected
	case errors.Is(err, schedule.ErrClosed):
		return oip.Errorf(oip.Unavailable, "the model is being closed"), oip.ReasonRejected
	case errors.As(err, &panicked):
		s.log.Error("a panic in an inference", "error", panicked.Value, "stack", string(panicked.Stack))
		return oip.Errorf(oip.Internal, "a fault of the server: %v", panicked.Value), oip.ReasonBackend
	case errors.As(err, &failed):
		return s.ofInference(failed.err), oip.ReasonBackend
	}
	return oip.Errorf(oip.Internal, "%v", err), oip.ReasonOther
}

// inferenceError is an error of the runtime.
type inferenceError struct{ err error }

func (e *inferenceError) Error() string { return e.err.Error() }
func (e *inferenceError) Unwrap() error { return e.err }

// ofInference returns the error of an inference as clients see it. It is about the values and
// shapes of the inputs, such as an index that is out of range, unless it is a bug.
func (s *Server) ofInference(err error) *oip.Error {
	text := err.Error()
	if at := strings.Index(text, "BUG: "); at >= 0 {
		s.log.Error("a bug in an inference", "error", text)
		text, _, _ = strings.Cut(text, "\n") // the stack follows
		return oip.Errorf(oip.Internal, "a fault of the server: %s", text)
	}
	var memory *plugin.MemoryError
	if errors.As(err, &memory) {
		return oip.Errorf(oip.TooLarge, "%v", err)
	}
	return oip.Errorf(oip.Malformed, "the inference failed: %v", err)
}

// toText returns the value of a parameter as text.
func toText(value any) string { return fmt.Sprint(value) }
