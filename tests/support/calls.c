/* Arguments at random for any operation. */
#include "support/calls.h"

#include <math.h>
#include <stdlib.h>

#include "core/dtype.h"
#include "core/device/engine.h"
#include "support/gpu.h"

static bool is_one_of(const char *name, const char *names)
{
    char padded[80];
    (void)snprintf(padded, sizeof padded, " %s ", name);
    return strstr(names, padded) != NULL;
}

static bool is_named(const char *name, const char *other) { return strcmp(name, other) == 0; }

static bool chance(int percent) { return test_random_in(0, 99) < percent; }

/* ---- Numbers ---- */

typedef struct filling {
    const tess_array *array;
    bool              specials; /* infinities, -0, integers of all sizes */
    bool              nans;
    bool              positive;
    bool              near_one; /* products of many stay small */
    int64_t           below;    /* indices: from 0 to below this; 0: other numbers */
} filling;

static double any_number(const filling *f, bool is_real)
{
    const int64_t which = test_random_in(0, 49);
    if (f->nans && which == 0) return (double)NAN;
    if (f->near_one) return (double)is_real + (test_random_unit() - 0.5) / 512;
    if (f->specials && which == 1) return test_random() & 1 ? (double)INFINITY : (double)-INFINITY;
    if (f->specials && which == 2) return -0.0;
    if (which < 10) return (double)test_random_in(f->positive ? 0 : -1, 3);
    return test_random_unit() * 2.5 - (f->positive ? 0 : 0.5);
}

static uint64_t any_bits(const filling *f, tess_dtype real)
{
    if (f->below) return (uint64_t)test_random_in(0, f->below - 1);
    if (real == TESS_BOOL) return test_random() & 1;
    if (f->specials && chance(20)) return test_random();
    const bool is_signed = tess_dtype_kind(real) == TESS_KIND_INT;
    return (uint64_t)test_random_in(is_signed && !f->positive ? -9 : 0, 9);
}

static void set_number(void *context, const int64_t place[4])
{
    const filling   *f = context;
    const tess_dtype real = tess_dtype_real(f->array->dtype);
    const int64_t    size = tess__dtype_size(real), n = tess__dtype_size(f->array->dtype) / size;
    for (int64_t i = 0; i < n; i++) {
        unsigned char *to = element_at(f->array, place) + i * size;
        const double   x = any_number(f, i == 0);
        const float    single = (float)x;
        const tess_f16 half = tess_f32_to_f16(single);
        const uint64_t bits = any_bits(f, real);
        if (real == TESS_F64) memcpy(to, &x, sizeof x);
        else if (real == TESS_F32) memcpy(to, &single, sizeof single);
        else if (real == TESS_F16) memcpy(to, &half, sizeof half);
        else memcpy(to, &bits, (size_t)size);
    }
}

/* The identity: random numbers are no rotation, and may be a singular matrix. */
static void set_identity(void *context, const int64_t place[4])
{
    const tess_array *array = context;
    const double      one = place[2] == place[3];
    CHECK_OK(tess__convert(element_at(array, place), array->dtype, &one, TESS_F64));
}

static void fill_at_random(const random_call *c, const tess_arg_info *row, const tess_array *array)
{
    const char *module = c->op->module;
    filling     f = { .array = array };
    f.specials = is_one_of(module, " ewise array order resize device ") && !is_one_of(c->op->name, " bin histogram ");
    f.nans = f.specials || is_one_of(module, " reduce scan ");
    f.near_one = is_one_of(c->op->name, " prod cumprod reduce ");
    f.positive = is_one_of(row->name, " weights means edges doses power radii semiaxes halves sizes ");
    if (is_named(row->name, "indices")) f.below = c->shape.dim[c->axis];
    if (is_one_of(c->op->name, " take_flat put_flat ")) f.below = c->shape.b * c->shape.d * c->shape.h * c->shape.w;
    if (is_named(row->name, "origins")) f.below = 3;
    if (is_one_of(row->name, " labels markers ")) f.below = 5;
    if (is_one_of(row->name, " edges shifts weights means ")) f.nans = f.specials = false;
    /* The sign of a NaN, which processors make differently, decides that of zeros and infinities beside it. */
    if (tess_dtype_kind(array->dtype) == TESS_KIND_COMPLEX) f.nans = false;
    const bool is_regular = is_one_of(c->op->name, " cholesky inverse solve ") && !is_named(row->name, "b");
    if (is_regular || (is_named(module, "symmetry") && tess_dtype_kind(array->dtype) < TESS_KIND_COMPLEX))
        each_index(array->shape, set_identity, (void *)(uintptr_t)array);
    else each_index(array->shape, set_number, &f);
}

