package ops

// Step is a loop of a kernel that has several. Its N items are split among the threads.
type Step struct {
	N, Grain int
	Part     Part
	// Whole means that Part checks Run.Stop itself, see Run.Split.
	Whole bool
}

// Steps returns the kernel that runs steps one after the other. It returns the first error.
func Steps(steps []Step) Kernel {
	return func(r *Run) error {
		for i := range steps {
			s := &steps[i]
			var err error
			if s.Whole {
				err = r.Split(s.N, s.Grain, s.Part)
			} else {
				err = r.For(s.N, s.Grain, s.Part)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}
