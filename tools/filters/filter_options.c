/* The filters of a chain, by options. */
#include "filters/filter_chain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "command/units.h"
#include "files/on_device.h"
#include "measure/number_table.h"
#include "operation/values.h"

tess_status filter_chain_edges(const job *j, filter_chain *f)
{
    const char   *type = job_text(j, "edge-type", "cosine");
    const int64_t order = job_integer(j, "order", 4);
    f->edge = 2.0 / (double)f->side;
    TESS_TRY(job_edge(j, "edge", f->side, &f->edge));
    TESS_CHECK(f->edge >= 0, TESS_EARG, "filter: --edge is %s; 0 or more is allowed", job_text(j, "edge", ""));
    TESS_CHECK(order >= 1 && order <= 64, TESS_EARG, "filter: --order is %lld; 1 to 64 is allowed", (long long)order);
    TESS_CHECK(!job_has(j, "order") || strcmp(type, "butterworth") == 0, TESS_EARG,
               "filter: --order requires --edge-type butterworth, not %s", type);
    TESS_CHECK(!job_has(j, "voltage") || job_has(j, "dose"), TESS_EARG,
               "filter: --voltage requires --dose, which was not given");
    f->edge_type = strcmp(type, "gaussian") == 0      ? TESS_FILTER_GAUSSIAN
                   : strcmp(type, "butterworth") == 0 ? TESS_FILTER_BUTTERWORTH
                                                      : TESS_FILTER_COSINE;
    if (strcmp(type, "hard") == 0) f->edge = 0;
    f->order = (int32_t)order;
    f->voltage = job_number(j, "voltage", 300);
    TESS_CHECK(f->voltage == 300 || f->voltage == 200, TESS_EARG, "filter: --voltage is %s; 300 or 200 is allowed",
               job_text(j, "voltage", ""));
    return TESS_OK;
}

static stage *add_stage(filter_chain *f, stage_kind kind)
{
    stage *s = &f->stages[f->n_stages++];
    s->kind = kind;
    return s;
}

/* In cycles per pixel of w, no more than the highest frequency along an axis. */
static tess_status find_cut(job *j, const filter_chain *f, const char *what, const char *text, double *cut)
{
    quantity q;
    TESS_TRY(parse_quantity(what, OPTION_CUTOFF, text, &q));
    TESS_TRY(to_cycles(what, OPTION_CUTOFF, q, f->pixel_size, f->side, cut));
    if (*cut <= f->highest) return TESS_OK;
    if (f->pixel_size > 0)
        job_note(j, "%s %s lies beyond Nyquist; %.4g A is used", what, text, f->pixel_size / f->highest);
    else job_note(j, "%s %s lies beyond Nyquist; 0.5/px is used", what, text);
    *cut = f->highest;
    return TESS_OK;
}

/* A high-pass and a low-pass that follow each other are one filter. */
static void add_side(filter_chain *f, double cut, bool high)
{
    stage *s = f->n_stages > 0 ? &f->stages[f->n_stages - 1] : NULL;
    if (!s || s->kind != STAGE_PASS || (high ? s->has_low : s->has_high)) s = add_stage(f, STAGE_PASS);
    if (high) s->low = cut, s->has_low = true;
    else s->high = cut, s->has_high = true;
}

static tess_status add_pass(job *j, filter_chain *f, const char *what, const char *text, bool high)
{
    double cut;
    TESS_TRY(find_cut(j, f, what, text, &cut));
    add_side(f, cut, high);
    return TESS_OK;
}

static tess_status add_band(job *j, filter_chain *f, const char *text)
{
    char        first[64];
    double      cuts[2];
    const char *comma = strchr(text, ',');
    TESS_CHECK(comma && (size_t)(comma - text) < sizeof first, TESS_EARG,
               "filter: --bandpass is %s; two resolutions, coarse and fine, are needed: 100,8", text);
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    TESS_TRY(find_cut(j, f, "--bandpass", first, &cuts[0]));
    TESS_TRY(find_cut(j, f, "--bandpass", comma + 1, &cuts[1]));
    TESS_CHECK(cuts[0] != cuts[1], TESS_EARG, "filter: --bandpass is %s; nothing lies between the two", text);
    add_side(f, fmin(cuts[0], cuts[1]), true);
    add_side(f, fmax(cuts[0], cuts[1]), false);
    return TESS_OK;
}

