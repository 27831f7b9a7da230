/* One valid call of any operation, with small arrays. */
#include "support/samples.h"

static bool is_one_of(const char *name, const char *names)
{
    char padded[80];
    (void)snprintf(padded, sizeof padded, " %s ", name);
    return strstr(names, padded) != NULL;
}

/* Those that only integers, or only complex numbers, have. */
static const char integers[] = " bit_and bit_or bit_xor bit_not shift_left shift_right ";
static const char spectra[] = " fft_c2r fft_c2c fft_phase_shift fft_remap fft_resize fft_spectrum standardize fsc "
                              "correlate_map phase_randomize radial_power whiten symmetrize_spectrum align_frames "
                              "add_frames ";
static const char slices[] = " fourier_extract fourier_insert fourier_insert_extract transform_spectrum_2d "
                             "transform_spectrum_3d ";
static const char filters[] =
    " lowpass highpass bandpass bfactor dose_weight dose_normalize filter_curve filter_spectrum phase_shift "
    "ctf_apply ctf_flip ctf_wiener fourier_wedge fourier_cone fourier_ellipsoid fourier_cross ";

static const float    element[32] = { 2.5f }; /* as many bytes as the largest element has */
static const double   quantiles[] = { 0.25, 0.5 };
static const tess_ctf ctf = { { 1.5, 1.5 }, .defocus = 1,     .astigmatism = 0.125,
                              .angle = 0.5, .amplitude = 0.1, .cs = 2.7 };

