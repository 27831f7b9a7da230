#!/usr/bin/env python3
"""The command and the module on the same work: what docs/python.md says of their defaults holds. command.py BUILD"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, test

import numpy as np

import tessera as ts

PIXEL_SIZE = 1.5
image = np.random.default_rng(4).normal(size=(96, 120)).astype(np.float32)


def by_command(*options):
    program = os.path.join(BUILD, "tessera")
    if not os.path.exists(program):
        raise Skip("the command was not built")
    with tempfile.TemporaryDirectory() as folder:
        before, after = (os.path.join(folder, name) for name in ("in.mrc", "out.mrc"))
        ts.write(before, image, PIXEL_SIZE)
        subprocess.run([program, "filter", *options, before, "-o", after], check=True, capture_output=True)
        return ts.read(after).numpy()


def near(got, want):
    np.testing.assert_allclose(got, want, atol=2e-5)


@test
def edges_of_filters_are_centred_by_the_command():
    edge = 2 / min(image.shape)
    low, high = PIXEL_SIZE / 80, PIXEL_SIZE / 8
    near(by_command("--lowpass", "8"), ts.lowpass_image(image, high - edge / 2, width=edge))
    near(by_command("--highpass", "80"), ts.highpass_image(image, low + edge / 2, width=edge))
    near(by_command("--bandpass", "80,8"),
         ts.bandpass_image(image, low + edge / 2, high - edge / 2, low_width=edge, high_width=edge))


@test
def edges_of_functions_are_hard():
    """Beside the definition: frequencies beyond the cutoff are 0, the others stay."""
    frequency = np.hypot(np.fft.fftfreq(image.shape[0])[:, None], np.fft.rfftfreq(image.shape[1])[None])

    def keep(mask):
        return np.fft.irfft2(np.fft.rfft2(image.astype(np.float64)) * mask, image.shape)
    near(ts.lowpass_image(image, 0.1), keep(frequency <= 0.1))
    near(ts.highpass_image(image, 0.1), keep(frequency >= 0.1))
    near(ts.bandpass_image(image, 0.05, 0.2), keep((frequency >= 0.05) & (frequency <= 0.2)))
    near(by_command("--lowpass", "0.1/px", "--edge", "0"), ts.lowpass_image(image, 0.1))


@test
def help_says_so():
    for function in (ts.lowpass_image, ts.highpass, ts.lowpass):
        assert "width=0" in function.__text_signature__ and "outside the pass band; up to 1e-6: hard" in function.__doc__
    assert "above the pass band; up to 1e-6: hard" in ts.bandpass.__doc__


finish()
