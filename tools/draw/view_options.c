/* The options of a view: contrast, sizes, filter. */
#include "draw/view.h"

#include <math.h>
#include <stdlib.h>

#include "files/one_input.h"

static tess_status read_contrast(view *v)
{
    const job  *j = v->job;
    const char *names[] = { "sigma", "percentile", "minmax", "range" };
    contrast   *c = &v->opts.contrast;
    int         given = 0;
    for (int i = 0; i < 4; i++) given += job_has(j, names[i]);
    TESS_CHECK(given <= 1, TESS_EARG,
               "view: only one of --sigma, --percentile, --minmax and --range is allowed, not %d", given);
    v->default_contrast = given == 0;
    double two[2] = { v->power ? 0.5 : 3, v->power ? 99.7 : 3 };
    *c = (contrast){ v->power ? CONTRAST_PERCENTILE : CONTRAST_SIGMA, two[0], two[1], job_has(j, "invert") };
    if (job_has(j, "sigma")) {
        const double sigma = job_number(j, "sigma", 3);
        TESS_CHECK(sigma > 0 && isfinite(sigma), TESS_ERANGE, "view: --sigma is %g; a number above 0 is needed", sigma);
        *c = (contrast){ CONTRAST_SIGMA, sigma, sigma, c->invert };
    }
    if (job_has(j, "minmax")) c->kind = CONTRAST_MINMAX;
    if (job_has(j, "range")) {
        TESS_TRY(job_range(v->job, "range", two));
        *c = (contrast){ CONTRAST_RANGE, two[0], two[1], c->invert };
    }
    if (job_has(j, "percentile")) {
        TESS_TRY(job_range(v->job, "percentile", two));
        TESS_CHECK(two[0] >= 0 && two[1] <= 100, TESS_ERANGE, "view: --percentile is %g,%g; 0 to 100 is allowed",
                   two[0], two[1]);
        *c = (contrast){ CONTRAST_PERCENTILE, two[0], two[1], c->invert };
    }
    return TESS_OK;
}

void view_map_contrast(view *v)
{
    if (!v->default_contrast || v->power || v->in.info.shape.d == 1) return;
    v->opts.contrast = (contrast){ CONTRAST_PERCENTILE, 0.5, 99.5, v->opts.contrast.invert };
}

static tess_status read_count(const view *v, const char *name, int64_t fallback, int64_t min, int64_t max,
                              int64_t *value)
{
    *value = job_integer(v->job, name, fallback);
    TESS_CHECK(*value >= min && *value <= max, TESS_ERANGE, "view: --%s is %lld; %lld to %lld is allowed", name,
               (long long)*value, (long long)min, (long long)max);
    return TESS_OK;
}

static tess_status read_sizes(view *v)
{
    sheet_opts *o = &v->opts;
    TESS_TRY(read_count(v, "width", 1024, 16, 32768, &o->max_width));
    TESS_TRY(read_count(v, "gap", 4, 0, 1000, &o->gap));
    if (job_has(v->job, "zoom")) TESS_TRY(read_count(v, "zoom", 1, 1, 256, &o->zoom));
    o->max_height = o->max_width * 8;
    o->min = job_has(v->job, "width") ? o->max_width : 512;
    if (v->out.path) return TESS_OK;
    int64_t width, height;
    terminal_workspace(&v->out.terminal, &width, &height);
    if (!job_has(v->job, "width") || o->max_width > width) o->max_width = width;
    o->max_height = height;
    o->min = width > height ? width : height;
    if (!terminal_has_pixels(&v->out.terminal) && !job_has(v->job, "gap")) o->gap = 1;
    return TESS_OK;
}

tess_status view_read_filter(view *v)
{
    const tess_shape s = v->in.info.shape;
    int64_t          n = s.h < s.w ? s.h : s.w;
    if (job_has(v->job, "orth") && s.d < n) n = s.d;
    if (job_has(v->job, "lowpass")) TESS_TRY(need_right_angles(v->job, &v->in, job_has(v->job, "orth"), "--lowpass"));
    TESS_TRY(job_cutoff(v->job, "lowpass", v->in.info.meta.pixel_size[2], n, &v->cutoff));
    v->edge = 2 / (double)n;
    TESS_TRY(job_edge(v->job, "edge", n, &v->edge));
    TESS_CHECK(v->cutoff > 0 || !job_has(v->job, "edge"), TESS_EARG, "view: --edge requires --lowpass");
    return TESS_OK;
}

tess_status view_read_options(view *v)
{
    const job *j = v->job;
    v->power = job_has(j, "power");
    v->numbers = job_has(j, "numbers");
    const int kinds = job_has(j, "slice") + job_has(j, "montage") + job_has(j, "orth");
    TESS_CHECK(kinds <= 1, TESS_EARG, "view: only one of --slice, --montage and --orth is allowed, not %d", kinds);
    TESS_CHECK(!v->power || !job_has(j, "orth"), TESS_EARG, "view: --power and --orth cannot be combined");
    TESS_CHECK(!v->power || !job_has(j, "scalebar"), TESS_EARG,
               "view: --scalebar and --power cannot be combined: a spectrum has no lengths");
    TESS_CHECK(!job_has(j, "at") || job_has(j, "orth"), TESS_EARG, "view: --at requires --orth");
    TESS_TRY(read_contrast(v));
    TESS_TRY(read_sizes(v));
    return TESS_OK;
}

tess_status view_read_montage(const view *v, int64_t n, int64_t *columns, int64_t *rows)
{
    const char *text = job_text(v->job, "montage", NULL);
    *columns = (int64_t)ceil(sqrt((double)n));
    *rows = 0;
    if (text) {
        char *end;
        *columns = strtoll(text, &end, 10);
        bool good = end != text && (*end == 'x' || *end == 0);
        if (good && *end == 'x' && end[1] != 0) {
            const char *second = end + 1;
            *rows = strtoll(second, &end, 10);
            good = end != second && *end == 0 && *rows > 0;
        }
        TESS_CHECK(good && *columns > 0 && *columns <= 1000 && *rows <= 100000, TESS_EARG,
                   "view: --montage is \"%s\"; columns, or columns x rows, are needed, as 8x or 8x4", text);
    }
    if (*columns > n) *columns = n;
    const int64_t all = (n + *columns - 1) / *columns;
    if (*rows == 0 || *rows > all) *rows = all;
    return TESS_OK;
}