/* {2,1,4,6}, or what else the argument needs, of numbers from 0.05 to 0.95 where they are floats. */
static tess_array make_input(const char *op, const char *name)
{
    tess_array a = { 0 }, made = { 0 };
    if (is_one_of(name, " origins indices ")) {
        a = constant(TESS_I64, strcmp(op, "put") == 0 || strcmp(op, "take") == 0 ? 1 : 2, 1,
                     strcmp(op, "take_along") == 0 ? 4 : 1, 2, 0);
        return a;
    }
    if (is_one_of(op, integers)) return numbers(TESS_I32, 2, 1, 4, 6);
    tess_shape shape = TESS_SHAPE(2, 1, 4, 6);
    if (strcmp(op, "fft_c2r") == 0 || strcmp(op, "fft_phase_shift") == 0) shape.w = 4;
    if (is_one_of(op, " fft_remap fft_resize fft_spectrum standardize ") || is_one_of(op, filters)) shape.w = 4;
    if (is_one_of(op, " fsc correlate_map phase_randomize radial_power whiten align_frames add_frames ")) shape.w = 4;
    if (is_one_of(op, " rotational_average spectrum_to_polar symmetrize_spectrum ")) shape.w = 4;
    if (is_one_of(name, " ctfs target ")) shape = TESS_SHAPE(2, 1, 1, 8);
    if (is_one_of(op, slices)) shape.w = 4;
    if (strcmp(op, "fourier_extract") == 0) shape = TESS_SHAPE(1, 2, 4, 4);
    if (strcmp(op, "ctf_fit") == 0) shape = TESS_SHAPE(2, 1, 20, 11);
    if (strcmp(op, "ctf_fit_image") == 0) shape = TESS_SHAPE(2, 1, 24, 24);
    if (strcmp(op, "fsc_local") == 0 && strcmp(name, "window") == 0) shape = TESS_SHAPE(1, 1, 3, 4);
    if (is_one_of(op, " fsc_resolution fsc_corrected ")) shape = TESS_SHAPE(2, 1, 1, 3);
    if (is_one_of(name, " doses curve ")) shape = TESS_SHAPE(2, 1, 1, 1);
    if (strcmp(name, "shifts") == 0) shape = TESS_SHAPE(2, 1, 1, 2);
    if (strcmp(name, "positions") == 0) shape = TESS_SHAPE(2, 1, 1, 2);
    if (strcmp(name, "times") == 0) shape = TESS_SHAPE(1, 1, 1, 2);
    if (strcmp(name, "coefficients") == 0) shape = TESS_SHAPE(2, 1, 1, 18);
    if (strcmp(name, "filter") == 0) shape = TESS_SHAPE(1, 1, 3, 3);
    if (is_one_of(name, " filter_d filter_h filter_w ")) shape = TESS_SHAPE(1, 1, 1, 3);
    if (strcmp(op, "transform_3d") == 0) shape.d = 3;
    if (strcmp(name, "matrices") == 0 && strncmp(op, "transform_", 10) == 0)
        shape = strcmp(op, "transform_3d") == 0 ? TESS_SHAPE(2, 1, 3, 4) : TESS_SHAPE(2, 1, 2, 3);
    if (strcmp(op, "matmul") == 0 && strcmp(name, "b") == 0) shape = TESS_SHAPE(2, 1, 6, 3);
    if (strcmp(op, "lstsq") == 0) shape = TESS_SHAPE(2, 1, 4, strcmp(name, "a") == 0 ? 2 : 1);
    if (strcmp(op, "insert") == 0 && strcmp(name, "in") == 0) shape = TESS_SHAPE(2, 1, 2, 2);
    if (strcmp(op, "put") == 0 && strcmp(name, "in") == 0) shape = TESS_SHAPE(2, 1, 4, 2);
    if (strcmp(op, "put_flat") == 0) shape = TESS_SHAPE(2, 1, 1, 2);
    if (strcmp(op, "place") == 0 && strcmp(name, "values") == 0) shape = TESS_SHAPE(2, 1, 4, 6);
    if (is_one_of(name, " quats p q rotations out_rotations ")) shape = TESS_SHAPE(2, 1, 1, 4);
    if (strcmp(name, "angles") == 0) shape = TESS_SHAPE(2, 1, 1, strcmp(op, "align_tilts") == 0 ? 1 : 3);
    if (strcmp(name, "points") == 0) shape = TESS_SHAPE(2, 1, 5, 3);
    if (is_one_of(name, " matrices ") || is_one_of(op, " matrix_mul matrix_inverse ")) shape = TESS_SHAPE(2, 1, 3, 3);
    if (is_one_of(name, " sizes halves semiaxes from to ")) shape = TESS_SHAPE(2, 1, 1, 2);
    if (strcmp(name, "radii") == 0) shape = TESS_SHAPE(2, 1, 1, 1);
    if (is_one_of(name, " backward forward ")) shape = TESS_SHAPE(2, 1, 3, 3);
    if (strcmp(name, "volume") == 0 && strncmp(op, "fourier_", 8) != 0) shape = TESS_SHAPE(1, 3, 4, 6);
    if (strcmp(op, "transform_spectrum_2d") == 0 && strcmp(name, "matrices") == 0) shape = TESS_SHAPE(2, 1, 2, 2);
    const bool  padded = is_one_of(name, " spectrum volume weights ");
    const char *whole = " fourier_prepare fourier_project fourier_backproject fourier_reconstruct match_projections ";
    if (is_one_of(op, whole)) {
        if (strcmp(name, "images") == 0) shape = TESS_SHAPE(2, 1, 4, 4);
        else if (padded) shape = strcmp(op, "fourier_prepare") ? TESS_SHAPE(1, 8, 8, 5) : TESS_SHAPE(1, 4, 4, 4);
        else shape = TESS_SHAPE(2, 1, 1, 4);
    }
    if (is_one_of(op, " symmetry_check symmetry_close ")) {
        CHECK_OK(tess_eye(&a, TESS_SHAPE(1, 1, 3, 3), TESS_F32, tess_cpu()));
        return a;
    }
    CHECK_OK(tess_linspace(&a, shape, TESS_F32, tess_cpu(), 0.05, 0.95, NULL));
    const bool of_whole = is_one_of(op, " fourier_project fourier_reconstruct match_projections ") &&
                          is_one_of(name, " spectrum volume ");
    if (!of_whole && !is_one_of(op, spectra) && !is_one_of(op, filters) && !is_one_of(op, slices)) return a;
    if (is_one_of(name, " shifts doses curve rotations out_rotations matrices ")) return a;
    CHECK_OK(tess_complex(&made, &a, &tess_num(0.5)));
    tess_release(&a);
    return made;
}

