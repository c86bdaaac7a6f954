package nmsrotated

import "math"

// point is a point of the plane, or the vector to it.
type point struct{ x, y float64 }

// rotatedBox is a box with its corners relative to the center. All angles between neighboring sides
// turn in the same direction.
type rotatedBox struct {
	center       point
	corners      [4]point
	radius, area float64 // radius is the distance of the corners from the center
}

// rotate returns the box with the given center, size and angle.
func (k *kernel[T]) rotate(x, y, width, height, angle float64) rotatedBox {
	if !k.clockwise {
		angle = -angle
	}
	sin, cos := math.Sincos(angle)
	along, across := point{cos * width / 2, sin * width / 2}, point{-sin * height / 2, cos * height / 2}
	return rotatedBox{
		center: point{x, y},
		corners: [4]point{
			{-along.x - across.x, -along.y - across.y}, {along.x - across.x, along.y - across.y},
			{along.x + across.x, along.y + across.y}, {across.x - along.x, across.y - along.y},
		},
		radius: math.Sqrt(width*width+height*height) / 2,
		area:   width * height,
	}
}

// iou returns the area of the intersection of two boxes over that of their union; 0 if one of the
// boxes has no area.
func (b *rotatedBox) iou(other *rotatedBox) float64 {
	if !(b.area > 0 && other.area > 0) {
		return 0
	}
	// Coordinates relative to one center are not rounded as much as those in an image.
	shift := point{other.center.x - b.center.x, other.center.y - b.center.y}
	const slack = 1 + 1e-9
	if reach := (b.radius + other.radius) * slack; shift.x*shift.x+shift.y*shift.y > reach*reach {
		return 0
	}
	var polygon, clipped [12]point
	for i, c := range other.corners {
		polygon[i] = point{c.x + shift.x, c.y + shift.y}
	}
	n := 4
	for i := range b.corners {
		n = clip(&clipped, polygon[:n], b.corners[i], b.corners[(i+1)%4])
		polygon = clipped
	}
	common := min(areaOf(polygon[:n]), b.area, other.area) // rounding can make it larger
	return common / (b.area + other.area - common)
}

// clip writes the part of a convex polygon on the left of the line from p to q to out, and returns
// the number of its corners: at most one more than before.
func clip(out *[12]point, polygon []point, p, q point) int {
	n := 0
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		left, right := side(p, q, a), side(p, q, b)
		if left >= 0 && n < len(out) {
			out[n] = a
			n++
		}
		if (left > 0 && right < 0 || left < 0 && right > 0) && n < len(out) {
			share := left / (left - right)
			out[n] = point{a.x + share*(b.x-a.x), a.y + share*(b.y-a.y)}
			n++
		}
	}
	return n
}

// side returns a positive number if v is on the left of the line from p to q, and 0 if it is on the
// line.
func side(p, q, v point) float64 { return (q.x-p.x)*(v.y-p.y) - (q.y-p.y)*(v.x-p.x) }

// areaOf returns the area of a polygon.
func areaOf(polygon []point) float64 {
	twice := 0.
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		twice += a.x*b.y - a.y*b.x
	}
	return math.Abs(twice) / 2
}
