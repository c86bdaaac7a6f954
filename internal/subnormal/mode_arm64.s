//go:build !noasm

#include "textflag.h"

// func control() uint64
TEXT ·control(SB), NOSPLIT|NOFRAME, $0-8
	MRS  FPCR, R0
	MOVD R0, ret+0(FP)
	RET

// func setControl(mode uint64)
TEXT ·setControl(SB), NOSPLIT|NOFRAME, $0-8
	MOVD mode+0(FP), R0
	MSR  R0, FPCR
	RET
