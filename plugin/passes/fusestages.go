package passes

// FuseStages makes elementwise layers stages of the layer before them, which applies
// them to its result piece by piece. It leaves the model as it is: what can be
// joined depends on shapes that may be known only when the model runs, so that the
// planner of package plugin does it for each set of input shapes.
var FuseStages = Pass{"FuseStages", func(*Graph) bool { return false }}
