/* STAR parser: splits the text in place, so that values point into it. */
#include "io/text/star.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/memory.h"
#include "io/text/cryosparc/cs.h"
#include "io/text/text.h"

/* Where the reader is. */
typedef struct reader {
    tess_star       *star;
    const char      *fn;      /* the public function */
    tess_star_table *table;   /* NULL before the first block */
    bool             loop;    /* after "loop_": labels, then rows */
    int64_t          line;    /* from 1 */
    char            *at;      /* in the line */
    char            *next;    /* the next line, or the zero byte at the end */
    char            *comment; /* where comment lines begin, up to this line, or NULL */
    char            *pending; /* the same when this line is read: they belong to what it is */
    bool             quoted;  /* the last word was in quotes */
} reader;

#define AT "%s: %s: line %" PRId64 ": "
#define AT_OF(r) (r)->fn, (r)->star->path, (r)->line

/* ---- Words of a line ---- */

static char *skip_blanks(char *at)
{
    while (tess__is_blank(*at)) at++;
    return at;
}

/* The quote that closes the word: one that is followed by a blank or the end. */
static char *find_close(char *at, char quote)
{
    for (; *at; at++)
        if (*at == quote && (at[1] == '\0' || tess__is_blank(at[1]))) return at;
    return NULL;
}

/* The next word, ended by a zero byte; NULL at the end of the line or at a comment. */
static tess_status next_word(reader *r, char **word)
{
    char *end;
    *word = NULL;
    r->at = skip_blanks(r->at);
    if (*r->at == '\0' || *r->at == '#') return TESS_OK;
    r->quoted = *r->at == '\'' || *r->at == '"';
    if (r->quoted) {
        end = find_close(r->at + 1, *r->at);
        TESS_CHECK(end, TESS_EFORMAT, AT "unterminated quote: %.60s", AT_OF(r), r->at);
        *word = r->at + 1;
    } else {
        *word = end = r->at;
        while (*end && !tess__is_blank(*end)) end++;
    }
    r->at = *end ? end + 1 : end;
    *end = '\0';
    return TESS_OK;
}

/* A comment without the blanks behind it. */
static char *trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && tess__is_blank(text[n - 1])) n--;
    text[n] = '\0';
    return text;
}

/* The lines of comments that came before this one, and now belong before this row. */
static tess_status keep_before(reader *r, tess_star_table *t, int64_t row)
{
    if (r->pending) TESS_TRY(tess__star_add_comment(t, row, false, trim(r->pending)));
    r->pending = NULL;
    return TESS_OK;
}

/* The comment behind what was read of this line. */
static tess_status keep_behind(const reader *r, int64_t row)
{
    if (*r->at == '#') TESS_TRY(tess__star_add_comment(r->table, row, true, trim(r->at)));
    return TESS_OK;
}

/* Nothing but a comment may follow. */
static tess_status end_line(reader *r, const char *after)
{
    char *word;
    TESS_TRY(next_word(r, &word));
    TESS_CHECK(!word, TESS_EFORMAT, AT "\"%.40s\" follows %.60s", AT_OF(r), word, after);
    return TESS_OK;
}

/* ---- Kinds of lines ---- */

/* Begin another table in the same block, if the current one is not empty. */
static tess_status next_table(reader *r, bool pairs)
{
    tess_star_table *before = r->table;
    if (before->n_columns == 0) {
        before->pairs = pairs;
        return TESS_OK;
    }
    TESS_TRY(tess__star_append(&r->table, r->star, before->name, pairs));
    r->table->continues = true;
    return TESS_OK;
}

static tess_status read_block(reader *r, char *word)
{
    TESS_TRY(end_line(r, word));
    TESS_TRY(tess__star_append(&r->table, r->star, word + 5, true));
    r->loop = false;
    r->table->comment = r->pending;
    return TESS_OK;
}

static tess_status read_loop(reader *r, char *word)
{
    TESS_CHECK(r->table, TESS_EFORMAT, AT "loop_ before the first data_ block", AT_OF(r));
    TESS_TRY(end_line(r, word));
    TESS_TRY(next_table(r, false));
    TESS_TRY(keep_before(r, r->table, -1));
    r->loop = true;
    return TESS_OK;
}

static tess_status add_label(reader *r, char *label)
{
    TESS_CHECK(label[1], TESS_EFORMAT, AT "label without a name", AT_OF(r));
    TESS_TRY(tess__star_grow_columns(r->table));
    r->table->labels[r->table->n_columns++] = label;
    return TESS_OK;
}