/* ---- Arrays ---- */

/* Vectors and matrices as numbers. */
static tess_shape shape_of_items(const random_call *c, const tess_arg_info *row)
{
    const int64_t b = c->shape.b, d = c->shape.d;
    if (is_named(c->op->module, "symmetry")) return TESS_SHAPE(1, 1, 3, 3);
    if (is_named(row->name, "angles")) return TESS_SHAPE(b, d, 1, 3);
    if (is_named(row->name, "points")) return TESS_SHAPE(b, d, c->shape.h, 3);
    if (is_one_of(row->name, " quats p q ")) return TESS_SHAPE(b, d, 1, 4);
    return TESS_SHAPE(b, d, 3, is_named(c->op->module, "matrix") ? 4 : 3);
}

/* Parameters of shapes. */
static tess_shape shape_of_shapes(const random_call *c, const tess_arg_info *row)
{
    const int64_t axes = c->shape.d > 1 ? 3 : 2, b = chance(50) ? c->shape.b : 1, n = test_random_in(1, 2);
    if (is_named(row->name, "sizes")) return TESS_SHAPE(b, n, 1, 2);
    if (is_named(row->name, "radii")) return TESS_SHAPE(b, n, 1, 1);
    return TESS_SHAPE(b, n, 1, axes);
}

static bool has_items(const tess_function_info *op) { return is_one_of(op->module, " matrix rotation symmetry "); }

/* From images to volumes and back in one call: squares, cubes, and spectra of padded cubes. */
static bool is_whole_projection(const tess_function_info *op)
{
    return is_one_of(op->module, " fourier_project match_projections ");
}

static tess_shape shape_of_projection(const random_call *c, const tess_arg_info *row)
{
    const int64_t n = c->shape.w;
    if (is_named(c->op->name, "fourier_prepare")) return TESS_SHAPE(1, n, n, n);
    if (is_one_of(row->name, " spectrum volume weights ")) return TESS_SHAPE(1, 2 * n, 2 * n, n + 1);
    if (is_named(row->name, "images")) return TESS_SHAPE(c->shape.b, 1, n, n);
    return TESS_SHAPE(c->shape.b, 1, 1, 4);
}

