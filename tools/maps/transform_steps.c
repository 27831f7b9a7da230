/* Moves by options, as matrices that are multiplied. */
#include "maps/transform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/units.h"
#include "maps/rotations.h"

static void then(transform *t, tess_mat34_f64 move)
{
    for (int64_t i = 0; i < t->moves.n; ++i) t->moves.at[i] = tess_mat34_mul_f64(move, t->moves.at[i]);
}

static void then_linear(transform *t, tess_mat33_f64 move)
{
    then(t, tess_mat34_of_f64(move, (tess_vec3_f64){ { 0 } }));
}

/* One for all, or one for each. */
static tess_status then_each(transform *t, const matrix_list *steps)
{
    if (steps->n > t->moves.n) {
        matrix_list all = { 0 };
        TESS_TRY(matrix_list_new(&all, steps->n));
        for (int64_t i = 0; i < all.n; ++i) all.at[i] = t->moves.at[0];
        matrix_list_free(&t->moves);
        t->moves = all;
    }
    for (int64_t i = 0; i < t->moves.n; ++i)
        t->moves.at[i] = tess_mat34_mul_f64(steps->at[steps->n > 1 ? i : 0], t->moves.at[i]);
    return TESS_OK;
}

/* A rotation is one of lengths: where pixel sizes differ between axes, pixels are converted to lengths and back. */
static void then_turn(transform *t, tess_mat33_f64 turn)
{
    const double *size = t->pixel_size;
    for (int i = 0; i < 9; ++i) {
        const double from = size[i % 3], to = size[i / 3];
        if (from > 0 && to > 0 && fabs(from / to - 1) > 1e-6) turn.at[i] *= from / to;
    }
    then_linear(t, turn);
}

static tess_status add_rotation(const job *j, transform *t, const char *name, const char *text)
{
    tess_mat33_f64 turn;
    char           what[16];
    const bool     euler = strcmp(name, "euler") == 0, about_z = strcmp(name, "rotate") == 0;
    (void)snprintf(what, sizeof what, "--%s", name);
    TESS_CHECK(t->volume || about_z, TESS_EARG, "transform: %s applies to volumes; use --rotate for images", what);
    if (euler) TESS_TRY(rotation_of_euler(&turn, j, what, text));
    else TESS_TRY(rotation_about(&turn, what, text, about_z ? 'z' : name[7]));
    then_turn(t, turn);
    return TESS_OK;
}

static tess_status add_shift(transform *t, const char *text)
{
    quantity      q[3];
    int           n;
    const int     axes = t->volume ? 3 : 2;
    tess_vec3_f64 shift = { { 0 } };
    TESS_TRY(parse_lengths("--shift", text, q, &n));
    TESS_CHECK(n == axes, TESS_EARG, "transform: --shift is \"%s\"; expected %s for %s", text,
               axes == 3 ? "three lengths x,y,z" : "two lengths x,y", axes == 3 ? "volumes" : "images");
    for (int i = 0; i < n; ++i) TESS_TRY(to_pixels("--shift", q[i], t->pixel_size[2 - i], &shift.at[2 - i]));
    then(t, tess_translate_3d_f64(shift));
    return TESS_OK;
}

static tess_status add_scale(transform *t, const char *text)
{
    quantity q;
    TESS_TRY(parse_quantity("--scale", OPTION_NUMBER, text, &q));
    TESS_CHECK(q.value >= 1e-6 && q.value <= 1e6, TESS_ERANGE, "transform: --scale is %s; expected 1e-6 to 1e6", text);
    then_linear(t, tess_scale_3d_f64((tess_vec3_f64){ { t->volume ? q.value : 1, q.value, q.value } }));
    for (int i = 0; i < 3; ++i) t->pixel_size[i] /= q.value;
    t->scale *= q.value;
    return TESS_OK;
}

/* Lines of .xf files are about the middle of the image, (n - 1) / 2. */
static void put_about_middle(const transform *t, tess_shape shape, matrix_list *lines)
{
    const tess_vec3_f64 to = { { 0, (double)(shape.h - 1) / 2 - t->centre.at[1],
                                 (double)(shape.w - 1) / 2 - t->centre.at[2] } };
    const tess_vec3_f64 back = { { -to.at[0], -to.at[1], -to.at[2] } };
    for (int64_t i = 0; i < lines->n; ++i)
        lines->at[i] = tess_mat34_mul_f64(tess_translate_3d_f64(to),
                                          tess_mat34_mul_f64(lines->at[i], tess_translate_3d_f64(back)));
}

static tess_status add_matrices(transform *t, const input *in, const char *name, const char *text)
{
    matrix_list list = { 0 };
    char        what[16];
    tess_status status;
    (void)snprintf(what, sizeof what, "--%s", name);
    const bool xf = strcmp(name, "xf") == 0;
    TESS_CHECK(!xf || !t->volume, TESS_EARG,
               "transform: --xf applies to images; %s has volumes; give --as stack to read it as images", in->name);
    if (xf) TESS_GOTO(done, status, matrix_list_of_xf(&list, text));
    else if (strcmp(name, "star") == 0)
        TESS_GOTO(done, status, matrix_list_of_star(&list, text, t->volume, t->pixel_size[2]));
    else TESS_GOTO(done, status, matrix_list_of_numbers(&list, what, text, t->volume));
    TESS_GOTO(done, status, matrix_list_fit(&list, in, what));
    if (xf) put_about_middle(t, in->info.shape, &list);
    TESS_GOTO(done, status, then_each(t, &list));
done:
    matrix_list_free(&list);
    return status;
}

static tess_status add_step(const job *j, transform *t, const input *in, const char *name, const char *value, int *n)
{
    ++*n;
    if (strncmp(name, "rotate", 6) == 0 || strcmp(name, "euler") == 0) return add_rotation(j, t, name, value);
    if (strcmp(name, "shift") == 0) return add_shift(t, value);
    if (strcmp(name, "scale") == 0) return add_scale(t, value);
    if (strcmp(name, "matrix") == 0 || strcmp(name, "xf") == 0 || strcmp(name, "star") == 0)
        return add_matrices(t, in, name, value);
    --*n;
    return TESS_OK;
}

tess_status transform_add_steps(const job *j, transform *t, const input *in)
{
    const char *name, *value;
    int         n = 0;
    TESS_TRY(matrix_list_new(&t->moves, 1));
    t->moves.at[0] = tess_translate_3d_f64((tess_vec3_f64){ { 0 } });
    for (int i = 0; job_option(j, i, &name, &value); ++i) TESS_TRY(add_step(j, t, in, name, value, &n));
    TESS_CHECK(n > 0 || job_has(j, "like"), TESS_EARG,
               "transform: nothing to do; give --rotate, --rotate-x, --rotate-y, --euler, --shift, --scale, --matrix, "
               "--xf, --star or --like");
    TESS_CHECK(!job_has(j, "convention") || job_has(j, "euler"), TESS_EARG,
               "transform: --convention requires --euler, which was not given");
    return TESS_OK;
}
