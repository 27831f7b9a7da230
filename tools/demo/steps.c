/* A tour in three parts and an account: images and their transforms, movies to particles, particles to a map, and
 * how far each result is from what was simulated. */
#include "demo/steps.h"

#include <stdbool.h>
#include <string.h>

/* An option and its value stay on one line. */
/* clang-format off */

#define PARTICLES                                                                                                      \
    "i = floor($w/96.0); j = floor($h/96.0); "                                                                         \
    "x = $w - 96*i - 48 - 22*sin(5*i + 9*j + 3*$b); y = $h - 96*j - 48 - 22*cos(7*i + 4*j + 5*$b); "                   \
    "r = sqrt(x*x + y*y); n - 1.5*exp(-(r - 18)*(r - 18)/36) - exp(-r*r/50)"

#define SOFTEN "y = ($h < 240 ? $h : $h - 480)/480.0; x = $w/480.0; s*exp(-300*(x*x + y*y))"

/* Shifts that were found beside those that were made, without what all frames have in common. */
#define DRIFT(movie)                                                                                                   \
    { "star", movie "_shifts.star", "--table", "global_shift",                                                         \
      "--rename", "rlnMicrographShiftX=x", "--rename", "rlnMicrographShiftY=y",                                        \
      "--join", movie ".star", "--by", "rlnMicrographFrameNumber",                                                     \
      "--set", "off=sqrt((var(x - rlnMicrographShiftX) + var(y - rlnMicrographShiftY))/2)",                            \
      "--rows", "0", "--columns", "off" }

/* The angle between two orientations is twice the arc cosine of the product of their quaternions. */
#define ANGLE                                                                                                          \
    "degrees_off=2/deg*acos(min(1.0, abs("                                                                             \
    "cos(deg/2*tilt)*cos(deg/2*rlnAngleTilt)*cos(deg/2*(rot + psi - rlnAngleRot - rlnAnglePsi)) + "                    \
    "sin(deg/2*tilt)*sin(deg/2*rlnAngleTilt)*cos(deg/2*(rot - psi - rlnAngleRot + rlnAnglePsi)))))"