static tess_shape shape_of_input(const random_call *c, const tess_arg_info *row)
{
    const char *op = c->op->name, *name = row->name;
    const bool  is_first = is_one_of(name, " in x a ");
    tess_shape  shape = c->shape;
    if (has_items(c->op)) return shape_of_items(c, row);
    if (is_whole_projection(c->op)) return shape_of_projection(c, row);
    if (is_named(c->op->module, "draw") && !is_first) return shape_of_shapes(c, row);
    if (is_named(c->op->module, "project") && is_named(name, "volume"))
        return TESS_SHAPE(1, shape.d + 2, shape.h, shape.w);
    if (is_named(name, "images")) shape.d = 1;
    if (is_named(c->op->module, "project") && is_one_of(name, " matrices backward forward "))
        return TESS_SHAPE(shape.b, 1, 3, 4);
    if (is_one_of(name, " rotations out_rotations ")) return TESS_SHAPE(shape.b, 1, 1, 4);
    if (is_named(op, "transform_spectrum_2d") && is_named(name, "matrices")) return TESS_SHAPE(shape.b, 1, 2, 2);
    if (is_named(op, "transform_spectrum_3d") && is_named(name, "matrices")) return TESS_SHAPE(shape.b, 1, 3, 3);
    if (is_named(c->op->module, "ewise") && !is_first)
        for (int k = 0; k < 4; k++)
            if (chance(15)) shape.dim[k] = 1;
    if (is_named(name, "coordinates")) return TESS_SHAPE(shape.b, 3, 5, c->shape.d > 1 ? 3 : 2);
    if (is_named(op, "map_coordinates_adjoint") && is_first) return TESS_SHAPE(shape.b, 1, 3, 5);
    if (is_named(name, "origins")) return TESS_SHAPE(3, 1, 1, c->shape.d > 1 ? 3 : 2);
    if (is_named(op, "align_tilts") && is_named(name, "angles")) return TESS_SHAPE(shape.b, 1, 1, 1);
    if (is_named(name, "coefficients")) return TESS_SHAPE(2, 1, 1, TESS_MOTION_COEFFICIENTS);
    if (is_named(name, "positions")) return TESS_SHAPE(shape.b, 1, 1, 2);
    if (is_named(name, "times")) return TESS_SHAPE(1, 1, 1, is_named(op, "motion_warp") ? shape.b : 5);
    if (is_named(op, "motion_fit")) return TESS_SHAPE(shape.b, 1, 4, 2);
    if (is_named(name, "shifts")) return TESS_SHAPE(chance(50) ? c->shape.b : 1, 1, 1, c->shape.d > 1 ? 3 : 2);
    if (is_one_of(name, " doses curve ")) return TESS_SHAPE(chance(50) ? c->shape.b : 1, 1, 1, name[0] == 'd' ? 1 : 5);
    if (is_named(op, "put_flat") || (is_named(op, "take_flat") && !is_first)) return TESS_SHAPE(1, 2, 3, 4);
    if (is_named(name, "indices") && !is_named(op, "take_along")) return TESS_SHAPE(1, 1, 1, 3);
    if (is_named(name, "indices") || (is_named(op, "put") && is_first)) shape.dim[c->axis] = 3;
    if (is_named(op, "insert") && is_first) return TESS_SHAPE(3, 1, 2, 2);
    if (is_named(op, "matmul") && !is_first) return TESS_SHAPE(shape.b, shape.d, shape.w, 5);
    if (is_one_of(op, " cholesky determinant eigh inverse solve ")) {
        shape.h = shape.w;
        if (!is_first) shape.w = 2;
    }
    if (is_named(op, "lstsq")) shape.h = shape.w + 3;
    if (is_named(op, "lstsq") && !is_first) shape.w = 2;
    if (is_named(name, "edges")) return TESS_SHAPE(1, 1, 1, 6);
    if (is_named(name, "filter")) return TESS_SHAPE(1, 1, 3, 2 * test_random_in(0, 3) + 1);
    if (is_one_of(name, " filter_d filter_h filter_w ")) return TESS_SHAPE(1, 1, 1, 2 * test_random_in(0, 3) + 1);
    if (is_one_of(op, " transform_2d transform_3d ") && !is_first) {
        const int64_t dims = is_named(op, "transform_3d") ? 3 : 2;
        return TESS_SHAPE(chance(50) ? c->shape.b : 1, 1, dims, dims + 1);
    }
    if (is_one_of(name, " ctfs target ")) return TESS_SHAPE(chance(50) ? c->shape.b : 1, 1, 1, test_random_in(8, 17));
    if (is_named(op, "fsc_local") && is_named(name, "window"))
        return TESS_SHAPE(1, c->shape.d > 1 ? 2 : 1, test_random_in(1, 4), test_random_in(2, 5));
    if (is_one_of(op, " fsc_resolution fsc_corrected ")) return TESS_SHAPE(shape.b, 1, 1, tess_fsc_shells(shape));
    if (c->half) shape.w = shape.w / 2 + 1;
    return shape;
}

static tess_dtype dtype_of_input(const random_call *c, const tess_arg_info *row)
{
    if (is_whole_projection(c->op) && is_named(row->name, "images")) return tess_dtype_real(c->dtype);
    if (is_one_of(row->name, " mask condition ")) return TESS_BOOL;
    if (is_one_of(row->name, " indices origins labels markers ")) return chance(50) ? TESS_I64 : TESS_I32;
    if (is_named(c->op->module, "draw") && !is_named(row->name, "in")) return chance(70) ? TESS_F32 : TESS_F64;
    if (is_one_of(row->name, " shifts means edges doses curve rotations out_rotations matrices backward forward ctfs "
                             "target candidates coefficients positions times angles ") &&
        !has_items(c->op))
        return chance(70) ? TESS_F32 : TESS_F64;
    if (is_named(row->name, "weights")) return tess_dtype_real(c->dtype);
    return c->dtype;
}

