//go:build noasm || (!amd64 && !arm64)

package reduction

func hasByteMaxima() bool { return false }

func hasWideByteMaxima() bool { return false }

func (p *ByteMaxima) run(_ *byteLines, _, _ []uint8) {}
