// Command vinoir validates, runs and times OpenVINO IR and ONNX models without OpenVINO.
//
// Exit codes: 0 success, 1 a fault in the model or the data, 2 wrong usage, 130 interrupted. With
// --json, commands print JSON.
package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	// The first interrupt ends the command as soon as possible, a second one at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
