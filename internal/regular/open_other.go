//go:build !unix

package regular

// NonBlock is a flag for os.OpenFile, where the system has named pipes among its files.
const NonBlock = 0
