/* tessera calc: an expression over files. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "calc/program.h"
#include "files/on_device.h"
#include "files/one_input.h"

static const option options[] = {
    CHOICE("per", "WHAT", "all volume image", "scope of mean(..), sum(..) and other reductions [all]"),
    FLAG("integers", "compute in integers: allows & | ^ ~ << >>, / drops fractions, results may overflow"),
    FLAG("json", "print numeric results as JSON"),
    { 0 },
};
static const char *const examples[] = {
    "tessera calc 'a*mask - mean(a)' a=x.mrc mask=mask.mrc -o masked.mrc",
    "tessera calc '(a - mean(a))/std(a)' --per image a=stack.mrcs -o zscore.mrcs",
    "tessera calc 'max(a) - min(a)' a=volume.mrc",
    "tessera calc 't = a - k; t*t' a=x.mrc k=0.5 -o square.mrc",
    NULL,
};

/* ---- Bindings ---- */

static bool is_reserved(const char *name)
{
    static const char *const words[] = { "op",   "fn",    "in",  "out", "inout", "val",  "view", "scatter", "acc",
                                         "if",   "else",  "for", "T",   "U",     "V",    "join", "post",    "return",
                                         "true", "false", "pi",  "inf", "nan",   "size", "shape" };
    tess_dtype               dtype;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strcmp(name, words[i]) == 0) return true;
    }
    if (tess_dtype_parse(&dtype, name) == TESS_OK) return true;
    tess_error_clear();
    return false;
}

static tess_status read_binding(program *p, const char *text)
{
    const char  *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    size_t       good = 0;
    while (good < length && (isalpha((unsigned char)text[good]) || text[good] == '_' ||
                             (good > 0 && isdigit((unsigned char)text[good])))) {
        ++good;
    }
    TESS_CHECK(length > 0 && good == length, TESS_EARG,
               "calc: unknown argument \"%s\"; expected NAME=FILE or NAME=NUMBER", text);
    TESS_CHECK(p->n_bindings < STREAM_INPUTS, TESS_EARG, "calc: too many files and numbers; at most %d are allowed",
               STREAM_INPUTS);
    binding *b = &p->bindings[p->n_bindings];
    TESS_CHECK(length < sizeof b->name, TESS_EARG, "calc: a name has %zu letters; at most %zu are allowed", length,
               sizeof b->name - 1);
    memcpy(b->name, text, length);
    TESS_CHECK(!is_reserved(b->name), TESS_EARG, "calc: \"%s\" is a reserved word; choose another name", b->name);
    for (int i = 0; i < p->n_bindings; ++i) {
        TESS_CHECK(strcmp(p->bindings[i].name, b->name) != 0, TESS_EARG, "calc: %s is given twice", b->name);
    }
    const char *value = equals + 1 + (equals[1] == '+');
    char       *end;
    const bool  number = isdigit((unsigned char)value[value[0] == '-']) || value[0] == '.' || value[0] == '-';
    (void)strtod(value, &end);
    if (number && end > value && !*end && strlen(value) < sizeof b->number) strcpy(b->number, value);
    ++p->n_bindings;
    return TESS_OK;
}

static tess_status open_files(job *j, program *p)
{
    for (int i = 0, k = 0; i < p->n_bindings; ++i) {
        binding    *b = &p->bindings[i];
        const char *text = j->arguments[1 + k++];
        if (!b->used) job_warn(j, "%s is not used in the expression", text);
        if (b->number[0] || !b->used) continue;
        TESS_TRY(input_open(&b->file, j, strchr(text, '=') + 1, NEED_ANY));
    }
    program_files(p);
    return TESS_OK;
}

/* ---- The result ---- */

typedef struct final_pass {
    program    *program;
    file_list   list;
    bool        json;
    int64_t     n_printed;
    tess_device device;
} final_pass;

static tess_status compute_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    final_pass *f = context;
    tess_array  files[STREAM_INPUTS];
    file_list_sort(&f->list, files, in);
    return formula_run(f->program, &f->program->result, out, files, s);
}

/* A number of the result, with commas between them for --json. */
static void print_number(final_pass *f, double x, const char *end)
{
    char text[32];
    if (!f->json) (void)printf("%s%s", number_text(text, x), end);
    else (void)printf("%s%s", f->n_printed > 0 ? ", " : "", isfinite(x) ? number_text(text, x) : "null");
    ++f->n_printed;
}

static tess_status print_slab(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    (void)out;
    final_pass    *f = context;
    const formula *formula_ = &f->program->result;
    tess_array     values = { 0 };
    tess_status    status;
    TESS_GOTO(done, status, tess_empty(&values, TESS_SHAPE(s->nb, s->nz, 1, 1), formula_->dtype, f->device));
    TESS_GOTO(done, status, compute_slab(context, &values, in, s));
    TESS_GOTO(done, status, move_array(&values, tess_cpu()));
    for (int64_t i = 0; i < s->nb * s->nz; ++i) {
        tess_c64 x = { 0, 0 };
        if (tess_dtype_kind(values.dtype) == TESS_KIND_COMPLEX) {
            TESS_GOTO(done, status, tess_get_c64(&x, &values, i / s->nz, i % s->nz, 0, 0));
            print_number(f, x.re, " ");
            print_number(f, x.im, "\n");
        } else {
            TESS_GOTO(done, status, tess_get_f64(&x.re, &values, i / s->nz, i % s->nz, 0, 0));
            print_number(f, x.re, "\n");
        }
    }
done:
    tess_release(&values);
    return status;
}