/* Numbers in order along w: what is searched in, and edges of bins. */
static void sort_rows(const tess_array *view)
{
    tess_array sorted = { .data = NULL }, target = *view;
    if (tess_sort(&sorted, view, 3, NULL) == TESS_OK) CHECK_OK(tess_copy(&target, &sorted));
    tess_release(&sorted);
}

static void give_array(random_call *c, size_t i)
{
    const tess_arg_info *row = &c->op->args[i];
    const bool           is_read = row->role == TESS_ROLE_IN || row->role == TESS_ROLE_OPTION;
    const bool           in_order = is_one_of(row->name, " sorted edges ");
    /* What a constant image is but for its mean is rounding, which whitening makes as large as anything. */
    const bool   constant = !is_named(c->op->module, "normalize") && !is_named(c->op->name, "whiten_image");
    const bool   repeats = is_read && !in_order && constant;
    const layout kind = (layout)test_random_in(0, repeats ? n_layouts - 1 : n_output_layouts - 1);
    guarded_make(&c->given[i], kind, is_read ? shape_of_input(c, row) : c->shape, dtype_of_input(c, row));
    fill_at_random(c, row, &c->given[i].view);
    if (in_order) sort_rows(&c->given[i].view);
    if (row->type != TESS_ARG_ARRAYS) return;
    tess_shape shape = c->shape;
    shape.dim[c->axis] = test_random_in(1, 4);
    guarded_make(&c->part, (layout)test_random_in(0, n_layouts - 1), shape, c->dtype);
    fill_at_random(c, row, &c->part.view);
}

/* ---- Values ---- */

static tess_shape any_shape(const random_call *c, const tess_arg_info *row)
{
    const char *name = row->name;
    tess_shape  shape = c->shape;
    if (is_named(c->op->name, "ctf_fit_image")) return TESS_SHAPE(1, 1, 22, 22);
    if (is_one_of(c->op->name, " average_power extract "))
        return TESS_SHAPE(1, 1, test_random_in(1, 4), test_random_in(1, 4));
    if (is_named(c->op->module, "project") && is_named(name, "volume"))
        return TESS_SHAPE(1, shape.d + 2, shape.h, shape.w);
    if (is_named(name, "factors")) return TESS_SHAPE(1, 1, test_random_in(1, 2), test_random_in(1, 3));
    if (is_named(name, "window")) return TESS_SHAPE(1, 1, 3, 2 * test_random_in(0, 3) + 1);
    if (is_one_of(name, " before after "))
        return TESS_SHAPE(test_random_in(0, 1), 0, test_random_in(0, 2), test_random_in(0, 2));
    if (is_named(c->op->name, "resize") || is_named(name, "out_shape")) {
        shape.h = test_random_in(1, 2 * shape.h);
        shape.w = test_random_in(shape.w + 1, 2 * shape.w);
    }
    return shape;
}

static int32_t any_choice(const tess_arg_info *row)
{
    int n = 0;
    while (row->choices[n].name) n++;
    const tess_choice *choice = &row->choices[test_random_in(0, n - 1)];
    /* Of elements that are left as they were, nothing can be said. */
    return is_named(choice->name, "nothing") ? row->choices[0].value : choice->value;
}

/* Layouts of spectra: the choices are h, hc, f, fc. */
static int32_t any_layout(const random_call *c, const tess_arg_info *row, bool of_input)
{
    if (!of_input) return any_choice(row);
    return row->choices[test_random_in(0, 1) + (c->half ? 0 : 2)].value;
}

static double any_f64(const char *name)
{
    if (is_one_of(name, " q alpha ")) return test_random_unit();
    if (is_named(name, "high")) return 2;
    if (is_named(name, "shift_d")) return 0;
    if (is_named(name, "frequency")) return 0.25;
    return test_random_unit() + 0.25;
}

