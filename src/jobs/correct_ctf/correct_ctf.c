/* Correction for the contrast transfer function: phase flipping, Wiener filters, and multiplication by the CTF. */
#include "tessera/jobs/correct_ctf.h"

#include <string.h>

#include "core/device/cancel.h"
#include "jobs/data/each_image.h"
#include "jobs/data/particles/particle_rows.h"
#include "jobs/data/pixels.h"
#include "jobs/data/maps/unit_cell.h"
#include "jobs/run/table.h"
#include "tessera/ctf.h"

static const char fn[] = "correct_ctf";

static const tess_choice methods[] = {
    { "flip", TESS_CTF_FLIP, "the sign of the CTF" },
    { "wiener", TESS_CTF_WIENER, "CTF / (CTF^2 + 1 / snr)" },
    { "ctf", TESS_CTF_APPLY, "the CTF" },
    { "abs", TESS_CTF_ABS, "|CTF|" },
    { "squared", TESS_CTF_SQUARED, "CTF^2" },
    { .name = NULL },
};

static const tess_arg_info args[] = {
    TESS__RESULT_IMAGES(tess_correct_ctf_result, images, "", "corrected images"),
    TESS__SOURCE_IMAGES("images", "micrographs, or a stack of particles"),
    TESS__IN_OPTIONAL("ctfs", "CTF of each image, as fields of a tess_ctf: {n,1,1,k} or {1,1,n,k}, or one row for all; "
                              "not needed for images from a STAR file"),
    TESS__OPT_CHOICE(tess_correct_ctf_opts, method, TESS_CTF_FLIP, methods,
                     "factor applied to the Fourier transform of each image"),
    TESS__OPT_F64(tess_correct_ctf_opts, snr, "", 10, TESS__POSITIVE, 1e300,
                  "signal-to-noise ratio (of power) for the Wiener filter"),
    TESS__OPT_SINK(tess_correct_ctf_opts, sink, "sink for the corrected images"),
};

TESS__JOB_RUN(correct_ctf, v[0].source, v[1].in)
const tess_job_info tess__job_correct_ctf =
    TESS__JOB(correct_ctf, "Correct images for the CTF: phase flipping, Wiener filter or multiplication", args,
              tess_correct_ctf_opts, tess_correct_ctf_result);

typedef struct correction {
    tess_array    rows; /* {n or 1,1,1,k} of f64 on the CPU */
    tess_ctf_opts opts;
    double        snr;
    int32_t       method;
} correction;

static tess_status correct_images(void *user, tess_array *out, const tess_array *in, const tess_slab *s)
{
    const correction *c = user;
    tess_ctf_opts     opts = c->opts;
    tess_array        part = c->rows, rows = { 0 };
    if (c->rows.shape.b > 1) (void)tess__rows_part(&part, &c->rows, s->b, in->shape.b);
    TESS_TRY(tess_to_device(&rows, &part, in->device));
    opts.parameters = &rows;
    const tess_status status = c->method == TESS_CTF_FLIP     ? tess_ctf_flip_image(out, in, NULL, &opts)
                               : c->method == TESS_CTF_WIENER ? tess_ctf_wiener_image(out, in, NULL, c->snr, &opts)
                                                              : tess_ctf_apply_image(out, in, NULL, &opts);
    tess_release(&rows);
    return status;
}

/* A row for each image, or one. */
static tess_status read_rows(correction *c, const tess_source *images, const tess_array *ctfs)
{
    const int64_t n = images->shape.b * images->shape.d;
    TESS_CHECK(ctfs, TESS_EARG, "%s: `ctfs` is `NULL`; a table of CTFs is expected", fn);
    const int64_t rows = ctfs->shape.b * ctfs->shape.h == 1 ? 1 : n;
    return tess__particle_rows(&c->rows, ctfs,
                               &(tess__rows_wanted){ fn, "ctfs", rows, TESS_CTF_MIN_COLUMNS, TESS_CTF_COLUMNS });
}

static tess_status work(tess_correct_ctf_result *r, correction *c, const tess_source *images, const tess_array *ctfs,
                        const tess_correct_ctf_opts *o, const tess_context *context)
{
    const tess_shape s = images->shape;
    const tess_dtype dtype = tess__dtype_to_compute(images->dtype);
    const int64_t    spectrum = 2 * s.h * (s.w / 2 + 1) * (int64_t)tess_dtype_size(dtype);
    TESS_TRY(tess__need_real(fn, images));
    TESS_CHECK(s.d == 1, TESS_ESHAPE, "%s: %s is a volume; images {n,1,h,w} are needed", fn, images->name);
    TESS_TRY(tess__need_right_angles(fn, images, false, "the CTF"));
    TESS_TRY(read_rows(c, images, ctfs));
    TESS_TRY(tess__image_fits(context, fn, s, 2 * spectrum));
    const tess__each_image_plan plan = {
        .fn = fn, .source = images, .dtype = dtype, .extra = spectrum, .step = correct_images, .user = c
    };
    return tess__each_image(&plan, o->sink, &r->images, context);
}

tess_status tess_correct_ctf(tess_correct_ctf_result *result, const tess_source *images, const tess_array *ctfs,
                             const tess_correct_ctf_opts *opts, const tess_context *context)
{
    TESS__CALL_SCOPE();
    tess_correct_ctf_opts o;
    tess_context          c;
    TESS_TRY(tess__check_result(fn, result, sizeof *result));
    TESS_TRY(tess__check_source(fn, "images", images));
    TESS_TRY(tess__resolve(&tess__job_correct_ctf.function, opts, &o));
    TESS_TRY(tess__context(&c, fn, context));
    correction x = { .opts = { .abs = o.method == TESS_CTF_ABS, .squared = o.method == TESS_CTF_SQUARED },
                     .snr = o.snr,
                     .method = o.method };
    TESS_CHECK(!(opts && opts->snr != 0) || o.method == TESS_CTF_WIENER, TESS_EARG,
               "%s: `opts->snr` requires the Wiener filter, but `opts->method` is another one", fn);
    const tess_status status = work(result, &x, images, ctfs, &o, &c);
    tess_release(&x.rows);
    if (status != TESS_OK) tess_correct_ctf_result_release(result);
    return status;
}

void tess_correct_ctf_result_release(tess_correct_ctf_result *result)
{
    if (!result) return;
    tess_release(&result->images);
    memset(result, 0, sizeof *result);
}
