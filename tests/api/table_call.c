/* Every operation is called by its description, whole and, where it can be cut, batch by batch. */
#include "support/samples.h"

static const double quantiles[] = { 0.25, 0.5 };

TEST(every_operation_can_be_called_by_its_description)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        sample                    c;
        if (sample_is_of_files(op)) continue;
        CHECK(op->call != NULL);
        sample_make(&c, op);
        if (!CHECK_OK(tess_function_call(op, c.values, NULL))) printf("  of %s\n", op->name);
        for (size_t k = 0; k < op->n_args; k++)
            if (op->args[k].role == TESS_ROLE_OUT && op->args[k].type == TESS_ARG_ARRAY && !c.arrays[k].data)
                (void)test_failed(__FILE__, __LINE__, "%s made no %s", op->name, op->args[k].name);
        sample_free(&c);
    }
}

/* Batch b of what has more than one, as a view. */
static tess_array batch(const tess_array *a, int64_t b)
{
    tess_array view = *a;
    if (a->shape.b > 1) CHECK_OK(tess_slice(&view, a, 0, b, b + 1, 1));
    return view;
}

/* The same call with one batch of each input. */
static void call_one_batch(const sample *whole, int64_t b, sample *part, tess_array views[SAMPLE_ROWS])
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

static void compare_parts(const sample *whole)
{
    const tess_function_info *op = whole->op;
    CHECK_OK(tess_function_call(op, whole->values, whole->opts));
    for (int64_t b = 0; b < 2; b++) {
        tess_array views[SAMPLE_ROWS];
        sample     part;
        call_one_batch(whole, b, &part, views);
        for (size_t k = 0; k < op->n_args; k++)
            if (op->args[k].role == TESS_ROLE_OUT && op->args[k].type == TESS_ARG_ARRAY &&
                !same_bytes(&whole->arrays[k], b, &part.arrays[k]))
                (void)test_failed(__FILE__, __LINE__, "%s: %s of batch %d differs", op->name, op->args[k].name, (int)b);
        sample_free(&part);
    }
}

TEST(what_can_be_cut_gives_the_same_in_parts)
{
    int n = 0, n_options = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        sample                    whole;
        if (op->cut == TESS_CUT_NONE || sample_is_of_files(op)) continue;
        sample_make(&whole, op);
        compare_parts(&whole);
        sample_free(&whole);
        n++;
        for (size_t k = 0; k < op->n_args; k++) {
            if (op->args[k].role != TESS_ROLE_OPTION || !(op->args[k].flags & TESS_ARG_PER_BATCH)) continue;
            sample_make(&whole, op);
            sample_give_option(&whole, k);
            compare_parts(&whole);
            sample_free(&whole);
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
    CHECK_FAILS(tess_function_call(NULL, values, NULL), TESS_EARG, "function_call: op is NULL");
    CHECK_FAILS(tess_function_call(tess_function_find("sqrt"), NULL, NULL), TESS_EARG,
                "the arguments of sqrt are needed");
    CHECK_FAILS(tess_function_call(tess_function_find("sqrt"), values, NULL), TESS_EARG, "sqrt: x is NULL");
}
