/* Point groups: the rotations of a name, the closure of generators by products, and tests for a group. */
#include "tessera/symmetry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "ops/geometry/symmetry/symmetry.h"
#include "formulas/geometry/rotation.op.h"

static const tess_choice dtypes[] = {
    { "f32", TESS_F32, "single precision" },
    { "f64", TESS_F64, "double precision" },
    { NULL, 0, NULL },
};
static const tess_arg_info order_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "order", "number of rotations, including the identity"),
    TESS__NEED(TESS_ARG_TEXT, "name", "name of the group: C<n>, D<n>, T, O, I1 or I2", .sample = "d3"),
};
static const tess_arg_info matrices_args[] = {
    TESS__OUT("out", "rotations {n,1,3,3}, the identity first", .axes = "n,1,3,3|n,1,2,2"),
    TESS__NEED(TESS_ARG_TEXT, "name", "name of the group: C<n>, D<n>, T, O, I1 or I2", .sample = "d3"),
    TESS__FLAG(tess_symmetry_opts, images, "write 2 x 2 matrices for images; C<n> and D<n> only"),
    TESS__OPT_CHOICE(tess_symmetry_opts, dtype, TESS_F64, dtypes, "dtype of a newly allocated output"),
};
static const tess_arg_info close_args[] = {
    TESS__OUT("out", "rotations {n,1,3,3}, the identity first", .axes = "n,1,3,3"),
    TESS__IN("generators", "rotations, {b,d,3,3}", .sample = "1,1,3,3 identity", .axes = "B,D,3,3"),
};
static const tess_arg_info check_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_RESULT, "error", "largest distance of a product from the set"),
    TESS__IN("matrices", "rotations, {b,d,3,3}", .sample = "1,1,3,3 identity", .axes = "B,D,3,3"),
};
static tess_status call_symmetry_order(const tess_value *v, const void *opts)
{
    int64_t order = 0;
    (void)opts;
    TESS_TRY(tess_symmetry_order(&order, v[1].text));
    *(double *)v[0].result = (double)order;
    return TESS_OK;
}
const tess_function_info tess__info_symmetry_order =
    TESS__OP(TESS_CUT_NONE, symmetry_order, "symmetry", "Number of rotations in a point group.", order_args);
TESS__CALL(symmetry_matrices, v[0].out, v[1].text, opts)
const tess_function_info tess__info_symmetry_matrices = TESS__OP_OPTS(
    TESS_CUT_NONE, symmetry_matrices, "symmetry", "The rotations of a point group.", matrices_args, tess_symmetry_opts);
TESS__CALL(symmetry_close, v[0].out, v[1].in)
const tess_function_info tess__info_symmetry_close = TESS__OP(
    TESS_CUT_NONE, symmetry_close, "symmetry", "Generate a point group from some of its rotations.", close_args);
TESS__CALL(symmetry_check, v[0].result, v[1].in)
const tess_function_info tess__info_symmetry_check =
    TESS__OP(TESS_CUT_NONE, symmetry_check, "symmetry", "Check whether rotations form a point group.", check_args);

/* ---- Sets of rotations ---- */

enum { MAX_FOLD = TESS_SYMMETRY_MAX / 2 };
static const double near = 1e-4;   /* rotations of a set are farther apart, equal ones nearer */
static const double closed = 1e-5; /* products in a group that generators make are as near to its elements */

typedef struct set {
    tess_mat33_f64 *at; /* TESS_SYMMETRY_MAX of them */
    int             n;
} set;

static tess_status set_new(set *s, const char *fn)
{
    const size_t size = TESS_SYMMETRY_MAX * sizeof *s->at;
    s->n = 0;
    s->at = tess__alloc(size);
    TESS_CHECK(s->at, TESS_ENOMEM, "%s: no memory for %zu bytes", fn, size);
    return TESS_OK;
}

static double distance(const tess_mat33_f64 *a, const tess_mat33_f64 *b)
{
    double sum = 0;
    for (int i = 0; i < 9; i++) sum = fma(a->at[i] - b->at[i], a->at[i] - b->at[i], sum);
    return sqrt(sum);
}

/* The nearest of a set, and how far it is. */
static int nearest(const set *s, const tess_mat33_f64 *a, double *least)
{
    int which = 0;
    *least = (double)INFINITY;
    for (int i = 0; i < s->n; i++) {
        const double d = distance(&s->at[i], a);
        if (d < *least) *least = d, which = i;
    }
    return which;
}

