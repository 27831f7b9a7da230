/* Reading numbers in columns. */
#include "measure/columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 10000 };

static tess_status read_text(const char *path, char **text)
{
    FILE  *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t length = 0, capacity = 1 << 16, n;
    TESS_CHECK(file, TESS_EIO, "%s: %s", path, strerror(errno));
    char *bytes = malloc(capacity);
    while (bytes && (n = fread(bytes + length, 1, capacity - length - 1, file)) > 0) {
        length += n;
        if (length + 1 < capacity) continue;
        capacity *= 2;
        char *more = realloc(bytes, capacity);
        if (!more) free(bytes);
        bytes = more;
    }
    const bool failed = ferror(file) != 0;
    if (file != stdin) (void)fclose(file);
    if (!bytes) TESS_FAIL(TESS_ENOMEM, "%s: no memory for its text", path);
    bytes[length] = 0;
    *text = bytes;
    if (!failed && strlen(bytes) == length) return TESS_OK;
    free(bytes);
    *text = NULL;
    if (failed) TESS_FAIL(TESS_EIO, "%s: it could not be read", path);
    TESS_FAIL(TESS_EFORMAT, "%s: it contains a zero byte; a text file with columns of numbers is needed", path);
}

/* The next line, ended by 0; *at moves on. NULL after the last. */
static char *next_line(char **at)
{
    while (**at != 0) {
        char *line = *at;
        *at += strcspn(line, "\n");
        if (**at != 0) *(*at)++ = 0;
        const size_t n = strlen(line);
        if (n > 0 && line[n - 1] == '\r') line[n - 1] = 0;
        if (line[0] != '#' && line[strspn(line, " \t,")] != 0) return line;
    }
    return NULL;
}

/* The next field of a line, ended by 0 and without spaces around it; `between` is what separates fields. */
static char *next_field(char **at, char between)
{
    if (!*at) return NULL;
    char *field = *at;
    while (*field == ' ') field++;
    if (between == ' ' && *field == 0) return NULL;
    char *end = field;
    while (*end != 0 && *end != between) end++;
    *at = *end != 0 ? end + 1 : NULL;
    *end = 0;
    for (size_t n = strlen(field); n > 0 && field[n - 1] == ' '; n--) field[n - 1] = 0;
    return field;
}

static bool read_number(const char *field, double *value)
{
    char *end;
    *value = strtod(field, &end);
    if (end != field && *end == 0) return true;
    *value = NAN;
    return false;
}

static int split(char *line, char between, char **fields)
{
    int   n = 0;
    char *at = line, *field;
    while (n < MAX_COLUMNS && (field = next_field(&at, between)) != NULL) fields[n++] = field;
    return n;
}

static tess_status add_row(columns *c, char **fields, int n, int64_t *capacity)
{
    if (c->n_rows == *capacity) {
        *capacity = *capacity * 2 + 256;
        for (int k = 0; k < c->n; k++) {
            double *more = realloc(c->values[k], sizeof(double) * (size_t)*capacity);
            TESS_CHECK(more, TESS_ENOMEM, "no memory for %lld rows of numbers", (long long)*capacity);
            c->values[k] = more;
        }
    }
    for (int k = 0; k < c->n; k++) {
        double *value = &c->values[k][c->n_rows];
        *value = NAN;
        if (k < n && fields[k][0] != 0 && !read_number(fields[k], value)) c->n_words++;
    }
    c->n_rows++;
    c->n_uneven += n != c->n;
    return TESS_OK;
}

/* The first line says how many columns there are, and their names if it holds a word. */
static tess_status start(columns *c, char **fields, int n, bool *names)
{
    c->names = calloc((size_t)n, sizeof *c->names);
    c->values = calloc((size_t)n, sizeof *c->values);
    TESS_CHECK(c->names && c->values, TESS_ENOMEM, "no memory for %d columns of numbers", n);
    c->n = n;
    double value;
    *names = false;
    for (int k = 0; k < n; k++) *names = *names || (fields[k][0] != 0 && !read_number(fields[k], &value));
    for (int k = 0; k < n; k++) c->names[k] = *names ? fields[k] : "";
    return TESS_OK;
}

static tess_status read_rows(columns *c, const char *path, char **fields)
{
    char   *at = c->text, *line;
    char    between = 0;
    bool    names = false;
    int64_t capacity = 0;
    while ((line = next_line(&at)) != NULL) {
        if (between == 0) between = strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : ' ';
        const int n = split(line, between, fields);
        TESS_CHECK(n < MAX_COLUMNS, TESS_EFORMAT, "%s: a line has %d numbers or more; fewer are allowed", path,
                   MAX_COLUMNS);
        if (c->n == 0) {
            TESS_TRY(start(c, fields, n, &names));
            if (names) continue;
        }
        TESS_TRY(add_row(c, fields, n, &capacity));
    }
    TESS_CHECK(c->n_rows > 0, TESS_EFORMAT, "%s: it has no rows of numbers", path);
    return TESS_OK;
}

tess_status columns_read(columns *c, const char *path)
{
    *c = (columns){ .text = NULL };
    TESS_TRY(read_text(path, &c->text));
    char      **fields = malloc(sizeof *fields * MAX_COLUMNS);
    tess_status status = TESS_OK;
    if (fields) status = read_rows(c, path, fields);
    free(fields);
    if (status != TESS_OK || !fields) columns_free(c);
    TESS_CHECK(fields, TESS_ENOMEM, "%s: no memory for %d columns", path, MAX_COLUMNS);
    if (status != TESS_OK) TESS_TRY(status);
    return TESS_OK;
}

void columns_free(columns *c)
{
    for (int k = 0; c->values && k < c->n; k++) free(c->values[k]);
    free(c->values);
    free(c->names);
    free(c->text);
    *c = (columns){ .text = NULL };
}

int columns_find(const columns *c, const char *name)
{
    for (int k = 0; k < c->n; k++) {
        if (strcmp(c->names[k], name) == 0) return k;
        if (name[0] == '_' && strcmp(c->names[k], name + 1) == 0) return k; /* a label of a STAR file */
    }
    char      *end;
    const long number = strtol(name, &end, 10);
    return end != name && *end == 0 && number >= 1 && number <= c->n ? (int)number - 1 : -1;
}
