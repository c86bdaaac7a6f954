//go:build unix && !linux

package main

import (
	"errors"
	"syscall"
)

func namespace() *syscall.SysProcAttr { return nil }

func mountSmall(string) error { return errors.ErrUnsupported }

func remountReadOnly(string) error { return errors.ErrUnsupported }
