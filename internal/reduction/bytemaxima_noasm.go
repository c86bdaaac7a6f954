//go:build !amd64 || noasm

package reduction

func hasByteMaxima() bool { return false }

func (p *ByteMaxima) run(_, _ []uint8) {}
