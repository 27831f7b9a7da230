/* Thread-local error record: the message of the last failure, its call trace, and notes. */
#include "core/check/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/check/marks.h"

enum {
    MAX_FRAMES = 24,
    MESSAGE_SIZE = 512,
    MARKED_SIZE = 1024,
    NOTES_SIZE = 1024,
    EXCERPT_SIZE = 512,
    TRACE_SIZE = 6144
};

/* One line of the trace. The texts are literals of the calling code, so pointers are enough. */
typedef struct frame {
    const char *file, *function, *call; /* call is NULL where the failure began */
    const char *note;                   /* into record.notes, or NULL */
    int         line;
} frame;

typedef struct record {
    tess_status status;
    int         n_frames;
    int         n_left_out; /* frames beyond MAX_FRAMES */
    size_t      notes_used;
    int         system_error;         /* errno of the system's call that failed; 0: none did */
    int         line, column, length; /* of a text that is at fault; line 0: none is */
    frame       frames[MAX_FRAMES];
    char        marked[MARKED_SIZE];   /* the message with its marks */
    char        message[MESSAGE_SIZE]; /* the message as C spells it */
    char        notes[NOTES_SIZE];
    char        excerpt[EXCERPT_SIZE], marks[EXCERPT_SIZE];
    char        trace[TRACE_SIZE];
} record;

static _Thread_local record last;

static void start(tess_status status)
{
    last.status = status;
    last.n_frames = 0;
    last.n_left_out = 0;
    last.notes_used = 0;
    last.system_error = 0;
    last.line = 0;
    last.marked[0] = last.message[0] = '\0';
}

/* Keep the message; `fn` and `is_in_call` as for tess__marks_keep. */
static void set_message(const char *fn, bool is_in_call, const char *text)
{
    tess__marks_keep(last.marked, MARKED_SIZE, fn, is_in_call, text);
    (void)tess_spell(last.message, MESSAGE_SIZE, last.marked, NULL, NULL);
}

static void add_frame(const char *file, int line, const char *function, const char *call, const char *note)
{
    if (last.n_frames == MAX_FRAMES) {
        last.n_left_out++;
        return;
    }
    frame *f = &last.frames[last.n_frames++];
    f->file = file, f->line = line, f->function = function, f->call = call, f->note = note;
}

/* A status that reaches us without a message of its own (a caller's bare `return TESS_EIO`) gets the general one. */
static void adopt(tess_status status)
{
    if (last.status == status) return;
    start(status);
    set_message(NULL, false, tess_status_text(status));
}

/* Excerpts are one line each, also when they quote text that is not. */
static void keep_to_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ') *text = ' ';
}

tess_status tess__fail(tess_status status, const char *file, int line, const char *function, const char *format, ...)
{
    /* The arguments may point into the record itself (a message passed on), so format before it is cleared. */
    char    text[MARKED_SIZE] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    start(status);
    set_message(NULL, false, text);
    add_frame(file, line, function, NULL, NULL);
    return status;
}

/* Format the message of the library's own, in whose format names are marked, and keep it. */
static void fail_in_call(tess_status status, const char *format, va_list args, const char *behind)
{
    char marked[MARKED_SIZE], text[MARKED_SIZE] = "";
    tess__marks_format(marked, sizeof marked, format);
    (void)vsnprintf(text, sizeof text, marked, args);
    const size_t used = strlen(text);
    if (behind) (void)snprintf(text + used, sizeof text - used, ": %s", behind);
    start(status);
    set_message(NULL, true, text);
}

tess_status tess__fail_in_call(tess_status status, const char *file, int line, const char *function, const char *format,
                               ...)
{
    va_list args;
    va_start(args, format);
    fail_in_call(status, format, args, NULL);
    va_end(args);
    add_frame(file, line, function, NULL, NULL);
    return status;
}

tess_status tess__fail_system(int number, const char *file, int line, const char *function, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_in_call(TESS_EIO, format, args, strerror(number));
    va_end(args);
    add_frame(file, line, function, NULL, NULL);
    last.system_error = number;
    return last.status;
}