/* Whether a rotation is in a set; `farthest` grows to its distance from the one that it is. */
static bool has(const set *s, const tess_mat33_f64 *a, double *farthest)
{
    double least;
    (void)nearest(s, a, &least);
    if (least < near) *farthest = fmax(*farthest, least);
    return least < near;
}

/* Orthonormal rows, which products of rotations lose: a step of Newton's iteration for the polar factor. */
static tess_mat33_f64 straightened(tess_mat33_f64 a)
{
    const tess_mat33_f64 square = tess_mat33_mul_f64(a, tess_mat33_transpose_f64(a));
    tess_mat33_f64       factor;
    for (int i = 0; i < 9; i++) factor.at[i] = (i % 4 == 0 ? 1.5 : 0.0) - 0.5 * square.at[i];
    return tess_mat33_mul_f64(factor, a);
}

/* The numbers that elements of the cubic and icosahedral groups are, exactly rounded. */
static tess_mat33_f64 exact(tess_mat33_f64 a)
{
    const double golden = 0.5 * (1 + sqrt(5)), numbers[] = { 0, 0.5, 1, 0.5 * golden, 0.5 * (golden - 1) };
    for (int i = 0; i < 9; i++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (fabs(fabs(a.at[i]) - numbers[k]) < 1e-9) a.at[i] = k == 0 ? 0 : copysign(numbers[k], a.at[i]);
    return a;
}

/* Generators of a group: each that is new at least doubles what there is. */
enum { MAX_GENERATORS = 11 };

typedef struct basis {
    tess_mat33_f64 at[MAX_GENERATORS];
    int            n;
    double         error; /* distance of a product from the element that it is, at most */
} basis;

/* One generator more, if it is new, and all products of the set with the generators, until none is new. False if they
 * are too many. */
static bool close_set(set *s, basis *g, const tess_mat33_f64 *one, tess_mat33_f64 (*mend)(tess_mat33_f64))
{
    if (has(s, one, &g->error)) return true;
    if (g->n == MAX_GENERATORS) return false;
    g->at[g->n++] = *one;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < g->n; k++) {
            const tess_mat33_f64 product = mend(tess_mat33_mul_f64(s->at[i], g->at[k]));
            if (has(s, &product, &g->error)) continue;
            if (s->n == TESS_SYMMETRY_MAX) return false;
            s->at[s->n++] = product;
        }
    return true;
}

/* ---- Named groups ---- */

typedef struct group {
    char letter; /* C D T O I */
    int  number; /* C and D: of a turn; I: 1 or 2 */
} group;

static int order_of(group g)
{
    switch (g.letter) {
    case 'C': return g.number;
    case 'D': return 2 * g.number;
    case 'T': return 12;
    case 'O': return 24;
    default: return 60;
    }
}

static tess_status parse(group *g, const char *fn, const char *arg, const char *name)
{
    TESS_TRY(tess__check_pointer(fn, arg, name));
    const char  letter = (char)(name[0] & ~0x20); /* as capital */
    const char *digits = name[0] ? name + 1 : name;
    const bool  is_number = *digits && strspn(digits, "0123456789") == strlen(digits) && strlen(digits) <= 4;
    const int   number = is_number ? atoi(digits) : 0;
    *g = (group){ letter, number };
    const bool folds = (letter == 'C' || letter == 'D') && number >= 1 && number <= MAX_FOLD;
    const bool solid =
        ((letter == 'T' || letter == 'O') && !*digits) || (letter == 'I' && (number == 1 || number == 2));
    TESS_CHECK(folds || solid, TESS_EPARSE,
               "%s: `%s` is \"%.40s\"; C<n> or D<n> with n from 1 to %d, T, O, I1 or I2 is needed", fn, arg, name,
               MAX_FOLD);
    return TESS_OK;
}

/* Cosine and sine of part k / n of a turn, from an eighth of a turn at most: so quarters are exact, and rotations to
 * either side the same but for signs. */
static void part_of_turn(double cs[2], int k, int n)
{
    const int    quarter = (8 * k + n) / (2 * n), left = 4 * k - quarter * n; /* the nearest quarter, and 4 n-ths */
    const double angle = 2 * TESS_PI * left / (4.0 * n), c = tess__cos_f64(angle), s = tess__sin_f64(angle);
    const int    q = quarter % 4;
    cs[0] = q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s;
    cs[1] = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
    for (int i = 0; i < 2; i++) cs[i] = fabs(fabs(cs[i]) - 0.5) < 1e-15 ? copysign(0.5, cs[i]) : cs[i] + 0.0;
}

