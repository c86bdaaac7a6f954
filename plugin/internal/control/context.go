// Package control has what ends work early: contexts, locks that a context ends, and panics, which
// become errors.
package control

import (
	"context"
	"errors"

	"github.com/vinoir/vinoir/internal/parallel"
)

// StopOf returns the request to stop that ctx makes when it is done.
func StopOf(ctx context.Context) parallel.Stop { return parallel.Stop(ctx.Done()) }

// Stopped returns the error of ctx if err is that of work that ctx has stopped, and err otherwise.
func Stopped(ctx context.Context, err error) error {
	if errors.Is(err, parallel.ErrStopped) {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
	}
	return err
}
