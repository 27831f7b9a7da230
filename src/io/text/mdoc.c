/* Parser and writer of SerialEM's mdoc sidecar files: global keys, and sections with keys of their own. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "io/file/grow.h"
#include "io/text/text.h"
#include "tessera/sidecar.h"

static const tess_arg_info args[] = {
    TESS__NEED(TESS_ARG_PATH, "path", "name of the file"),
    TESS__NEED(TESS_ARG_OBJECT, "mdoc", "keys and sections"),
    TESS__FLAG(tess_sidecar_opts, overwrite, "overwrite an existing file"),
};
const tess_function_info tess__info_mdoc_write =
    TESS__INFO_OPTS("mdoc_write", "sidecar", "Write an mdoc file.", args, tess_sidecar_opts);

/* A key and its value. Values set later are owned; others point into the text of the file. */
typedef struct pair {
    const char *key, *value;
    char       *owned_key, *owned_value;
} pair;

typedef struct section {
    const char *kind, *title; /* NULL: the keys for all */
    char       *owned;        /* both, if they are not in the text */
    pair       *pairs;
    int64_t     n, capacity;
} section;

struct tess_mdoc {
    section *sections; /* the first has the keys for all */
    int64_t  n, capacity;
    char    *text;
    char    *path; /* for messages */
};

/* ---- Making and freeing ---- */

void tess_mdoc_free(tess_mdoc *mdoc)
{
    if (!mdoc) return;
    for (int64_t i = 0; i < mdoc->n; i++) {
        for (int64_t k = 0; k < mdoc->sections[i].n; k++) {
            tess__free(mdoc->sections[i].pairs[k].owned_key);
            tess__free(mdoc->sections[i].pairs[k].owned_value);
        }
        tess__free(mdoc->sections[i].owned);
        tess__free(mdoc->sections[i].pairs);
    }
    tess__free(mdoc->sections);
    tess__free(mdoc->text);
    tess__free(mdoc->path);
    tess__free(mdoc);
}

static tess_status add_section(tess_mdoc *m, const char *kind, const char *title)
{
    TESS_TRY(tess__grow("mdoc", &m->sections, m->n, 1, &m->capacity, sizeof *m->sections));
    m->sections[m->n++] = (section){ .kind = kind, .title = title };
    return TESS_OK;
}

static tess_status copy_text(char **copy, const char *text)
{
    const size_t n = strlen(text) + 1;
    *copy = tess__alloc(n);
    TESS_CHECK(*copy, TESS_ENOMEM, "mdoc: no memory for a text");
    memcpy(*copy, text, n);
    return TESS_OK;
}

