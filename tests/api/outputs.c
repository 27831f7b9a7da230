/* A call that fails leaves all of its outputs as they were, for every operation of the table: outputs that do not fit,
 * outputs that share memory with each other or with inputs, and allocations that fail. */
#include <stdlib.h>

#include "support/hooks.h"
#include "support/samples.h"

enum { OUTPUTS = 9, PATTERN = 0x2a };

static hooks h;

/* The outputs of a call, with their names in messages. */
typedef struct outputs {
    int         n;
    tess_array *array[OUTPUTS];
    char        name[OUTPUTS][80];
    uint32_t    flags[OUTPUTS];
} outputs;

static outputs outputs_of(sample *s)
{
    outputs all = { .n = 0 };
    for (size_t i = 0; i < s->op->n_args; i++) {
        const tess_arg_info *row = &s->op->args[i];
        if (row->type == TESS_ARG_REDUCTIONS)
            for (int k = 0; k < 2; k++) {
                (void)snprintf(all.name[all.n], sizeof all.name[0], "items[%d].out", k);
                all.array[all.n++] = &s->reduced[k];
            }
        if (!sample_is_output(row)) continue;
        sample_name(all.name[all.n], row);
        all.flags[all.n] = row->flags;
        all.array[all.n++] = &s->arrays[i];
    }
    return all;
}

static void begin(sample *s, outputs *out, const tess_function_info *op)
{
    sample_make(s, op);
    sample_ask_results(s);
    *out = outputs_of(s);
}

/* Shapes and dtypes of the outputs that a call makes. */
static bool learn(const tess_function_info *op, tess_array wanted[OUTPUTS])
{
    sample  s;
    outputs out;
    begin(&s, &out, op);
    bool good = CHECK_OK(sample_call(&s));
    for (int k = 0; k < out.n; k++) {
        wanted[k] = *out.array[k];
        wanted[k].buffer = NULL;
        wanted[k].data = NULL;
    }
    if (!good) printf("  of %s\n", op->name);
    sample_free(&s);
    return good;
}

/* Operations whose results have the size that elements say: their outputs must be zeroed. */
static bool makes_outputs(const tess_function_info *op)
{
    static const char *const names[] = { "compress", "fft_empty", "peaks", "unique" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(op->name, names[i]) == 0) return true;
    return false;
}

static void fill_pattern(const tess_array *a) { memset(a->data, PATTERN, (size_t)tess_n_bytes(a)); }

static bool has_pattern(const tess_array *a)
{
    const unsigned char *bytes = a->data;
    for (int64_t i = 0; i < tess_n_bytes(a); i++)
        if (bytes[i] != PATTERN) return false;
    return true;
}

/* An output like the wanted one, made before the call. */
static void make_output(tess_array *out, const tess_array *wanted)
{
    tess_release(out);
    if (CHECK_OK(tess_empty(out, wanted->shape, wanted->dtype, tess_cpu()))) fill_pattern(out);
}

/* ---- Outputs that do not fit ---- */

typedef enum fault { MORE_BATCHES, MORE_COLUMNS, WRONG_DTYPE, BROADCAST, READ_ONLY, FAULTS } fault;

static const char *const fault_names[FAULTS] = { "a batch too many", "a column too many", "wrong dtype", "broadcast",
                                                 "read-only" };

/* Operations whose results have the height and width, or the batches, of an output that was made. */
static bool follows_output(const tess_function_info *op, fault which)
{
    if (which == MORE_BATCHES) return strcmp(op->name, "fft_frequencies") == 0;
    static const char *const names[] = { "backproject",
                                         "backproject_project",
                                         "cartesian_to_polar",
                                         "fuse_spectra",
                                         "phase_spectra",
                                         "polar_to_cartesian",
                                         "project",
                                         "rescale",
                                         "rotate_image",
                                         "rotational_average",
                                         "shift_image",
                                         "spectrum_to_polar",
                                         "transform_2d",
                                         "transform_3d" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(op->name, names[i]) == 0) return true;
    return false;
}

