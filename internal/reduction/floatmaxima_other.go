//go:build noasm || !amd64

package reduction

func hasFloatMaxima() bool { return false }

func (p *FloatMaxima) run(_, _ []float32, _, _, _ int) bool { panic("BUG: no assembly") }
