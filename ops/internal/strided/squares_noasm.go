//go:build !amd64 || noasm

package strided

const side = 8

func vectorSquares(_, _ []byte, _ plane) bool { return false }
