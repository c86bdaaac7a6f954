package preprocess

import (
	"image"
	"image/color"

	"github.com/vinoir/vinoir/internal/faults"
)

// pixels reads the pixels of a picture with the channels of a Color.
type pixels struct {
	channels int
	store    func(p []byte, r, g, b uint8)
}

// pixels returns the pixels for p.Color.
func (p Image) pixels() (*pixels, error) {
	switch p.Color {
	case RGB:
		return &pixels{3, func(p []byte, r, g, b uint8) { p[0], p[1], p[2] = r, g, b }}, nil
	case BGR:
		return &pixels{3, func(p []byte, r, g, b uint8) { p[0], p[1], p[2] = b, g, r }}, nil
	case Gray:
		return &pixels{1, func(p []byte, r, g, b uint8) {
			p[0] = uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 1<<15) >> 16)
		}}, nil
	}
	return nil, faults.Errorf("color %q is none of RGB, BGR, Gray", string(p.Color))
}

// read sets row to the pixels of row y of the picture, counted from its first. The types of
// pictures that the decoders of PNG and JPEG return most often have cases of their own: a call of
// At allocates.
func (p *pixels) read(picture image.Image, y int, row []byte) {
	bounds := picture.Bounds()
	y += bounds.Min.Y
	for i := range bounds.Dx() {
		x, to := bounds.Min.X+i, row[i*p.channels:(i+1)*p.channels]
		var c color.NRGBA
		switch picture := picture.(type) {
		case *image.YCbCr:
			at := picture.COffset(x, y)
			c.R, c.G, c.B = color.YCbCrToRGB(picture.Y[picture.YOffset(x, y)], picture.Cb[at], picture.Cr[at])
		case *image.NRGBA:
			c = picture.NRGBAAt(x, y)
		case *image.NRGBA64: // the conversion of a color would lose those of transparent pixels
			deep := picture.NRGBA64At(x, y)
			c.R, c.G, c.B = uint8(deep.R>>8), uint8(deep.G>>8), uint8(deep.B>>8)
		case *image.Gray:
			v := picture.GrayAt(x, y).Y
			c.R, c.G, c.B = v, v, v
		case *image.RGBA:
			if opaque := picture.RGBAAt(x, y); opaque.A == 0xff {
				c = color.NRGBA(opaque)
			} else {
				c = color.NRGBAModel.Convert(opaque).(color.NRGBA)
			}
		default:
			c, _ = color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
		}
		p.store(to, c.R, c.G, c.B)
	}
}
