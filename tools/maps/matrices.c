/* Affine matrices of z, y, x: lists of them from the command line and from files. */
#include "maps/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/star_file.h"
#include "maps/rotations.h"
#include "measure/number_table.h"

tess_status matrix_list_new(matrix_list *list, int64_t n)
{
    list->at = calloc((size_t)n + 1, sizeof *list->at);
    TESS_CHECK(list->at, TESS_ENOMEM, "no memory for %lld matrices", (long long)n);
    list->n = n;
    return TESS_OK;
}

void matrix_list_free(matrix_list *list)
{
    free(list->at);
    *list = (matrix_list){ 0 };
}

tess_status matrices_array(tess_array *out, const tess_mat34_f64 *matrices, int64_t n, bool volume)
{
    TESS_TRY(tess_empty(out, volume ? TESS_SHAPE(n, 1, 3, 4) : TESS_SHAPE(n, 1, 2, 3), TESS_F64, tess_cpu()));
    double *to = out->data;
    for (int64_t i = 0; i < n; ++i) {
        const double *m = matrices[i].at;
        if (volume) memcpy(to + 12 * i, m, 12 * sizeof *m);
        for (int k = 0; k < 6 && !volume; ++k) to[6 * i + k] = m[(k / 3 + 1) * 4 + k % 3 + 1];
    }
    return TESS_OK;
}

/* ---- Numbers, row after row ---- */

/* A matrix of `columns` columns in x, y, z, or x, y, becomes one of z, y, x. */
static tess_mat34_f64 from_xyz(const double *rows, int columns, bool volume)
{
    const int      n = volume ? 3 : 2;
    tess_mat34_f64 m = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 } };
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) m.at[(2 - i) * 4 + 2 - k] = rows[i * columns + k];
        if (columns > n) m.at[(2 - i) * 4 + 3] = rows[i * columns + n];
    }
    return m;
}

/* Columns of a matrix of so many numbers; 0 if there is none. */
static int columns_of(int64_t count, bool volume)
{
    const int n = volume ? 3 : 2;
    if (count == n * n) return n;
    return count == n * (n + 1) || count == (n + 1) * (n + 1) ? n + 1 : 0;
}

static tess_status list_of_rows(matrix_list *list, const char *what, const double *numbers, int64_t rows, int64_t width,
                                bool volume)
{
    const bool    is_one = columns_of(width, volume) == 0; /* the lines are those of one matrix */
    const int64_t count = is_one ? rows * width : width, n = is_one ? 1 : rows;
    const int     columns = columns_of(count, volume);
    TESS_CHECK(columns > 0 && (!is_one || rows == 1 || width == columns), TESS_ESHAPE,
               "%s: %lld lines of %lld numbers are not a matrix for %s", what, (long long)rows, (long long)width,
               volume ? "volumes; expected 3 x 3, 3 x 4 or 4 x 4, or 9, 12 or 16 numbers per line"
                      : "images; expected 2 x 2, 2 x 3 or 3 x 3, or 4, 6 or 9 numbers per line");
    for (int64_t i = 0; i < n * count; ++i)
        TESS_CHECK(isfinite(numbers[i]), TESS_ERANGE, "%s has %g; all numbers must be finite", what, numbers[i]);
    TESS_TRY(matrix_list_new(list, n));
    for (int64_t i = 0; i < n; ++i) list->at[i] = from_xyz(numbers + i * count, columns, volume);
    return TESS_OK;
}

static tess_status list_of_text(matrix_list *list, const char *what, const char *text, bool volume)
{
    double      numbers[17];
    int         n = 0;
    const char *at = text;
    for (char *end; n < 17; at = end + 1) {
        numbers[n++] = strtod(at, &end);
        TESS_CHECK(end != at && (*end == ',' || !*end), TESS_EARG,
                   "%s is \"%s\"; expected comma-separated numbers, or a .txt, .tsv, .csv or .dat file", what, text);
        if (!*end) break;
    }
    return list_of_rows(list, what, numbers, 1, n, volume);
}

tess_status matrix_list_of_numbers(matrix_list *list, const char *what, const char *text, bool volume)
{
    tess_array rows = { 0 };
    if (!is_number_table(text)) return list_of_text(list, what, text, volume);
    TESS_TRY(number_table_read(&rows, what, text));
    const tess_status status = list_of_rows(list, what, rows.data, rows.shape.h, rows.shape.w, volume);
    tess_release(&rows);
    return status;
}

/* ---- .xf ---- */

