/* Writing cryoSPARC's .cs files: the columns of a table as fields of a structured NPY array. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/device/memory.h"
#include "io/text/cryosparc/cs.h"
#include "io/file/write/atomic_sink.h"
#include "io/file/grow.h"
#include "io/text/text.h"

enum { PART = 1 << 20 /* bytes that are written in one call */ };

/* A field: `count` columns from `first` on. */
typedef struct field {
    int64_t first, count;
    int     stem; /* letters of its name */
    char    kind; /* 'u', 'f' or 'S' */
    int64_t bytes;
} field;

typedef struct writer {
    const tess_star_table *table;
    const char            *path;
    field                 *fields;
    int64_t                n, capacity, row_bytes;
    char                  *header;
    int64_t                header_bytes, header_capacity;
} writer;

/* ---- Fields ---- */

/* Letters of a label before "_0", "_1" …; 0: it has no such number k. */
static int stem_of(const char *label, int64_t k)
{
    char         end[24];
    const size_t n = strlen(label), m = (size_t)snprintf(end, sizeof end, "_%" PRId64, k);
    return n > m && strcmp(label + n - m, end) == 0 ? (int)(n - m) : 0;
}

/* Columns name_0, name_1 … of one field, from a column on; 1: it is one of its own. */
static int64_t count_parts(const tess_star_table *t, int64_t first, int *stem)
{
    const char *label = t->labels[first] + 1;
    int64_t     n = 1;
    *stem = stem_of(label, 0);
    while (*stem && first + n < t->n_columns && stem_of(t->labels[first + n] + 1, n) == *stem &&
           strncmp(label, t->labels[first + n] + 1, (size_t)*stem) == 0)
        n++;
    if (n == 1) *stem = (int)strlen(label);
    return n;
}

/* Has the last part of a field's name one of these endings? */
static bool ends_in(const char *label, int n, const char *const *ends)
{
    for (; *ends; ends++) {
        const int m = (int)strlen(*ends);
        if (n >= m && strncmp(label + n - m, *ends, (size_t)m) == 0) return true;
    }
    return false;
}

static bool is_unsigned(uint64_t *value, const char *text)
{
    *value = 0;
    if (!*text) return false;
    for (; *text; text++)
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
            return false;
    return true;
}

/* Does a number need more digits than a float has? */
static bool needs_double(double value)
{
    char   text[32];
    double back = 0;
    if (!isfinite(value)) return false;
    (void)tess__cs_float_text(text, (float)value);
    return !tess__text_f64(&back, text, (int64_t)strlen(text)) || (back < value || back > value);
}

/* What all values of a field are. */
typedef struct traits {
    bool    is_number, is_whole, is_wide, is_beyond_double, needs_double;
    int64_t longest;
} traits;

static traits traits_of(const tess_star_table *t, const field *f)
{
    traits   all = { .is_number = true, .is_whole = true, .longest = 1 };
    double   value;
    uint64_t whole;
    for (int64_t r = 0; r < t->n_rows; r++)
        for (int64_t k = f->first; k < f->first + f->count; k++) {
            const char   *text = t->cells[r * t->n_columns + k];
            const int64_t n = (int64_t)strlen(text);
            if (n > all.longest) all.longest = n;
            if (all.is_whole && !is_unsigned(&whole, text)) all.is_whole = false;
            if (all.is_whole && whole > UINT32_MAX) all.is_wide = true;
            if (all.is_whole && whole > UINT64_C(1) << 53) all.is_beyond_double = true;
            if (all.is_number && !tess__text_f64(&value, text, n)) all.is_number = false;
            if (all.is_number && !all.needs_double) all.needs_double = needs_double(value);
        }
    return all;
}

/* Fields of groups that cryoSPARC knows are f4. */
static bool is_known(const char *label)
{
    static const char *const groups[] = { "blob/", "ctf/", "alignments", "location/", "mscope_params/", NULL };
    int                      i = 0;
    while (groups[i] && strncmp(label, groups[i], strlen(groups[i])) != 0) i++;
    return groups[i] != NULL;
}

