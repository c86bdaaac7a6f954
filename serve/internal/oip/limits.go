package oip

// Limits bound what one request can make a server hold. Zero fields mean the defaults.
type Limits struct {
	// MaxBodyBytes bounds a message, also after it is decompressed. 0 means 256 MiB.
	MaxBodyBytes int64
	// MaxInputs bounds the tensors of a request. 0 means 1024.
	MaxInputs int
	// MaxRank bounds the dimensions of a shape. 0 means 64.
	MaxRank int
	// MaxJSONDepth bounds how deep values of JSON are nested. 0 means 64.
	MaxJSONDepth int
	// MaxIDBytes bounds the id of a request. 0 means 4 KiB.
	MaxIDBytes int
}

// WithDefaults returns l with the defaults in the place of zeros.
func (l Limits) WithDefaults() Limits {
	set(&l.MaxBodyBytes, 256<<20)
	set(&l.MaxInputs, 1024)
	set(&l.MaxRank, 64)
	set(&l.MaxJSONDepth, 64)
	set(&l.MaxIDBytes, 4<<10)
	return l
}

func set[T int | int64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