/* n-fold about z and, for D, each of these after half a turn about x. */
static void fill_folds(set *s, group g)
{
    const tess_mat33_f64 half = tess__rotate_about_f64(2, -1, 0);
    for (int k = 0; k < order_of(g); k++) {
        double cs[2];
        part_of_turn(cs, k % g.number, g.number);
        const tess_mat33_f64 turn = tess__rotate_about_f64(0, cs[0], cs[1]);
        s->at[s->n++] = k < g.number ? turn : tess_mat33_mul_f64(turn, half);
    }
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 9; k++) s->at[i].at[k] += 0.0; /* no -0 */
}

static tess_mat33_f64 turn_about(double x, double y, double z, int fold)
{
    return exact(tess_rotate_axis_f64(tess_vec3_of_f64(z, y, x), 2 * TESS_PI / fold));
}

static void fill_solid(set *s, group g)
{
    const double         golden = 0.5 * (1 + sqrt(5));
    basis                all = { .n = 0 };
    const tess_mat33_f64 diagonal = turn_about(1, 1, 1, 3), other = g.letter == 'T'   ? turn_about(0, 0, 1, 2)
                                                                    : g.letter == 'O' ? turn_about(0, 0, 1, 4)
                                                                    : g.number == 1   ? turn_about(0, 1, golden, 5)
                                                                                      : turn_about(1, 0, golden, 5);
    s->at[s->n++] = tess_mat33_identity_f64();
    (void)close_set(s, &all, &diagonal, exact);
    (void)close_set(s, &all, &other, exact);
}

/* The tetrahedron that stands on a face: 3-fold about z. Rows of the change of axes, which are the new z, y and x, are
 * the diagonal, and what takes the 2-fold axis z to y, z = sqrt(2/3), sqrt(1/3). */
static void stand_up(set *s)
{
    const double         third = 1 / sqrt(3), sixth = 1 / sqrt(6), half = 1 / sqrt(2);
    const tess_mat33_f64 axes = { { third, third, third, 2 * sixth, -sixth, -sixth, 0, half, -half } };
    const tess_mat33_f64 back = tess_mat33_transpose_f64(axes);
    for (int i = 1; i < s->n; i++)
        s->at[i] = straightened(tess_mat33_mul_f64(tess_mat33_mul_f64(axes, s->at[i]), back));
}

static void fill(set *s, group g)
{
    if (g.letter == 'C' || g.letter == 'D') fill_folds(s, g);
    else fill_solid(s, g);
    if (g.letter == 'T') stand_up(s);
}

tess_status tess_symmetry_order(int64_t *order, const char *name)
{
    group g = { 0, 0 };
    TESS_TRY(tess__check_pointer("symmetry_order", "order", order));
    TESS_TRY(parse(&g, "symmetry_order", "name", name));
    *order = order_of(g);
    return TESS_OK;
}

tess_status tess__check_group(const char *fn, const char *arg, const char *name)
{
    group g;
    TESS_TRY(parse(&g, fn, arg, name));
    return TESS_OK;
}

/* ---- Arrays ---- */

