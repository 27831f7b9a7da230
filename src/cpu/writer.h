/* Bytes that follow each other, gathered and written past the caches by whole lines.
 *
 * A line that is written in parts is read first, and all that is written after it waits until it is there: so the end
 * of a row and the beginning of the next, where they share a line, are written at once.
 */
#ifndef TESS_CPU_WRITER_H
#define TESS_CPU_WRITER_H

#include "cpu/rows.h"

enum {
    TESS__WRITER_LINE = 64,
    TESS__WRITER_PIECE = 1024 /* bytes that are gathered before they are written, and the most that is added at once */
};

typedef struct tess__writer {
    _Alignas(TESS__WRITER_LINE) char bytes[TESS__WRITER_LINE + 2 * TESS__WRITER_PIECE];
    char   *to;   /* where `bytes` belong: a line */
    int64_t kept; /* bytes of that line before the first one that is written */
    int64_t held; /* in `bytes`, with those */
} tess__writer;

static inline void tess__writer_begin(tess__writer *w, char *out)
{
    w->kept = w->held = (int64_t)((uintptr_t)out % TESS__WRITER_LINE);
    w->to = out - w->held;
}

/* Where the next bytes are to be put, at most TESS__WRITER_PIECE. */
static inline char *tess__writer_room(tess__writer *w) { return w->bytes + w->held; }

/* Where they belong. */
static inline char *tess__writer_place(const tess__writer *w) { return w->to + w->held; }

static inline void tess__writer_flush(tess__writer *w)
{
    const int64_t size = w->held / TESS__WRITER_LINE * TESS__WRITER_LINE;
    int64_t       at = 0;
    if (size == 0) return;
    if (w->kept) {
        tess__copy_end(w->to + w->kept, w->bytes + w->kept, TESS__WRITER_LINE - w->kept);
        w->kept = 0, at = TESS__WRITER_LINE;
    }
    tess__copy_streaming(w->to + at, w->bytes + at, size - at);
    memcpy(w->bytes, w->bytes + size, TESS__WRITER_LINE);
    w->to += size, w->held -= size;
}

/* So many bytes were put there. */
static inline void tess__writer_add(tess__writer *w, int64_t bytes)
{
    w->held += bytes;
    if (w->held >= TESS__WRITER_PIECE) tess__writer_flush(w);
}

/* How many bytes are missing from the last line. */
static inline int64_t tess__writer_to_line(const tess__writer *w) { return -w->held & (TESS__WRITER_LINE - 1); }

/* Adds bytes that lie somewhere else: past the buffer, but for what belongs to lines that others share. */
static inline void tess__writer_copy(tess__writer *w, const char *in, int64_t bytes)
{
    const int64_t head = tess__writer_to_line(w);
    if (head < bytes) {
        tess__copy_end(w->bytes + w->held, in, head);
        w->held += head;
        tess__writer_flush(w);
        in += head, bytes -= head;
        const int64_t lines = bytes / TESS__WRITER_LINE * TESS__WRITER_LINE;
        tess__copy_streaming(w->to, in, lines);
        w->to += lines, in += lines, bytes -= lines;
    }
    tess__copy_end(w->bytes + w->held, in, bytes);
    w->held += bytes;
}

static inline void tess__writer_end(tess__writer *w)
{
    tess__writer_flush(w);
    tess__copy_end(w->to + w->kept, w->bytes + w->kept, w->held - w->kept);
    w->held = w->kept;
}

#endif