/* Returns false where there is no such fault. */
static bool spoil(const tess_function_info *op, tess_array *out, const tess_array *wanted, fault which, uint32_t flags)
{
    tess_array other = *wanted;
    if (flags & (TESS_ARG_MADE | TESS_ARG_KEPT) && which <= WRONG_DTYPE) return false; /* it says what is wanted */
    if (which <= MORE_COLUMNS && follows_output(op, which)) return false;
    if (which == MORE_BATCHES) other.shape.b += 1;
    if (which == MORE_COLUMNS) other.shape.w += 1;
    if (which == WRONG_DTYPE) other.dtype = wanted->dtype == TESS_MAT33_F64 ? TESS_VEC2_F32 : TESS_MAT33_F64;
    make_output(out, &other);
    if (which == READ_ONLY) out->flags |= TESS_READ_ONLY;
    if (which != BROADCAST) return true;
    for (int k = 3; k >= 0; k--)
        if (out->shape.dim[k] > 1) {
            out->strides.dim[k] = 0;
            return true;
        }
    return false;
}

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* The message is of this operation and names the output. */
static bool names_output(const tess_function_info *op, const char *name)
{
    char begin_of[80];
    (void)snprintf(begin_of, sizeof begin_of, "%s: ", op->name);
    return starts_with(tess_error_message(), begin_of) && strstr(tess_error_message(), name) != NULL;
}

static void check_unchanged(const tess_function_info *op, const outputs *out, const tess_array before[OUTPUTS],
                            const char *what)
{
    for (int k = 0; k < out->n; k++) {
        if (!same_struct(out->array[k], &before[k]))
            (void)test_failed(__FILE__, __LINE__, "%s, %s: the struct of %s changed", op->name, what, out->name[k]);
        else if (out->array[k]->data && !has_pattern(out->array[k]))
            (void)test_failed(__FILE__, __LINE__, "%s, %s: %s was written", op->name, what, out->name[k]);
    }
}

/* Output `bad` does not fit; the others are made, or all zeroed. */
static void reject(const tess_function_info *op, const tess_array wanted[OUTPUTS], int bad, fault which, bool made)
{
    sample     s;
    outputs    out;
    tess_array before[OUTPUTS];
    char       what[200];
    begin(&s, &out, op);
    (void)snprintf(what, sizeof what, "%s of %s, others %s", fault_names[which], out.name[bad],
                   made ? "made" : "zeroed");
    for (int k = 0; k < out.n; k++)
        if ((made && !makes_outputs(op)) || out.array[k]->data) make_output(out.array[k], &wanted[k]);
    const bool is_fault = spoil(op, out.array[bad], &wanted[bad], which, out.flags[bad]);
    for (int k = 0; k < out.n; k++) before[k] = *out.array[k];
    if (is_fault) {
        const tess_status status = sample_call(&s);
        if (status == TESS_OK) (void)test_failed(__FILE__, __LINE__, "%s, %s: accepted", op->name, what);
        else {
            if (!names_output(op, out.name[bad]))
                (void)test_failed(__FILE__, __LINE__, "%s, %s: '%s'", op->name, what, tess_error_message());
            check_unchanged(op, &out, before, what);
        }
    }
    sample_free(&s);
}

TEST(an_output_that_does_not_fit_leaves_the_others_alone)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        tess_array                wanted[OUTPUTS];
        sample                    s;
        if (sample_is_of_files(op) || !learn(op, wanted)) continue;
        sample_make(&s, op);
        const int n = outputs_of(&s).n;
        sample_free(&s);
        for (int bad = 0; bad < n; bad++)
            for (int which = 0; which < FAULTS; which++)
                for (int made = 0; made < (n > 1 ? 2 : 1); made++) reject(op, wanted, bad, (fault)which, made);
    }
}

/* ---- Shared memory ---- */

/* A made output at these bytes. */
static void place(tess_array *out, const tess_array *wanted, void *data)
{
    tess_release(out);
    CHECK_OK(tess_wrap(out, data, wanted->shape, wanted->dtype, NULL));
}

static size_t bytes_of(const tess_array *a) { return (size_t)tess_n_bytes(a); }

/* Two outputs that share their first bytes. */
static void share_outputs(const tess_function_info *op, const tess_array wanted[OUTPUTS], int one, int other)
{
    _Alignas(64) static unsigned char block[1 << 16];
    sample                            s;
    outputs                           out;
    begin(&s, &out, op);
    if (CHECK(bytes_of(&wanted[one]) <= sizeof block && bytes_of(&wanted[other]) <= sizeof block) &&
        bytes_of(&wanted[one]) && bytes_of(&wanted[other])) {
        memset(block, PATTERN, sizeof block);
        place(out.array[one], &wanted[one], block);
        place(out.array[other], &wanted[other], block);
        const tess_status status = sample_call(&s);
        if (status != TESS_EALIAS || !names_output(op, out.name[one]) || !names_output(op, out.name[other]))
            (void)test_failed(__FILE__, __LINE__, "%s: %s and %s share memory: %s: '%s'", op->name, out.name[one],
                              out.name[other], tess_status_name(status), status ? tess_error_message() : "");
        for (size_t i = 0; i < sizeof block; i++)
            if (block[i] != PATTERN) {
                (void)test_failed(__FILE__, __LINE__, "%s: %s and %s share memory and were written", op->name,
                                  out.name[one], out.name[other]);
                break;
            }
    }
    sample_free(&s);
}

