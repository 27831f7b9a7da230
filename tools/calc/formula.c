/* A formula as an operator: its text, its type, its domain, and its values over a slab. */
#include "calc/language_message.h"
#include "calc/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files ---- */

/* What a file of this dtype is read as. With --integers, wide unsigned numbers become i64, since they do not mix with
 * others in the language. */
static tess_dtype read_as(const program *p, tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_COMPLEX: return tess_dtype_complex(p->real);
    case TESS_KIND_FLOAT: return p->real;
    case TESS_KIND_UINT: return !p->integers ? p->real : tess_dtype_size(dtype) > 2 ? TESS_I64 : dtype;
    default: return p->integers ? dtype : p->real;
    }
}

static tess_status broadcast_shapes(tess_shape *shape, tess_shape with, const char *name)
{
    for (int i = 0; i < 4; ++i) {
        TESS_CHECK(shape->dim[i] == with.dim[i] || shape->dim[i] == 1 || with.dim[i] == 1, TESS_ESHAPE,
                   "calc: %s has %lld along %s, another file %lld; sizes must be equal, or 1", name,
                   (long long)with.dim[i],
                   (const char *const[]){ "b (images or volumes)", "z (sections)", "y (rows)", "x (columns)" }[i],
                   (long long)shape->dim[i]);
        if (shape->dim[i] == 1) shape->dim[i] = with.dim[i];
    }
    return TESS_OK;
}

/* Images against sections would make each with each, which nobody means. */
static tess_status check_alike(const program *p, const bool *files)
{
    const binding *stack = NULL, *volume = NULL;
    for (int i = 0; i < p->n_bindings; ++i) {
        const tess_shape shape = p->bindings[i].file.info.shape;
        if (!files[i]) continue;
        if (shape.b > 1 && shape.d == 1) stack = &p->bindings[i];
        if (shape.b == 1 && shape.d > 1) volume = &p->bindings[i];
    }
    TESS_CHECK(!stack || !volume, TESS_ESHAPE,
               "calc: %s has images and %s is a volume; --as stack or --as volume reads both alike", stack->name,
               volume->name);
    return TESS_OK;
}

void program_files(program *p)
{
    p->real = TESS_F32;
    p->domain = TESS_SHAPE(1, 1, 1, 1);
    for (int i = 0; i < p->n_bindings; ++i) {
        const binding *b = &p->bindings[i];
        if (b->number[0] || !b->used) continue;
        const tess_dtype real = tess_dtype_real(b->file.info.dtype);
        if (tess_dtype_size(real) > (tess_dtype_kind(real) == TESS_KIND_FLOAT ? 4 : 2)) p->real = TESS_F64;
        for (int k = 0; k < 4; ++k) {
            if (p->domain.dim[k] == 1) p->domain.dim[k] = b->file.info.shape.dim[k];
        }
    }
}

void file_list_make(file_list *list, program *p, const bool *files)
{
    list->n = 0;
    for (int i = 0; i < p->n_bindings; ++i) {
        if (!files[i]) continue;
        list->inputs[list->n] = &p->bindings[i].file;
        list->dtypes[list->n] = read_as(p, p->bindings[i].file.info.dtype);
        list->which[list->n++] = i;
    }
}

void file_list_sort(const file_list *list, tess_array *files, const tess_array *in)
{
    for (int i = 0; i < list->n; ++i) files[list->which[i]] = in[i];
}

/* ---- What is in a formula ---- */

static int file_named(const program *p, const token *t)
{
    for (int i = 0; i < p->n_bindings; ++i) {
        if (!p->bindings[i].number[0] && token_is(t, p->bindings[i].name)) return i;
    }
    return -1;
}

static int reduction_named(const program *p, const token *t)
{
    for (int i = 0; i < p->n_reductions; ++i) {
        if (token_is(t, p->reductions[i].name)) return i;
    }
    return -1;
}

static bool is_one_of(const token *t, const char *words)
{
    for (const char *w = words; *w;) {
        const size_t n = strcspn(w, " ");
        if ((size_t)t->length == n && memcmp(t->text, w, n) == 0) return true;
        w += n + (w[n] == ' ');
    }
    return false;
}

