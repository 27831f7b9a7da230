#!/usr/bin/env python3
"""STAR tables beside a plain parser, and the text files of tilt series. tables.py BUILD"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import Skip, finish, raises, test

import numpy as np

import tessera as ts

folder = tempfile.TemporaryDirectory()
rng = np.random.default_rng(5)


def path(name):
    return os.path.join(folder.name, name)


def put(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


EXAMPLE = """# version 30001

data_general

_rlnTomoName   one      # behind
_rlnPixelSize  1.35000

# of all groups
data_optics

loop_
_rlnOpticsGroup #1
_rlnVoltage #2
_rlnOpticsGroupName #3
1 300.000000 'group one'
2 200.0 opticsGroup2

data_particles

loop_
_rlnImageName #1
_rlnAngleRot #2
_rlnOpticsGroup #3
_rlnId #4
000001@a.mrcs  12.500000  1  007
# the second
000002@a.mrcs -0.25  2  008
000003@b.mrcs  1e-3  1  009
"""


def plain_parser(text):
    """Tables as lists of texts, for files without quotes inside of values."""
    import shlex
    tables, table, labels = {}, None, None
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if not words:
            continue
        if words[0].startswith("data_"):
            table = tables[words[0][5:]] = {}
        elif words[0] == "loop_":
            labels = []
        elif words[0].startswith("_"):
            if len(words) > 1:
                table[words[0][1:]] = words[1]
            else:
                labels.append(words[0][1:])
                table[words[0][1:]] = []
        else:
            for label, word in zip(labels, words):
                table[label].append(word)
    return tables


def expect(star, text):
    tables = plain_parser(text)
    assert list(star) == list(tables)
    for name, table in tables.items():
        assert list(star[name]) == list(table), name
        for label, texts in table.items():
            ours = star[name][label]
            if isinstance(texts, str):
                assert ours == texts or float(ours) == float(texts), (name, label)
            elif ours.dtype == object:
                assert all(type(value) is str for value in ours) and list(ours) == texts, (name, label)
            else:
                np.testing.assert_array_equal(ours, np.array(texts, float))


@test
def tables_are_those_of_a_plain_parser():
    star = ts.read_star(put("a.star", EXAMPLE))
    expect(star, EXAMPLE)
    particles = star["particles"]
    assert particles["rlnOpticsGroup"].dtype == np.int64 and particles["rlnAngleRot"].dtype == np.float64
    assert star["general"] == {"rlnTomoName": "one", "rlnPixelSize": 1.35}


@test
def random_tables_go_both_ways():
    for turn in range(20):
        n = int(rng.integers(0, 40))
        tables = {f"t{k}": {"rlnNumber": rng.normal(size=n) * 10.0 ** rng.integers(-9, 9),
                            "rlnWhole": rng.integers(-9999, 9999, n),
                            "rlnText": np.array([f"{i}@s {turn}.mrcs" for i in range(n)], object),
                            "rlnSmall": rng.normal(size=n).astype("f4")} for k in range(3)}
        ts.write_star(path("r.star"), tables, overwrite=True)
        expect(ts.read_star(path("r.star")), open(path("r.star")).read())
        again = ts.read_star(path("r.star"))
        for name in tables:
            for label, column in tables[name].items():
                np.testing.assert_array_equal(again[name][label], column)


@test
def what_is_not_changed_is_written_as_it_was():
    star = ts.read_star(put("a.star", EXAMPLE))
    ts.write_star(path("b.star"), star)
    text = open(path("b.star")).read()
    for part in ("# of all groups", "# the second", "# behind", "12.500000", "1.35000", " 007", "group one"):
        assert part in text, part
    star["particles"]["rlnAngleRot"] = star["particles"]["rlnAngleRot"] * 2
    star["particles"]["rlnNew"] = np.arange(3)
    del star["particles"]["rlnOpticsGroup"]
    star["particles"]["rlnImageName"][1] = "other@c.mrcs"
    star["general"]["rlnPixelSize"] = 2
    del star["optics"]
    star["more"] = {"a": 1, "b": "two"}
    ts.write_star(path("c.star"), star)
    changed = ts.read_star(path("c.star"))
    assert list(changed) == ["general", "particles", "more"] and changed["more"] == {"a": 1, "b": "two"}
    assert list(changed["particles"]) == ["rlnImageName", "rlnAngleRot", "rlnId", "rlnNew"]
    np.testing.assert_array_equal(changed["particles"]["rlnAngleRot"], [25, -0.5, 2e-3])
    assert changed["particles"]["rlnImageName"][1] == "other@c.mrcs" and changed["general"]["rlnPixelSize"] == 2
    assert " 009" in open(path("c.star")).read()


@test
def columns_may_be_of_any_kind_of_text_and_number():
    ts.write_star(path("k.star"), {"x": {"a": ["", "b c", 'say "q"'], "b": [True, False, True], "c": np.array([b"x", b"y", b"z"]),
                                         "d": np.array([1, 2, 3], ">f4"), "e": np.array(["u", "v", "w"])}})
    again = ts.read_star(path("k.star"))["x"]
    assert list(again["a"]) == ["", "b c", 'say "q"'] and again["b"].tolist() == [1, 0, 1]
    assert list(again["c"]) == ["x", "y", "z"] and again["d"].tolist() == [1, 2, 3] and list(again["e"]) == ["u", "v", "w"]


@test
def integers_keep_all_their_digits():
    values = {"small": [-2**63, 2**63 - 1, 0], "large": [2**64 - 1, 2**63, 7], "larger": [2**64, 1, 2]}
    columns = {"small": np.array(values["small"]), "large": np.array(values["large"], "u8"), "larger": ["18446744073709551616", "1", "2"]}
    ts.write_star(path("i.star"), {"x": columns})
    again = ts.read_star(path("i.star"))["x"]
    assert again["small"].dtype == np.int64 and again["large"].dtype == np.uint64 and again["larger"].dtype == np.float64
    assert all(again[name].tolist() == values[name] for name in values)


@test
def files_of_cryosparc_are_tables():
    cs = np.zeros(3, [("uid", "u8"), ("blob/path", "S9"), ("alignments3D/pose", "f4", (3,))])
    cs["uid"], cs["blob/path"] = np.array([2**64 - 5, 7, 2**63], "u8"), b"a.mrc"
    cs["alignments3D/pose"] = rng.normal(size=(3, 3))
    with open(path("a.cs"), "wb") as file:
        np.save(file, cs)
    table = ts.read_star(path("a.cs"))["cryosparc"]
    assert list(table) == ["uid", "blob/path"] + [f"alignments3D/pose_{k}" for k in range(3)]
    ts.write_star(path("b.cs"), {"cryosparc": {label: column[1:] for label, column in table.items()}})
    some = np.load(path("b.cs"))
    assert all(np.array_equal(some[name], cs[name][1:]) for name in cs.dtype.names)


@test
def rows_may_be_chosen():
    star = ts.read_star(put("a.star", EXAMPLE))
    keep = star["particles"]["rlnOpticsGroup"] == 1
    star["particles"] = {label: column[keep] for label, column in star["particles"].items()}
    ts.write_star(path("d.star"), star)
    assert list(ts.read_star(path("d.star"))["particles"]["rlnImageName"]) == ["000001@a.mrcs", "000003@b.mrcs"]


@test
def two_tables_of_one_name_are_both_there():
    star = ts.read_star(put("two.star", "data_x\n\nloop_\n_a\n1\n2\n\ndata_x\n\nloop_\n_b\n3\n"))
    assert list(star) == ["x", "x.2"] and star["x.2"]["b"][0] == 3
    ts.write_star(path("two2.star"), star)
    assert open(path("two2.star")).read().count("data_x\n") == 2


@test
def frames_of_pandas_are_tables():
    try:
        import pandas
    except ImportError:
        raise Skip("pandas is not installed") from None
    star = ts.read_star(put("a.star", EXAMPLE), as_pandas=True)
    assert isinstance(star["particles"], pandas.DataFrame) and isinstance(star["general"], dict)
    star["particles"] = star["particles"].sort_values("rlnAngleRot")
    ts.write_star(path("p.star"), star, overwrite=True)
    np.testing.assert_array_equal(ts.read_star(path("p.star"))["particles"]["rlnAngleRot"], [-0.25, 1e-3, 12.5])


@test
def mistakes_in_tables_are_errors():
    raises(ts.FormatError, "bad.star", ts.read_star, put("bad.star", "data_x\nloop_\n_a\n_b\n1\n"))
    raises(OSError, "missing.star", ts.read_star, path("missing.star"))
    raises(TypeError, "path is 3", ts.read_star, 3)
    raises(FileExistsError, "a.star", ts.write_star, path("a.star"), {})
    raises(TypeError, "tables is a list", ts.write_star, path("e.star"), [1])
    raises(TypeError, "table 'x' is a int", ts.write_star, path("e.star"), {"x": 1})
    raises(ValueError, "columns of table 'x' have different lengths: 'a' 2, 'b' 3",
           ts.write_star, path("e.star"), {"x": {"a": [1, 2], "b": [1, 2, 3]}})
    raises(ValueError, "table 'x', 'a': column has the shape (2, 2)", ts.write_star, path("e.star"),
           {"x": {"a": np.ones((2, 2))}})
    raises(ts.Error, "star", ts.write_star, path("e.star"), {"x": {"a": ["two\nlines", "b"]}})
    assert not os.path.exists(path("e.star"))


# ---- Tilt series ----


@test
def angles_are_lines():
    angles = rng.uniform(-60, 60, 41)
    np.savetxt(path("t.tlt"), angles, fmt="%.17g")
    np.testing.assert_array_equal(ts.read_tilts(path("t.tlt")), angles)
    ts.write_tilts(path("t2.rawtlt"), angles[::-2])
    np.testing.assert_array_equal(np.loadtxt(path("t2.rawtlt")), angles[::-2])
    raises(ts.Error, "41", ts.read_tilts, path("t.tlt"), 40)
    raises(FileExistsError, "t.tlt", ts.write_tilts, path("t.tlt"), angles)
    raises(ts.FormatError, "no.tlt", ts.read_tilts, put("no.tlt", "1\ntwo\n"))


@test
def angles_of_mdoc_and_star_files():
    mdoc = put("series.mdoc", "[ZValue = 1]\nTiltAngle = 3.5\n[ZValue = 0]\nTiltAngle = -2\n")
    star = put("series.star", "data_\n\nloop_\n_rlnTomoNominalStageTiltAngle\n-2\n3.5\n")
    assert ts.read_tilts(mdoc).tolist() == ts.read_tilts(star, 2).tolist() == [-2, 3.5]
    raises(ts.Error, "series.star has 2 tilts for 3 images", ts.read_tilts, star, 3)
    raises(ts.FormatError, "read_tilts: ", ts.read_tilts, put("none.mdoc", "[FrameSet = 0]\nTiltAngle = 3\n"))


@test
def transforms_are_matrices_of_y_and_x():
    lines = rng.normal(size=(5, 6))
    np.savetxt(path("a.xf"), lines, fmt="%.17g")
    matrices = ts.read_xf(path("a.xf"), 5)
    a11, a12, a21, a22, dx, dy = lines.T
    expected = np.stack([np.stack([a22, a21, dy], 1), np.stack([a12, a11, dx], 1)], 1)
    np.testing.assert_array_equal(matrices, expected)
    for given in (matrices, expected.transpose(0, 2, 1).copy().transpose(0, 2, 1), expected.astype("f8")[::-1][::-1]):
        ts.write_xf(path("b.xf"), given, overwrite=True)
        np.testing.assert_array_equal(np.loadtxt(path("b.xf")), lines)
    raises(ValueError, "expected (n, 2, 3)", ts.write_xf, path("c.xf"), lines)
    raises(ts.Error, "5", ts.read_xf, path("a.xf"), 4)


MDOC = """PixelSpacing = 1.350
ImageFile = series.st
ImageSize = 1024 768