/* All or, of images, the y and x of a set, into n items along any axes of `out`. */
static tess_status put_set(tess_array *out, const char *fn, const set *s, const tess_symmetry_opts *o)
{
    const int             size = o->images ? 2 : 3, skipped = 3 - size;
    const tess__item_form form = { TESS__ITEM_MATRIX, size, size, false };
    tess__items           items;
    char                  text[TESS__SHAPE_TEXT];
    double               *list = &s->at[0].at[0];
    if (tess__is_empty_out(out))
        TESS_TRY(tess__make(fn, out, TESS_SHAPE(s->n, 1, size, size), (tess_dtype)o->dtype, tess_cpu(), false));
    TESS_TRY(tess__check_writable(fn, "out", out));
    const tess_dtype real = tess_dtype_real(out->dtype);
    TESS_CHECK((real == TESS_F32 || real == TESS_F64) && tess_dtype_kind(out->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `out` is %s; f32 or f64 is needed", fn, tess_dtype_name(out->dtype));
    TESS_TRY(tess__items_of(&items, fn, "out", out, form));
    TESS_CHECK(tess_n_elements(&items.first) == s->n, TESS_ESHAPE, "%s: `out` has %s items, but there are %d rotations",
               fn, tess__shape_text(text, items.first.shape.dim), s->n);
    for (int i = 0, k = 0; i < s->n && o->images; i++)
        for (int at = 0; at < 9; at++)
            if (at / 3 >= skipped && at % 3 >= skipped) list[k++] = s->at[i].at[at];
    TESS_TRY(tess__items_put(&items, fn, list));
    return TESS_OK;
}

static tess_status give(tess_array *out, const char *fn, const set *s, const tess_symmetry_opts *o)
{
    TESS_TRY(tess__check_pointer(fn, "out", out));
    const bool        made = tess__is_empty_out(out);
    const tess_status status = put_set(out, fn, s, o);
    return made ? tess__finish(status, out, true) : status;
}

tess_status tess_symmetry_matrices(tess_array *out, const char *name, const tess_symmetry_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char        *fn = "symmetry_matrices";
    tess_symmetry_opts o;
    group              g = { 0, 0 };
    set                s;
    TESS_TRY(tess__resolve(&tess__info_symmetry_matrices, opts, &o));
    TESS_TRY(parse(&g, fn, "name", name));
    TESS_CHECK(!o.images || g.letter == 'C' || g.letter == 'D', TESS_EARG,
               "%s: `name` is \"%.40s\", which has no matrices for images; C<n> or D<n> is needed", fn, name);
    TESS_TRY(set_new(&s, fn));
    fill(&s, g);
    const tess_status status = give(out, fn, &s, &o);
    tess__free(s.at);
    return status;
}

/* ---- Sets of the user's ---- */

static tess_status check_rotation(const char *fn, const char *arg, int i, const tess_mat33_f64 *a)
{
    const tess_mat33_f64 one = tess_mat33_identity_f64(), square = tess_mat33_mul_f64(*a, tess_mat33_transpose_f64(*a));
    const double         error = distance(&square, &one), determinant = tess_mat33_determinant_f64(*a);
    char                 text[2][32];
    TESS_CHECK(error <= 1e-6 && determinant > 0, TESS_ERANGE,
               "%s: matrix %d of `%s` is not a rotation: its product with its transpose is %s from the identity (at "
               "most 1e-6 is allowed), and its determinant is %s (it must be 1)",
               fn, i, arg, tess__number_text(text[0], error), tess__number_text(text[1], determinant));
    return TESS_OK;
}

static tess_status check_count(const char *fn, const char *arg, int64_t n)
{
    TESS_CHECK(n >= 1 && n < TESS_SYMMETRY_MAX, TESS_ESHAPE, "%s: `%s` has %" PRId64 " matrices; 1 to %d are allowed",
               fn, arg, n, TESS_SYMMETRY_MAX - 1);
    return TESS_OK;
}

/* Rotations of an array, on the host. */
static tess_status read_set(set *s, const char *fn, const char *arg, const tess_array *matrices)
{
    tess__items items = { .arg = NULL };
    tess_array  list = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              tess__items_of(&items, fn, arg, matrices, (tess__item_form){ TESS__ITEM_MATRIX, 3, 3, false }));
    const int64_t n = tess_n_elements(&items.first);
    TESS_GOTO(done, status, check_count(fn, arg, n));
    TESS_GOTO(done, status, tess__items_fetch(&list, fn, &items));
    memcpy(s->at + s->n, list.data, (size_t)n * sizeof *s->at);
    for (int i = 0; i < n && status == TESS_OK; i++) status = check_rotation(fn, arg, i, &s->at[s->n + i]);
    s->n += (int)n;
done:
    tess__items_end(&items);
    tess_release(&list);
    return status;
}

static tess_status close_given(set *s, const char *fn, const set *given)
{
    basis g = { .n = 0 };
    char  text[32];
    s->at[s->n++] = tess_mat33_identity_f64();
    for (int i = 0; i < given->n; i++) {
        const tess_mat33_f64 one = straightened(given->at[i]);
        TESS_CHECK(close_set(s, &g, &one, straightened), TESS_ERANGE,
                   "%s: generators make more than %d rotations; they must generate a finite group, to 1e-6", fn,
                   TESS_SYMMETRY_MAX);
    }
    TESS_CHECK(g.error <= closed, TESS_ERANGE,
               "%s: generators make %d rotations that are not a group: a product of two is %s from the nearest of "
               "them; at most %g is allowed, so give the generators of a finite group more precisely",
               fn, s->n, tess__number_text(text, g.error), closed);
    return TESS_OK;
}

tess_status tess_symmetry_close(tess_array *out, const tess_array *generators)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const tess_symmetry_opts o = { .dtype = TESS_F64 };
    const char              *fn = "symmetry_close";
    set                      s = { .at = NULL }, given = { .at = NULL };
    tess_status              status = TESS_OK;
    TESS_TRY(tess__check_apart(fn, "out", out, "generators", generators));
    TESS_GOTO(done, status, set_new(&given, fn));
    TESS_GOTO(done, status, set_new(&s, fn));
    TESS_GOTO(done, status, read_set(&given, fn, "generators", generators));
    TESS_GOTO(done, status, close_given(&s, fn, &given));
    TESS_GOTO(done, status, give(out, fn, &s, &o));
done:
    tess__free(s.at);
    tess__free(given.at);
    return status;
}