/* A document without sections; takes the text over, also when this fails. */
static tess_status make(tess_mdoc **mdoc, char *text, const char *name)
{
    tess_mdoc *m = tess__alloc(sizeof *m);
    if (!m) tess__free(text);
    TESS_CHECK(m, TESS_ENOMEM, "mdoc: no memory for a document");
    *m = (tess_mdoc){ .text = text };
    tess_status status = copy_text(&m->path, name);
    if (status == TESS_OK) status = add_section(m, NULL, NULL);
    if (status != TESS_OK) tess_mdoc_free(m);
    else *mdoc = m;
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_mdoc_new(tess_mdoc **mdoc)
{
    TESS_TRY(tess__check_pointer("mdoc_new", "mdoc", mdoc));
    TESS_TRY(tess__error_under(make(mdoc, NULL, "mdoc"), "mdoc_new"));
    return TESS_OK;
}

/* ---- Reading ---- */

/* Trim blanks at both ends, in place. */
static char *trim(char *from, char *end)
{
    while (from < end && tess__is_blank(*from)) from++;
    while (end > from && tess__is_blank(end[-1])) end--;
    *end = '\0';
    return from;
}

/* Split "a = b" at its first "="; false if there is none or a is missing. */
static bool split(char *line, char **left, char **right)
{
    char *equals = strchr(line, '=');
    if (!equals) return false;
    *right = trim(equals + 1, equals + 1 + strlen(equals + 1));
    *left = trim(line, equals);
    return (*left)[0] != '\0';
}

static tess_status add_pair(tess_mdoc *m, const pair *p)
{
    section *s = &m->sections[m->n - 1];
    TESS_TRY(tess__grow("mdoc", &s->pairs, s->n, 1, &s->capacity, sizeof *s->pairs));
    s->pairs[s->n++] = *p;
    return TESS_OK;
}

static tess_status read_line(tess_mdoc *m, char *line, const char *fn, int64_t number)
{
    const size_t n = strlen(line);
    char        *left, *right;
    if (line[0] != '[') {
        TESS_CHECK(split(line, &left, &right), TESS_EFORMAT,
                   "%s: %s: line %" PRId64 ": \"%.60s\"; expected key = value or [ZValue = 0]", fn, m->path, number,
                   line);
        TESS_TRY(add_pair(m, &(pair){ .key = left, .value = right }));
        return TESS_OK;
    }
    TESS_CHECK(line[n - 1] == ']', TESS_EFORMAT, "%s: %s: line %" PRId64 ": \"%.60s\" has no ] at its end", fn, m->path,
               number, line);
    line[n - 1] = '\0';
    TESS_CHECK(split(line + 1, &left, &right), TESS_EFORMAT, "%s: %s: line %" PRId64 ": [%.60s] has no =", fn, m->path,
               number, line + 1);
    TESS_TRY(add_section(m, left, right));
    return TESS_OK;
}

static tess_status read_lines(tess_mdoc *m, const char *fn)
{
    int64_t number = 0;
    for (char *at = m->text, *next; *at; at = next) {
        char *end = at + strcspn(at, "\n");
        next = *end ? end + 1 : end;
        char *line = trim(at, end);
        number++;
        if (line[0] && line[0] != '#') TESS_TRY(read_line(m, line, fn, number));
    }
    return TESS_OK;
}

static tess_status read_text(tess_mdoc **mdoc, char *text, const char *name, const char *fn)
{
    tess_mdoc *m;
    TESS_TRY(make(&m, text, name));
    const tess_status status = read_lines(m, fn);
    if (status != TESS_OK) tess_mdoc_free(m);
    else *mdoc = m;
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_mdoc_read(tess_mdoc **mdoc, const char *path)
{
    char   *text;
    int64_t n;
    TESS_TRY(tess__check_pointer("mdoc_read", "mdoc", mdoc));
    TESS_TRY(tess__text_read(&text, &n, "mdoc_read", path));
    TESS_TRY(tess__error_under(read_text(mdoc, text, path, "mdoc_read"), "mdoc_read"));
    return TESS_OK;
}

tess_status tess_mdoc_parse(tess_mdoc **mdoc, const char *text, int64_t n, const char *name)
{
    char *copy;
    TESS_TRY(tess__check_pointer("mdoc_parse", "mdoc", mdoc));
    TESS_TRY(tess__check_pointer("mdoc_parse", "name", name));
    TESS_TRY(tess__text_copy(&copy, "mdoc_parse", name, text, n));
    TESS_TRY(tess__error_under(read_text(mdoc, copy, name, "mdoc_parse"), "mdoc_parse"));
    return TESS_OK;
}

/* ---- Writing ---- */

static tess_status put_section(tess__text_out *out, const section *s, bool first)
{
    if (s->kind) {
        if (!first) TESS_TRY(tess__text_put(out, "\n", 1));
        TESS_TRY(tess__text_put(out, "[", 1));
        TESS_TRY(tess__text_put_string(out, s->kind));
        TESS_TRY(tess__text_put(out, " = ", 3));
        TESS_TRY(tess__text_put_string(out, s->title));
        TESS_TRY(tess__text_put(out, "]\n", 2));
    }
    for (int64_t k = 0; k < s->n; k++) {
        TESS_TRY(tess__text_put_string(out, s->pairs[k].key));
        TESS_TRY(tess__text_put(out, " = ", 3));
        TESS_TRY(tess__text_put_string(out, s->pairs[k].value));
        TESS_TRY(tess__text_put(out, "\n", 1));
    }
    return TESS_OK;
}

tess_status tess_mdoc_write(const char *path, const tess_mdoc *mdoc, const tess_sidecar_opts *opts)
{
    tess_sidecar_opts o;
    tess__text_out   *out;
    tess_status       status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_mdoc_write, opts, &o));
    TESS_TRY(tess__check_pointer("mdoc_write", "mdoc", mdoc));
    TESS_TRY(tess__text_out_open(&out, "mdoc_write", path, o.overwrite != 0));
    for (int64_t i = 0; i < mdoc->n && status == TESS_OK; i++)
        status = put_section(out, &mdoc->sections[i], i == 1 && mdoc->sections[0].n == 0);
    TESS_TRY(tess__text_out_close(out, status));
    return TESS_OK;
}

