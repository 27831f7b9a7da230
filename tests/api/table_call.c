/* Every operation is called by its description, whole and, where it can be cut, batch by batch. */
#include "support/arrays.h"

enum { MOST = 24 };

/* The arguments of one call: what they are is chosen by the types of the rows, and by name where that is not enough. */
typedef struct call {
    const tess_function_info *op;
    tess_value                values[MOST];
    tess_array                arrays[MOST]; /* of the inputs and outputs among them */
    tess_shape                shape;        /* a result */
    double                    number;       /* a result */
    tess_reduction            reductions[2];
    tess_array                reduced[2];
    tess_op                  *made; /* an operator */
    _Alignas(16) unsigned char opts[256];
} call;

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

static const float    element = 2.5f;
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

static void fill_value(call *c, size_t i)
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
    case TESS_ARG_ELEMENT: v->element = &element; break;
    case TESS_ARG_RESULT: v->result = &c->number; break;
    case TESS_ARG_TEXT: v->text = strcmp(row->name, "name") == 0 ? "d3" : "x"; break;
    case TESS_ARG_PATH: v->text = "x"; break;
    default: v->i32 = whole_number(row);
    }
}

static void prepare(call *c, const tess_function_info *op)
{
    memset(c, 0, sizeof *c);
    c->op = op;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].role != TESS_ROLE_OPTION) fill_value(c, i);
}

static void end(call *c)
{
    for (int i = 0; i < MOST; i++) tess_release(&c->arrays[i]);
    for (int i = 0; i < 2; i++) tess_release(&c->reduced[i]);
    tess_op_release(c->made);
}

/* Operations of files are called where there are files. */
static bool is_of_files(const tess_function_info *op) { return is_one_of(op->module, " io mrc star sidecar "); }

TEST(every_operation_can_be_called_by_its_description)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        call                      c;
        if (is_of_files(op)) continue;
        CHECK(op->call != NULL);
        prepare(&c, op);
        if (!CHECK_OK(tess_function_call(op, c.values, NULL))) printf("  of %s\n", op->name);
        for (size_t k = 0; k < op->n_args; k++)
            if (op->args[k].role == TESS_ROLE_OUT && op->args[k].type == TESS_ARG_ARRAY && !c.arrays[k].data)
                (void)test_failed(__FILE__, __LINE__, "%s made no %s", op->name, op->args[k].name);
        end(&c);
    }
}

/* An array for each batch to an option that takes one: a row of its parameters, or weights. */
static void fill_option(call *c, size_t i)
{
    const tess_arg_info *row = &c->op->args[i];
    const bool           of_ctf = strcmp(c->op->module, "ctf") == 0 || strcmp(row->name, "ctfs") == 0;
    const bool           band = strstr(c->op->name, "bandpass") != NULL;
    const bool           ellipsoid = strstr(c->op->name, "ellipsoid") != NULL;
    const tess_array    *pointer = &c->arrays[i];
    tess_shape           shape = TESS_SHAPE(2, 1, 1, of_ctf ? TESS_CTF_MIN_COLUMNS : band ? 4 : ellipsoid ? 3 : 2);
    if (!(row->flags & TESS_ARG_ROWS)) shape = TESS_SHAPE(2, 1, 4, 6);
    if (strcmp(c->op->name, "symmetrize") == 0) shape = TESS_SHAPE(2, 1, 2, 3);
    if (strcmp(c->op->name, "symmetrize_spectrum") == 0)
        shape = TESS_SHAPE(2, 1, strcmp(row->name, "shifts") ? 2 : 1, 2);
    CHECK_OK(tess_linspace(&c->arrays[i], shape, TESS_F64, tess_cpu(), 0.05, 0.95, NULL));
    memcpy(c->opts + row->offset, &pointer, sizeof pointer);
}

