/* Slices of axes: NumPy's rules for indices, steps and ends, and its notation. */
#include "core/array/region.h"

#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/minmax.h"

/* First index and number of indices of from:to:step in an axis of n. With a negative step the end may be before 0. */
static void resolve_range(int64_t n, tess_range range, int64_t *first, int64_t *count)
{
    const bool    back = range.step < 0;
    const int64_t min = back ? -1 : 0, max = back ? n - 1 : n;
    int64_t       from = range.from, to = range.to;
    if (from == TESS_NONE) from = back ? n - 1 : 0;
    else if (from < 0) from = from < -n ? min : tess__clamp(from + n, min, max);
    if (to == TESS_NONE) to = back ? -1 : n;
    else if (to < 0) to = to < -n ? min : tess__clamp(to + n, min, max);
    from = tess__clamp(from, min, max);
    to = tess__clamp(to, min, max);
    const uint64_t reach = back ? (uint64_t)(from - to) : (uint64_t)(to - from);
    const uint64_t step = back ? -(uint64_t)range.step : (uint64_t)range.step;
    const bool     some = back ? from > to : to > from;
    *first = some ? from : 0;
    *count = some ? (int64_t)((reach - 1) / step + 1) : 0;
}

tess_status tess__find_range(const char *fn, int axis, int64_t n, tess_range range, int64_t *first, int64_t *count,
                             int64_t *step)
{
    static const char *const names[4] = { "b", "d", "h", "w" };
    TESS_CHECK(range.kind >= TESS_RANGE_ALL && range.kind <= TESS_RANGE_INDEX && range.reserved == 0, TESS_EARG,
               "%s: the range of axis %s has kind %" PRId32 " and reserved %" PRIu32
               "; make it with `tess_from_to` or `tess_only`",
               fn, names[axis], range.kind, range.reserved);
    TESS_CHECK(range.kind != TESS_RANGE_ALL || !(range.from | range.to | range.step), TESS_EARG,
               "%s: the range of axis %s has numbers, but kind 0 means all; make it with `tess_from_to` or `tess_only`",
               fn, names[axis]);
    *first = 0;
    *step = 1;
    *count = n;
    if (range.kind == TESS_RANGE_ALL) return TESS_OK;
    if (range.kind == TESS_RANGE_INDEX) {
        *first = range.from;
        *count = 1;
        TESS_TRY(tess__check_index(fn, names[axis], axis, n, first));
        return TESS_OK;
    }
    TESS_CHECK(range.step != 0, TESS_EARG, "%s: the step of axis %s is 0; a positive or negative step is needed", fn,
               names[axis]);
    resolve_range(n, range, first, count);
    *step = *count > 1 ? range.step : 1; /* one index: a huge step must not overflow the stride */
    return TESS_OK;
}

tess_status tess__take_range(const char *fn, tess_array *view, int axis, tess_range range)
{
    const int64_t stride = view->strides.dim[axis];
    int64_t       first = 0, count = 0, step = 1;
    TESS_TRY(tess__find_range(fn, axis, view->shape.dim[axis], range, &first, &count, &step));
    if (!tess_is_empty(view)) view->data = (char *)view->data + first * stride * tess__dtype_size(view->dtype);
    view->shape.dim[axis] = count;
    view->strides.dim[axis] = stride * step;
    return TESS_OK;
}

/* ---- Text ---- */

typedef struct cursor {
    const char *text; /* all of it, for messages */
    const char *at;
} cursor;

static void skip_space(cursor *c)
{
    while (*c->at == ' ' || *c->at == '\t') c->at++;
}

/* Column of the cursor in the text, from 1. */
static int column(const cursor *c) { return (int)(c->at - c->text) + 1; }

/* An integer, or nothing: then `*found` is false. */
static tess_status parse_number(cursor *c, int64_t *value, bool *found)
{
    skip_space(c);
    const bool negative = *c->at == '-';
    const bool sign = negative || *c->at == '+';
    *found = false;
    *value = 0;
    if (sign) c->at++;
    while (*c->at >= '0' && *c->at <= '9') {
        *found = true;
        /* Beyond what an int64 holds: the largest, which a range clamps and an index check rejects. */
        if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *c->at - '0', value))
            *value = INT64_MAX;
        c->at++;
    }
    TESS_CHECK(*found || !sign, TESS_EPARSE, "subregion_text: expected a digit at column %d of \"%.60s\"", column(c),
               c->text);
    if (negative) *value = -*value;
    skip_space(c);
    return TESS_OK;
}

/* "i", ":", "from:to", "from:to:step". */
static tess_status parse_range(cursor *c, tess_range *range)
{
    int64_t part[3] = { TESS_NONE, TESS_NONE, 1 }, value;
    bool    found;
    int     colons = 0;
    TESS_TRY(parse_number(c, &value, &found));
    if (found) part[0] = value;
    if (*c->at != ':') {
        TESS_CHECK(found, TESS_EPARSE, "subregion_text: expected an index or a range at column %d of \"%.60s\"",
                   column(c), c->text);
        *range = tess_only(value);
        return TESS_OK;
    }
    while (*c->at == ':') {
        TESS_CHECK(colons < 2, TESS_EPARSE,
                   "subregion_text: a third ':' at column %d of \"%.60s\"; a range is from:to:step", column(c),
                   c->text);
        c->at++;
        colons++;
        TESS_TRY(parse_number(c, &value, &found));
        if (found) part[colons] = value;
    }
    *range = tess_from_to_step(part[0], part[1], part[2]);
    return TESS_OK;
}

tess_status tess__parse_ranges(const char *text, tess_range ranges[4])
{
    tess_range parts[4];
    int        n = 0, dots = -1; /* where "..." stands among the parts */
    cursor     c = { text, text };
    memset(ranges, 0, 4 * sizeof *ranges);
    for (;;) {
        skip_space(&c);
        if (*c.at == '\0' && (n > 0 || dots >= 0)) break; /* a comma at the end, as Python allows */
        if (strncmp(c.at, "...", 3) == 0) {
            TESS_CHECK(dots < 0, TESS_EPARSE,
                       "subregion_text: a second \"...\" at column %d of \"%.60s\"; only one is allowed", column(&c),
                       text);
            dots = n;
            c.at += 3;
        } else {
            TESS_CHECK(n < 4, TESS_EPARSE,
                       "subregion_text: a fifth axis at column %d of \"%.60s\"; at most four are allowed", column(&c),
                       text);
            TESS_TRY(parse_range(&c, &parts[n++]));
        }
        skip_space(&c);
        if (*c.at == '\0') break;
        TESS_CHECK(*c.at == ',', TESS_EPARSE, "subregion_text: '%c' at column %d of \"%.60s\"; expected ',' or the end",
                   *c.at, column(&c), text);
        c.at++;
    }
    const int before = dots < 0 ? n : dots, after = n - before;
    for (int k = 0; k < before; k++) ranges[k] = parts[k];
    for (int k = 0; k < after; k++) ranges[4 - after + k] = parts[before + k];
    return TESS_OK;
}