/* ---- Sections and keys ---- */

int64_t tess_mdoc_sections(const tess_mdoc *mdoc) { return mdoc ? mdoc->n - 1 : 0; }

/* NULL if there is none. */
static section *section_at(const tess_mdoc *m, int64_t i)
{
    return m && i >= TESS_MDOC_GLOBAL && i < m->n - 1 ? &m->sections[i + 1] : NULL;
}

int64_t tess_mdoc_find(const tess_mdoc *mdoc, int64_t z)
{
    for (int64_t i = 0; i < tess_mdoc_sections(mdoc); i++) {
        const section *s = section_at(mdoc, i);
        int64_t        number;
        if (strcmp(s->kind, "ZValue") == 0 && tess__text_i64(&number, s->title, (int64_t)strlen(s->title)) &&
            number == z)
            return i;
    }
    return -1;
}

const char *tess_mdoc_kind(const tess_mdoc *mdoc, int64_t i)
{
    const section *s = section_at(mdoc, i);
    return s ? s->kind : NULL;
}

const char *tess_mdoc_title(const tess_mdoc *mdoc, int64_t i)
{
    const section *s = section_at(mdoc, i);
    return s ? s->title : NULL;
}

static pair *pair_at(const tess_mdoc *mdoc, int64_t i, int64_t k)
{
    const section *s = section_at(mdoc, i);
    return s && k >= 0 && k < s->n ? &s->pairs[k] : NULL;
}

const char *tess_mdoc_key(const tess_mdoc *mdoc, int64_t i, int64_t k)
{
    const pair *p = pair_at(mdoc, i, k);
    return p ? p->key : NULL;
}

const char *tess_mdoc_value(const tess_mdoc *mdoc, int64_t i, int64_t k)
{
    const pair *p = pair_at(mdoc, i, k);
    return p ? p->value : NULL;
}

static pair *find_pair(const tess_mdoc *mdoc, int64_t i, const char *key)
{
    const section *s = section_at(mdoc, i);
    for (int64_t k = 0; s && key && k < s->n; k++)
        if (strcmp(s->pairs[k].key, key) == 0) return &s->pairs[k];
    return NULL;
}

const char *tess_mdoc_get(const tess_mdoc *mdoc, int64_t i, const char *key)
{
    const pair *p = find_pair(mdoc, i, key);
    return p ? p->value : NULL;
}

tess_status tess_mdoc_numbers(double *numbers, int n, int *found, const tess_mdoc *mdoc, int64_t i, const char *key)
{
    TESS_TRY(tess__check_pointer("mdoc_numbers", "numbers", numbers));
    TESS_TRY(tess__check_pointer("mdoc_numbers", "found", found));
    TESS_TRY(tess__check_pointer("mdoc_numbers", "mdoc", mdoc));
    TESS_TRY(tess__check_pointer("mdoc_numbers", "key", key));
    const char *at = tess_mdoc_get(mdoc, i, key);
    TESS_CHECK(at, TESS_EARG, "mdoc_numbers: %s: section %" PRId64 " has no key %.60s", mdoc->path, i, key);
    for (*found = 0; *found < n;) {
        while (tess__is_blank(*at)) at++;
        if (*at == '\0') break;
        const int64_t length = (int64_t)strcspn(at, " \t\r\v\f");
        TESS_CHECK(tess__text_f64(&numbers[*found], at, length), TESS_EFORMAT,
                   "mdoc_numbers: %s: %.60s of section %" PRId64 " is \"%.40s\"; expected numbers", mdoc->path, key, i,
                   tess_mdoc_get(mdoc, i, key));
        at += length;
        ++*found;
    }
    return TESS_OK;
}

