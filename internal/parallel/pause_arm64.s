//go:build !noasm

#include "textflag.h"

// func pause(n uint32)
// YIELD is a no-op on many cores; ISB waits for the pipeline to drain, about as long as PAUSE does on amd64.
TEXT ·pause(SB), NOSPLIT|NOFRAME, $0-4
	MOVWU n+0(FP), R0

next:
	YIELD
	ISB  $15
	SUBW $1, R0
	CBNZW R0, next
	RET
