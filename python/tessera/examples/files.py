"""Examples of files; see __init__.py."""
TEXT = r"""
check
>>> ts.write("image.mrc", np.ones((4, 4), "f4"), overwrite=True)
>>> ts.check("image.mrc")
Report(no findings)

info
>>> ts.write("stack.mrcs", np.ones((5, 4, 4), "f4"), 1.5, overwrite=True)
>>> ts.info("stack.mrcs").shape
(5, 1, 4, 4)

open
>>> ts.write("stack.mrcs", np.ones((5, 4, 4), "f4"), overwrite=True)
>>> file = ts.open("stack.mrcs")
>>> file[1:3].shape
(2, 4, 4)
>>> file.close()

read
>>> ts.write("image.mrc", np.ones((4, 4), "f4"), overwrite=True)
>>> ts.read("image.mrc").shape
(4, 4)

read_mdoc
>>> with open("a.mdoc", "w") as file:
...     n = file.write("PixelSpacing = 1.5\n\n[ZValue = 0]\nTiltAngle = 3\n")
>>> ts.read_mdoc("a.mdoc").sections[0]["TiltAngle"]
3

read_star
>>> ts.write_star("picks.star", {"particles": {"x": [1.0, 2.0]}}, overwrite=True)
>>> ts.read_star("picks.star")["particles"]["x"]
array([1., 2.])

read_tilts
>>> ts.write_tilts("series.tlt", [-3.0, 0.0, 3.0], overwrite=True)
>>> ts.read_tilts("series.tlt")
Array([-3.,  0.,  3.], dtype='f64')

read_xf
>>> ts.write_xf("series.xf", [[[1.0, 0, 0], [0, 1, 5]]], overwrite=True)
>>> ts.read_xf("series.xf").shape
(1, 2, 3)

write
>>> ts.write("image.mrc", np.ones((4, 4), "f4"), 1.5, overwrite=True)
>>> ts.info("image.mrc").voxel_size
(1.5, 1.5, 1.5)

write_mdoc
>>> with open("a.mdoc", "w") as file:
...     n = file.write("PixelSpacing = 1.5\n\n[ZValue = 0]\nTiltAngle = 3\n")
>>> ts.write_mdoc("b.mdoc", ts.read_mdoc("a.mdoc"), overwrite=True)
>>> ts.read_mdoc("b.mdoc")["PixelSpacing"]
1.5

write_star
>>> ts.write_star("picks.star", {"particles": {"x": [1.0, 2.0]}}, overwrite=True)
>>> list(ts.read_star("picks.star"))
['particles']

write_tilts
>>> ts.write_tilts("series.tlt", [-3.0, 0.0, 3.0], overwrite=True)
>>> ts.read_tilts("series.tlt")
Array([-3.,  0.,  3.], dtype='f64')

write_xf
>>> ts.write_xf("series.xf", [[[1.0, 0, 0], [0, 1, 5]]], overwrite=True)
>>> ts.read_xf("series.xf")
Array([[[1., 0., 0.],
        [0., 1., 5.]]], dtype='f64')
"""