/* The transform of a Gaussian of this sigma, exp(-2 TESS_PI^2 sigma^2 f^2), as a B-factor. */
static tess_status bell_of(const filter_chain *f, const char *what, const char *text, double *bfactor)
{
    quantity q;
    double   sigma;
    TESS_TRY(parse_quantity(what, OPTION_LENGTH, text, &q));
    TESS_TRY(to_pixels(what, q, f->pixel_size, &sigma));
    TESS_CHECK(sigma >= 0, TESS_EARG, "filter: %s is %s; 0 or more is allowed", what, text);
    *bfactor = 8 * TESS_PI * TESS_PI * sigma * sigma;
    return TESS_OK;
}

static tess_status add_gauss(filter_chain *f, const char *text)
{
    return bell_of(f, "--gauss", text, &add_stage(f, STAGE_BELL)->bfactor);
}

static tess_status add_dog(filter_chain *f, const char *text)
{
    char        first[64];
    const char *comma = strchr(text, ',');
    stage      *s = add_stage(f, STAGE_BELLS);
    TESS_CHECK(comma && (size_t)(comma - text) < sizeof first, TESS_EARG,
               "filter: --dog is %s; two sigmas, the smaller one first, are needed: 2,3.2", text);
    (void)snprintf(first, sizeof first, "%.*s", (int)(comma - text), text);
    TESS_TRY(bell_of(f, "--dog", first, &s->bfactor));
    TESS_TRY(bell_of(f, "--dog", comma + 1, &s->other));
    TESS_CHECK(s->other > s->bfactor, TESS_EARG, "filter: --dog is %s; the second sigma must be the larger one", text);
    return TESS_OK;
}

static tess_status need_pixel_size(const filter_chain *f, const char *what)
{
    TESS_CHECK(f->pixel_size > 0, TESS_EARG, "filter: %s needs the pixel size, which is not known; give --apix", what);
    return TESS_OK;
}

static tess_status add_bfactor(filter_chain *f, const char *text)
{
    quantity q;
    TESS_TRY(parse_quantity("--bfactor", OPTION_NUMBER, text, &q));
    TESS_TRY(need_pixel_size(f, "--bfactor"));
    add_stage(f, STAGE_BELL)->bfactor = q.value / (f->pixel_size * f->pixel_size);
    return TESS_OK;
}

