//go:build unix

package regular

import "golang.org/x/sys/unix"

// NonBlock is a flag for os.OpenFile: opening a named pipe does not wait for its other end.
const NonBlock = unix.O_NONBLOCK