static tess_status read_pair(reader *r, char *label)
{
    char *value;
    TESS_TRY(next_word(r, &value));
    TESS_CHECK(value, TESS_EFORMAT, AT "%.60s has no value", AT_OF(r), label);
    TESS_TRY(end_line(r, label));
    if (!r->table->pairs) TESS_TRY(next_table(r, true));
    if (r->table->n_rows == 0) TESS_TRY(tess__star_grow_rows(r->table, 1));
    TESS_TRY(keep_before(r, r->table, r->table->n_columns));
    TESS_TRY(keep_behind(r, r->table->n_columns));
    TESS_TRY(add_label(r, label));
    r->table->cells[r->table->n_columns - 1] = value;
    return TESS_OK;
}

/* A label: of a column in the head of a loop, or of a pair. */
static tess_status read_label(reader *r, char *label)
{
    TESS_CHECK(r->table, TESS_EFORMAT, AT "%.60s before the first data_ block", AT_OF(r), label);
    if (r->loop && r->table->n_rows == 0) {
        TESS_TRY(end_line(r, label));
        TESS_TRY(keep_before(r, r->table, -1));
        TESS_TRY(add_label(r, label));
        return TESS_OK;
    }
    r->loop = false;
    TESS_TRY(read_pair(r, label));
    return TESS_OK;
}

static tess_status read_row(reader *r, char *word)
{
    tess_star_table *t = r->table;
    TESS_CHECK(t && r->loop, TESS_EFORMAT, AT "\"%.40s\" is neither a label nor in a loop", AT_OF(r), word);
    TESS_CHECK(t->n_columns > 0, TESS_EFORMAT, AT "\"%.40s\" in a loop without labels", AT_OF(r), word);
    TESS_TRY(tess__star_grow_rows(t, 1));
    const char **cells = t->cells + t->n_rows * t->n_columns;
    for (int64_t k = 0; k < t->n_columns; k++) {
        TESS_CHECK(word, TESS_EFORMAT, AT "%" PRId64 " values for %" PRId64 " columns: %.60s has none", AT_OF(r), k,
                   t->n_columns, t->labels[k]);
        cells[k] = word;
        TESS_TRY(next_word(r, &word));
    }
    TESS_CHECK(!word, TESS_EFORMAT, AT "more than %" PRId64 " values: \"%.40s\" follows that of %.60s", AT_OF(r),
               t->n_columns, word, t->labels[t->n_columns - 1]);
    TESS_TRY(keep_before(r, t, t->n_rows));
    TESS_TRY(keep_behind(r, t->n_rows));
    t->lines[t->n_rows++] = r->line;
    return TESS_OK;
}

/* A file's name in the first column may begin with "data_": a row has several values, a block's name stands alone. */
static bool is_alone(const reader *r)
{
    const char *at = skip_blanks(r->at);
    return *at == '\0' || *at == '#';
}

static tess_status read_line(reader *r, char *line)
{
    char *word;
    TESS_CHECK(line[0] != ';', TESS_EUNSUPPORTED, AT "multi-line text (;) is not supported", AT_OF(r));
    r->at = line;
    TESS_TRY(next_word(r, &word));
    r->pending = r->comment;
    r->comment = NULL;
    if (r->pending) line[-1] = '\0'; /* the line break before this line */
    if (!r->quoted && tess__star_begins(word, "data_") && is_alone(r)) TESS_TRY(read_block(r, word));
    else if (!r->quoted && tess__star_begins(word, "loop_") && !word[5]) TESS_TRY(read_loop(r, word));
    else if (!r->quoted && word[0] == '_') TESS_TRY(read_label(r, word));
    else TESS_TRY(read_row(r, word));
    return TESS_OK;
}

