/* Messages of the library about the caller's arrays: shapes and axes are counted as these have them, not as the four of
 * C; and what a struct lacks is named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "errors.h"

enum { TEXT_SIZE = 2048 };

typedef struct audience {
    const operand *operands, *listed;
    int            n_operands, n_listed, ndim;
} audience;

typedef struct rewriting {
    const audience *c;
    const char     *at;
    char            to[TEXT_SIZE];
    size_t          used;
    int             ndim;     /* of the shape before, or of the call */
    bool            shown[4]; /* which of the four axes of that shape are the caller's */
} rewriting;

static void put(rewriting *r, const char *text, size_t n)
{
    if (r->used + n >= sizeof r->to) n = sizeof r->to - 1 - r->used;
    memcpy(r->to + r->used, text, n);
    r->used += n;
    r->to[r->used] = '\0';
}

/* ---- "{1,1,3,4}" ---- */

/* The end of four whole numbers in braces; NULL if there is something else. */
static const char *read_four(const char *text, long long *four)
{
    if (*text != '{') return NULL;
    for (int i = 0; i < 4; i++) {
        char *end;
        four[i] = strtoll(text + 1, &end, 10);
        if (end == text + 1 || *end != (i < 3 ? ',' : '}')) return NULL;
        text = end;
    }
    return text + 1;
}

static bool has_shape(const operand *o, const long long *four)
{
    for (int i = 0; i < 4; i++)
        if (o->array.shape.dim[i] != four[i]) return false;
    return o->ndim <= 4;
}

/* The axes of the caller's array of this shape, or as many as the shape before had. */
static int find_ndim(const rewriting *r, const long long *four)
{
    const audience *c = r->c;
    for (int i = 0; i < c->n_operands; i++)
        if (has_shape(&c->operands[i], four)) return c->operands[i].ndim;
    for (int i = 0; i < c->n_listed; i++)
        if (has_shape(&c->listed[i], four)) return c->listed[i].ndim;
    return r->ndim;
}

static void choose_axes(rewriting *r, const long long *four)
{
    int n = 4;
    r->ndim = find_ndim(r, four);
    for (int i = 0; i < 4; i++) r->shown[i] = true;
    for (int i = 0; i < 4 && n > r->ndim; i++)
        if (four[i] == 1) {
            r->shown[i] = false;
            n--;
        }
}

static void put_four(rewriting *r, const long long *four)
{
    char text[100] = "(";
    int  n = 0, used = 1;
    for (int i = 0; i < 4; i++)
        if (r->shown[i]) used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld", n++ ? ", " : "", four[i]);
    (void)snprintf(text + used, sizeof text - (size_t)used, n == 1 ? ",)" : ")");
    put(r, text, strlen(text));
}

static bool is_behind(const rewriting *r, const char *word)
{
    const size_t n = strlen(word);
    return r->used >= n && strcmp(r->to + r->used - n, word) == 0;
}

/* The shape of the array that a position is of: the first that has such an element; or that of the position itself. */
static void find_place(const rewriting *r, const long long *position, long long *four)
{
    const audience *c = r->c;
    memcpy(four, position, 4 * sizeof *four);
    for (int i = 0; i < c->n_operands; i++) {
        bool has = true;
        for (int k = 0; k < 4; k++) has = has && position[k] < c->operands[i].array.shape.dim[k];
        if (!has) continue;
        for (int k = 0; k < 4; k++) four[k] = c->operands[i].array.shape.dim[k];
        return;
    }
}

/* Of shapes, strides and positions: "is nan at {0,0,1,2}". */
static bool take_shape(rewriting *r)
{
    long long   four[4], shape[4];
    const char *end = read_four(r->at, four);
    if (!end) return false;
    memcpy(shape, four, sizeof shape);
    if (is_behind(r, " at ")) find_place(r, four, shape);
    if (!is_behind(r, "strides ")) choose_axes(r, shape);
    put_four(r, four);
    r->at = end;
    return true;
}

/* ---- "a singular matrix at {0,5}" ---- */

/* Of as many axes as there are in front of a matrix; of one matrix, nothing is said. */
static bool take_matrix(rewriting *r)
{
    long long two[2];
    int       used = 0;
    char      text[60] = "";
    if (!is_behind(r, "matrix") || sscanf(r->at, " at {%lld,%lld}%n", &two[0], &two[1], &used) != 2 || !used)
        return false;
    if (r->c->ndim == 3) (void)snprintf(text, sizeof text, " at %lld", two[0] > two[1] ? two[0] : two[1]);
    else if (r->c->ndim != 2) (void)snprintf(text, sizeof text, " at (%lld, %lld)", two[0], two[1]);
    put(r, text, strlen(text));
    r->at += used;
    return true;
}

/* ---- "axis 3 (width)" ---- */

static bool take_axis(rewriting *r)
{
    static const char *const names[] = { " (batch)", " (depth)", " (height)", " (width)" };
    const char              *word = "axis ", digit = strncmp(r->at, word, 5) == 0 ? r->at[5] : '\0';
    if (digit < '0' || digit > '3' || (r->at[6] >= '0' && r->at[6] <= '9')) return false;
    const int axis = digit - '0' - 4 + r->c->ndim;
    char      text[24];
    put(r, text, (size_t)snprintf(text, sizeof text, "axis %d", axis > 0 ? axis : 0));
    r->at += 6;
    for (int i = 0; i < 4; i++)
        if (strncmp(r->at, names[i], strlen(names[i])) == 0) r->at += strlen(names[i]);
    return true;
}

static PyObject *rewrite(const char *text, const void *user)
{
    rewriting r = { .c = user, .at = text, .shown = { true, true, true, true } };
    r.ndim = r.c->ndim < 4 ? r.c->ndim : 4;
    while (*r.at)
        if (!take_shape(&r) && !take_matrix(&r) && !take_axis(&r)) put(&r, r.at++, 1);
    return PyUnicode_FromString(r.to);
}

/* ---- "ctf_image: ctf.pixel_size[0] is 0" ---- */

/* A field that was left out of a dict and is what the message is about. */
static const tess_arg_info *find_missing(const call *c, const char *text, const parameter **of)
{
    char start[160];
    for (int i = 0; i < c->function->n_parameters; i++) {
        const parameter *p = &c->function->parameters[i];
        if (!p->row || !p->row->fields || !c->given[i] || !PyDict_Check(c->given[i])) continue;
        *of = p;
        for (const tess_arg_info *field = p->row->fields; field->name; field++) {
            const int n = snprintf(start, sizeof start, "%s: %s.%s[0] is ", name_of(c), p->text, field->name);
            if (strncmp(text, start, (size_t)n) == 0 && !PyDict_GetItemString(c->given[i], field->name)) return field;
        }
    }
    return NULL;
}

static PyObject *name_missing(const char *text, const void *user)
{
    const call          *c = user;
    const parameter     *of = NULL;
    const tess_arg_info *field = find_missing(c, text, &of);
    if (!field) return NULL;
    return PyUnicode_FromFormat("%s: %s has no %s; expected %s: %s%s%s", name_of(c), of->text, field->name, field->name,
                                field->help, *field->unit ? ", in " : "", field->unit);
}

void operands_locate(const operand *operands, int n, int ndim)
{
    const audience to = { .operands = operands, .n_operands = n, .ndim = ndim };
    if (ndim > 0) errors_reword(rewrite, &to);
}

void call_locate(const call *c)
{
    const audience to = { c->operands, c->listed, c->n_operands, c->n_listed, c->ndim };
    if (c->ndim > 0) errors_reword(rewrite, &to);
    errors_reword(name_missing, c);
}
