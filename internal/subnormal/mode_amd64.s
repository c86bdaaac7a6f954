//go:build !noasm && !plan9

#include "textflag.h"

// func control() uint64
TEXT ·control(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ    $0, ret+0(FP)
	STMXCSR ret+0(FP)
	ANDQ    $~0x3F, ret+0(FP)
	RET

// func setControl(mode uint64)
TEXT ·setControl(SB), NOSPLIT|NOFRAME, $0-8
	LDMXCSR mode+0(FP)
	RET