/* ---- Changing ---- */

/* A text of one line without blanks at its ends, and without the characters that end it where it stands. */
static tess_status check_text(const char *fn, const char *arg, const char *text, const char *without)
{
    TESS_TRY(tess__check_pointer(fn, arg, text));
    const size_t n = strlen(text);
    TESS_CHECK(!strpbrk(text, without) && (n == 0 || (!tess__is_blank(text[0]) && !tess__is_blank(text[n - 1]))),
               TESS_EARG, "%s: `%s` is \"%.60s\"; line breaks%s and leading or trailing blanks are not allowed", fn,
               arg, text, without[2] ? ", = and brackets" : "");
    return TESS_OK;
}

static tess_status check_key(const char *fn, const char *arg, const char *key)
{
    TESS_TRY(check_text(fn, arg, key, "\n\r=[]"));
    TESS_CHECK(key[0] && key[0] != '#', TESS_EARG, "%s: `%s` is \"%.60s\"; expected a name", fn, arg, key);
    return TESS_OK;
}

static tess_status add_key(section *s, const char *key, char *value)
{
    char *copy;
    TESS_TRY(tess__grow("mdoc", &s->pairs, s->n, 1, &s->capacity, sizeof *s->pairs));
    TESS_TRY(copy_text(&copy, key));
    s->pairs[s->n++] = (pair){ copy, value, copy, value };
    return TESS_OK;
}

tess_status tess_mdoc_set(tess_mdoc *mdoc, int64_t i, const char *key, const char *value)
{
    char *copy;
    TESS_TRY(tess__check_pointer("mdoc_set", "mdoc", mdoc));
    TESS_TRY(check_key("mdoc_set", "key", key));
    TESS_TRY(check_text("mdoc_set", "value", value, "\n\r"));
    section *s = section_at(mdoc, i);
    TESS_CHECK(s, TESS_ERANGE, "mdoc_set: `section` is %" PRId64 "; there are %" PRId64, i, tess_mdoc_sections(mdoc));
    TESS_TRY(tess__error_under(copy_text(&copy, value), "mdoc_set"));
    pair *p = find_pair(mdoc, i, key);
    if (p) {
        tess__free(p->owned_value);
        p->value = p->owned_value = copy;
        return TESS_OK;
    }
    const tess_status status = tess__error_under(add_key(s, key, copy), "mdoc_set");
    if (status != TESS_OK) tess__free(copy);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess_mdoc_add(int64_t *number, tess_mdoc *mdoc, const char *kind, const char *title)
{
    TESS_TRY(tess__check_pointer("mdoc_add", "mdoc", mdoc));
    TESS_TRY(tess__check_pointer("mdoc_add", "section", number));
    TESS_TRY(check_key("mdoc_add", "kind", kind));
    TESS_TRY(check_text("mdoc_add", "title", title, "\n\r"));
    const size_t n = strlen(kind) + 1, n_title = strlen(title) + 1;
    TESS_TRY(tess__error_under(tess__grow("mdoc", &mdoc->sections, mdoc->n, 1, &mdoc->capacity, sizeof *mdoc->sections),
                               "mdoc_add"));
    char *both = tess__alloc(n + n_title);
    TESS_CHECK(both, TESS_ENOMEM, "mdoc_add: no memory for a section");
    memcpy(both, kind, n);
    memcpy(both + n, title, n_title);
    mdoc->sections[mdoc->n++] = (section){ .kind = both, .title = both + n, .owned = both };
    *number = mdoc->n - 2;
    return TESS_OK;
}