static int64_t any_i64(const random_call *c, const char *name)
{
    if (is_named(name, "kth")) return test_random_in(0, c->shape.dim[c->axis] - 1);
    if (is_named(name, "k")) return test_random_in(1, c->shape.dim[c->axis]);
    if (is_named(name, "low")) return tess_dtype_kind(c->dtype) == TESS_KIND_UINT ? 1 : -5;
    if (is_named(name, "index")) return 2;
    return is_one_of(name, " bins high ") ? 5 : is_named(name, "n") ? 6 : 3;
}

static void any_axes(int32_t axes[4])
{
    for (int k = 0; k < 4; k++) axes[k] = k;
    for (int k = 3; k > 0; k--) {
        const int     other = (int)test_random_in(0, k);
        const int32_t axis = axes[k];
        axes[k] = axes[other];
        axes[other] = axis;
    }
}

static int32_t any_axis_set(void)
{
    const int32_t axes[] = { TESS_B, TESS_D, TESS_H, TESS_W };
    int32_t       set = 0;
    for (int k = 0; k < 4; k++)
        if (chance(50)) set |= axes[k];
    return set;
}

static void give_element(random_call *c)
{
    tess_array one = { .shape = TESS_SHAPE(1, 1, 1, 1), .data = c->element, .dtype = c->dtype };
    fill_at_random(c, &c->op->args[0], &one);
}

static void give_value(random_call *c, size_t i)
{
    static const double  quantiles[] = { 0.25, 0.5, 0.875 };
    static const double  ctf[TESS_CTF_COLUMNS] = { 1.5, 1.25, 0.75, 0.125, 0.5, 200, 0.125, 2.75, 0.25, -20, 1 };
    const tess_arg_info *row = &c->op->args[i];
    tess_value          *v = &c->values[i];
    switch (row->type) {
    case TESS_ARG_NUMBERS:
        v->list.of.numbers = quantiles;
        v->list.n = 3;
        break;
    case TESS_ARG_STRUCT: v->structure = ctf; break;
    case TESS_ARG_OP:
        CHECK_OK(tess_op_text(&c->made, "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)(1 - x*x - y*z); }"));
        v->op = c->made;
        break;
    case TESS_ARG_TEXT: v->text = is_named(row->name, "name") ? "d3" : "x"; break;
    case TESS_ARG_REDUCTIONS:
        for (int k = 0; k < CALL_REDUCTIONS; k++) c->kinds[k] = any_choice(row);
        break;
    case TESS_ARG_SHAPE: v->shape = any_shape(c, row); break;
    case TESS_ARG_DTYPE:
        v->dtype = is_named(c->op->name, "cast") ? (tess_dtype)test_random_in(TESS_BOOL, TESS_C64) : c->dtype;
        break;
    case TESS_ARG_AXES: any_axes(v->axes); break;
    case TESS_ARG_F64: v->f64 = any_f64(row->name); break;
    case TESS_ARG_I64: v->i64 = any_i64(c, row->name); break;
    case TESS_ARG_U64: v->u64 = test_random(); break;
    case TESS_ARG_ELEMENT: give_element(c), v->element = c->element; break;
    case TESS_ARG_AXIS: v->i32 = c->axis; break;
    case TESS_ARG_AXIS_SET: v->i32 = any_axis_set(); break;
    case TESS_ARG_CHOICE: v->i32 = is_one_of(row->name, " from ") ? any_layout(c, row, true) : any_choice(row); break;
    case TESS_ARG_I32: v->i32 = (int32_t)test_random_in(1, 2); break;
    default: break;
    }
}

/* ---- Options ---- */

