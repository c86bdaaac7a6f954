//go:build !race

package attacks

const raceDetector = false