/* An output that begins one element behind the beginning of an input. */
static void share_input(const tess_function_info *op, const tess_array wanted[OUTPUTS], int which, size_t input)
{
    _Alignas(64) static unsigned char block[1 << 16], was[1 << 16];
    sample                            s;
    outputs                           out;
    begin(&s, &out, op);
    if (op->args[input].role == TESS_ROLE_OPTION) sample_give_option(&s, input);
    tess_array  *in = &s.arrays[input];
    const size_t size = bytes_of(in), step = (size_t)tess_dtype_size(wanted[which].dtype);
    if (in->data && size > step && bytes_of(&wanted[which])) {
        memset(block, PATTERN, sizeof block);
        memcpy(block, in->data, size);
        memcpy(was, block, sizeof block);
        tess_array moved = *in;
        moved.data = block;
        moved.buffer = NULL;
        tess_release(in);
        *in = moved;
        place(out.array[which], &wanted[which], block + step);
        const tess_status status = sample_call(&s);
        char              name[80];
        sample_name(name, &op->args[input]);
        if (status != TESS_EALIAS || !names_output(op, out.name[which]) || !names_output(op, name))
            (void)test_failed(__FILE__, __LINE__, "%s: %s shares memory with %s: %s: '%s'", op->name, out.name[which],
                              name, tess_status_name(status), status ? tess_error_message() : "");
        if (status != TESS_OK && memcmp(block, was, sizeof block) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: %s shares memory with %s and was written", op->name,
                              out.name[which], name);
    }
    sample_free(&s);
}

/* An array for each batch that an option takes. */
static bool is_read_option(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_OPTION && (row->flags & TESS_ARG_PER_BATCH) && !sample_is_output(row);
}

TEST(outputs_share_no_memory)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        tess_array                wanted[OUTPUTS];
        sample                    s;
        if (sample_is_of_files(op) || makes_outputs(op) || !learn(op, wanted)) continue;
        sample_make(&s, op);
        const int n = outputs_of(&s).n;
        sample_free(&s);
        for (int one = 0; one < n; one++)
            for (int other = one + 1; other < n; other++) share_outputs(op, wanted, one, other);
        for (int one = 0; one < n; one++)
            for (size_t k = 0; k < op->n_args; k++)
                if (op->args[k].role == TESS_ROLE_IN || is_read_option(&op->args[k])) share_input(op, wanted, one, k);
    }
}

/* ---- Allocations that fail ---- */

/* Axis after axis in the output itself, as its header says. */
static bool works_in_steps(const tess_function_info *op) { return strcmp(op->name, "bspline_prefilter") == 0; }

static void fail_each(const tess_function_info *op, const tess_array wanted[OUTPUTS], bool made)
{
    for (long at = 1; at < 200; at++) {
        sample     s;
        outputs    out;
        tess_array before[OUTPUTS];
        char       what[100];
        begin(&s, &out, op);
        (void)snprintf(what, sizeof what, "allocation %ld fails, outputs %s", at, made ? "made" : "zeroed");
        for (int k = 0; k < out.n; k++) {
            if (made || out.array[k]->data) make_output(out.array[k], &wanted[k]);
            before[k] = *out.array[k];
        }
        atomic_store(&h.calls, 0), atomic_store(&h.fired, 0);
        atomic_store(&h.for_good, false), atomic_store(&h.fail_at, at);
        const tess_status status = sample_call(&s);
        atomic_store(&h.fail_at, 0);
        const bool fired = atomic_load(&h.fired) > 0;
        if (status != TESS_OK && !(made && works_in_steps(op))) check_unchanged(op, &out, before, what);
        if (status != TESS_OK && (status != TESS_ENOMEM || !fired))
            (void)test_failed(__FILE__, __LINE__, "%s, %s: '%s'", op->name, what, tess_error_message());
        sample_free(&s);
        if (!fired) return;
    }
}

TEST(a_failing_allocation_leaves_outputs_alone)
{
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        tess_array                wanted[OUTPUTS];
        if (sample_is_of_files(op) || !learn(op, wanted)) continue;
        hooks_on(&h);
        for (int made = 0; made < (makes_outputs(op) ? 1 : 2); made++) fail_each(op, wanted, made);
        CHECK_I64(atomic_load(&h.live), 0);
        hooks_off();
    }
}