/* Batch b of what has more than one, as a view. */
static tess_array batch(const tess_array *a, int64_t b)
{
    tess_array view = *a;
    if (a->shape.b > 1) CHECK_OK(tess_slice(&view, a, 0, b, b + 1, 1));
    return view;
}

/* The same call with one batch of each input. */
static void call_one_batch(const call *whole, int64_t b, call *part, tess_array views[MOST])
{
    memset(part, 0, sizeof *part);
    part->op = whole->op;
    memcpy(part->values, whole->values, sizeof part->values);
    memcpy(part->opts, whole->opts, sizeof part->opts);
    for (size_t i = 0; i < whole->op->n_args; i++) {
        const tess_arg_info *row = &whole->op->args[i];
        if (row->role == TESS_ROLE_OUT && row->type == TESS_ARG_ARRAY) part->values[i].out = &part->arrays[i];
        if (row->role == TESS_ROLE_IN && row->type == TESS_ARG_ARRAY) {
            views[i] = batch(&whole->arrays[i], b);
            part->values[i].in = &views[i];
        }
        const tess_array *pointer = &views[i];
        if (row->flags & TESS_ARG_FIRST) memcpy(part->opts + row->offset, &b, sizeof b);
        if (row->role == TESS_ROLE_OPTION && whole->arrays[i].data) {
            views[i] = batch(&whole->arrays[i], b);
            memcpy(part->opts + row->offset, &pointer, sizeof pointer);
        }
        if (row->flags & TESS_ARG_COUNTS_BATCH) part->values[i].shape.b = 1;
        if (row->type == TESS_ARG_REDUCTIONS) {
            for (int k = 0; k < 2; k++)
                part->reductions[k] = (tess_reduction){ whole->reductions[k].kind, &part->reduced[k] };
            part->values[i].list.of.reductions = part->reductions;
        }
    }
    CHECK_OK(tess_function_call(part->op, part->values, part->opts));
}

static bool same_bytes(const tess_array *whole, int64_t b, const tess_array *part)
{
    const size_t size = (size_t)tess_n_bytes(part);
    return whole->dtype == part->dtype && tess_is_contiguous(whole, 'C') && tess_is_contiguous(part, 'C') &&
           (size_t)tess_n_bytes(whole) == 2 * size &&
           memcmp((char *)whole->data + (size_t)b * size, part->data, size) == 0;
}

static void compare_parts(const call *whole)
{
    const tess_function_info *op = whole->op;
    CHECK_OK(tess_function_call(op, whole->values, whole->opts));
    for (int64_t b = 0; b < 2; b++) {
        tess_array views[MOST];
        call       part;
        call_one_batch(whole, b, &part, views);
        for (size_t k = 0; k < op->n_args; k++)
            if (op->args[k].role == TESS_ROLE_OUT && op->args[k].type == TESS_ARG_ARRAY &&
                !same_bytes(&whole->arrays[k], b, &part.arrays[k]))
                (void)test_failed(__FILE__, __LINE__, "%s: %s of batch %d differs", op->name, op->args[k].name, (int)b);
        end(&part);
    }
}

TEST(what_can_be_cut_gives_the_same_in_parts)
{
    int n = 0, n_options = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        call                      whole;
        if (op->cut == TESS_CUT_NONE || is_of_files(op)) continue;
        prepare(&whole, op);
        compare_parts(&whole);
        end(&whole);
        n++;
        for (size_t k = 0; k < op->n_args; k++) {
            if (op->args[k].role != TESS_ROLE_OPTION || !(op->args[k].flags & TESS_ARG_PER_BATCH)) continue;
            prepare(&whole, op);
            fill_option(&whole, k);
            compare_parts(&whole);
            end(&whole);
            n_options++;
        }
    }
    CHECK(n > 100 && n_options > 8);
}