static void give_option(random_call *c, size_t i)
{
    const tess_arg_info *row = &c->op->args[i];
    const bool           is_layout = is_one_of(row->name, " layout from ");
    int32_t              whole = 0;
    uint64_t             number = 0;
    switch (row->type) {
    case TESS_ARG_FLAG: whole = !is_one_of(row->name, " add each ") && test_random_in(0, 1); break;
    case TESS_ARG_CHOICE:
        whole = is_layout ? any_layout(c, row, c->op->args[1].role == TESS_ROLE_IN || is_named(c->op->name, "ctf_fit"))
                          : any_choice(row);
        break;
    case TESS_ARG_I32: whole = is_named(row->name, "ddof") && !is_named(c->op->name, "normalize") && chance(50); break;
    case TESS_ARG_AXIS_SET: whole = chance(50) ? 0 : chance(50) ? TESS_W : TESS_H | TESS_W; break;
    case TESS_ARG_U32:
    case TESS_ARG_U64: number = test_random() >> 40; break;
    case TESS_ARG_ARRAY:
        c->is_option[i] = (chance(30) && is_named(c->op->name, "histogram")) ||
                          (is_named(c->op->name, "fourier_extract") && is_named(row->name, "weights"));
        if (c->is_option[i]) give_array(c, i);
        return;
    default: return;
    }
    if (row->size == sizeof number) memcpy(c->opts + row->offset, &number, sizeof number);
    else if (row->type == TESS_ARG_U32) memcpy(c->opts + row->offset, &number, row->size);
    else if (row->size == sizeof whole) memcpy(c->opts + row->offset, &whole, sizeof whole);
}

/* ---- A call ---- */

static tess_shape main_shape(const tess_function_info *op)
{
    const int64_t times = test_large() ? 20 : 1;
    tess_shape    shape = TESS_SHAPE(test_random_in(1, 3), chance(70) ? 1 : test_random_in(1, 3),
                                     test_random_in(2, 4 + 3 * times), test_random_in(2, 5 + 5 * times));
    if (is_named(op->name, "matmul") && chance(70)) shape.h = 5, shape.w = 5;
    if (is_named(op->name, "polyfit_surface")) shape.d = 1, shape.h += 4, shape.w += 4;
    if (is_one_of(op->name,
                  " cartesian_to_polar fuse_spectra phase_spectra polar_to_cartesian rotate_image spectrum_to_polar "
                  "transform_2d "))
        shape.d = 1;
    if (is_named(op->module, "motion")) shape.d = 1;
    if (is_named(op->name, "transform_3d")) shape.d = test_random_in(2, 4);
    if (is_one_of(op->name, " insert lstsq ")) shape.h += 5, shape.w += 5;
    if (is_named(op->name, "lstsq")) shape.w = test_random_in(1, 5);
    if (is_one_of(op->name, " ctf_fit ctf_fit_image ")) shape.d = 1, shape.h += 20, shape.w += 20;
    if (is_named(op->name, "quat_random")) shape.w = 4;
    if (is_one_of(op->name, " fourier_extract fsc_local ")) shape.b = 1;
    if (is_one_of(op->name, " fourier_insert fourier_insert_extract transform_spectrum_2d ")) shape.d = 1;
    if (is_named(op->name, "fourier_insert")) shape.h |= 1, shape.w |= 1; /* no frequencies n/2 */
    if (is_whole_projection(op)) shape.h = shape.w = test_random_in(2, 7);
    if (is_named(op->name, "covariance")) shape.h = test_random_in(2, 7), shape.w = test_random_in(2, 9);
    return shape;
}

static void count_set(void *context, const int64_t place[4])
{
    random_call *c = context;
    c->n_set += *element_at(&c->given[2].view, place);
}

/* tess_place takes as many values as elements of the mask are set. */
static void match_values(random_call *c)
{
    each_index(c->shape, count_set, c);
    guarded_free(&c->given[1]);
    guarded_make(&c->given[1], (layout)test_random_in(0, n_layouts - 1), TESS_SHAPE(1, 1, 1, c->n_set), c->dtype);
    fill_at_random(c, &c->op->args[1], &c->given[1].view);
}

/* Filters of spectra: all of tessera/filter.h and tessera/ctf.h that take a logical shape. */
static bool takes_spectrum(const tess_function_info *op)
{
    return is_one_of(op->module, " filter ctf ") && op->n_args > 3 && op->args[2].type == TESS_ARG_SHAPE;
}

