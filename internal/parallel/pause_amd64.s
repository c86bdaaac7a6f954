//go:build !noasm

#include "textflag.h"

// func pause(n uint32)
TEXT ·pause(SB), NOSPLIT|NOFRAME, $0-4
	MOVL n+0(FP), CX

next:
	PAUSE
	DECL CX
	JNZ  next
	RET
