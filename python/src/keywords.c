/* Parameters by keyword: their own names, other spellings of the library, and the names that NumPy and SciPy use. */
#include <string.h>

#include "function.h"
#include "tessera/table.h"

static const char *const names_of_only[] = { "a", "x", "arr", "array", "m", "input", "image" };
static const char *const names_of_first[] = { "x1", "a" }, *const names_of_second[] = { "x2", "b" };

static bool is_one_of(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], text) == 0) return true;
    return false;
}
#define IS_ONE_OF(text, words) is_one_of(text, words, sizeof(words) / sizeof *(words))

static bool is_array(const parameter *p)
{
    return p->use == USE_VALUE && p->row->role == TESS_ROLE_IN && p->row->type == TESS_ARG_ARRAY;
}

/* Input array number `k` of a function, or -1. */
static int input_array(const callable *f, int k)
{
    for (int i = 0; i < f->n_positional; i++)
        if (is_array(&f->parameters[i]) && k-- == 0) return i;
    return -1;
}

static int find_by_numpys_name(const callable *f, const char *text)
{
    const int first = input_array(f, 0), second = input_array(f, 1);
    if (second >= 0 && IS_ONE_OF(text, names_of_second)) return second;
    if (second >= 0 && IS_ONE_OF(text, names_of_first)) return first;
    return IS_ONE_OF(text, names_of_only) ? first : -1;
}

static int find_text(const callable *f, const char *text)
{
    for (int i = 0; i < f->n_parameters; i++)
        if (strcmp(f->parameters[i].text, text) == 0) return i;
    return -1;
}

static int find_spelling(const callable *f, const char *text)
{
    for (int i = 0; i < f->n_parameters; i++)
        if (tess_same_name(f->parameters[i].text, text)) return i;
    if (strcmp(text, "axis") == 0) return find_text(f, "axes"); /* which are the same */
    if (strcmp(text, "axes") == 0) return find_text(f, "axis");
    return find_by_numpys_name(f, text);
}

int find_parameter(const callable *f, PyObject *name)
{
    for (int i = 0; i < f->n_parameters; i++)
        if (f->parameters[i].name == name) return i;
    const char *const text = text_of(name);
    if (!text) {
        PyErr_Clear();
        return -1;
    }
    const int exact = find_text(f, text);
    return exact >= 0 ? exact : find_spelling(f, text);
}
