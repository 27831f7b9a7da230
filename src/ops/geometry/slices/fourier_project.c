/* Projections of a volume by central slices of its padded spectrum: preparation, and images of it. */
#include "ops/geometry/slices/fourier_project.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/slices/slices.h"
#include "tessera/ctf.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/resize.h"
#include "tessera/scalar.h"

static const tess_arg_info prepare_args[] = {
    TESS__OUT("spectrum", "padded spectrum {1,p,p,p/2+1}, complex; p is padding times s", .axes = "1,d,h,w"),
    TESS__IN("volume", "a real cube {1,s,s,s}", .sample = "1,4,4,4", .axes = "1,d,h,w"),
    TESS__OPT_I32(tess_fourier_prepare_opts, padding, "", 2, 1, 8, "padding factor: size of the padded cube over s"),
    TESS__OPT_CHOICE(tess_fourier_prepare_opts, interp, TESS_INTERP_LINEAR, tess__interps,
                     "interpolation that fourier_project will use"),
};
TESS__CALL(fourier_prepare, v[0].out, v[1].in, opts)
const tess_function_info tess__info_fourier_prepare = TESS__OP_OPTS(
    TESS_CUT_NONE, fourier_prepare, "fourier_project", "Prepare the padded spectrum of a volume for fourier_project.",
    prepare_args, tess_fourier_prepare_opts);

static const tess_arg_info project_args[] = {
    TESS__OUT("images", "projections {n,1,s,s}", .axes = "n,1,h,w"),
    TESS__IN("spectrum", "padded spectrum {1,p,p,p/2+1} from fourier_prepare", .sample = "1,8,8,5 complex",
             .axes = "1,d,h,w"),
    TESS__IN("rotations", "rotations from image to volume: {n,1,3,3}, or quaternions {n,1,1,4}", .sample = "b,1,1,4",
             .axes = "n,1,1,4|n,1,3,3"),
    TESS__OPT_ARRAY(tess_fourier_project_opts, ctfs, const tess_array *,
                    "CTFs applied to the projections, {1 or n,1,1,m}", .axes = "n,1,1,m"),
    TESS__OPT_ARRAY(tess_fourier_project_opts, shifts, const tess_array *,
                    "shifts (h, w) applied last, {1 or n,1,1,2}, pixels", .axes = "n,1,1,2"),
    TESS__OPT_F64(tess_fourier_project_opts, cutoff, "cycles per pixel", 0.5, 0, 10, "highest frequency kept"),
    TESS__OPT_I32(tess_fourier_project_opts, padding, "", 2, 1, 8, "padding factor of the spectrum"),
    TESS__OPT_CHOICE(tess_fourier_project_opts, interp, TESS_INTERP_LINEAR, tess__interps,
                     "interpolation of the spectrum"),
};
TESS__CALL(fourier_project, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_fourier_project =
    TESS__OP_OPTS(TESS_CUT_NONE, fourier_project, "fourier_project",
                  "Project a volume by central slices of its spectrum.", project_args, tess_fourier_project_opts);

/* ---- What is shared ---- */

tess_status tess__padded_sides(int64_t *side, int64_t *padded, const char *fn, const char *arg,
                               const tess_array *spectrum, int32_t padding)
{
    char             text[TESS__SHAPE_TEXT];
    const tess_shape s = spectrum->shape;
    TESS_CHECK(s.b == 1 && s.d > 0 && s.d == s.h && s.w == s.d / 2 + 1 && s.d % padding == 0, TESS_ESHAPE,
               "%s: `%s` has shape %s; {1,p,p,p/2+1} is needed, with p a multiple of `opts->padding`, %" PRId32, fn,
               arg, tess__shape_text(text, s.dim), padding);
    *padded = s.d;
    *side = s.d / padding;
    return TESS_OK;
}

tess_status tess__square_images(const char *fn, const char *arg, const tess_array *images)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, arg, images));
    TESS_TRY(tess__check_ordered(fn, arg, images->dtype));
    TESS_CHECK(images->shape.d == 1 && images->shape.h == images->shape.w && images->shape.w > 0, TESS_ESHAPE,
               "%s: `%s` has shape %s; it must be square images {n,1,s,s}", fn, arg,
               tess__shape_text(text, images->shape.dim));
    return TESS_OK;
}