tess_status matrix_list_of_xf(matrix_list *list, const char *path)
{
    tess_array lines = { 0 };
    TESS_TRY(tess_xf_read(&lines, path, 0));
    tess_status status = matrix_list_new(list, lines.shape.b);
    for (int64_t i = 0; i < lines.shape.b && status == TESS_OK; ++i) {
        const double        *m = ((const tess_mat23_f64 *)lines.data)[i].at;
        const tess_mat34_f64 one = { { 1, 0, 0, 0, 0, m[0], m[1], m[2], 0, m[3], m[4], m[5] } };
        list->at[i] = one;
    }
    tess_release(&lines);
    return status;
}

/* ---- STAR ---- */

/* rlnOriginXAngst, or rlnOriginX, in pixels; 0 if the table has neither. */
static tess_status read_origin(double *pixels, const tess_star_table *rows, int64_t row, char axis, double pixel_size)
{
    char angstrom[24], plain[16];
    (void)snprintf(angstrom, sizeof angstrom, "rlnOrigin%cAngst", axis);
    (void)snprintf(plain, sizeof plain, "rlnOrigin%c", axis);
    *pixels = 0;
    if (tess_star_column(rows, angstrom) >= 0) {
        TESS_TRY(tess_star_get_f64(pixels, rows, row, angstrom));
        TESS_CHECK(pixel_size > 0, TESS_EARG, "--star: %s is in \xc3\x85, but the pixel size is unknown; give --apix",
                   angstrom);
        *pixels /= pixel_size;
    } else if (tess_star_column(rows, plain) >= 0) TESS_TRY(tess_star_get_f64(pixels, rows, row, plain));
    return TESS_OK;
}

static tess_status read_row(tess_mat34_f64 *m, const tess_star_table *rows, int64_t row, bool volume, double pixel_size)
{
    static const char *const labels[] = { "rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi" };
    double                   degrees[3] = { 0 };
    tess_vec3_f64            shift = { { 0 } };
    tess_mat33_f64           view;
    for (int i = volume ? 0 : 2; i < 3; ++i) TESS_TRY(tess_star_get_f64(&degrees[i], rows, row, labels[i]));
    for (int i = volume ? 0 : 1; i < 3; ++i) TESS_TRY(read_origin(&shift.at[i], rows, row, "ZYX"[i], pixel_size));
    for (int i = 0; i < 3; ++i)
        TESS_CHECK(isfinite(degrees[i]) && isfinite(shift.at[i]), TESS_ERANGE,
                   "--star: angles and origins must be finite; those of row %lld are not", (long long)row);
    TESS_TRY(rotation_of_angles(&view, "--star", degrees, "relion"));
    const tess_mat33_f64 turn = tess_mat33_transpose_f64(view);
    *m = tess_mat34_of_f64(turn, tess_mat33_apply_f64(turn, shift));
    return TESS_OK;
}

/* The first table that has the angle of images. */
static tess_status find_rows(const tess_star_table **rows, const tess_star *star, const char *path)
{
    *rows = NULL;
    for (int64_t i = 0; i < tess_star_count(star) && !*rows; ++i)
        if (tess_star_column(tess_star_at(star, i), "rlnAnglePsi") >= 0) *rows = tess_star_at(star, i);
    TESS_CHECK(*rows, TESS_EFORMAT, "--star: no table of %s has a column rlnAnglePsi", path);
    return TESS_OK;
}

tess_status matrix_list_of_star(matrix_list *list, const char *path, bool volume, double pixel_size)
{
    tess_star             *star = NULL;
    const tess_star_table *rows;
    tess_status            status;
    TESS_TRY(tess_star_read_relion(&star, path));
    TESS_GOTO(done, status, find_rows(&rows, star, path));
    TESS_GOTO(done, status, matrix_list_new(list, tess_star_rows(rows)));
    for (int64_t i = 0; i < list->n; ++i) TESS_GOTO(done, status, read_row(&list->at[i], rows, i, volume, pixel_size));
done:
    tess_star_free(star);
    return status;
}

/* ---- One matrix per image ---- */

tess_status matrix_list_fit(matrix_list *list, const input *in, const char *what)
{
    const int64_t images = in->info.shape.b;
    if (list->n == 1 || list->n == images) return TESS_OK;
    bool chosen = in->chosen && in->n_chosen == images;
    for (int64_t i = 0; i < images && chosen; ++i) chosen = in->chosen[i] < list->n;
    TESS_CHECK(chosen, TESS_ESHAPE, "%s has %lld matrices; expected 1, or one for each of %lld %s", what,
               (long long)list->n, (long long)images, in->info.shape.d > 1 ? "volumes" : "images");
    matrix_list some = { 0 };
    TESS_TRY(matrix_list_new(&some, images));
    for (int64_t i = 0; i < images; ++i) some.at[i] = list->at[in->chosen[i]];
    matrix_list_free(list);
    *list = some;
    return TESS_OK;
}
