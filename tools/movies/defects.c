/* Defects of a camera: boxes listed in a text file become an image that is 1 inside them. */
#include "movies/defects.h"

#include <string.h>

#include "measure/columns.h"

static tess_status mark_box(tess_array *bad, const char *name, const double box[4])
{
    const tess_shape s = bad->shape;
    const bool good = box[0] >= 0 && box[1] >= 0 && box[2] >= 1 && box[3] >= 1 && box[0] + box[2] <= (double)s.w &&
                      box[1] + box[3] <= (double)s.h;
    tess_array part;
    TESS_CHECK(good, TESS_EFORMAT,
               "motion: %s has a box of %g x %g pixels at %g, %g; it must lie within the %lld x %lld pixels of a frame",
               name, box[2], box[3], box[0], box[1], (long long)s.w, (long long)s.h);
    const int64_t     x = (int64_t)box[0], y = (int64_t)box[1];
    const tess_region region = { .h = tess_from_to(y, y + (int64_t)box[3]), .w = tess_from_to(x, x + (int64_t)box[2]) };
    TESS_TRY(tess_subregion(&part, bad, region));
    return tess_fill(&part, 1);
}

static tess_status check_boxes(const columns *c, const char *name)
{
    TESS_CHECK(c->n == 4 && c->n_words == 0, TESS_EFORMAT,
               "motion: %s has %d columns; expected the numbers x y width height", name, c->n);
    return TESS_OK;
}

static tess_status read_boxes(tess_array *bad, const char *name)
{
    columns     c = { 0 };
    tess_status status;
    TESS_TRY(columns_read(&c, name));
    status = check_boxes(&c, name);
    for (int64_t i = 0; i < c.n_rows && status == TESS_OK; ++i) {
        const double box[4] = { c.values[0][i], c.values[1][i], c.values[2][i], c.values[3][i] };
        status = mark_box(bad, name, box);
    }
    columns_free(&c);
    return status;
}

static bool is_text(const char *name)
{
    const char *const endings[] = { ".txt", ".tsv", ".csv" };
    const size_t      n = strlen(name);
    for (int k = 0; k < 3; ++k)
        if (n > 4 && strcmp(name + n - 4, endings[k]) == 0) return true;
    return false;
}

tess_status defects_open(defects *d, job *j, tess_shape frame, const tess_source **source)
{
    const char *name = job_text(j, "defects", NULL);
    if (!name) return TESS_OK;
    if (!is_text(name)) {
        TESS_TRY(input_open_beside(&d->file, j, name, NEED_IMAGES, false));
        *source = input_source(&d->file);
        return TESS_OK;
    }
    TESS_TRY(tess_zeros(&d->boxes, TESS_SHAPE(1, 1, frame.h, frame.w), TESS_U8, tess_cpu()));
    TESS_TRY(read_boxes(&d->boxes, name));
    TESS_TRY(tess_source_array(&d->made, &d->boxes, name, NULL));
    *source = &d->made;
    return TESS_OK;
}

void defects_close(defects *d)
{
    input_close(&d->file);
    tess_release(&d->boxes);
}