tess_status tess__rows_of_images(const char *fn, const char *arg, const tess_array *rows, int64_t n, int64_t least,
                                 int64_t most)
{
    char text[TESS__SHAPE_TEXT], columns[64];
    TESS_TRY(tess__check_numbers(fn, arg, rows));
    TESS_TRY(tess__check_ordered(fn, arg, rows->dtype));
    const tess_shape s = rows->shape;
    if (least == most) snprintf(columns, sizeof columns, "%" PRId64 "}", least);
    else snprintf(columns, sizeof columns, "m} with m from %" PRId64 " to %" PRId64, least, most);
    TESS_CHECK((s.b == 1 || s.b == n) && s.d == 1 && s.h == 1 && s.w >= least && s.w <= most, TESS_ESHAPE,
               "%s: `%s` has shape %s; {1 or %" PRId64 ",1,1,%s is needed", fn, arg, tess__shape_text(text, s.dim), n,
               columns);
    return TESS_OK;
}

tess_status tess__centred_shifts(tess_array *out, const char *fn, const tess_array *given, int64_t side, int sign,
                                 tess_device device)
{
    tess_array       sums = { .data = NULL };
    tess_status      status = TESS_OK;
    const tess_array centre = tess_f64((double)(sign * (side / 2)));
    TESS_TRY(tess__make(fn, &sums, TESS_SHAPE(given ? given->shape.b : 1, 1, 1, 2), TESS_F64,
                        given ? given->device : tess_cpu(), true));
    if (given) TESS_GOTO(done, status, tess_add(&sums, given, &centre));
    else TESS_GOTO(done, status, tess_add(&sums, &sums, &centre));
    TESS_GOTO(done, status, tess_to_device(out, &sums, device));
done:
    tess_release(&sums);
    return status;
}

tess_status tess__centred_spectra(tess_array *spectra, const char *fn, const tess_array *images,
                                  const tess_array *shifts)
{
    tess_array        as_float = { .data = NULL }, moves = { .data = NULL };
    const tess_dtype  dtype = images->dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    const tess_array *from = images;
    tess_status       status = TESS_OK;
    if (images->dtype != dtype) {
        TESS_GOTO(done, status, tess_cast(&as_float, images, dtype, NULL));
        from = &as_float;
    }
    TESS_GOTO(done, status, tess__centred_shifts(&moves, fn, shifts, images->shape.w, -1, images->device));
    TESS_GOTO(done, status, tess_fft_r2c(spectra, from, NULL));
    TESS_GOTO(done, status,
              tess_fft_phase_shift(spectra, spectra, images->shape, &moves,
                                   &(tess_fft_phase_shift_opts){ .real_nyquist = 1 }));
done:
    tess_release(&as_float);
    tess_release(&moves);
    return status;
}

/* ---- Preparation ---- */

static tess_status prepare(tess_array *spectrum, const tess_array *volume, const tess_fourier_prepare_opts *o)
{
    const int64_t    p = volume->shape.w * o->padding;
    const tess_dtype dtype = volume->dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    tess_array       as_float = { .data = NULL }, padded = { .data = NULL }, moved = { .data = NULL };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_cast(&as_float, volume, dtype, NULL));
    TESS_GOTO(done, status, tess_resize(&padded, &as_float, TESS_SHAPE(1, p, p, p), NULL));
    tess_release(&as_float);
    TESS_GOTO(done, status,
              tess_gridding_correct(&padded, &padded, &(tess_gridding_correct_opts){ .interp = o->interp }));
    TESS_GOTO(done, status, tess_ifftshift(&moved, &padded, TESS_D | TESS_H | TESS_W));
    tess_release(&padded);
    TESS_GOTO(done, status, tess_fft_r2c(spectrum, &moved, NULL));
done:
    tess_release(&as_float);
    tess_release(&padded);
    tess_release(&moved);
    return status;
}