/* Types are those that cryoSPARC has by a field's name; other numbers are floats, of as many bytes as they need, or
 * whole numbers where a float would round them. */
static void choose_type(const tess_star_table *t, field *f)
{
    static const char *const texts[] = { "/path", "/type", NULL };
    static const char *const ids[] = { "uid", "import_sig", NULL };
    static const char *const counts[] = {
        "/idx",         "shape",      "exp_group_id",      "/split", "/class", "_frame",
        "/frame_start", "/frame_end", "is_gain_corrected", NULL
    };
    const char  *label = t->labels[f->first] + 1;
    const traits all = traits_of(t, f);
    const bool   is_id = ends_in(label, f->stem, ids), is_count = ends_in(label, f->stem, counts);
    if (!all.is_number || ends_in(label, f->stem, texts)) f->kind = 'S', f->bytes = all.longest;
    else if (all.is_whole && (is_id || is_count)) f->kind = 'u', f->bytes = is_id || all.is_wide ? 8 : 4;
    else if (all.is_whole && all.is_beyond_double && !is_known(label)) f->kind = 'u', f->bytes = 8;
    else f->kind = 'f', f->bytes = all.needs_double && !is_known(label) ? 8 : 4;
}

static tess_status find_fields(writer *w)
{
    const tess_star_table *t = w->table;
    TESS_CHECK(t->n_columns <= TESS__CS_MAX_COLUMNS, TESS_EUNSUPPORTED,
               "star_write: %s: the table has %" PRId64 " columns; a .cs file may have at most %d", w->path,
               t->n_columns, TESS__CS_MAX_COLUMNS);
    for (int64_t k = 0; k < t->n_columns;) {
        field f = { .first = k };
        f.count = count_parts(t, k, &f.stem);
        TESS_CHECK(!strpbrk(t->labels[k], "'\"\\"), TESS_EUNSUPPORTED,
                   "star_write: %s: column %.60s has a quote or a backslash in its name, which .cs files do not allow",
                   w->path, t->labels[k] + 1);
        choose_type(t, &f);
        TESS_TRY(tess__grow("star_write", &w->fields, w->n, 1, &w->capacity, sizeof *w->fields));
        w->fields[w->n++] = f;
        w->row_bytes += f.count * f.bytes;
        k += f.count;
    }
    return TESS_OK;
}

/* ---- The header ---- */

static tess_status put(writer *w, const char *text)
{
    const int64_t n = (int64_t)strlen(text);
    TESS_TRY(tess__grow("star_write", &w->header, w->header_bytes, n, &w->header_capacity, 1));
    memcpy(w->header + w->header_bytes, text, (size_t)n);
    w->header_bytes += n;
    return TESS_OK;
}

static tess_status make_header(writer *w)
{
    char text[400];
    TESS_TRY(put(w, "\x93NUMPY\2?????")); /* version and length are set at the end */
    TESS_TRY(put(w, "{'descr': ["));
    for (int64_t i = 0; i < w->n; i++) {
        const field *f = &w->fields[i];
        TESS_CHECK(f->stem <= TESS__CS_MAX_NAME, TESS_EUNSUPPORTED,
                   "star_write: %s: a column name has %d characters; at most %d are allowed", w->path, f->stem,
                   TESS__CS_MAX_NAME);
        TESS_CHECK(f->bytes <= TESS__CS_MAX_BYTES, TESS_EUNSUPPORTED,
                   "star_write: %s: a value of column %.60s has %" PRId64 " bytes; at most %d are allowed", w->path,
                   w->table->labels[f->first] + 1, f->bytes, TESS__CS_MAX_BYTES);
        int n = snprintf(text, sizeof text, "%s('%.*s', '%c%c%" PRId64 "'", i ? ", " : "", f->stem,
                         w->table->labels[f->first] + 1, f->kind == 'S' ? '|' : '<', f->kind, f->bytes);
        if (f->count > 1) n += snprintf(text + n, sizeof text - (size_t)n, ", (%" PRId64 ",)", f->count);
        (void)snprintf(text + n, sizeof text - (size_t)n, ")");
        TESS_TRY(put(w, text));
    }
    (void)snprintf(text, sizeof text, "], 'fortran_order': False, 'shape': (%" PRId64 ",), }", w->table->n_rows);
    TESS_TRY(put(w, text));
    while (w->header_bytes % 64 != 63) TESS_TRY(put(w, " "));
    TESS_TRY(put(w, "\n"));
    const int64_t length = w->header_bytes - 12;
    w->header[7] = 0;
    for (int i = 0; i < 4; i++) w->header[8 + i] = (char)(length >> 8 * i & 255);
    return TESS_OK;
}

