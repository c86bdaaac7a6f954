// Command vinoir-serve serves OpenVINO IR and ONNX models by the Open Inference Protocol, over REST
// and gRPC.
//
// Exit codes: 0 the server was told to end and has answered all requests, 1 it could not start or
// had to end requests, 2 wrong usage.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal drains the server, a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}