void call_make(random_call *c, const tess_function_info *op, tess_dtype dtype)
{
    memset(c, 0, sizeof *c);
    c->op = op;
    c->dtype = dtype;
    c->shape = main_shape(op);
    c->axis = (int32_t)test_random_in(0, 3);
    const bool of_spectra =
        takes_spectrum(op) || is_one_of(op->name, " fft_phase_shift fft_remap fft_resize "
                                                  "fft_spectrum standardize fsc phase_randomize "
                                                  "radial_power rotational_average spectrum_to_polar "
                                                  "whiten ctf_fit fourier_extract "
                                                  "fourier_insert fourier_insert_extract "
                                                  "transform_spectrum_2d transform_spectrum_3d ");
    c->half = is_one_of(op->name, " fft_c2r correlate_map align_frames add_frames ") || (of_spectra && chance(60));
    for (size_t i = 0; i < op->n_args; i++) {
        const tess_arg_info *row = &op->args[i];
        const bool           is_array = row->type == TESS_ARG_ARRAY || row->type == TESS_ARG_ARRAYS;
        if (row->role == TESS_ROLE_OPTION) give_option(c, i);
        else if (row->role == TESS_ROLE_IN || (row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT))) give_array(c, i);
        else if (!is_array) give_value(c, i);
    }
    if (is_named(op->name, "place")) match_values(c);
}

void call_free(random_call *c)
{
    for (int i = 0; i < CALL_ROWS; i++) guarded_free(&c->given[i]);
    guarded_free(&c->part);
    tess_op_release(c->made);
}

/* ---- Running one ---- */

/* Arrays of a call as they are on a device. */
typedef struct placed {
    tess_value     values[CALL_ROWS];
    tess_array     arrays[CALL_ROWS]; /* inputs and outputs */
    tess_array     parts[CALL_PARTS];
    guarded        laid[CALL_ROWS]; /* outputs that were laid out before the call */
    tess_reduction reductions[CALL_REDUCTIONS];
    _Alignas(16) unsigned char opts[256];
} placed;

static tess_array put_there(const guarded *g, tess_device device)
{
    tess_array there = { .data = NULL };
    if (device.kind == TESS_CPU) {
        CHECK_OK(tess_empty(&there, TESS_SHAPE(1, 1, 1, (int64_t)g->size), TESS_U8, device));
        memcpy(there.data, g->block, g->size);
        tess_array view = g->view;
        view.data = (char *)there.data + ((unsigned char *)g->view.data - g->block);
        view.buffer = there.buffer;
        return view;
    }
    return gpu_guarded(g);
}

static void clone(guarded *copy, const guarded *g)
{
    *copy = *g;
    copy->block = malloc(g->size);
    copy->before = malloc(g->size);
    memcpy(copy->block, g->block, g->size);
    copy->view.data = copy->block + ((unsigned char *)g->view.data - g->block);
    guarded_snapshot(copy);
}

static bool lays_out(const random_call *c)
{
    return !is_one_of(c->op->name, " compress unique peaks fft_empty ") && !is_named(c->op->module, "device");
}

static void place_output(const random_call *c, placed *p, size_t i, tess_device device, const call_outcome *like)
{
    const tess_arg_info *row = &c->op->args[i];
    if (row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT)) {
        clone(&p->laid[i], &c->given[i]);
        p->arrays[i] = put_there(&p->laid[i], device);
    } else if (like && like->results[i].data && lays_out(c)) {
        const tess_array *wanted = &like->results[i];
        guarded_make(&p->laid[i], (layout)test_random_in(0, n_output_layouts - 1), wanted->shape, wanted->dtype);
        p->arrays[i] = put_there(&p->laid[i], device);
    }
    p->values[i].out = &p->arrays[i];
}

static void place_option(const random_call *c, placed *p, size_t i, tess_device device)
{
    const tess_arg_info *row = &c->op->args[i];
    const bool           is_result = row->type == TESS_ARG_RESULT && (row->flags & TESS_ARG_IS_ARRAY);
    if (c->is_option[i]) p->arrays[i] = put_there(&c->given[i], device);
    const tess_array *pointer = &p->arrays[i];
    if (is_result || c->is_option[i]) memcpy(p->opts + row->offset, &pointer, sizeof pointer);
}