/* size(0) and size(1) are those of the whole domain, not of a slab. */
static bool is_outer_size(const tokens *list, int i)
{
    return i + 3 < list->n && token_is(&list->token[i], "size") && token_is(&list->token[i + 1], "(") &&
           (token_is(&list->token[i + 2], "0") || token_is(&list->token[i + 2], "1")) &&
           token_is(&list->token[i + 3], ")");
}

/* $b, $d, $h, $w; or b, d, h, w where no letter stands for a file, so that a file that was forgotten is missed. Its
 * letter, or 0. */
static char index_letter(const program *p, const token *t)
{
    if (is_one_of(t, "$b $d $h $w")) return t->text[1];
    if (!is_one_of(t, "b d h w")) return 0;
    for (int i = 0; i < p->n_bindings; ++i) {
        if (!p->bindings[i].number[0] && !p->bindings[i].name[1]) return 0;
    }
    return t->text[0];
}

static tess_status reject_name(program *p, const token *t)
{
    static const char *const what[] = { "image", "section", "row", "column" };
    p->fault = (fault){ t->at, t->length };
    TESS_CHECK(t->text[0] != '$', TESS_EPARSE,
               "calc: '%.*s' is not an index; expected $b (image), $d (section), $h (row) or $w (column)", t->length,
               t->text);
    const char *index = t->length == 1 ? strchr("bdhw", t->text[0]) : NULL;
    TESS_CHECK(!index, TESS_EPARSE,
               "calc: no file is given for '%c'; add %c=FILE or %c=NUMBER; the index of the %s is $%c", *index, *index,
               *index, what[index - "bdhw"], *index);
    TESS_FAIL(TESS_EPARSE, "calc: unknown name '%.*s'; add %.*s=FILE or %.*s=NUMBER", t->length, t->text, t->length,
              t->text, t->length, t->text);
}

static tess_status find_names(program *p, formula *f, bool *indices)
{
    const tokens *list = &f->text;
    for (int i = 0; i < list->n; ++i) {
        const token *t = &list->token[i];
        const bool   calls = i + 1 < list->n && token_is(&list->token[i + 1], "(");
        if (t->kind != TOKEN_NAME) continue;
        if (token_is(t, "size")) *indices = true;
        if (is_outer_size(list, i)) f->indices = true;
        if (calls) continue;
        const int file = file_named(p, t), reduction_ = reduction_named(p, t);
        if (file >= 0) f->files[file] = true;
        else if (reduction_ >= 0) f->reductions[reduction_] = true;
        else if (index_letter(p, t)) {
            *indices = true;
            if (index_letter(p, t) == 'b' || index_letter(p, t) == 'd') f->indices = true;
        } else if (!is_one_of(t, "pi inf nan true false bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c16 c32 c64 int "
                                 "float double")) {
            return reject_name(p, t);
        }
    }
    f->plain = list->n == 1 && list->token[0].kind == TOKEN_NAME ? file_named(p, &list->token[0]) : -1;
    return TESS_OK;
}

static tess_status find_domain(program *p, formula *f, bool indices)
{
    bool any = false;
    TESS_TRY(check_alike(p, f->files));
    f->domain = TESS_SHAPE(1, 1, 1, 1);
    f->real = TESS_F64;
    for (int i = 0; i < p->n_bindings; ++i) {
        if (!f->files[i]) continue;
        TESS_TRY(broadcast_shapes(&f->domain, p->bindings[i].file.info.shape, p->bindings[i].name));
        f->real = p->real;
        any = true;
    }
    for (int i = 0; i < p->n_reductions; ++i) {
        if (f->reductions[i]) TESS_TRY(broadcast_shapes(&f->domain, p->reductions[i].value.shape, "a reduction"));
    }
    if (!any && indices) f->domain = p->domain;
    return TESS_OK;
}

/* ---- Its text ---- */

typedef struct writing {
    FILE  *stream;
    char  *text; /* when the stream is closed */
    size_t size;
    int    n;      /* bytes so far */
    int   *starts; /* of each word of the formula, in bytes of the text */
} writing;

static void put(writing *w, const char *text, int n) { w->n += (int)fwrite(text, 1, (size_t)n, w->stream); }

static void put_text(writing *w, const char *text) { put(w, text, (int)strlen(text)); }

/* In our text b, d, h and w are indices, whatever they are in the user's. */
static void put_file(writing *w, const char *name, int length)
{
    put(w, name, length);
    if (length == 1 && strchr("bdhw", name[0])) put_text(w, "_file_");
}

