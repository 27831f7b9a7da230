/* Lists of images and sections: "0-9,12,20-" with both ends in it, or as in NumPy "::2", "10:20", "-1". */
#include "command/slices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FORM "expected a list such as 0-9,12,20-, or slices as in NumPy: 10:20, ::2, -1"

/* One part of the list, as written: indices from..to, both in it. */
typedef struct range {
    int64_t from, to, step;
    bool    to_end;   /* no upper end */
    bool    from_end; /* no lower end: of a slice with a negative step */
    bool    is_slice; /* NumPy: `to` is not in it, negative numbers count from the end */
} range;

static bool read_number(const char **at, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*at, &end, 10);
    if (end == *at || errno) return false;
    *at = end;
    return true;
}

static bool is_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

/* What follows the first number of a slice, from its colon on. */
static bool read_slice(const char **at, range *r)
{
    r->is_slice = true;
    r->to_end = true;
    ++*at;
    if (is_number(**at)) {
        if (!read_number(at, &r->to)) return false;
        r->to_end = false;
    }
    if (**at != ':') return true;
    ++*at;
    return !is_number(**at) || (read_number(at, &r->step) && r->step != 0 && r->step > INT64_MIN);
}

static bool read_range(const char **at, range *r)
{
    *r = (range){ .step = 1, .from_end = true };
    if (**at == ':') return read_slice(at, r);
    if (!is_number(**at) || !read_number(at, &r->from)) return false;
    r->from_end = false;
    if (**at == ':') return read_slice(at, r);
    r->to = r->from;
    if (**at != '-' || r->from < 0) return true;
    ++*at;
    r->to_end = **at < '0' || **at > '9';
    return r->to_end || read_number(at, &r->to);
}

/* The next part of the list, and the comma after it. */
static tess_status next_range(const char *what, const char *text, const char **at, range *r)
{
    TESS_CHECK(read_range(at, r) && (!**at || (**at == ',' && (*at)[1])), TESS_EARG, "%s is \"%s\"; " FORM, what, text);
    TESS_CHECK(r->is_slice || r->to_end || r->to >= r->from, TESS_EARG, "%s is \"%s\"; %" PRId64 " exceeds %" PRId64,
               what, text, r->from, r->to);
    if (**at) ++*at;
    return TESS_OK;
}

tess_status slices_check(const char *what, const char *text)
{
    range       r;
    const char *at = text;
    do TESS_TRY(next_range(what, text, &at, &r));
    while (*at);
    return TESS_OK;
}

static int64_t within(int64_t x, int64_t min, int64_t max) { return x < min ? min : x > max ? max : x; }

/* Make indices from 0 on of it: first, number and step. */
static tess_status place_slice(const char *what, const char *text, const range *r, int64_t n, int64_t *from,
                               int64_t *count)
{
    const bool    down = r->step < 0;
    const int64_t lowest = down ? -1 : 0, highest = down ? n - 1 : n;
    int64_t       to = r->to_end ? (down ? -1 : n) : within(r->to < 0 ? r->to + n : r->to, lowest, highest);
    *from = r->from_end ? (down ? n - 1 : 0) : within(r->from < 0 ? r->from + n : r->from, lowest, highest);
    const int64_t span = down ? *from - to : to - *from, step = down ? -r->step : r->step;
    *count = span > 0 ? 1 + (span - 1) / step : 0;
    TESS_CHECK(*count > 0, TESS_ERANGE, "%s is \"%s\"; it selects none of %" PRId64, what, text, n);
    return TESS_OK;
}

static tess_status place_range(const char *what, const char *text, const range *r, int64_t n, int first, int64_t *from,
                               int64_t *count)
{
    TESS_CHECK(!r->is_slice || first == 0, TESS_EARG,
               "%s is \"%s\"; slices with ':' count from 0 and cannot be combined with --from-one", what, text);
    if (r->is_slice) return place_slice(what, text, r, n, from, count);
    *from = r->from < 0 ? r->from + n : r->from - first;
    const int64_t to = r->to_end ? n - 1 : r->from < 0 ? *from : r->to - first;
    const int64_t wrong = *from < 0 || *from >= n ? r->from : r->to;
    TESS_CHECK(*from >= 0 && *from < n && to < n, TESS_ERANGE,
               "%s is \"%s\"; %" PRId64 " is out of range: %d to %" PRId64 " are allowed", what, text, wrong, first,
               n - 1 + first);
    *count = to - *from + 1;
    return TESS_OK;
}

tess_status slices_parse(const char *what, const char *text, int64_t n, int first, int64_t **chosen, int64_t *n_chosen)
{
    *chosen = NULL;
    *n_chosen = 0;
    const char *at = text;
    tess_status status = TESS_OK;
    do {
        range   r;
        int64_t from, count;
        TESS_GOTO(failed, status, next_range(what, text, &at, &r));
        TESS_GOTO(failed, status, place_range(what, text, &r, n, first, &from, &count));
        int64_t *more = realloc(*chosen, (size_t)(*n_chosen + count) * sizeof **chosen);
        if (!more) {
            free(*chosen);
            *chosen = NULL;
            TESS_FAIL(TESS_ENOMEM, "%s is \"%s\"; no memory for that many", what, text);
        }
        *chosen = more;
        for (int64_t i = 0; i < count; i++) more[(*n_chosen)++] = from + i * r.step;
    } while (*at);
    return TESS_OK;
failed:
    free(*chosen);
    *chosen = NULL;
    return status;
}
