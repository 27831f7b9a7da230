/* Thread-local error record: the message of the last failure, its call trace, and notes. */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FRAMES = 24, MESSAGE_SIZE = 512, NOTES_SIZE = 1024, EXCERPT_SIZE = 512, TRACE_SIZE = 6144 };

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
    char        message[MESSAGE_SIZE];
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
    last.message[0] = '\0';
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
    (void)snprintf(last.message, MESSAGE_SIZE, "%s", tess_status_text(status));
}

/* Messages and notes are one line each, also when they quote text that is not. */
static void keep_to_one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ') *text = ' ';
}

tess_status tess__fail(tess_status status, const char *file, int line, const char *function, const char *format, ...)
{
    /* The arguments may point into the record itself (a message passed on), so format before it is cleared. */
    char    text[MESSAGE_SIZE] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    start(status);
    keep_to_one_line(text);
    memcpy(last.message, text, sizeof text);
    add_frame(file, line, function, NULL, NULL);
    return status;
}

tess_status tess__fail_system(int number, const char *file, int line, const char *function, const char *format, ...)
{
    char    text[MESSAGE_SIZE] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const tess_status status = tess__fail(TESS_EIO, file, line, function, "%s: %s", text, strerror(number));
    last.system_error = number;
    return status;
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
        va_list args;
        va_start(args, format);
        int n = vsnprintf(note, capacity, format, args);
        va_end(args);
        keep_to_one_line(note);
        size_t used = n < 0 ? 0 : (size_t)n < capacity ? (size_t)n : capacity - 1;
        last.notes_used += used + 1;
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

/* How much of a message is the name of a function. */
static size_t name_length(const char *message)
{
    const size_t n = strspn(message, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return n > 0 && strncmp(message + n, ": ", 2) == 0 ? n + 2 : 0;
}

tess_status tess__error_under(tess_status status, const char *fn)
{
    if (status == TESS_OK) return status;
    adopt(status);
    char text[MESSAGE_SIZE + 64];
    (void)snprintf(text, sizeof text, "%.60s: %s", fn, last.message + name_length(last.message));
    text[MESSAGE_SIZE - 1] = '\0';
    memcpy(last.message, text, MESSAGE_SIZE);
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
