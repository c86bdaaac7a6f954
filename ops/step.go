package ops

// Step is a loop of a kernel that has several. Its N items are split among the threads.
type Step struct {
	N, Grain int
	Part     Part
	// WorkerPart takes the place of Part if the workers, at most so many, have memory of their own.
	WorkerPart WorkerPart
	Workers    int
	// Whole means that Part checks Run.Stop itself, see Run.Split.
	Whole bool
}

// Steps returns the kernel that runs steps one after the other. It returns the first error. It is
// not inlined: each caller would have a copy of the kernel.
//
//go:noinline
func Steps(steps []Step) Kernel {
	return func(r *Run) error {
		for i := range steps {
			s := &steps[i]
			var err error
			switch {
			case s.WorkerPart != nil:
				err = r.ForWorkers(s.N, s.Grain, s.Workers, s.WorkerPart)
			case s.Whole:
				err = r.Split(s.N, s.Grain, s.Part)
			default:
				err = r.For(s.N, s.Grain, s.Part)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}