/* ---- The whole ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

tess_status tess__star_check_labels(const char *fn, const tess_star_table *t)
{
    const char  *twice = NULL;
    const char **sorted = tess__alloc((size_t)(t->n_columns + 1) * sizeof *sorted);
    TESS_CHECK(sorted, TESS_ENOMEM, "%s: %s: no memory for %" PRId64 " labels", fn, t->star->path, t->n_columns);
    if (t->n_columns) memcpy(sorted, t->labels, (size_t)t->n_columns * sizeof *sorted);
    qsort(sorted, (size_t)t->n_columns, sizeof *sorted, by_text);
    for (int64_t i = 1; i < t->n_columns; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0) twice = sorted[i];
    tess__free(sorted);
    TESS_CHECK(!twice, TESS_EFORMAT, "%s: %s: label %.60s occurs twice in data_%.60s", fn, t->star->path, twice,
               t->name);
    return TESS_OK;
}

static tess_status read_lines(reader *r)
{
    for (char *line = r->star->text; *line; line = r->next) {
        char       *end = line + strcspn(line, "\n");
        const char *first = line;
        while (first < end && tess__is_blank(*first)) first++;
        r->line++;
        r->next = *end ? end + 1 : end;
        if (first == end || *first == '#') { /* blank, or a comment: line breaks stay, in case it belongs to a block */
            if (first < end && !r->comment) r->comment = line;
            continue;
        }
        *end = '\0';
        TESS_TRY(read_line(r, line));
    }
    r->pending = r->comment;
    if (r->table) TESS_TRY(keep_before(r, r->table, r->table->pairs ? r->table->n_columns : r->table->n_rows));
    for (int64_t i = 0; i < r->star->n_tables; i++) TESS_TRY(tess__star_check_labels(r->fn, r->star->tables[i]));
    return TESS_OK;
}

/* Take over the text, which is freed also when this fails. */
static tess_status read_text(tess_star **star, char *text, const char *fn, const char *name)
{
    tess_star   *s = tess__alloc(sizeof *s);
    const size_t n = strlen(name) + 1;
    char        *path = tess__alloc(n);
    if (!s || !path) {
        tess__free(s);
        tess__free(path);
        tess__free(text);
        TESS_FAIL(TESS_ENOMEM, "%s: %s: no memory for a document", fn, name);
    }
    *s = (tess_star){ .text = text, .path = memcpy(path, name, n) };
    reader            r = { .star = s, .fn = fn };
    const tess_status status = tess__error_under(read_lines(&r), fn);
    if (status != TESS_OK) tess_star_free(s);
    else *star = s;
    TESS_TRY(status);
    return TESS_OK;
}

/* A document of a .cs file, which is told by its first bytes; NULL: it is another file. */
static tess_status read_cs(tess_star **star, const char *path, tess__source *source)
{
    unsigned char start[16];
    int64_t       n = 0;
    if (tess__source_compression(source) != TESS_COMPRESSION_NONE) return TESS_OK;
    TESS_TRY(tess__source_read(source, 0, start, sizeof start, &n));
    if (!tess__cs_is(start, n)) return TESS_OK;
    char *text = tess__alloc(1);
    TESS_CHECK(text, TESS_ENOMEM, "star_read: %s: no memory for a document", path);
    text[0] = '\0';
    TESS_TRY(read_text(star, text, "star_read", path));
    const tess_status status = tess__cs_read(*star, source);
    if (status == TESS_OK) return TESS_OK;
    tess_star_free(*star);
    *star = NULL;
    return status;
}

/* A pipe can be read once only: the source that tells what it is also gives the text. */
static tess_status read_any(tess_star **star, const char *path, tess__source *source)
{
    char      *text;
    int64_t    n;
    tess_star *cs = NULL;
    TESS_TRY(read_cs(&cs, path, source));
    if (cs) return *star = cs, TESS_OK;
    TESS_TRY(tess__text_read_source(&text, &n, "star_read", source));
    TESS_TRY(read_text(star, text, "star_read", path));
    return TESS_OK;
}

tess_status tess_star_read(tess_star **star, const char *path)
{
    tess__source *source = NULL;
    TESS_TRY(tess__check_pointer("star_read", "star", star));
    TESS_TRY(tess__check_pointer("star_read", "path", path));
    TESS_TRY(tess__error_under(tess__source_open(&source, path), "star_read"));
    const tess_status status = read_any(star, path, source);
    tess__source_close(source);
    TESS_TRY(tess__error_under(status, "star_read"));
    return TESS_OK;
}

tess_status tess_star_parse(tess_star **star, const char *text, int64_t n, const char *name)
{
    char *copy;
    TESS_TRY(tess__check_pointer("star_parse", "star", star));
    TESS_TRY(tess__check_pointer("star_parse", "name", name));
    TESS_TRY(tess__text_copy(&copy, "star_parse", name, text, n));
    TESS_TRY(read_text(star, copy, "star_parse", name));
    return TESS_OK;
}
