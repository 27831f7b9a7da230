/* Sums, means, variances and extremes, section by section. */
#include "movies/reduction.h"

/* `m` is a mean, of `n` elements whose squared distances from it add up to `q`; `count` elements came before. */
static const char variance_text[] =
    "op spread(in T m, in f64 q, val f64 count, val f64 n, inout f64 mean, inout f64 spread) {\n"
    "    f64 step = (f64)m - mean;\n"
    "    mean = mean + step*n/(count + n);\n"
    "    spread = spread + (q + step*step*count*n/(count + n));\n"
    "}\n";

const char *reduction_combine(reduce_method m)
{
    switch (m) {
    case REDUCE_SD: return variance_text;
    case REDUCE_MIN:
        return "op combine(in T x, val bool first, inout f64 s) { s = first ? (f64)x : minimum(s, (f64)x); }\n";
    case REDUCE_MAX:
        return "op combine(in T x, val bool first, inout f64 s) { s = first ? (f64)x : maximum(s, (f64)x); }\n";
    default: return "op combine(in T x, val bool first, inout f64 s) { s = first ? (f64)x : s + (f64)x; }\n";
    }
}

const char *reduction_finish(reduce_method m)
{
    if (m == REDUCE_SD) return "op finish(in f64 s, val f64 n, out T z) { z = (T)sqrt(s/n); }\n";
    if (m == REDUCE_MEAN) return "op finish(in f64 s, val f64 n, out T z) { z = (T)(s/n); }\n";
    return "op finish(in f64 s, val f64 n, out T z) { z = (T)s; }\n";
}

static tess_status add_variance(reduction *r, const tess_array *section, tess_array *mean, tess_array *variance)
{
    tess_array  m = { 0 }, q = { 0 };
    tess_status status;
    if (r->plane == 0) return tess_call(r->combine, section, &tess_f64(0), r->count, 1.0, mean, variance);
    const double n = (double)(r->in.h / r->out.h * (r->in.w / r->out.w));
    TESS_GOTO(done, status, tess_empty(&m, mean->shape, TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_empty(&q, mean->shape, TESS_F64, tess_cpu()));
    TESS_GOTO(done, status, tess_mean_var(&m, &q, section, r->plane, NULL));
    TESS_GOTO(done, status, tess_mul(&q, &q, &tess_f64(n)));
    TESS_GOTO(done, status, tess_call(r->combine, &m, &q, r->count, n, mean, variance));
done:
    tess_release(&m);
    tess_release(&q);
    return status;
}

static tess_status add_plain(reduction *r, const tess_array *section, tess_array *total)
{
    tess_array  part = { 0 };
    tess_status status = TESS_OK;
    if (r->plane != 0) {
        TESS_GOTO(done, status, tess_empty(&part, total->shape, TESS_F64, tess_cpu()));
        TESS_GOTO(done, status,
                  r->method == REDUCE_MIN   ? tess_min(&part, section, r->plane, NULL)
                  : r->method == REDUCE_MAX ? tess_max(&part, section, r->plane, NULL)
                                            : tess_sum(&part, section, r->plane, NULL));
        section = &part;
    }
    TESS_GOTO(done, status, tess_call(r->combine, section, r->count == 0, total));
done:
    tess_release(&part);
    return status;
}

static tess_status add_section(reduction *r, const tess_array *section, int64_t z)
{
    tess_array  corrected = { 0 }, total, variance;
    tess_status status;
    TESS_GOTO(done, status, correction_apply(&r->correction, &corrected, &section, 0, 0));
    TESS_GOTO(done, status, tess_index(&total, &r->total, 1, r->axes & TESS_D ? 0 : z));
    if (r->method == REDUCE_SD) {
        TESS_GOTO(done, status, tess_index(&variance, &r->variance, 1, r->axes & TESS_D ? 0 : z));
        TESS_GOTO(done, status, add_variance(r, section, &total, &variance));
    } else TESS_GOTO(done, status, add_plain(r, section, &total));
done:
    tess_release(&corrected);
    return status;
}

static tess_status end_group(reduction *r)
{
    tess_array        result = { 0 };
    tess_status       status;
    const tess_array *from = r->method == REDUCE_SD ? &r->variance : &r->total;
    TESS_GOTO(done, status, tess_empty(&result, r->total.shape, r->dtype, tess_cpu()));
    TESS_GOTO(done, status, tess_call(r->finish, from, r->count, &result));
    TESS_GOTO(done, status, output_append(&r->file, &result));
    TESS_GOTO(done, status, tess_fill(&r->total, 0));
    if (r->method == REDUCE_SD) TESS_GOTO(done, status, tess_fill(&r->variance, 0));
    r->count = 0;
done:
    tess_release(&result);
    return status;
}

tess_status reduction_add(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    reduction   *r = context;
    const double plane = (double)(r->in.h / r->out.h * (r->in.w / r->out.w));
    for (int64_t i = 0; i < s->nb * s->nz; ++i) {
        const int64_t     b = s->b + i / s->nz, z = s->z + i % s->nz;
        const tess_region one = { .b = tess_only(i / s->nz), .d = tess_only(i % s->nz) };
        tess_array        section;
        TESS_TRY(tess_subregion(&section, in, one));
        TESS_TRY(add_section(r, &section, z));
        const bool last = z == r->in.d - 1;
        if (r->axes & TESS_D || last) r->count += plane;
        if (last && ((b + 1) % r->group == 0 || b == r->in.b - 1)) TESS_TRY(end_group(r));
    }
    return TESS_OK;
}

tess_status reduction_median(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out, (void)s;
    reduction        *r = context;
    const tess_array *from = in;
    tess_array        corrected = { 0 }, result = { 0 };
    tess_status       status;
    TESS_GOTO(done, status, correction_apply(&r->correction, &corrected, &from, 0, 0));
    TESS_GOTO(done, status, tess_median(&result, from, r->axes, NULL));
    TESS_GOTO(done, status, output_append(&r->file, &result));
done:
    tess_release(&corrected);
    tess_release(&result);
    return status;
}