/* ---- Rows ---- */

static unsigned char *put_value(unsigned char *p, const field *f, const char *text)
{
    uint64_t     bits = 0;
    double       value = 0;
    const size_t n = strlen(text);
    if (f->kind == 'S') {
        memset(p, 0, (size_t)f->bytes);
        memcpy(p, text, n);
        return p + f->bytes;
    }
    if (f->kind == 'u') {
        (void)is_unsigned(&bits, text);
    } else {
        (void)tess__text_f64(&value, text, (int64_t)n);
        const float half = (float)value;
        uint32_t    few;
        memcpy(&few, &half, sizeof few);
        memcpy(&bits, &value, sizeof bits);
        if (f->bytes == 4) bits = few;
    }
    for (int64_t i = 0; i < f->bytes; i++) *p++ = (unsigned char)(bits >> 8 * i & 255);
    return p;
}

static tess_status put_rows(const writer *w, tess__sink *sink)
{
    const tess_star_table *t = w->table;
    const int64_t          part = w->row_bytes < PART && w->row_bytes > 0 ? PART / w->row_bytes : 1;
    unsigned char         *bytes = tess__alloc((size_t)(w->row_bytes < PART ? PART : w->row_bytes)), *p = bytes;
    tess_status            status = TESS_OK;
    TESS_CHECK(bytes, TESS_ENOMEM, "star_write: %s: no memory for its rows", w->path);
    for (int64_t r = 0; r < t->n_rows && status == TESS_OK; r++) {
        for (int64_t i = 0; i < w->n; i++)
            for (int64_t k = 0; k < w->fields[i].count; k++)
                p = put_value(p, &w->fields[i], t->cells[r * t->n_columns + w->fields[i].first + k]);
        if ((r + 1) % part && r + 1 < t->n_rows) continue;
        status = tess__sink_write(sink, bytes, p - bytes);
        p = bytes;
    }
    tess__free(bytes);
    return status;
}

static tess_status write_all(writer *w, bool overwrite)
{
    tess__sink *sink;
    tess_status status;
    TESS_TRY(find_fields(w));
    TESS_TRY(make_header(w));
    TESS_TRY(tess__sink_open(&sink, w->path, overwrite, TESS_COMPRESSION_NONE, 0, 0));
    TESS_GOTO(failed, status, tess__sink_write(sink, w->header, w->header_bytes));
    TESS_GOTO(failed, status, put_rows(w, sink));
    TESS_TRY(tess__sink_finish(sink));
    return TESS_OK;
failed:
    tess__sink_discard(sink);
    return status;
}

tess_status tess__cs_write(const char *path, const tess_star *star, bool overwrite)
{
    TESS_CHECK(star->n_tables == 1 && !star->tables[0]->pairs && star->tables[0]->n_columns > 0, TESS_EARG,
               "star_write: %s: a .cs file holds one table with columns, but this document has %" PRId64
               " tables; `tess_star_to_cryosparc` converts RELION particles",
               path, star->n_tables);
    writer            w = { .table = star->tables[0], .path = path };
    const tess_status status = write_all(&w, overwrite);
    tess__free(w.fields);
    tess__free(w.header);
    return status;
}
