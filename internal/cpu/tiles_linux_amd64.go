package cpu

import "syscall"

// permitTiles asks Linux for the permission to use tiles of AMX, which the threads of a process
// need, since their registers take 8 KiB in each frame of a signal. Linux refuses it if it does not
// know AMX, or if a thread's stack for signals is too small.
func permitTiles() bool {
	const archReqXCompPerm, tileData = 0x1023, 18
	_, _, e := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, archReqXCompPerm, tileData, 0)
	return e == 0
}