static tess_shape shape_of(const char *op, const tess_arg_info *row)
{
    if (strcmp(op, "ctf_fit") == 0) return TESS_SHAPE(2, 1, 20, 20);
    if (strcmp(op, "ctf_fit_image") == 0) return TESS_SHAPE(1, 1, 20, 20);
    if (strcmp(op, "fourier_extract") == 0) return TESS_SHAPE(1, 2, 4, 6);
    if (is_one_of(op, " average_power extract ")) return TESS_SHAPE(1, 1, 2, 2);
    if (strcmp(row->name, "factors") == 0) return TESS_SHAPE(1, 1, 2, 2);
    if (strcmp(row->name, "window") == 0) return TESS_SHAPE(1, 1, 3, 3);
    if (strcmp(row->name, "volume") == 0) return TESS_SHAPE(1, 3, 4, 6);
    if (is_one_of(row->name, " before after ")) return TESS_SHAPE(0, 0, 1, 1);
    if (strcmp(op, "resize") == 0 || strcmp(row->name, "out_shape") == 0) return TESS_SHAPE(2, 1, 6, 8);
    return TESS_SHAPE(2, 1, 4, 6);
}

static int32_t whole_number(const tess_arg_info *row)
{
    switch (row->type) {
    case TESS_ARG_AXIS: return 3;
    case TESS_ARG_AXIS_SET: return TESS_H | TESS_W;
    case TESS_ARG_CHOICE: return row->choices[0].value;
    default: return 1;
    }
}

static void fill_value(sample *c, size_t i)
{
    const tess_arg_info *row = &c->op->args[i];
    tess_value          *v = &c->values[i];
    const char          *op = c->op->name;
    switch (row->type) {
    case TESS_ARG_ARRAY:
        if (row->role == TESS_ROLE_IN) c->arrays[i] = make_input(op, row->name);
        if (row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT))
            c->arrays[i] = constant(strcmp(op, "random_permutation") == 0 ? TESS_I32 : TESS_F32, 2, 1, 4,
                                    is_one_of(op, " quat_random ") ? 4 : 6, 0);
        if (row->role == TESS_ROLE_IN) v->in = &c->arrays[i];
        else v->out = &c->arrays[i];
        break;
    case TESS_ARG_ARRAYS:
        c->arrays[i] = make_input(op, row->name);
        v->list.of.arrays = &c->arrays[i];
        v->list.n = 1;
        break;
    case TESS_ARG_NUMBERS:
        v->list.of.numbers = quantiles;
        v->list.n = 2;
        break;
    case TESS_ARG_STRUCT: v->structure = &ctf; break;
    case TESS_ARG_OP:
        CHECK_OK(tess_op_text(&c->made, "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)x; }"));
        v->op = c->made;
        break;
    case TESS_ARG_REDUCTIONS:
        for (int k = 0; k < 2; k++)
            c->reductions[k] = (tess_reduction){ k ? TESS_REDUCE_MEAN : TESS_REDUCE_MAX, &c->reduced[k] };
        v->list.of.reductions = c->reductions;
        v->list.n = 2;
        break;
    case TESS_ARG_SHAPE:
        if (row->role == TESS_ROLE_OUT) v->result = &c->shape;
        else v->shape = shape_of(op, row);
        break;
    case TESS_ARG_DTYPE: v->dtype = TESS_F32; break;
    case TESS_ARG_DEVICE: v->device = tess_cpu(); break;
    case TESS_ARG_AXES: memcpy(v->axes, (int32_t[4]){ 0, 1, 3, 2 }, sizeof v->axes); break;
    case TESS_ARG_F64:
        v->f64 = strcmp(row->name, "high") == 0 ? 2 : strcmp(row->name, "shift_d") == 0 ? 0 : 0.25;
        break;
    case TESS_ARG_I64: v->i64 = strcmp(row->name, "n") == 0 ? 6 : strcmp(row->name, "high") == 0 ? 5 : 2; break;
    case TESS_ARG_U64: v->u64 = 7; break;
    case TESS_ARG_ELEMENT: v->element = element; break;
    case TESS_ARG_RESULT: v->result = &c->number; break;
    case TESS_ARG_TEXT: v->text = strcmp(row->name, "name") == 0 ? "d3" : "x"; break;
    case TESS_ARG_PATH: v->text = "x"; break;
    default: v->i32 = whole_number(row);
    }
}