static void put_parameters(writing *w, const program *p, const formula *f)
{
    for (int i = 0; i < p->n_bindings; ++i) {
        if (!f->files[i]) continue;
        put_text(w, "in ");
        put_text(w, tess_dtype_name(read_as(p, p->bindings[i].file.info.dtype)));
        put_text(w, " ");
        put_file(w, p->bindings[i].name, (int)strlen(p->bindings[i].name));
        put_text(w, ", ");
    }
    for (int i = 0; i < p->n_reductions; ++i) {
        if (!f->reductions[i]) continue;
        put_text(w, "in f64 ");
        put_text(w, p->reductions[i].name);
        put_text(w, ", ");
    }
    if (f->indices) put_text(w, "val i64 first_b_, val i64 first_d_, val i64 size_b_, val i64 size_d_, ");
}

/* 0.5 is an f64, which does not mix with f32. */
static bool needs_suffix(const token *t, tess_dtype real)
{
    if (real == TESS_F64 || memchr(t->text, 'x', (size_t)t->length) || memchr(t->text, 'X', (size_t)t->length)) {
        return false;
    }
    const bool point = memchr(t->text, '.', (size_t)t->length) || memchr(t->text, 'e', (size_t)t->length) ||
                       memchr(t->text, 'E', (size_t)t->length);
    return point && !isalpha((unsigned char)t->text[t->length - 1]);
}

static void put_number(writing *w, const token *t, tess_dtype real)
{
    const bool negative = t->text[0] == '-';
    if (negative) put_text(w, "(");
    put(w, t->text, t->length);
    if (needs_suffix(t, real)) put_text(w, "f");
    if (negative) put_text(w, ")");
}

/* Images and sections are counted from the first of the slab. */
static void put_index(writing *w, char letter)
{
    const char text[] = { letter, '\0' };
    if (letter == 'b' || letter == 'd') put_text(w, letter == 'b' ? "(b + first_b_)" : "(d + first_d_)");
    else put_text(w, text);
}

static void put_words(writing *w, const program *p, const formula *f)
{
    for (int i = 0; i < f->text.n; ++i) {
        const token *t = &f->text.token[i];
        const bool   calls = i + 1 < f->text.n && token_is(&f->text.token[i + 1], "(");
        w->starts[i] = w->n;
        if (t->kind == TOKEN_NUMBER) put_number(w, t, f->real);
        else if (is_outer_size(&f->text, i)) {
            put_text(w, token_is(&f->text.token[i + 2], "0") ? "size_b_" : "size_d_");
            for (int k = 1; k < 4; ++k) w->starts[i + k] = w->n;
            i += 3;
        } else if (t->kind == TOKEN_NAME && !calls && reduction_named(p, t) >= 0) {
            put_text(w, f->real == TESS_F32 ? "(f32)" : "");
            put(w, t->text, t->length);
        } else if (t->kind == TOKEN_NAME && !calls && file_named(p, t) >= 0) {
            put_file(w, t->text, t->length);
        } else if (t->kind == TOKEN_NAME && !calls && index_letter(p, t)) {
            put_index(w, index_letter(p, t));
        } else put(w, t->text, t->length);
        put_text(w, " ");
    }
}

/* The position in the user's text of what the language found wrong in ours: behind the last word, the end of it, or the
 * bracket that ends the reduction. */
static void find_fault(program *p, formula *f, const writing *w)
{
    int column = 0, length = 1;
    f->ended = false;
    p->fault = (fault){ (int)strlen(p->text), 1 };
    if (!tess_error_position(NULL, &column, &length) || f->text.n == 0) return;
    const int    at = column - 1;
    const token *last = &f->text.token[f->text.n - 1];
    if (at >= w->starts[f->text.n - 1] + last->length) {
        if (f == &p->result) f->ended = true;
        else p->fault.at = last->at + last->length + (int)strspn(p->text + last->at + last->length, " \t\n");
        return;
    }
    int i = 0;
    while (i + 1 < f->text.n && w->starts[i + 1] <= at) ++i;
    p->fault = (fault){ f->text.token[i].at, f->text.token[i].length };
    if (reduction_named(p, &f->text.token[i]) >= 0 || p->fault.length > length)
        p->fault.length = length > 0 ? length : 1;
}

