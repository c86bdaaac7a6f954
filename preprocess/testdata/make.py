"""Writes the pictures, and their pixels in NAME.WxH.npy, u8[H,W,3], as Pillow reads and resizes them. It needs
the Python packages pillow and numpy."""

import pathlib

import numpy as np
from PIL import Image

folder = pathlib.Path(__file__).parent
rng = np.random.default_rng(0)
y, x = np.mgrid[0:17, 0:23]
noise = rng.integers(0, 256, (17, 23, 4), dtype=np.uint8)
smooth = np.stack([x * 11, y * 15, (x + y) * 6], axis=2).astype(np.uint8)

Image.fromarray(noise[:, :, :3]).save(folder / "rgb.png")
Image.fromarray(noise).save(folder / "alpha.png")
Image.fromarray(noise[:, :, 0]).save(folder / "gray.png")
Image.fromarray(smooth).quantize(16).save(folder / "palette.png")
Image.fromarray(smooth).save(folder / "smooth.jpg", quality=95, subsampling=0)
Image.fromarray(smooth).save(folder / "progressive.jpg", quality=95, progressive=True)

for name in ["rgb.png", "alpha.png", "gray.png", "palette.png", "smooth.jpg", "progressive.jpg"]:
    picture = Image.open(folder / name).convert("RGB")
    sizes = [(23, 17), (7, 5), (40, 31), (23, 4), (50, 17), (1, 1)] if name == "rgb.png" else [(23, 17), (10, 6)]
    for size in sizes:
        np.save(folder / f"{name}.{size[0]}x{size[1]}.npy", np.asarray(picture.resize(size, Image.Resampling.BILINEAR)))
np.save(folder / "rgb.png.gray.npy", np.asarray(Image.open(folder / "rgb.png").convert("L").resize((7, 5), Image.Resampling.BILINEAR)))