/* Else parts of files would meet the parameters of all. */
TEST(options_for_each_batch_are_cut_with_the_input)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        for (size_t k = 0; k < op->n_args && op->cut == TESS_CUT_BATCHES; k++) {
            const tess_arg_info *row = &op->args[k];
            if (row->role == TESS_ROLE_OPTION && row->type == TESS_ARG_ARRAY && strncmp(row->help, "{b,", 3) == 0 &&
                !(row->flags & TESS_ARG_PER_BATCH))
                (void)test_failed(__FILE__, __LINE__, "%s: %s is not cut", op->name, row->name);
        }
    }
}

TEST(fields_of_structs_are_described)
{
    const tess_arg_info      *row = NULL;
    const tess_function_info *op = tess_function_find("ctf_apply");
    for (size_t k = 0; k < op->n_args; k++)
        if (op->args[k].type == TESS_ARG_STRUCT) row = &op->args[k];
    if (!CHECK(row && row->fields && row->size == sizeof(tess_ctf) && (row->flags & TESS_ARG_OPTIONAL))) return;
    size_t n = 0;
    for (const tess_arg_info *field = row->fields; field->name; field++, n++) {
        CHECK(field->type == TESS_ARG_F64 && field->size == sizeof(double) && field->offset == n * sizeof(double));
        CHECK(field->help[0] && field->unit && field->min <= field->max);
    }
    CHECK(n == TESS_CTF_COLUMNS);
    CHECK(strcmp(row->fields[2].name, "defocus") == 0 && row->fields[5].fallback == 300);
}

TEST(a_call_by_description_is_the_function)
{
    tess_array in = numbers(TESS_F32, 2, 1, 4, 6), got = { 0 }, want = { 0 };
    tess_value bin[] = { { .out = &got }, { .in = &in }, { .shape = TESS_SHAPE(1, 1, 2, 3) } };
    CHECK_OK(tess_function_call(tess_function_find("bin"), bin, &(tess_bin_opts){ .sum = 1 }));
    CHECK_OK(tess_bin(&want, &in, TESS_SHAPE(1, 1, 2, 3), &(tess_bin_opts){ .sum = 1 }));
    CHECK(same_values(&got, &want));
    tess_release(&got);
    tess_release(&want);

    tess_value turned[] = { { .out = &got }, { .in = &in }, { .axes = { 0, 1, 3, 2 } } };
    CHECK_OK(tess_function_call(tess_function_find("permute_copy"), turned, NULL));
    CHECK_DIMS(got.shape, 2, 1, 6, 4);
    CHECK(value_at(&got, 1, 0, 5, 3) == value_at(&in, 1, 0, 3, 5));
    tess_release(&got);

    tess_value parts[] = { { .out = &got },
                           { .list = { .of = { .arrays = (tess_array[]){ in, in } }, .n = 2 } },
                           { .i32 = 0 } };
    CHECK_OK(tess_function_call(tess_function_find("concatenate"), parts, NULL));
    CHECK_DIMS(got.shape, 4, 1, 4, 6);
    tess_release(&got);

    tess_value several[] = {
        { .out = &got }, { .in = &in }, { .list = { .of = { .numbers = quantiles }, .n = 2 } }, { .i32 = 0 }
    };
    CHECK_OK(tess_function_call(tess_function_find("quantiles"), several, NULL));
    CHECK_OK(tess_quantiles(&want, &in, quantiles, 2, 0, NULL));
    CHECK(same_values(&got, &want));
    tess_release(&got);
    tess_release(&want);
    tess_release(&in);
}

TEST(bad_calls_are_refused)
{
    tess_array out = { 0 };
    tess_value values[] = { { .out = &out }, { .in = NULL } };
    CHECK_FAILS(tess_function_call(NULL, values, NULL), TESS_EARG, "op_call: op is NULL");
    CHECK_FAILS(tess_function_call(tess_function_find("sqrt"), NULL, NULL), TESS_EARG,
                "the arguments of sqrt are needed");
    CHECK_FAILS(tess_function_call(tess_function_find("sqrt"), values, NULL), TESS_EARG, "sqrt: x is NULL");
}