/* The operator whose result is `before` the expression `after`, of dtype `out`. */
static tess_status make_operator(program *p, formula *f, tess_dtype out, const char *before, const char *after)
{
    writing w = { .starts = calloc((size_t)f->text.n + 1, sizeof(int)) };
    if (w.starts) w.stream = open_memstream(&w.text, &w.size);
    if (w.stream) {
        put_text(&w, "op calc(");
        put_parameters(&w, p, f);
        put_text(&w, "out ");
        put_text(&w, tess_dtype_name(out));
        put_text(&w, " result_) { result_ = (");
        put_text(&w, tess_dtype_name(out));
        put_text(&w, ")(");
        put_text(&w, before);
        put_words(&w, p, f);
        put_text(&w, after);
        put_text(&w, "); }");
    }
    const bool        good = w.stream && !ferror(w.stream) && fclose(w.stream) == 0;
    const tess_status status = good ? tess_op_text(&f->op, w.text) : TESS_OK;
    if (status == TESS_EPARSE) find_fault(p, f, &w);
    free(w.text);
    free(w.starts);
    TESS_CHECK(good, TESS_ENOMEM, "calc: out of memory");
    return status;
}

static tess_status retell(tess_status status, bool ended)
{
    char message[1024];
    language_message(message, sizeof message, ended);
    TESS_FAIL(status, "calc: %s", message);
}

tess_status formula_make(program *p, formula *f)
{
    bool indices = false, wide = false, complex = false;
    TESS_TRY(find_names(p, f, &indices));
    TESS_TRY(find_domain(p, f, indices));
    for (int i = 0; i < p->n_bindings; ++i) {
        const tess_dtype dtype = p->bindings[i].file.info.dtype;
        if (!f->files[i]) continue;
        wide = wide || tess_dtype_size(dtype) > 2;
        complex = complex || tess_dtype_kind(dtype) == TESS_KIND_COMPLEX;
    }
    /* Only integers can be or-ed with 0: that is how their type is found. */
    f->dtype = wide ? TESS_I64 : TESS_I32;
    if (make_operator(p, f, TESS_I64, "(", ") | 0") == TESS_OK) {
        tess_op_release(f->op);
        f->op = NULL;
        return make_operator(p, f, f->dtype, "", "");
    }
    f->dtype = f->real;
    tess_status status = make_operator(p, f, f->dtype, "", "");
    if (status != TESS_OK && complex) {
        f->dtype = tess_dtype_complex(f->real);
        status = make_operator(p, f, f->dtype, "", "");
    }
    return status == TESS_EPARSE ? retell(status, f->ended) : status;
}

/* ---- Its values ---- */

/* The values of a reduction that a slab takes, on a device; to be released. */
static tess_status value_of_slab(tess_array *part, const tess_array *value, const slab *s, tess_device device)
{
    tess_array  view;
    tess_region region = { 0 };
    if (value->shape.b > 1) region.b = tess_from_to(s->b, s->b + s->nb);
    if (value->shape.d > 1) region.d = tess_from_to(s->z, s->z + s->nz);
    TESS_TRY(tess_subregion(&view, value, region));
    if (device.kind != TESS_CPU) return tess_to_device(part, &view, device);
    *part = view;
    return tess_retain(&view);
}

tess_status formula_run(program *p, const formula *f, tess_array *out, const tess_array *files, const slab *s)
{
    tess_bind   binds[STREAM_INPUTS + MAX_REDUCTIONS + 5];
    tess_array  values[MAX_REDUCTIONS] = { { .data = NULL } };
    int         n = 0;
    tess_status status = TESS_OK;
    for (int i = 0; i < p->n_bindings; ++i) {
        if (f->files[i]) binds[n++] = tess__bind_input(&files[i]);
    }
    for (int i = 0; i < p->n_reductions; ++i) {
        if (!f->reductions[i]) continue;
        TESS_GOTO(done, status, value_of_slab(&values[i], &p->reductions[i].value, s, out->device));
        binds[n++] = tess__bind_input(&values[i]);
    }
    if (f->indices) {
        const int64_t indices[4] = { s->b, s->z, f->domain.b, f->domain.d };
        for (int i = 0; i < 4; ++i) binds[n++] = tess__bind_i64(indices[i]);
    }
    binds[n++] = tess__bind_array(out);
    status = tess_run(f->op, binds, n, NULL);
done:
    for (int i = 0; i < p->n_reductions; ++i) tess_release(&values[i]);
    return status;
}
