/* Three planes of a volume through a point. */
#include "draw/view.h"

#include <math.h>
#include <stdio.h>

typedef struct planes {
    tess_array xy, xz, zy;
} planes;

/* What section z gives to the three planes through (x, y, at_z). */
static tess_status take_section(planes *p, const tess_array *section, int64_t z, const int64_t at[3])
{
    tess_array from, to;
    if (z == at[2]) TESS_TRY(tess_copy(&p->xy, section));
    TESS_TRY(tess_slice(&from, section, 2, at[1], at[1] + 1, 1)); /* row y goes to row z of xz */
    TESS_TRY(tess_slice(&to, &p->xz, 2, z, z + 1, 1));
    TESS_TRY(tess_copy(&to, &from));
    TESS_TRY(tess_slice(&from, section, 3, at[0], at[0] + 1, 1)); /* column x goes to column z of zy */
    TESS_TRY(tess_slice(&to, &p->zy, 3, z, z + 1, 1));
    TESS_TRY(tess_copy(&to, &from));
    return TESS_OK;
}

/* The planes of a volume: section by section, or, to be filtered, all of it at once. */
static tess_status take_planes(view *v, planes *p, const int64_t at[3])
{
    const tess_shape s = v->in.info.shape;
    tess_array       volume = { 0 }, section = { 0 };
    tess_status      status;
    TESS_GOTO(done, status, tess_empty(&p->xy, TESS_SHAPE(1, 1, s.h, s.w), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_empty(&p->xz, TESS_SHAPE(1, 1, s.d, s.w), TESS_F32, tess_cpu()));
    TESS_GOTO(done, status, tess_empty(&p->zy, TESS_SHAPE(1, 1, s.h, s.d), TESS_F32, tess_cpu()));
    if (v->cutoff > 0) {
        TESS_GOTO(done, status, input_read_all(&v->in, v->job, &volume, TESS_F32));
        TESS_GOTO(done, status, nonfinite_add(&v->odd, &volume));
        TESS_GOTO(done, status, image_lowpass(&volume, v->cutoff, v->edge));
    }
    for (int64_t z = 0; z < s.d; z++) {
        if (v->cutoff > 0) TESS_GOTO(done, status, tess_slice(&section, &volume, 1, z, z + 1, 1));
        else TESS_GOTO(done, status, view_read_image(v, z, &section));
        TESS_GOTO(done, status, take_section(p, &section, z, at));
    }
done:
    if (v->cutoff <= 0) tess_release(&section);
    tess_release(&volume);
    return status;
}

static tess_status find_point(view *v, int64_t at[3])
{
    const tess_shape s = v->in.info.shape;
    const int64_t    sizes[3] = { s.w, s.h, s.d };
    double           xyz[3] = { (double)(s.w / 2), (double)(s.h / 2), (double)(s.d / 2) };
    int              n = 3;
    TESS_TRY(job_xyz(v->job, "at", xyz, &n));
    TESS_CHECK(n == 3, TESS_EARG, "view: --at is \"%s\"; three numbers x,y,z are needed", job_text(v->job, "at", ""));
    for (int i = 0; i < 3; i++) {
        at[i] = (int64_t)floor(xyz[i] + 0.5);
        TESS_CHECK(at[i] >= 0 && at[i] < sizes[i], TESS_ERANGE, "view: --at has %c = %g; 0 to %lld is allowed",
                   "xyz"[i], xyz[i], (long long)(sizes[i] - 1));
    }
    return TESS_OK;
}

tess_status view_planes(view *v, double cut[3])
{
    const tess_shape s = v->in.info.shape;
    TESS_CHECK(s.b == 1 && s.d > 1, TESS_ESHAPE, "view: %s is {%lld,%lld,%lld,%lld}; --orth needs one volume; see --as",
               v->in.name, (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w);
    int64_t at[3];
    TESS_TRY(find_point(v, at));
    const int64_t widths[2] = { s.w, s.d }, heights[2] = { s.d, s.h };
    TESS_TRY(sheet_start(&v->sheet, 2, widths, 2, heights, false, &v->opts));
    planes      p = { .xy = { .data = NULL } };
    char        label[3][40];
    const char *names[3] = { "zy  x", "xz  y", "xy  z" };
    for (int i = 0; i < 3; i++) {
        (void)snprintf(label[i], sizeof label[i], "%s = %lld", names[i], (long long)at[i]);
        cut[i] = (double)at[i];
    }
    tess_status status;
    TESS_GOTO(done, status, take_planes(v, &p, at));
    TESS_GOTO(done, status, sheet_add(&v->sheet, 0, 1, &p.xy, label[2]));
    TESS_GOTO(done, status, sheet_add(&v->sheet, 0, 0, &p.xz, label[1]));
    TESS_GOTO(done, status, sheet_add(&v->sheet, 1, 1, &p.zy, label[0]));
done:
    tess_release(&p.xy);
    tess_release(&p.xz);
    tess_release(&p.zy);
    return status;
}