const demo_step demo_steps[] = {
    { .part = "Images and their Fourier transforms",
      .title = "Eight images of noise, with pixels of 2.5 Å: a real MRC stack.",
      .words = { "gen", "noise", "--size", "480", "--count", "8", "--sd", "1.3", "--seed", "7", "--apix", "2.5",
                 "-o", "noise.mrcs" } },
    { .title = "Add blobs by a formula of the operator language over the indices $b, $h and $w.",
      .words = { "calc", PARTICLES, "n=noise.mrcs", "-o", "blobs.mrcs" } },
    { .title = "Show the header.", .words = { "info", "blobs.mrcs" } },
    { .title = "Show the images.",
      .words = { "view", "blobs.mrcs", "--montage", "4x", "--width", "800", "--scalebar", "-o", "blobs.png" } },
    { .title = "Half Fourier transforms of the images: complex numbers in MRC mode 4.",
      .words = { "fft", "blobs.mrcs", "-o", "spectra.mrcs" } },
    { .title = "A custom filter in Fourier space: multiply each coefficient by a Gaussian of its frequency.",
      .words = { "calc", SOFTEN, "s=spectra.mrcs", "-o", "softened.mrcs" } },
    { .title = "Transform back.", .words = { "fft", "--inverse", "softened.mrcs", "-o", "smooth.mrcs" } },
    { .title = "Binned by two; the pixel size in the header follows.",
      .words = { "bin", "--factor", "2", "smooth.mrcs", "-o", "binned.mrcs" } },
    { .title = "The blobs stand out.",
      .words = { "view", "binned.mrcs", "--montage", "4x", "--width", "800", "--scalebar", "-o", "binned.png" } },
    { .title = "The power at each spatial frequency, before and after.",
      .words = { "plot", "--spectrum", "blobs.mrcs", "smooth.mrcs", "--angstrom", "-o", "spectrum.svg" } },

    { .part = "From movies to particles",
      .title = "A structure without symmetry, of 300 pseudo-atoms.",
      .words = { "simulate", "atoms", "--box", "64", "--apix", "1.5", "--seed", "7", "-o", "structure.mrc" } },
    { .title = "Three sections through it.",
      .words = { "view", "structure.mrc", "--orth", "--zoom", "3", "--scalebar", "-o", "structure.png" } },
    { .title = "A movie of it with drift, dose damage, astigmatism, uneven camera pixels and counted electrons, "
               "and the truth as a STAR file.",
      .words = { "simulate", "movie", "structure.mrc", "--frames", "10", "--dose", "2.5", "--drift", "2",
                 "--defocus", "1.6um,1.45um", "--angle", "30", "--gain", "movie1_gain.mrc", "--seed", "1",
                 "-o", "movie1.mrcs", "--star", "movie1.star" },
      .more = { "movie1_gain.mrc" } },
    { .title = "A second movie, closer to focus.",
      .words = { "simulate", "movie", "structure.mrc", "--frames", "10", "--dose", "2.5", "--drift", "2",
                 "--defocus", "1.2um,1.1um", "--angle", "-40", "--gain", "movie2_gain.mrc", "--seed", "2",
                 "-o", "movie2.mrcs", "--star", "movie2.star" },
      .more = { "movie2_gain.mrc" } },
    { .title = "Align the frames and sum them, with and without dose weighting.",
      .words = { "motion", "movie1.mrcs", "movie2.mrcs", "--gain", "{name}_gain.mrc", "--dose", "2.5",
                 "--weighted", "{name}_weighted.mrc", "--shifts", "{name}_shifts.star", "--plot", "{name}_motion.svg",
                 "-o", "{name}_sum.mrc" },
      .more = { "movie1_motion.svg", "movie2_motion.svg", "movie1_sum.mrc", "movie2_sum.mrc", "movie1_weighted.mrc",
                "movie2_weighted.mrc", "movie1_shifts.star", "movie2_shifts.star" } },
    { .title = "Fit the CTFs of the sums: spectra on the left, fits on the right.",
      .words = { "ctf", "fit", "movie1_sum.mrc", "movie2_sum.mrc", "-o", "fits.star", "--plot", "{name}_ctf.png" },
      .more = { "movie1_sum_ctf.png", "movie2_sum_ctf.png" } },
    { .title = "Pick particles, which are dark, by their size.",
      .words = { "pick", "--diameter", "60A", "movie1_weighted.mrc", "movie2_weighted.mrc", "-o", "{name}.star",
                 "--picture", "{name}.png" },
      .more = { "movie1_weighted.png", "movie2_weighted.png", "movie1_weighted.star", "movie2_weighted.star" } },
    { .title = "Extract boxes around them, with even background, bright on dark.",
      .words = { "extract", "--box", "64", "--bg-radius", "28", "--invert", "movie1_weighted.star",
                 "movie2_weighted.star", "-o", "boxes.mrcs", "--star", "boxes.star" } },
    { .title = "Show 32 of them.",
      .words = { "view", "boxes.mrcs", "--slices", "0-31", "--montage", "8x", "--lowpass", "10", "-o", "boxes.png" } },

    { .part = "From particles to a map",
      .title = "Particles with CTFs, shifts and noise, and a STAR file in RELION's format.",
      .words = { "simulate", "particles", "structure.mrc", "--count", "600", "--snr", "0.3", "--seed", "7",
                 "-o", "views.mrcs", "--star", "views.star" } },
    { .title = "Show 32 of them.",
      .words = { "view", "views.mrcs", "--slices", "0-31", "--montage", "8x", "--lowpass", "10", "-o", "views.png" } },
    { .title = "The same list without angles and shifts, which refinement will find.",
      .words = { "star", "views.star",
                 "--drop", "rlnAngleRot,rlnAngleTilt,rlnAnglePsi,rlnOriginXAngst,rlnOriginYAngst",
                 "-o", "unknown.star" } },
    { .title = "The initial reference: the structure low-pass filtered to 30 Å.",
      .words = { "filter", "--lowpass", "30", "structure.mrc", "-o", "start.mrc" } },
    { .title = "Iterations of projection matching, with independent half sets.",
      .words = { "refine", "unknown.star", "--reference", "start.mrc", "-o", "refined.mrc", "--star",
                 "refined.star" } },
    { .title = "Maps of all particles and of both half sets.",
      .words = { "reconstruct", "refined.star", "--half-maps", "half{half}.mrc", "-o", "map.mrc" },
      .more = { "half1.mrc", "half2.mrc" } },
    { .title = "A soft sphere as a mask.",
      .words = { "gen", "sphere", "--size", "64,64,64", "--radius", "24", "--soft", "5", "--apix", "1.5",
                 "-o", "mask.mrc" } },
    { .title = "Compare the half maps shell by shell.",
      .words = { "fsc", "half1.mrc", "half2.mrc", "--mask", "mask.mrc", "--plot", "halves.svg" },
      .figure = "Resolution by the half maps, FSC 0.143", .unit = "Å", .before = "0.143 = " },
    { .title = "Compare the map with the ground truth, which only a simulation knows.",
      .words = { "fsc", "map.mrc", "structure.mrc", "--mask", "mask.mrc", "--plot", "truth.svg" },
      .figure = "Resolution by the truth, FSC 0.5", .unit = "Å", .before = ", 0.5 = " },
    { .title = "Weight the map by the FSC of the half maps, and sharpen it by a fitted B-factor.",
      .words = { "sharpen", "half1.mrc", "half2.mrc", "--mask", "mask.mrc", "--apply-mask", "--plot", "guinier.svg",
                 "-o", "sharp.mrc" } },
    { .title = "Three sections each of the truth, the initial reference and the result.",
      .words = { "stack", "--as", "stack", "25@structure.mrc", "33@structure.mrc", "41@structure.mrc", "25@start.mrc",
                 "33@start.mrc", "41@start.mrc", "25@sharp.mrc", "33@sharp.mrc", "41@sharp.mrc",
                 "-o", "sections.mrcs" } },
    { .title = "The truth at the top, the initial reference in the middle, the result at the bottom.",
      .words = { "view", "sections.mrcs", "--montage", "3x", "--zoom", "3", "--percentile", "0.2,99.8", "--scalebar",
                 "-o", "sections.png" } },

    { .part = "How far from the truth",
      .title = "Error of the drift of the first movie: deviation of the shifts from the truth, in pixels.",
      .words = DRIFT("movie1"),
      .figure = "Drift of the first movie, rms error", .unit = "px" },
    { .title = "Error of the drift of the second movie.",
      .words = DRIFT("movie2"),
      .figure = "Drift of the second movie, rms error", .unit = "px" },
    { .title = "Error of the defocus: the true means of U and V are 15250 and 11500 Å.",
      .words = { "star", "fits.star", "--set", "truth=row == 0 ? 15250 : 11500",
                 "--set", "off=abs((rlnDefocusU + rlnDefocusV)/2 - truth)", "--set", "largest=max(off)",
                 "--columns", "rlnMicrographName,truth,off,largest" },
      .figure = "Defocus, larger error of both", .unit = "Å" },
    { .title = "Error of the orientations: angles between those found and the true ones, in degrees.",
      .words = { "star", "refined.star", "--rename", "rlnAngleRot=rot", "--rename", "rlnAngleTilt=tilt",
                 "--rename", "rlnAnglePsi=psi", "--columns", "rlnImageName,rot,tilt,psi", "--join", "views.star",
                 "--by", "rlnImageName", "--set", "deg=pi/180", "--set", ANGLE, "--columns", "rlnImageName,degrees_off",
                 "-o", "angles.star" } },
    { .title = "Histogram of these errors, in degrees.",
      .words = { "star", "angles.star", "--histogram", "degrees_off", "-o", "angles.svg" } },
    { .title = "Their median, in degrees.",
      .words = { "star", "angles.star", "--set", "median=median(degrees_off)", "--rows", "0", "--columns", "median" },
      .figure = "Angles, median error", .unit = "°" },
    { .title = "Check that all files written conform to the standard.",
      .words = { "check", "smooth.mrcs", "structure.mrc", "movie1.mrcs", "movie1_weighted.mrc", "boxes.mrcs",
                 "views.mrcs", "map.mrc", "sharp.mrc" } },
};
/* clang-format on */

const int n_demo_steps = sizeof demo_steps / sizeof *demo_steps;

/* Where an option names a file; NULL at the end. Names with {name} in them are not those of files. */
static const char *const *next_output(const char *const *word)
{
    for (; *word; word++) {
        const bool names_one = strcmp(*word, "-o") == 0 || strcmp(*word, "--star") == 0 || strcmp(*word, "--plot") == 0;
        if (names_one && word[1] && !strchr(word[1], '{')) return word + 1;
    }
    return NULL;
}

const char *step_output(const demo_step *s, int i)
{
    const char *const *word = s->words;
    while ((word = next_output(word)) != NULL)
        if (i-- == 0) return *word;
    return i < STEP_FILES ? s->more[i] : NULL;
}
