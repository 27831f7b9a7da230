/* Projection matching: description, checks, poses at the start and at the end. */
#include <inttypes.h>
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/arrays/deliver.h"
#include "ops/geometry/items/items.h"
#include "ops/geometry/slices/fourier_project.h"
#include "ops/geometry/slices/match.h"
#include "tessera/ctf.h"
#include "tessera/device.h"
#include "tessera/ewise.h"
#include "tessera/rotation.h"

static const tess_arg_info args[] = {
    TESS__OUT("rotations", "best rotation of each image, quaternions {n,1,1,4}", .axes = "n,1,1,4"),
    TESS__OUT("shifts", "shifts (h, w) that move each image onto its projection, {n,1,1,2}, pixels", .axes = "n,1,1,2"),
    TESS__OUT("scores", "{n,1,1,1}", .axes = "n,1,1,1"),
    TESS__IN("spectrum", "padded spectrum {1,p,p,p/2+1} from fourier_prepare", .sample = "1,8,8,5 complex",
             .axes = "1,d,h,w"),
    TESS__IN("images", "square real images {n,1,s,s}", .sample = "b,1,4,4", .axes = "n,1,h,w"),
    TESS__IN("candidates", "rotations to try: quaternions {m,1,1,4}, or {n,m,1,4} per image", .sample = "b,1,1,4",
             .axes = "m,1,1,4|n,m,1,4"),
    TESS__OPT_ARRAY(tess_match_projections_opts, ctfs, const tess_array *, "CTFs of the images, {1 or n,1,1,m}",
                    .axes = "n,1,1,m"),
    TESS__OPT_ARRAY(tess_match_projections_opts, around, const tess_array *,
                    "shifts (h, w) about which to search, {1 or n,1,1,2}, pixels", .axes = "n,1,1,2"),
    TESS__AUTO_F64(tess_match_projections_opts, low, "cycles per pixel", "1 / s", 0, 0.5, "lowest frequency"),
    TESS__OPT_F64(tess_match_projections_opts, high, "cycles per pixel", 0.5, 0, 0.5, "highest frequency"),
    TESS__OPT_F64(tess_match_projections_opts, radius, "pixels", 0, 0, 1000, "maximum shift to try"),
    TESS__OPT_F64(tess_match_projections_opts, shift_step, "pixels", 1, 0.001, 1000, "step between the shifts to try"),
    TESS__OPT_F64(tess_match_projections_opts, angle, "radians", 0, 0, 1,
                  "angular step of the local search around the best; 0: none"),
    TESS__OPT_I32(tess_match_projections_opts, halvings, "", 0, 0, 20,
                  "number of times to halve the steps of the local search"),
    TESS__FLAG(tess_match_projections_opts, each, "use separate candidates for each image"),
    TESS__OPT_I32(tess_match_projections_opts, padding, "", 2, 1, 8, "padding factor of the spectrum"),
    TESS__OPT_I32(tess_match_projections_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(match_projections, v[0].out, v[1].out, v[2].out, v[3].in, v[4].in, v[5].in, opts)
const tess_function_info tess__info_match_projections =
    TESS__OP_OPTS(TESS_CUT_NONE, match_projections, "match_projections",
                  "Find the orientations and shifts that best match images.", args, tess_match_projections_opts);

static tess_status take_candidates(tess_array *out, const tess__matching *m, const tess_array *in)
{
    char             text[TESS__SHAPE_TEXT];
    tess_array       cast = { .data = NULL }, host = { .data = NULL };
    tess_status      status = TESS_OK;
    const tess_shape s = in->shape;
    TESS_CHECK(s.h == 1 && s.w == 4 && s.b > 0 && s.d > 0 && (m->o.each ? s.b == m->n : s.d == 1), TESS_ESHAPE,
               "%s: `candidates` has shape %s; quaternions %s are needed", TESS__MATCH, tess__shape_text(text, s.dim),
               m->o.each ? "{n,m,1,4} of the n images" : "{m,1,1,4}");
    TESS_GOTO(done, status, tess_cast(&cast, in, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_to_device(&host, &cast, tess_cpu()));
    TESS_GOTO(done, status, tess__make(TESS__MATCH, out, s, TESS_F64, tess_cpu(), false));
    TESS_GOTO(done, status, tess_copy(out, &host));
    TESS_GOTO(done, status, tess__sync(TESS__MATCH, tess_cpu()));
    for (int64_t i = 0; i < s.b * s.d; i++) {
        tess_vec4_f64 *q = (tess_vec4_f64 *)out->data + i;
        TESS_GOTO(done, status, tess__unit_quat(q, TESS__MATCH, "candidates", i));
    }
done:
    tess_release(&cast);
    tess_release(&host);
    return status;
}

static tess_status start_poses(tess__matching *m, const tess_vec4_f64 *candidates, int64_t count)
{
    tess_array  rows = { .data = NULL }, host = { .data = NULL };
    tess_status status = TESS_OK;
    m->poses = tess__alloc((size_t)m->n * sizeof *m->poses);
    TESS_CHECK(m->poses, TESS_ENOMEM, "%s: no memory for %" PRId64 " images", TESS__MATCH, m->n);
    TESS_GOTO(done, status, tess__make(TESS__MATCH, &host, TESS_SHAPE(m->n, 1, 1, 2), TESS_F64, tess_cpu(), true));
    if (m->o.around) {
        TESS_GOTO(done, status, tess_to_device(&rows, m->o.around, tess_cpu()));
        TESS_GOTO(done, status, tess_add(&host, &host, &rows));
    }
    TESS_GOTO(done, status, tess__sync(TESS__MATCH, tess_cpu()));
    for (int64_t i = 0; i < m->n; i++) {
        const double *shift = (const double *)host.data + 2 * i;
        m->poses[i] = (tess__match_pose){ candidates[m->o.each ? i * count : 0], { shift[0], shift[1] }, -HUGE_VAL };
    }
done:
    tess_release(&rows);
    tess_release(&host);
    return status;
}

/* The outputs of a call: numbers of each image. */
enum { ROTATIONS, SHIFTS, SCORES, OUTPUTS };
static const char *const names[OUTPUTS] = { "rotations", "shifts", "scores" };
static const int         columns[OUTPUTS] = { 4, 2, 1 };

/* The numbers of all poses for one output, f64 on the host. */
static tess_status take_numbers(tess_array *host, const tess__matching *m, int what)
{
    const int w = columns[what];
    TESS_TRY(tess__make(TESS__MATCH, host, TESS_SHAPE(m->n, 1, 1, w), TESS_F64, tess_cpu(), false));
    for (int64_t i = 0; i < m->n; i++) {
        const tess__match_pose *p = &m->poses[i];
        const double            norm = ((const double *)m->norms.data)[i];
        double                 *to = (double *)host->data + i * w;
        if (what == ROTATIONS)
            for (int c = 0; c < w; c++) to[c] = p->rotation.at[c] * (p->rotation.at[3] < 0 ? -1 : 1);
        if (what == SHIFTS)
            for (int c = 0; c < w; c++) to[c] = p->shift[c];
        if (what == SCORES) to[0] = !isfinite(p->score) ? NAN : norm > 0 ? p->score / sqrt(norm) : 0;
    }
    return TESS_OK;
}

static tess_status give(const tess__outputs *out, const tess__matching *m)
{
    tess_array        host[OUTPUTS] = { { .data = NULL } };
    const tess_array *results[TESS__MAX_OUTPUTS] = { &host[ROTATIONS], &host[SHIFTS], &host[SCORES] };
    tess_status       status = TESS_OK;
    for (int k = 0; k < OUTPUTS; k++) TESS_GOTO(done, status, take_numbers(&host[k], m, k));
    TESS_GOTO(done, status, tess__deliver(out, results));
done:
    for (int k = 0; k < OUTPUTS; k++) tess_release(&host[k]);
    return status;
}

static tess_status run(tess__matching *m, const tess_array *images, const tess_array *candidates,
                       const tess__outputs *out)
{
    tess_array  list = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, take_candidates(&list, m, candidates));
    const int64_t count = m->o.each ? list.shape.d : list.shape.b;
    TESS_GOTO(done, status, tess__match_images(m, images));
    TESS_GOTO(done, status, start_poses(m, list.data, count));
    TESS_GOTO(done, status, tess__match_search(m, list.data, count));
    if (m->o.angle > 0) TESS_GOTO(done, status, tess__match_refine(m));
    TESS_GOTO(done, status, give(out, m));
done:
    tess_release(&list);
    tess_release(&m->images);
    tess_release(&m->squares);
    tess_release(&m->norms);
    tess__free(m->poses);
    return status;
}

static tess_status check(tess__matching *m, const tess_array *images, const tess_array *candidates)
{
    int64_t padded;
    TESS_TRY(tess__check_numbers(TESS__MATCH, "spectrum", m->spectrum));
    TESS_CHECK(m->spectrum->dtype == TESS_C32, TESS_EDTYPE, "%s: `spectrum` is %s; c32 is needed", TESS__MATCH,
               tess_dtype_name(m->spectrum->dtype));
    TESS_TRY(tess__padded_sides(&m->side, &padded, TESS__MATCH, "spectrum", m->spectrum, m->o.padding));
    TESS_TRY(tess__square_images(TESS__MATCH, "images", images));
    TESS_CHECK(images->shape.w == m->side, TESS_ESHAPE,
               "%s: `images` have %" PRId64 " pixels per side and the reference %" PRId64 "; they must be equal",
               TESS__MATCH, images->shape.w, m->side);
    TESS_TRY(tess__check_device_of(TESS__MATCH, "spectrum", m->spectrum, "images", images));
    TESS_TRY(tess__check_waits(TESS__MATCH, images->device));
    TESS_TRY(tess__check_numbers(TESS__MATCH, "candidates", candidates));
    TESS_TRY(tess__check_ordered(TESS__MATCH, "candidates", candidates->dtype));
    m->n = images->shape.b;
    if (m->o.ctfs)
        TESS_TRY(tess__rows_of_images(TESS__MATCH, "opts->ctfs", m->o.ctfs, m->n, TESS_CTF_MIN_COLUMNS,
                                      TESS_CTF_EVEN_COLUMNS));
    if (m->o.around) TESS_TRY(tess__rows_of_images(TESS__MATCH, "opts->around", m->o.around, m->n, 2, 2));
    TESS_CHECK(!(m->o.low >= m->o.high), TESS_ERANGE,
               "%s: `opts->low` is %g and `opts->high` is %g; low must be below high", TESS__MATCH, m->o.low,
               m->o.high);
    TESS_CHECK(m->o.radius / m->o.shift_step <= 100, TESS_ERANGE,
               "%s: `opts->radius` is %g and `opts->shift_step` is %g; the radius must be at most 100 steps",
               TESS__MATCH, m->o.radius, m->o.shift_step);
    return TESS_OK;
}

tess_status tess_match_projections(tess_array *rotations, tess_array *shifts, tess_array *scores,
                                   const tess_array *spectrum, const tess_array *images, const tess_array *candidates,
                                   const tess_match_projections_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess__matching    m = { .spectrum = spectrum };
    tess_array *const arrays[OUTPUTS] = { rotations, shifts, scores };
    tess__outputs     out = { .fn = TESS__MATCH };
    TESS_TRY(tess__resolve(&tess__info_match_projections, opts, &m.o));
    for (int k = 0; k < OUTPUTS; k++) TESS_TRY(tess__check_pointer(TESS__MATCH, names[k], arrays[k]));
    TESS_TRY(check(&m, images, candidates));
    m.small = tess__min(2 * (int64_t)floor(m.o.high * (double)m.side + 1e-6) + 2, m.side);
    for (int k = 0; k < OUTPUTS; k++)
        tess__wants(&out, names[k], arrays[k], TESS_SHAPE(m.n, 1, 1, columns[k]), TESS_F64, images->device);
    tess__reads(&out, "spectrum", spectrum);
    tess__reads(&out, "images", images);
    tess__reads(&out, "candidates", candidates);
    tess__reads(&out, "opts->ctfs", m.o.ctfs);
    tess__reads(&out, "opts->around", m.o.around);
    TESS_TRY(tess__outputs_take(&out));
    const tess_status status = m.n > 0 ? run(&m, images, candidates, &out) : TESS_OK;
    return tess__outputs_end(&out, tess__error_under(status, TESS__MATCH));
}
