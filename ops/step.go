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
// not inlined: see Run.For.
//
//go:noinline
func Steps(steps []Step) Kernel {
	return func(r *Run) error {
		for i := range steps {
			if err := steps[i].Run(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// Run computes all items of s.
func (s *Step) Run(r *Run) error {
	switch {
	case s.WorkerPart != nil:
		return r.ForWorkers(s.N, s.Grain, s.Workers, s.WorkerPart)
	case s.Whole:
		return r.Split(s.N, s.Grain, s.Part)
	}
	return r.For(s.N, s.Grain, s.Part)
}
