#!/usr/bin/env python3
"""Every layout of inputs and outputs gives the same bits as contiguous arrays: the works of bench/layouts.py. layouts.py BUILD"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, test

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bench"))
import layouts


@test
def results_do_not_depend_on_the_layout():
    for name, a, work in layouts.works(160, 32):
        want = work(a)
        for layout in layouts.LAYOUTS:
            b = layouts.laid_out(a, layout)
            assert layouts.same(work(b), want), f"{name} of {layout}"
            assert np.array_equal(a, b, equal_nan=True), f"{name} changed its input in {layout}"
            if not isinstance(want, np.ndarray) or name in layouts.ONLY_INPUT:
                continue
            out = layouts.empty(layout, want.shape, want.dtype)
            work(b, out=out)
            assert layouts.same(out, want), f"{name} of {layout} into {layout}"
            work(a, out=out)
            assert layouts.same(out, want), f"{name} into {layout}"


@test
def only_the_elements_of_a_view_are_written():
    a = np.random.default_rng(2).normal(size=(160, 160)).astype(np.float32)
    around = np.full((320, 320), 7, np.float32)
    layouts.ts.gaussian_filter(a, 2, out=around[::2, ::2])
    assert (around[1::2] == 7).all() and (around[:, 1::2] == 7).all()


finish()