/* Of the first file that has the shape of the result, else of the first one, without what belongs to its sections. */
static tess_meta meta_of_result(job *j, const program *p)
{
    const binding *first = NULL, *same = NULL;
    tess_meta      meta = { 0 };
    for (int i = p->n_bindings - 1; i >= 0; --i) {
        const binding *b = &p->bindings[i];
        if (b->number[0] || !b->used) continue;
        first = b;
        if (memcmp(&b->file.info.shape, &p->result.domain, sizeof(tess_shape)) == 0) same = b;
    }
    if (first) meta = meta_of(same ? &same->file : &first->file);
    if (!same && !tess_meta_has_operators(&meta)) tess_meta_forget_extended(&meta);
    for (int i = 0; i < p->n_bindings; ++i) {
        const binding *b = &p->bindings[i];
        const double   size = b->number[0] || !b->used ? 0 : b->file.info.meta.pixel_size[2];
        if (tess_pixel_sizes_differ(meta.pixel_size[2], size)) {
            job_warn(j, "%s (%s) has a pixel size of %.6g A; the result takes %.6g A", b->name, b->file.name, size,
                     meta.pixel_size[2]);
        }
    }
    return meta;
}

/* {"expression": …, "value": x}, or "values" where there may be several. */
static tess_status print_json(job *j, const slab_plan *plan, final_pass *pass)
{
    const program *p = pass->program;
    const bool     several = p->per != PER_ALL || tess_dtype_kind(p->result.dtype) == TESS_KIND_COMPLEX;
    (void)printf("{\"expression\": ");
    print_json_text(stdout, p->text);
    (void)printf(several ? ", \"values\": [" : ", \"value\": ");
    const tess_status status = stream_slabs(j, plan, NULL, print_slab, pass);
    (void)printf(several ? "]}\n" : "}\n");
    return status;
}

static tess_status compute(job *j, program *p)
{
    const bool to_file = job_has(j, "output");
    TESS_CHECK(!to_file || !job_has(j, "json"), TESS_EARG, "calc: --json applies only to printed results, without -o");
    if (to_file) TESS_TRY(output_check(j, NULL));
    TESS_TRY(program_read(p));
    TESS_TRY(open_files(j, p));
    TESS_TRY(reductions_run(j, p));
    TESS_TRY(formula_make(p, &p->result));
    const tess_shape shape = p->result.domain;
    TESS_CHECK(to_file || (shape.h == 1 && shape.w == 1), TESS_EARG,
               "calc: the result has %lld x %lld x %lld pixels; write it to a file with -o", (long long)shape.w,
               (long long)shape.h, (long long)(shape.b * shape.d));
    final_pass pass = { .program = p, .json = job_has(j, "json"), .device = j->device };
    file_list_make(&pass.list, p, p->result.files);
    const slab_plan plan = { .domain = shape,
                             .device = j->device,
                             .inputs = pass.list.inputs,
                             .in_dtypes = pass.list.dtypes,
                             .n_inputs = pass.list.n,
                             .out_shape = shape,
                             .out_dtype = p->result.dtype,
                             .unit = "images" };
    if (!to_file && pass.json) return print_json(j, &plan, &pass);
    if (!to_file) return stream_slabs(j, &plan, NULL, print_slab, &pass);
    const tess_meta meta = meta_of_result(j, p);
    return stream_slabs_to_file(j, &plan, &meta, compute_slab, &pass);
}

static tess_status run(job *j)
{
    program *p = calloc(1, sizeof *p);
    TESS_CHECK(p, TESS_ENOMEM, "calc: out of memory");
    const char *per_name = job_text(j, "per", "all");
    p->text = j->arguments[0];
    p->integers = job_has(j, "integers");
    p->per = strcmp(per_name, "image") == 0 ? PER_IMAGE : strcmp(per_name, "volume") == 0 ? PER_VOLUME : PER_ALL;
    tess_status status = TESS_OK;
    for (int i = 1; i < j->n_arguments && status == TESS_OK; ++i) status = read_binding(p, j->arguments[i]);
    if (status == TESS_OK) status = compute(j, p);
    if (status == TESS_EPARSE) {
        job_failed(j, status, NULL);
        fault_show(p->text, &p->fault);
        status = TESS_OK;
    }
    program_free(p);
    free(p);
    return status;
}

const verb verb_calc = {
    .name = "calc",
    .subject = "arithmetic",
    .summary = "compute an expression over files",
    .arguments = "EXPRESSION NAME=FILE|NUMBER... [-o OUT]",
    .text =
        "Expressions use the operator language: + - * / %, comparisons, ?: and functions such as sqrt, exp and clamp. "
        "An image is combined with every image of a stack, a volume with every volume. $b, $d, $h and $w are the "
        "indices of a pixel's image, section, row and column, from 0; the $ may be left out if no file has a name of "
        "one letter. mean, sum, min, max, std, var, norm and median of one argument are taken over the whole file, or "
        "with --per image or volume over each one separately. Intermediate values can have names: 't = a*b; t + 1'. "
        "Integer files are computed as reals: f32, or f64 from 32 bits on; --integers keeps them integer.\n\nWithout "
        "-o, a result that is one number (with --per, one per image or volume) is printed. docs/calc.md is the guide.",
    .globals = GLOBAL_OUT | GLOBAL_INPUT | GLOBAL_DEVICE | GLOBAL_PROGRESS,
    VERB_OF_FILE(1, -1),
};