/* Elements of a set that products have reached, in the order in which they were. */
typedef struct walk {
    int  order[TESS_SYMMETRY_MAX], n;
    int  generators[TESS_SYMMETRY_MAX], n_generators;
    bool reached[TESS_SYMMETRY_MAX];
} walk;

static void reach(walk *w, int i)
{
    if (!w->reached[i]) w->order[w->n++] = i;
    w->reached[i] = true;
}

/* All products of what was reached with the generators are in the set, and reached. */
static tess_status walk_products(walk *w, const set *s, double *error)
{
    char text[32];
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < w->n_generators; k++) {
            const int            a = w->order[i], b = w->generators[k];
            const tess_mat33_f64 product = tess_mat33_mul_f64(s->at[a], s->at[b]);
            double               least;
            const int            which = nearest(s, &product, &least);
            TESS_CHECK(least <= near, TESS_ERANGE,
                       "symmetry_check: the product of matrices %d and %d is %s from the nearest of the set; it must "
                       "be in the set to 1e-4",
                       a, b, tess__number_text(text, least));
            *error = fmax(*error, least);
            reach(w, which);
        }
    return TESS_OK;
}

/* A finite set that has the products of its elements with some of them, which generate it, is a group. */
static tess_status check_group(double *error, const set *s, walk *w)
{
    *error = 0;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < i; k++)
            TESS_CHECK(distance(&s->at[i], &s->at[k]) > near, TESS_ERANGE,
                       "symmetry_check: matrices %d and %d are the same; they must differ", k, i);
    for (int i = 0; i < s->n; i++) {
        if (w->reached[i]) continue;
        w->generators[w->n_generators++] = i;
        reach(w, i);
        TESS_TRY(walk_products(w, s, error));
    }
    return TESS_OK;
}

tess_status tess_symmetry_check(double *error, const tess_array *matrices)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    set  s;
    walk w = { .n = 0 };
    TESS_TRY(tess__check_pointer("symmetry_check", "error", error));
    TESS_TRY(set_new(&s, "symmetry_check"));
    tess_status status = read_set(&s, "symmetry_check", "matrices", matrices);
    if (status == TESS_OK) status = check_group(error, &s, &w);
    tess__free(s.at);
    return status;
}

/* ---- For operations under a symmetry ---- */

static tess_status take_set(set *s, int64_t *exchanged, const char *fn, const char *name, const tess_array *matrices)
{
    group  g = { 'C', 1 };
    double least;
    if (exchanged) *exchanged = 0;
    TESS_CHECK(!name || !matrices, TESS_EARG,
               "%s: `opts->sym` and `opts->matrices` are both given; give only one of them", fn);
    if (!matrices) {
        if (name) TESS_TRY(parse(&g, fn, "opts->sym", name));
        fill(s, g);
        return TESS_OK;
    }
    TESS_TRY(read_set(s, fn, "opts->matrices", matrices));
    const tess_mat33_f64 one = tess_mat33_identity_f64();
    const int            which = nearest(s, &one, &least);
    TESS_CHECK(least < near, TESS_ERANGE, "%s: `opts->matrices` lack the identity; one of them must be the identity",
               fn);
    const tess_mat33_f64 first = s->at[0];
    s->at[0] = s->at[which];
    s->at[which] = first;
    if (exchanged) *exchanged = which;
    return TESS_OK;
}

static tess_status quats_of(tess_array *out, const char *fn, const set *s, tess_device device)
{
    tess_array host = { .data = NULL };
    TESS_TRY(tess__make(fn, &host, TESS_SHAPE(s->n, 1, 1, 4), TESS_F64, tess_cpu(), false));
    double *to = host.data;
    for (int i = 0; i < s->n; i++) tess__quat_from_matrix(s->at[i].at, NULL, 0, to + 4 * i);
    const tess_status status = tess_to_device(out, &host, device);
    tess_release(&host);
    return status;
}

tess_status tess__symmetry_quats(tess_array *out, int64_t *exchanged, const char *fn, const char *name,
                                 const tess_array *matrices, tess_device device)
{
    set s;
    TESS_TRY(set_new(&s, fn));
    tess_status status = take_set(&s, exchanged, fn, name, matrices);
    if (status == TESS_OK) status = quats_of(out, fn, &s, device);
    tess__free(s.at);
    return status;
}