/* Numbers as {n,1,1,m}: n rows of m, or n single ones in any order, where n is the number of images, or 1. */
static tess_status take_rows(const filter_chain *f, const char *what, const tess_array *all, bool single,
                             tess_array *rows)
{
    const tess_shape s = all->shape;
    const int64_t    n = s.b * s.d * s.h * (single ? s.w : 1);
    tess_array       shaped;
    TESS_CHECK(tess_dtype_kind(all->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE, "filter: %s has complex numbers", what);
    TESS_CHECK(n == 1 || n == f->images, TESS_ESHAPE,
               "filter: %s has %lld %s; 1 is needed, or one for each of %lld images", what, (long long)n,
               single ? "numbers" : "rows", (long long)f->images);
    TESS_TRY(tess_reshape(&shaped, all, TESS_SHAPE(n, 1, 1, single ? 1 : s.w)));
    TESS_TRY(tess_cast(rows, &shaped, TESS_F64, NULL));
    return move_array(rows, f->device);
}

/* A number that is smaller than 0, or none, would make noise of images. */
static tess_status check_doses(const tess_array *doses)
{
    double least, most;
    char   text[32];
    TESS_TRY(tess_host_minmax(&least, &most, doses));
    TESS_CHECK(least >= 0 && most <= DBL_MAX, TESS_ERANGE, "filter: --dose is %s; 0 or more electrons/A^2 are needed",
               number_text(text, least >= 0 ? most : least));
    return TESS_OK;
}

/* An array, or a text with lines of numbers; a curve may stand in one column. */
static tess_status read_numbers(tess_array *all, stage_kind kind, const char *what, const char *path)
{
    if (!is_number_table(path)) return tess_read(all, path, NULL);
    TESS_TRY(number_table_read(all, what, path));
    const tess_array column = *all;
    if (kind != STAGE_CURVE || column.shape.w > 1) return TESS_OK;
    return tess_reshape(all, &column, TESS_SHAPE(1, 1, 1, column.shape.h));
}

static tess_status add_numbers(filter_chain *f, stage_kind kind, const char *what, const char *text)
{
    tess_array all = { 0 };
    double     number;
    stage     *s = add_stage(f, kind);
    if (kind == STAGE_DOSE) TESS_TRY(need_pixel_size(f, what));
    if (kind == STAGE_DOSE && number_argument(text, &number, &all)) {
        TESS_TRY(check_doses(&all));
        return tess_full(&s->numbers, TESS_SHAPE(1, 1, 1, 1), TESS_F64, f->device, number);
    }
    TESS_TRY(read_numbers(&all, kind, what, text));
    tess_status status = take_rows(f, what, &all, kind == STAGE_DOSE, &s->numbers);
    if (status == TESS_OK && kind == STAGE_DOSE) status = check_doses(&all);
    tess_release(&all);
    return status;
}

/* Shells of tess_whiten have no metric. */
static tess_status add_whiten(filter_chain *f)
{
    const tess_metric *g = &f->metric;
    const bool         cubic = g->dd == 1 && g->hh == 1 && g->ww == 1 && g->dh == 0 && g->dw == 0 && g->hw == 0;
    TESS_CHECK(cubic, TESS_EUNSUPPORTED,
               "filter: --whiten needs equal pixel sizes along all axes, and axes at right angles");
    (void)add_stage(f, STAGE_WHITEN);
    return TESS_OK;
}

static tess_status add_median(filter_chain *f, const char *text)
{
    int64_t n;
    TESS_TRY(parse_integer("--median", text, &n));
    TESS_CHECK(n >= 1 && n % 2 == 1 && n < 100, TESS_EARG, "filter: --median is %s; an odd number of 1 to 99 is needed",
               text);
    add_stage(f, STAGE_MEDIAN)->median = n;
    return TESS_OK;
}

static tess_status add_option(job *j, filter_chain *f, const char *name, const char *value, bool *is_filter)
{
    *is_filter = true;
    if (strcmp(name, "lowpass") == 0) return add_pass(j, f, "--lowpass", value, false);
    if (strcmp(name, "highpass") == 0) return add_pass(j, f, "--highpass", value, true);
    if (strcmp(name, "bandpass") == 0) return add_band(j, f, value);
    if (strcmp(name, "gauss") == 0) return add_gauss(f, value);
    if (strcmp(name, "dog") == 0) return add_dog(f, value);
    if (strcmp(name, "bfactor") == 0) return add_bfactor(f, value);
    if (strcmp(name, "dose") == 0) return add_numbers(f, STAGE_DOSE, "--dose", value);
    if (strcmp(name, "curve") == 0) return add_numbers(f, STAGE_CURVE, "--curve", value);
    if (strcmp(name, "whiten") == 0) return add_whiten(f);
    if (strcmp(name, "median") == 0) return add_median(f, value);
    *is_filter = false;
    return TESS_OK;
}

tess_status filter_chain_add(job *j, filter_chain *f)
{
    const char *name, *value;
    bool        is_filter;
    int         n = 0;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        TESS_CHECK(f->n_stages < MAX_STAGES - 1, TESS_EARG, "filter: more than %d filters", MAX_STAGES - 1);
        TESS_TRY(add_option(j, f, name, value, &is_filter));
        n += is_filter;
    }
    TESS_CHECK(n > 0, TESS_EARG,
               "filter: nothing to do; give --lowpass, --highpass, --bandpass, --gauss, --dog, --bfactor, --dose, "
               "--curve, --whiten or --median");
    return TESS_OK;
}
