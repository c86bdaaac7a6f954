//go:build !noasm

package reduction

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

func hasByteMaxima() bool { return cpu.NEON.Available() }

func hasWideByteMaxima() bool { return false }

// run computes a plane.
func (p *ByteMaxima) run(lines *byteLines, out, in []uint8) { p.runLines(lines, out, in) }

// run computes a row of outputs.
func (c *maximaLines) run() { lineMaximaNEON((*byte)(unsafe.Pointer(c))) }
