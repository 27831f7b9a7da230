/* Messages of every operation of the table: with a bad argument of each kind, they begin with the name of the function
 * that was called and name one of its own arguments. */
#include <math.h>
#include <stdlib.h>

#include "support/samples.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[strlen(word)])) return true;
    return false;
}

/* After the name of the function. */
static bool names_argument(const tess_function_info *op, const char *message)
{
    for (size_t i = 0; i < op->n_args; i++)
        if (has_word(message, op->args[i].name)) return true;
    return false;
}

static int n_failures;

/* Call it, and look at the message if it fails. */
static void try_call(const sample *s, const char *what)
{
    char begin[80], name[80];
    sample_name(name, &s->op->args[0]);
    if (sample_call(s) == TESS_OK) return;
    n_failures++;
    (void)snprintf(begin, sizeof begin, "%s: ", s->op->name);
    const char *message = tess_error_message();
    if (strncmp(message, begin, strlen(begin)) != 0 || !names_argument(s->op, message + strlen(begin)))
        (void)test_failed(__FILE__, __LINE__, "%s, %s: '%s'", s->op->name, what, message);
}

/* ---- Arrays ---- */

enum { IS_NULL, IS_ZEROED, IS_COMPOUND, IS_MISSHAPEN, IS_COMPLEX, IS_NAN, ARRAY_FAULTS };

static const char *const array_faults[ARRAY_FAULTS] = { "NULL",      "zeroed",          "of matrices",
                                                        "misshapen", "complex numbers", "NaN" };

static void make_bad(tess_array *bad, int fault)
{
    const tess_array like = *bad;
    tess_release(bad);
    if (fault == IS_COMPOUND) *bad = constant(TESS_MAT33_F64, 2, 1, 1, 1, 1);
    if (fault == IS_MISSHAPEN) *bad = constant(TESS_F32, 7, 2, 5, 3, 1);
    if (fault == IS_COMPLEX && like.dtype) CHECK_OK(tess_full(bad, like.shape, TESS_C64, tess_cpu(), 1));
    if (fault == IS_NAN && tess_dtype_kind(like.dtype) == TESS_KIND_FLOAT)
        CHECK_OK(tess_full(bad, like.shape, like.dtype, tess_cpu(), (double)NAN));
}

static void try_array(const tess_function_info *op, size_t i, int fault)
{
    const tess_arg_info *row = &op->args[i];
    sample               s;
    char                 what[160], name[80];
    sample_make(&s, op);
    sample_name(name, row);
    (void)snprintf(what, sizeof what, "%s %s", name, array_faults[fault]);
    if (fault != IS_NULL) make_bad(&s.arrays[i], fault);
    if (row->role == TESS_ROLE_OPTION && fault != IS_NULL) sample_set_option(&s, i);
    if (row->role == TESS_ROLE_IN && row->type == TESS_ARG_ARRAYS && fault == IS_NULL)
        s.values[i].list.of.arrays = NULL;
    else if (row->role == TESS_ROLE_IN && fault == IS_NULL) s.values[i].in = NULL;
    else if (row->role == TESS_ROLE_OUT && fault == IS_NULL) s.values[i].out = NULL;
    try_call(&s, what);
    sample_free(&s);
}

/* ---- Values ---- */

enum { VALUE_FAULTS = 4 };