void sample_make(sample *c, const tess_function_info *op)
{
    memset(c, 0, sizeof *c);
    c->op = op;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].role != TESS_ROLE_OPTION) fill_value(c, i);
}

void sample_free(sample *c)
{
    for (int i = 0; i < SAMPLE_ROWS; i++) tess_release(&c->arrays[i]);
    for (int i = 0; i < 2; i++) tess_release(&c->reduced[i]);
    tess_op_release(c->made);
}

bool sample_is_of_files(const tess_function_info *op) { return is_one_of(op->module, " io mrc star sidecar "); }

bool sample_is_output(const tess_arg_info *row)
{
    if (row->role == TESS_ROLE_OUT) return row->type == TESS_ARG_ARRAY;
    return row->role == TESS_ROLE_OPTION && (row->flags & TESS_ARG_WRITTEN);
}

void sample_name(char name[80], const tess_arg_info *row)
{
    (void)snprintf(name, 80, "%s%s", row->role == TESS_ROLE_OPTION ? "opts->" : "", row->name);
}

void sample_set_option(sample *s, size_t row)
{
    tess_array *pointer = &s->arrays[row];
    memcpy(s->opts + s->op->args[row].offset, &pointer, sizeof pointer);
}

void sample_give_option(sample *c, size_t i)
{
    const tess_arg_info *row = &c->op->args[i];
    const bool           of_ctf = strcmp(c->op->module, "ctf") == 0 || strcmp(row->name, "ctfs") == 0;
    const bool           band = strstr(c->op->name, "bandpass") != NULL;
    const bool           ellipsoid = strstr(c->op->name, "ellipsoid") != NULL;
    tess_shape           shape = TESS_SHAPE(2, 1, 1, of_ctf ? TESS_CTF_MIN_COLUMNS : band ? 4 : ellipsoid ? 3 : 2);
    if (!(row->flags & TESS_ARG_ROWS)) shape = TESS_SHAPE(2, 1, 4, 6);
    if (strcmp(row->name, "doses") == 0) shape.w = 1;
    if (strcmp(c->op->name, "symmetrize") == 0) shape = TESS_SHAPE(2, 1, 2, 3);
    if (strcmp(c->op->name, "symmetrize_spectrum") == 0)
        shape = TESS_SHAPE(2, 1, strcmp(row->name, "shifts") ? 2 : 1, 2);
    CHECK_OK(tess_linspace(&c->arrays[i], shape, TESS_F64, tess_cpu(), 0.05, 0.95, NULL));
    sample_set_option(c, i);
}

/* Weights of a volume are read where those of its slices are asked for; sums of weights where weights are. */
static void give_companion(sample *s, const char *name, tess_shape shape)
{
    for (size_t i = 0; i < s->op->n_args; i++) {
        if (s->op->args[i].role != TESS_ROLE_OPTION || strcmp(s->op->args[i].name, name) != 0) continue;
        CHECK_OK(tess_ones(&s->arrays[i], shape, TESS_F32, tess_cpu()));
        sample_set_option(s, i);
    }
}

void sample_ask_results(sample *s)
{
    for (size_t i = 0; i < s->op->n_args; i++)
        if (s->op->args[i].role == TESS_ROLE_OPTION && sample_is_output(&s->op->args[i])) sample_set_option(s, i);
    if (strcmp(s->op->name, "insert") == 0) {
        const tess_insert_opts add = { .add = 1 };
        memcpy(s->opts + offsetof(tess_insert_opts, add), &add.add, sizeof add.add);
        give_companion(s, "weight_sums", TESS_SHAPE(2, 1, 4, 6));
    }
    if (strcmp(s->op->name, "fourier_extract") == 0) give_companion(s, "weights", TESS_SHAPE(1, 2, 4, 4));
}

tess_status sample_call(const sample *s)
{
    return tess_function_call(s->op, s->values, s->op->opts_size ? s->opts : NULL);
}