tess_status tess_fourier_prepare(tess_array *spectrum, const tess_array *volume, const tess_fourier_prepare_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_prepare_opts o;
    const char               *fn = "fourier_prepare";
    char                      text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__resolve(&tess__info_fourier_prepare, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "spectrum", spectrum));
    TESS_TRY(tess__check_numbers(fn, "volume", volume));
    TESS_TRY(tess__check_ordered(fn, "volume", volume->dtype));
    const tess_shape s = volume->shape;
    TESS_CHECK(s.b == 1 && s.d > 0 && s.d == s.h && s.h == s.w, TESS_ESHAPE,
               "%s: `volume` has shape %s; a cube {1,s,s,s} is needed", fn, tess__shape_text(text, s.dim));
    const int64_t p = s.w * o.padding;
    const bool    made = tess__is_empty_out(spectrum);
    TESS_TRY(tess__output_named(fn, "spectrum", spectrum, TESS_SHAPE(1, p, p, p / 2 + 1),
                                volume->dtype == TESS_F64 ? TESS_C64 : TESS_C32, volume->device));
    if (!made) TESS_TRY(tess__check_disjoint(fn, "spectrum", spectrum, "volume", volume));
    return tess__finish(tess__error_under(prepare(spectrum, volume, &o), fn), spectrum, made);
}

/* ---- Projections ---- */

static tess_status project(tess_array *images, const tess_array *spectrum, const tess_array *rotations, int64_t padded,
                           const tess_fourier_project_opts *o)
{
    const tess_shape shape = images->shape;
    tess_array       slices = { .data = NULL }, moves = { .data = NULL }, turns = { .data = NULL };
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_to_device(&turns, rotations, spectrum->device));
    TESS_GOTO(done, status,
              tess_fourier_extract(&slices, spectrum, TESS_SHAPE(1, padded, padded, padded), &turns,
                                   &(tess_fourier_extract_opts){
                                       .slice_shape = shape, .cutoff = tess_given(o->cutoff), .interp = o->interp }));
    if (o->ctfs)
        TESS_GOTO(done, status,
                  tess_ctf_apply(&slices, &slices, shape, NULL, &(tess_ctf_opts){ .parameters = o->ctfs }));
    TESS_GOTO(done, status, tess__centred_shifts(&moves, "fourier_project", o->shifts, shape.w, 1, images->device));
    TESS_GOTO(done, status,
              tess_fft_phase_shift(&slices, &slices, shape, &moves, &(tess_fft_phase_shift_opts){ .real_nyquist = 1 }));
    TESS_GOTO(done, status, tess_fft_c2r(images, &slices, shape, &(tess_fft_opts){ .overwrite = 1 }));
done:
    tess_release(&slices);
    tess_release(&moves);
    tess_release(&turns);
    return status;
}

tess_status tess_fourier_project(tess_array *images, const tess_array *spectrum, const tess_array *rotations,
                                 const tess_fourier_project_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_fourier_project_opts o;
    const char               *fn = "fourier_project";
    int64_t                   n, side, padded;
    TESS_TRY(tess__resolve(&tess__info_fourier_project, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "images", images));
    TESS_TRY(tess__check_numbers(fn, "spectrum", spectrum));
    TESS_CHECK(spectrum->dtype == TESS_C32 || spectrum->dtype == TESS_C64, TESS_EDTYPE,
               "%s: `spectrum` is %s; c32 or c64 is needed", fn, tess_dtype_name(spectrum->dtype));
    TESS_TRY(tess__padded_sides(&side, &padded, fn, "spectrum", spectrum, o.padding));
    TESS_TRY(tess__check_array(fn, "rotations", rotations));
    TESS_TRY(tess__slice_count(&n, fn, rotations));
    if (o.ctfs) TESS_TRY(tess__rows_of_images(fn, "opts->ctfs", o.ctfs, n, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS));
    if (o.shifts) TESS_TRY(tess__rows_of_images(fn, "opts->shifts", o.shifts, n, 2, 2));
    const bool made = tess__is_empty_out(images);
    TESS_TRY(tess__output_named(fn, "images", images, TESS_SHAPE(n, 1, side, side), tess_dtype_real(spectrum->dtype),
                                spectrum->device));
    if (!made) {
        TESS_TRY(tess__check_disjoint(fn, "images", images, "spectrum", spectrum));
        TESS_TRY(tess__check_disjoint(fn, "images", images, "rotations", rotations));
        TESS_TRY(tess__check_apart(fn, "images", images, "opts->ctfs", o.ctfs));
        TESS_TRY(tess__check_apart(fn, "images", images, "opts->shifts", o.shifts));
    }
    if (n == 0) return TESS_OK;
    return tess__finish(tess__error_under(project(images, spectrum, rotations, padded, &o), fn), images, made);
}