static void spoil_value(tess_value *v, const tess_arg_info *row, int fault)
{
    const double  numbers[VALUE_FAULTS] = { (double)NAN, (double)-INFINITY, -1e300, 1e300 };
    const int64_t whole[VALUE_FAULTS] = { INT64_MIN, -1, 0, INT64_MAX };
    switch (row->type) {
    case TESS_ARG_F64: v->f64 = numbers[fault]; break;
    case TESS_ARG_I64: v->i64 = whole[fault]; break;
    case TESS_ARG_SHAPE: v->shape = TESS_SHAPE(fault, 1 - fault, 1, fault < 3 ? -1 : INT64_MAX); break;
    case TESS_ARG_DTYPE: v->dtype = (tess_dtype)(999 + fault); break;
    case TESS_ARG_DEVICE: v->device = tess_gpu(fault); break;
    case TESS_ARG_AXES: v->axes[0] = 7 + fault; break;
    case TESS_ARG_AXIS: v->i32 = 9 + fault; break;
    case TESS_ARG_AXIS_SET: v->i32 = 0x100 << fault; break;
    case TESS_ARG_TEXT: v->text = fault == 0 ? NULL : fault == 1 ? "" : "?"; break;
    case TESS_ARG_ELEMENT: v->element = NULL; break;
    case TESS_ARG_STRUCT: v->structure = NULL; break;
    case TESS_ARG_OP: v->op = NULL; break;
    case TESS_ARG_NUMBERS: v->list.n = fault - 1; break;
    case TESS_ARG_REDUCTIONS: v->list.n = fault < 2 ? fault - 1 : 1000; break;
    case TESS_ARG_RESULT: v->result = NULL; break;
    case TESS_ARG_U64:
    case TESS_ARG_U32: break;
    default: v->i32 = fault < 2 ? -7 - fault : 9999; break;
    }
}

static void try_value(const tess_function_info *op, size_t i, int fault)
{
    sample s;
    char   what[160];
    sample_make(&s, op);
    (void)snprintf(what, sizeof what, "%s wrong by %d", op->args[i].name, fault);
    if (op->args[i].role == TESS_ROLE_OUT) s.values[i].result = NULL;
    else spoil_value(&s.values[i], &op->args[i], fault);
    try_call(&s, what);
    sample_free(&s);
}

/* ---- Options ---- */

static void try_option(const tess_function_info *op, size_t i, int fault)
{
    const tess_arg_info *row = &op->args[i];
    const double         numbers[VALUE_FAULTS] = { (double)NAN, (double)-INFINITY, -1e300, 1e300 };
    const int64_t        wide[VALUE_FAULTS] = { INT64_MIN, -1, INT64_MAX, 3 };
    const int32_t        whole[VALUE_FAULTS] = { INT32_MIN, -1, INT32_MAX, 3 };
    sample               s;
    char                 what[160];
    sample_make(&s, op);
    (void)snprintf(what, sizeof what, "opts->%s wrong by %d", row->name, fault);
    if (row->type == TESS_ARG_TEXT) {
        const char *text = fault ? "?" : "";
        memcpy(s.opts + row->offset, &text, sizeof text);
    } else if (row->type == TESS_ARG_F64) memcpy(s.opts + row->offset, &numbers[fault], sizeof(double));
    else if (row->size == sizeof(int32_t)) memcpy(s.opts + row->offset, &whole[fault], sizeof(int32_t));
    else if (row->type == TESS_ARG_I64) memcpy(s.opts + row->offset, &wide[fault], sizeof(int64_t));
    try_call(&s, what);
    sample_free(&s);
}

static void try_operation(const tess_function_info *op)
{
    for (size_t i = 0; i < op->n_args; i++) {
        const tess_arg_info *row = &op->args[i];
        const bool           is_array = row->type == TESS_ARG_ARRAY || row->type == TESS_ARG_ARRAYS ||
                              (row->type == TESS_ARG_RESULT && (row->flags & TESS_ARG_IS_ARRAY));
        const int n = is_array ? ARRAY_FAULTS : VALUE_FAULTS;
        for (int fault = 0; fault < n; fault++) {
            if (is_array) try_array(op, i, fault);
            else if (row->role == TESS_ROLE_OPTION) try_option(op, i, fault);
            else try_value(op, i, fault);
        }
    }
}

TEST(messages_name_the_function_and_an_argument_of_it)
{
    n_failures = 0;
    for (size_t i = 0; i < tess_function_count(); i++)
        if (!sample_is_of_files(tess_function_at(i))) try_operation(tess_function_at(i));
    CHECK(n_failures > 3000);
}