void tess__error_set_errno(int number) { last.system_error = number; }

tess_status tess__trace(tess_status status, const char *file, int line, const char *function, const char *call)
{
    adopt(status);
    add_frame(file, line, function, call, NULL);
    return status;
}

tess_status tess__note(tess_status status, const char *file, int line, const char *function, const char *call,
                       const char *format, ...)
{
    adopt(status);
    const size_t capacity = NOTES_SIZE - last.notes_used;
    char        *note = last.notes + last.notes_used;
    if (capacity > 1) {
        char    text[MARKED_SIZE] = "", marked[MARKED_SIZE];
        va_list args;
        va_start(args, format);
        (void)vsnprintf(text, sizeof text, format, args);
        va_end(args);
        tess__marks_keep(marked, sizeof marked, NULL, false, text);
        (void)tess_spell(note, capacity, marked, NULL, NULL);
        last.notes_used += strlen(note) + 1;
    }
    add_frame(file, line, function, call, capacity > 1 ? note : NULL);
    return status;
}

void tess__error_excerpt(int line, int column, int length, const char *excerpt, const char *marks)
{
    last.line = line, last.column = column, last.length = length;
    (void)snprintf(last.excerpt, EXCERPT_SIZE, "%s", excerpt);
    (void)snprintf(last.marks, EXCERPT_SIZE, "%s", marks);
    keep_to_one_line(last.excerpt);
}

tess_status tess__error_under(tess_status status, const char *fn)
{
    if (status == TESS_OK) return status;
    adopt(status);
    char text[MARKED_SIZE];
    (void)snprintf(text, sizeof text, "%s", tess__marks_behind_call(last.marked));
    set_message(fn, false, text);
    return status;
}

bool tess_error_position(int *line, int *column, int *length)
{
    if (last.line == 0) return false;
    if (line) *line = last.line;
    if (column) *column = last.column;
    if (length) *length = last.length;
    return true;
}

int tess_error_errno(void) { return last.system_error; }

static size_t append(size_t used, const char *format, ...) TESS_PRINTF(2, 3);

static size_t append(size_t used, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(last.trace + used, TRACE_SIZE - used, format, args);
    va_end(args);
    if (n < 0) return used;
    return used + (size_t)n < TRACE_SIZE ? used + (size_t)n : TRACE_SIZE - 1;
}

const char *tess_error_trace(void)
{
    last.trace[0] = '\0';
    if (last.status == TESS_OK) return last.trace;
    size_t used = append(0, "error: %s\n", last.message);
    if (last.line) used = append(used, "    %s\n    %s\n", last.excerpt, last.marks);
    for (int i = 0; i < last.n_frames; i++) {
        const frame *f = &last.frames[i];
        used = append(used, "  %s %s (%s:%d)", f->call ? "in" : "at", f->function, f->file, f->line);
        used = append(used, f->call ? "  %s\n" : "\n", f->call);
        if (f->note) used = append(used, "  note: %s\n", f->note);
    }
    if (last.n_left_out) used = append(used, "  … and %d more places\n", last.n_left_out);
    return last.trace;
}

const char *tess_error_message(void) { return last.message; }

const char *tess_error_marked(void) { return last.marked; }

tess_status tess_error_status(void) { return last.status; }

void tess_error_clear(void) { start(TESS_OK); }

static const struct status_entry {
    tess_status status;
    const char *name, *text;
} statuses[] = {
#define ENTRY(name, value, text) { name, #name, text },
    TESS_STATUSES(ENTRY)
#undef ENTRY
};

static const struct status_entry *find(tess_status status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status) return &statuses[i];
    return NULL;
}

const char *tess_status_name(tess_status status)
{
    const struct status_entry *entry = find(status);
    return entry ? entry->name : "TESS_E?";
}

const char *tess_status_text(tess_status status)
{
    const struct status_entry *entry = find(status);
    return entry ? entry->text : "unknown status";
}
