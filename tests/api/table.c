/* The descriptions of operations: complete, consistent, and in order. */
#include "support/test.h"

TEST(operations_are_found_by_name_and_in_order)
{
    CHECK(tess_function_count() > 10);
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        CHECK(tess_function_find(op->name) == op);
        CHECK(i == 0 || strcmp(tess_function_at(i - 1)->name, op->name) < 0);
        CHECK(op->help && op->help[0] && op->module && op->n_args > 0);
    }
    CHECK(tess_function_at(tess_function_count()) == NULL);
    CHECK(tess_function_find("no such") == NULL && tess_function_find(NULL) == NULL);
}

/* Every byte of an options struct before `reserved` belongs to exactly one row. */
TEST(rows_cover_every_options_struct)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        unsigned char             used[256] = { 0 };
        CHECK(op->opts_size <= sizeof used);
        for (size_t k = 0; k < op->n_args; k++) {
            const tess_arg_info *arg = &op->args[k];
            if (arg->role != TESS_ROLE_OPTION) continue;
            for (size_t at = arg->offset; at < arg->offset + arg->size; at++) used[at]++;
        }
        for (size_t at = 0; at < op->opts_size; at++)
            if (used[at] != (at < op->reserved_offset))
                (void)test_failed(__FILE__, __LINE__, "%s: byte %zu of the options is in %d rows", op->name, at,
                                  used[at]);
    }
}

TEST(defaults_are_allowed_values_and_names_are_unique)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        for (size_t k = 0; k < op->n_args; k++) {
            const tess_arg_info *arg = &op->args[k];
            CHECK(arg->name && arg->help && arg->help[0] && arg->unit);
            for (size_t j = 0; j < k; j++) CHECK(strcmp(op->args[j].name, arg->name) != 0);
            if (arg->role == TESS_ROLE_OPTION && arg->fallback != 0)
                CHECK(arg->fallback >= arg->min && arg->fallback <= arg->max);
        }
    }
}

/* Fields that nothing uses yet are rejected unless they are 0. */
TEST(unused_fields_must_be_zero)
{
    int n = 0;
    for (size_t i = 0; i < tess_function_count(); i++)
        for (size_t k = 0; k < tess_function_at(i)->n_args; k++) {
            const tess_arg_info *arg = &tess_function_at(i)->args[k];
            if (strcmp(arg->name, "unused") != 0) continue;
            CHECK(arg->min == 0 && arg->max == 0 && arg->fallback == 0);
            n++;
        }
    CHECK(n > 0);
}
