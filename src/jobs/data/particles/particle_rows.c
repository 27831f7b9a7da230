/* Tables with a row for each particle: poses, CTFs and half sets, as arrays of a caller's. */
#include "jobs/data/particles/particle_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jobs/run/context.h"
#include "tessera/constants.h"
#include "tessera/ctf.h"
#include "tessera/ewise.h"

static const char *columns_text(char text[64], const tess__rows_wanted *w)
{
    if (w->least == w->most) (void)snprintf(text, 64, "k = %lld", (long long)w->least);
    else (void)snprintf(text, 64, "k from %lld to %lld", (long long)w->least, (long long)w->most);
    return text;
}

static tess_status check_shape(const tess_array *table, const tess__rows_wanted *w)
{
    const tess_shape s = table->shape;
    const bool       is_flat = s.d == 1 && (s.b == 1 || s.h == 1);
    char             columns[64];
    TESS_CHECK(table->data || table->buffer, TESS_EARG, "%s: `%s` is zeroed; an allocated array is expected", w->fn,
               w->name);
    TESS_CHECK(tess_dtype_kind(table->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` has complex numbers; real numbers are needed", w->fn, w->name);
    TESS_CHECK(is_flat && s.b * s.h == w->n && s.w >= w->least && s.w <= w->most, TESS_ESHAPE,
               "%s: `%s` has the shape {%lld,%lld,%lld,%lld}; {n,1,1,k} or {1,1,n,k} with n = %lld, one row per image, "
               "and %s is expected",
               w->fn, w->name, (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w, (long long)w->n,
               columns_text(columns, w));
    return TESS_OK;
}

/* A table of one column may lie in a row, {1,1,1,n}. */
static tess_array in_rows(const tess_array *table, const tess__rows_wanted *w)
{
    tess_array       rows = *table;
    const tess_shape s = table->shape;
    if (w->most != 1 || s.b * s.d * s.h != 1 || s.w != w->n) return rows;
    rows.shape = TESS_SHAPE(1, 1, w->n, 1);
    rows.strides = TESS_STRIDES(0, 0, table->strides.w, 0);
    return rows;
}

/* Only rotations have four columns. */
static tess_status check_quaternions(const tess_array *rows, const tess__rows_wanted *w)
{
    const double *q = rows->data;
    for (int64_t i = 0; w->least == 4 && w->most == 4 && i < w->n; i++, q += 4)
        TESS_CHECK(q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0, TESS_EARG,
                   "%s: row %lld of `%s` is (0, 0, 0, 0); a non-zero quaternion is expected", w->fn, (long long)i,
                   w->name);
    return TESS_OK;
}

tess_status tess__particle_rows(tess_array *out, const tess_array *table, const tess__rows_wanted *w)
{
    if (!table) return TESS_OK;
    const tess_array given = in_rows(table, w);
    TESS_TRY(check_shape(&given, w));
    const int64_t columns = given.shape.w;
    TESS_TRY(tess_cast(out, &given, TESS_F64, NULL));
    TESS_TRY(tess__move(out, tess_cpu()));
    for (int64_t i = 0; i < w->n * columns; i++)
        TESS_CHECK(isfinite(((const double *)out->data)[i]), TESS_EARG,
                   "%s: row %lld of `%s` has %g; finite numbers are expected", w->fn, (long long)(i / columns), w->name,
                   ((const double *)out->data)[i]);
    TESS_TRY(check_quaternions(out, w));
    tess_array        rows;
    const tess_status status = tess_reshape(&rows, out, TESS_SHAPE(w->n, 1, 1, columns));
    if (status == TESS_OK) out->shape = rows.shape, out->strides = rows.strides;
    return status;
}

tess_status tess__check_quaternions(const char *fn, const char *name, const tess_array *rows)
{
    for (int64_t i = 0; rows->data && i < rows->shape.b; i++) {
        const double *q = (const double *)rows->data + 4 * i;
        const double  length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        TESS_CHECK(fabs(length - 1) < 1e-3, TESS_ERANGE,
                   "%s: row %lld of `%s` is a quaternion of length %g; 1 is expected", fn, (long long)i, name, length);
    }
    return TESS_OK;
}

const tess_array *tess__rows_part(tess_array *part, const tess_array *rows, int64_t first, int64_t n)
{
    if (!rows->data) return NULL;
    *part = *rows;
    part->data = (double *)rows->data + first * rows->shape.w;
    part->shape.b = n;
    return part;
}

const tess_array *tess__even_ctfs(tess_array *part, const tess_array *ctfs, int64_t first, int64_t n)
{
    if (!tess__rows_part(part, ctfs, first, n)) return NULL;
    if (part->shape.w > TESS_CTF_EVEN_COLUMNS) part->shape.w = TESS_CTF_EVEN_COLUMNS;
    return part;
}

/* The phase of beam tilt is that of the product of Cs and tilt: of a small Cs and a large tilt nothing else is left, if
 * the CTF is 1 without it. */
static tess_ctf only_odd_phases(const tess_ctf *ctf)
{
    const double small = 1e-6, ratio = ctf->cs / small, quarter_turn = TESS_PI / 2;
    return (tess_ctf){ .pixel_size = { ctf->pixel_size[0], ctf->pixel_size[1] },
                       .voltage = ctf->voltage,
                       .cs = small,
                       .phase_shift = quarter_turn,
                       .tilt = { ctf->tilt[0] * ratio, ctf->tilt[1] * ratio },
                       .trefoil = ctf->trefoil,
                       .trefoil_angle = ctf->trefoil_angle };
}

tess_status tess__tilts_of_ctfs(tess_array *tilts, const tess_array *ctfs)
{
    const int64_t n = ctfs->shape.b, columns = ctfs->shape.w;
    bool          tilted = false;
    if (!ctfs->data || columns <= TESS_CTF_EVEN_COLUMNS) return TESS_OK;
    TESS_TRY(tess_empty(tilts, TESS_SHAPE(n, 1, 1, TESS_CTF_COLUMNS), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        tess_ctf ctf = { .voltage = 0 };
        memcpy(&ctf, (const double *)ctfs->data + i * columns, sizeof(double) * (size_t)columns);
        ((tess_ctf *)tilts->data)[i] = only_odd_phases(&ctf);
        tilted = tilted || ctf.tilt[0] != 0 || ctf.tilt[1] != 0 || ctf.trefoil != 0;
    }
    if (!tilted) tess_release(tilts);
    return TESS_OK;
}

tess_status tess__rows_of_half(tess_array *numbers, const tess_array *halves, int half, int64_t first, int64_t n)
{
    TESS_TRY(tess_empty(numbers, TESS_SHAPE(1, 1, 1, n), TESS_I64, tess_cpu()));
    int64_t *to = numbers->data, count = 0;
    for (int64_t i = 0; i < n; i++)
        if (((const double *)halves->data)[first + i] == half) to[count++] = i;
    numbers->shape.w = count;
    return TESS_OK;
}