static void place_argument(const random_call *c, placed *p, size_t i, tess_device device)
{
    const tess_arg_info *row = &c->op->args[i];
    if (row->type == TESS_ARG_ARRAYS) {
        p->parts[0] = put_there(&c->given[i], device);
        p->parts[1] = put_there(&c->part, device);
        p->values[i].list.of.arrays = p->parts;
        p->values[i].list.n = CALL_PARTS;
    } else if (row->role == TESS_ROLE_IN) {
        p->arrays[i] = put_there(&c->given[i], device);
        p->values[i].in = &p->arrays[i];
    } else if (row->type == TESS_ARG_DEVICE) p->values[i].device = device;
}

static void place(const random_call *c, placed *p, call_outcome *out, tess_device device, const call_outcome *like)
{
    memset(p, 0, sizeof *p);
    memcpy(p->values, c->values, sizeof p->values);
    memcpy(p->opts, c->opts, sizeof p->opts);
    for (size_t i = 0; i < c->op->n_args; i++) {
        const tess_arg_info *row = &c->op->args[i];
        if (row->type == TESS_ARG_REDUCTIONS) {
            for (int k = 0; k < CALL_REDUCTIONS; k++)
                p->reductions[k] = (tess_reduction){ c->kinds[k], &out->reduced[k] };
            p->values[i].list.of.reductions = p->reductions;
            p->values[i].list.n = CALL_REDUCTIONS;
        } else if (row->role == TESS_ROLE_OPTION) place_option(c, p, i, device);
        else if (row->role == TESS_ROLE_OUT && row->type == TESS_ARG_ARRAY) place_output(c, p, i, device, like);
        else if (row->role == TESS_ROLE_OUT && row->type == TESS_ARG_SHAPE) p->values[i].result = &out->shape;
        else if (row->role == TESS_ROLE_OUT) p->values[i].result = &out->number;
        else place_argument(c, p, i, device);
    }
}

/* Copies on the host of what a call wrote; what lies around it must be as it was. */
static void take_results(const random_call *c, placed *p, call_outcome *out)
{
    for (size_t i = 0; i < c->op->n_args; i++) {
        const tess_arg_info *row = &c->op->args[i];
        const bool           is_result = row->role == TESS_ROLE_OPTION && row->type == TESS_ARG_RESULT;
        if ((row->role != TESS_ROLE_OUT && !is_result) || !p->arrays[i].data) continue;
        guarded *g = p->laid[i].block ? &p->laid[i] : NULL;
        CHECK_OK(tess_to_device(&out->results[i], &p->arrays[i], tess_cpu()));
        if (!g || p->arrays[i].device.kind == TESS_CPU) continue;
        gpu_fetch(g, &p->arrays[i]);
        (void)guarded_check(g, c->op->name);
    }
    for (int k = 0; k < CALL_REDUCTIONS; k++) {
        tess_array there = out->reduced[k];
        if (!there.data) continue;
        out->reduced[k] = (tess_array){ .data = NULL };
        CHECK_OK(tess_to_device(&out->reduced[k], &there, tess_cpu()));
        tess_release(&there);
    }
}

static void unplace(placed *p)
{
    for (int i = 0; i < CALL_ROWS; i++) {
        tess_release(&p->arrays[i]);
        guarded_free(&p->laid[i]);
    }
    for (int i = 0; i < CALL_PARTS; i++) tess_release(&p->parts[i]);
}

void call_run(const random_call *c, call_outcome *out, tess_device device, const call_outcome *like)
{
    placed p;
    memset(out, 0, sizeof *out);
    place(c, &p, out, device, like);
    out->status = tess_function_call(c->op, p.values, c->op->opts_size ? p.opts : NULL);
    if (out->status == TESS_OK) out->status = tess_stream_sync(tess_stream_current(device));
    if (out->status != TESS_OK) (void)snprintf(out->message, sizeof out->message, "%s", tess_error_message());
    else if (!c->is_asked) take_results(c, &p, out);
    unplace(&p);
}

void outcome_free(call_outcome *out)
{
    for (int i = 0; i < CALL_ROWS; i++) tess_release(&out->results[i]);
    for (int i = 0; i < CALL_REDUCTIONS; i++) tess_release(&out->reduced[i]);
}