[T = SerialEM: a title]

[ZValue = 0]
TiltAngle = -60.0100
StagePosition = 1.50 -2
SubFramePath = D:\\frames\\one.tif

[ZValue = 1]
TiltAngle = -57
"""


@test
def mdoc_files_are_dicts_with_sections():
    mdoc = ts.read_mdoc(put("a.mdoc", MDOC))
    assert mdoc == {"PixelSpacing": 1.35, "ImageFile": "series.st", "ImageSize": (1024, 768)}
    assert [(s.kind, s.title) for s in mdoc.sections] == [("T", "SerialEM: a title"), ("ZValue", "0"), ("ZValue", "1")]
    assert mdoc.section(0)["TiltAngle"] == -60.01 and mdoc.section(0)["StagePosition"] == (1.5, -2)
    assert mdoc.section(0)["SubFramePath"] == "D:\\frames\\one.tif" and mdoc.section(1)["TiltAngle"] == -57
    raises(KeyError, "ZValue = 7", mdoc.section, 7)
    ts.write_mdoc(path("b.mdoc"), mdoc)

    def lines(name):
        return [line for line in open(path(name)).read().splitlines() if line]
    assert lines("b.mdoc") == lines("a.mdoc")
    mdoc.section(1)["TiltAngle"] = -57.5
    mdoc.section(0)["StagePosition"] = (3, 4.5)
    mdoc.sections.append(ts.MdocSection("ZValue", 2))
    mdoc.sections[-1]["TiltAngle"] = -54
    ts.write_mdoc(path("c.mdoc"), mdoc)
    again = ts.read_mdoc(path("c.mdoc"))
    assert again.section(1)["TiltAngle"] == -57.5 and again.section(0)["StagePosition"] == (3, 4.5)
    assert again.section(2) == {"TiltAngle": -54}
    assert "-60.0100" in open(path("c.mdoc")).read()
    with open(path("latin.mdoc"), "wb") as f:
        f.write(b"Note = 2 \xb5m\n")
    ts.write_mdoc(path("latin2.mdoc"), ts.read_mdoc(path("latin.mdoc")))
    assert b"2 \xb5m" in open(path("latin2.mdoc"), "rb").read()
    raises(TypeError, "mdoc is a dict", ts.write_mdoc, path("d.mdoc"), {})
    raises(FileExistsError, "b.mdoc", ts.write_mdoc, path("b.mdoc"), mdoc)


@test
def numbers_are_those_of_the_library():
    text = "data_\nloop_\n_a\n_b\n_c\n_d\n0x10 1.5 1e3 12\n2 -.5 2 -7\n"
    star = ts.read_star(put("n.star", text))[""]
    assert star["a"].tolist() == ["0x10", "2"] and star["b"].tolist() == [1.5, -0.5]
    assert star["c"].tolist() == [1000.0, 2.0] and star["d"].tolist() == [12, -7] and star["d"].dtype == np.int64


@test
def locales_with_a_comma_change_nothing():
    import locale
    try:
        locale.setlocale(locale.LC_NUMERIC, "de_DE.UTF-8")
    except locale.Error:
        raise Skip("there is no locale with a decimal comma") from None
    try:
        star = ts.read_star(put("c.star", "data_\nloop_\n_a\n_b\n1.5 1,5\n2.25 2,5\n"))[""]
    finally:
        locale.setlocale(locale.LC_NUMERIC, "C")
    assert star["a"].tolist() == [1.5, 2.25] and star["b"].tolist() == ["1,5", "2,5"]


@test
def columns_that_are_not_there():
    from tessera import _tessera
    document = _tessera._star_read(put("n.star", "data_\nloop_\n_a\n1\n"))
    for column in (1, 9, -1):
        raises(IndexError, f"no such column: {column}", _tessera._star_column, document, 0, column)


@test
def mdoc_from_numbers():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.mdoc")
        sections = [ts.MdocSection("ZValue", i, {"TiltAngle": 3.5 * i, "StagePosition": (1.25, -2)}) for i in range(2)]
        ts.write_mdoc(path, ts.Mdoc({"PixelSpacing": 1.35, "ImageFile": "a.st"}, sections))
        again = ts.read_mdoc(path)
        assert again == {"PixelSpacing": 1.35, "ImageFile": "a.st"} and len(again.sections) == 2
        assert again.section(1) == {"TiltAngle": 3.5, "StagePosition": (1.25, -2)}


finish()
