/* Status codes, and the record of the last failure on the calling thread.
 *
 * Every function that can fail returns a tess_status. A failure always comes with a message and a trace of the calls it
 * passed through: put TESS_TRY around each call, also in your own functions.
 */
#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

#include "tessera/base.h"

TESS_BEGIN_C

/* Every status: name, value, meaning. New ones are added at the end. */
#define TESS_STATUSES(X)                                                                                               \
    X(TESS_OK, 0, "success")                                                                                           \
    X(TESS_ESHAPE, -1, "shapes are incompatible")                                                                      \
    X(TESS_EDTYPE, -2, "element type is not supported")                                                                \
    X(TESS_EARG, -3, "argument has a value that is not allowed")                                                       \
    X(TESS_ERANGE, -4, "index, axis or value is out of range")                                                         \
    X(TESS_ELAYOUT, -5, "strides do not allow this")                                                                   \
    X(TESS_EWRITE, -6, "array cannot be written")                                                                      \
    X(TESS_EALIAS, -7, "output overlaps an input")                                                                     \
    X(TESS_EDEVICE, -8, "device is missing, or does not support this")                                                 \
    X(TESS_ENOMEM, -9, "out of memory")                                                                                \
    X(TESS_EPARSE, -10, "text could not be parsed")                                                                    \
    X(TESS_EIO, -11, "reading or writing failed")                                                                      \
    X(TESS_EFORMAT, -12, "bytes of a file contradict its format")                                                      \
    X(TESS_EUNSUPPORTED, -13, "valid, but not supported here")                                                         \
    X(TESS_EEXIST, -14, "file exists already")                                                                         \
    X(TESS_ECANCELLED, -15, "call was cancelled")

typedef enum tess_status {
#define TESS_STATUS_ENUM_(name, value, text) name = value,
    TESS_STATUSES(TESS_STATUS_ENUM_)
#undef TESS_STATUS_ENUM_
} tess_status;

/** Returns the name of a status, such as "TESS_ESHAPE"; "TESS_E?" for an invalid one. Never NULL. */
TESS_API const char *tess_status_name(tess_status status);

/** Returns a short description of a status. Never NULL. */
TESS_API const char *tess_status_text(tess_status status);

/** Returns the status of the last failure on this thread; TESS_OK if there was none since tess_error_clear. */
TESS_API tess_status tess_error_status(void);

/**
 * Returns the message of the last failure on this thread: one line, without a line break; "" if there was none.
 *
 * Valid until the next failing call on this thread. A successful call does not change it.
 */
TESS_API const char *tess_error_message(void);

/**
 * Returns the full record of the last failure on this thread: message, trace and notes, one per line; "" if there was
 * none. If the error is in a text, the message is followed by the line of the text and a line with a caret.
 *
 *     error: transpose: a is a released or zeroed array; an allocated array is needed
 *       at tess__check_array (src/core/check/check.c:23)
 *       in tess_transpose (src/core/array/view.c:71)  tess__check_array("transpose", "a", a)
 *       note: while transposing slice 3 of stack.mrc
 *
 * Valid until the next call of this function, or the next failing call, on this thread.
 */
TESS_API const char *tess_error_trace(void);

/** Reports the position of the last failure of this thread in a text, such as that of tess_op_text: line and column
 *  from 1, and the length; columns are those of a terminal. Returns false, and sets nothing, if the failure does not
 *  concern a text. Pointers may be NULL. */
TESS_API bool tess_error_position(int *line, int *column, int *length);

/** Returns the errno of the system call that caused the last failure of this thread, such as ENOENT for a missing file;
 *  0 if no system call did. Only TESS_EIO failures have one. */
TESS_API int tess_error_errno(void);

/** Clears the last failure of this thread. */
TESS_API void tess_error_clear(void);

/* ---- Messages with the names of another language ----
 *
 * Messages name functions, arguments and options as in C. A program that offers them under other names, such as a
 * command or a binding, can get the message with its names marked (tess_error_marked) and replace each of them:
 *
 *     static const char *spell(const tess_mark *mark, void *user)
 *     {
 *         (void)user;
 *         return mark->kind == TESS_MARK_OPTION ? mark->name : NULL;
 *     }
 *     tess_spell(text, sizeof text, tess_error_marked(), spell, NULL);
 *
 * writes "cast: part is 7" where the message is "cast: opts->part is 7".
 */

/** The kinds of marks in a message, each with an example of its spelling in C. New ones are added at the end. */
typedef enum tess_mark_kind {
    TESS_MARK_CALL,     /* "bin" in "bin: …": the function that failed, at the start of a message */
    TESS_MARK_FUNCTION, /* tess_cast: another function of the library */
    TESS_MARK_ARGUMENT, /* axis, or ctf->defocus: a parameter of the function, or a field of one */
    TESS_MARK_OPTION,   /* opts->border: a field of the function's options struct */
    TESS_MARK_NULL,     /* NULL: an argument or option that was not given */
    TESS_MARK_BYTES,    /* 4096 bytes: an amount of memory */
    TESS_MARK_PHRASE    /* a phrase that depends on the language, such as how to overwrite a file; `name` identifies it:
                           "overwrite", "required", "memory_limit", "member", "volumes", "to_cpu", "versioned_dlpack" */
} tess_mark_kind;

/** A mark. All texts are set, to "" where they do not apply, and valid until the callback returns. */
typedef struct tess_mark {
    tess_mark_kind kind;
    const char    *name;     /* "border" for opts->border, "cast" for tess_cast, "4096" for 4096 bytes */
    const char    *field;    /* "defocus" for ctf->defocus; "" elsewhere */
    const char    *text;     /* spelling in C */
    const char    *function; /* the function that failed; "" if the message does not begin with one */
    const char    *rest;     /* the message up to the next mark, such as " is 7; 0 to 3 is allowed" */
    bool           is_first; /* true for the first mark after the function that failed */
} tess_mark;

/** Returns the spelling of a mark: a text that stays valid until the next call, or NULL for the spelling in C. If a
 *  TESS_MARK_CALL is spelled "", the ": " after it is omitted too. */
typedef const char *(*tess_spell_fn)(const tess_mark *mark, void *user);

/**
 * Returns the message of the last failure on this thread with its marks, which are control characters; "" if there was
 * none.
 *
 * A failure that is passed on with TESS_FAIL(status, "%s", marked) keeps its marks, also in another thread. Valid until
 * the next failing call on this thread.
 */
TESS_API const char *tess_error_marked(void);

/**
 * Writes a marked message to `to`, a buffer of `n` bytes, with each mark spelled by `spell`; NULL spells marks as in C.
 * Returns the length of the whole text, like snprintf; text beyond n - 1 bytes is truncated. `to` may be NULL if n is
 * 0, and NULL for `marked` counts as "". Allocates nothing.
 */
TESS_API size_t tess_spell(char *to, size_t n, const char *marked, tess_spell_fn spell, void *user);

/* The functions used by the macros below. `file`, `function` and `call` must be literals: only the pointer is kept. */
TESS_API TESS_COLD tess_status tess__fail(tess_status status, const char *file, int line, const char *function,
                                          const char *format, ...) TESS_PRINTF(5, 6);
TESS_API TESS_COLD tess_status tess__trace(tess_status status, const char *file, int line, const char *function,
                                           const char *call);
TESS_API TESS_COLD tess_status tess__note(tess_status status, const char *file, int line, const char *function,
                                          const char *call, const char *format, ...) TESS_PRINTF(6, 7);

/* Messages of the library begin with the name of the function, which becomes a mark. */
#ifdef TESS_LIBRARY
TESS_COLD tess_status tess__fail_in_call(tess_status status, const char *file, int line, const char *function,
                                         const char *format, ...) TESS_PRINTF(5, 6);
#define TESS__FAIL tess__fail_in_call
#else
#define TESS__FAIL tess__fail
#endif

/** Fails: records the printf-style message and this source location, and returns the status. Always create your own
 *  failures this way: a bare `return TESS_EIO` would appear with the message of an earlier failure. */
#define TESS_FAIL(status, ...) return TESS__FAIL((status), __FILE__, __LINE__, __func__, __VA_ARGS__)

/** Fails, like TESS_FAIL, if the condition does not hold. */
#define TESS_CHECK(condition, status, ...)                                                                             \
    do {                                                                                                               \
        if (!(condition)) TESS_FAIL(status, __VA_ARGS__);                                                              \
    } while (0)

/** If the call fails, adds this source location to its trace and returns its status. */
#define TESS_TRY(call)                                                                                                 \
    do {                                                                                                               \
        tess_status tess_status_ = (call);                                                                             \
        if (tess_status_ != TESS_OK) return tess__trace(tess_status_, __FILE__, __LINE__, __func__, #call);            \
    } while (0)

/** Like TESS_TRY, and adds a printf-style note about the context: TESS_TRY_NOTE(f(x), "particle %d of %s", i, path). */
#define TESS_TRY_NOTE(call, ...)                                                                                       \
    do {                                                                                                               \
        tess_status tess_status_ = (call);                                                                             \
        if (tess_status_ != TESS_OK)                                                                                   \
            return tess__note(tess_status_, __FILE__, __LINE__, __func__, #call, __VA_ARGS__);                         \
    } while (0)

/** Like TESS_TRY, for functions with something to release: sets the variable `status` and jumps to `label`. */
#define TESS_GOTO(label, status, call)                                                                                 \
    do {                                                                                                               \
        (status) = (call);                                                                                             \
        if ((status) != TESS_OK) {                                                                                     \
            (void)tess__trace((status), __FILE__, __LINE__, __func__, #call);                                          \
            goto label;                                                                                                \
        }                                                                                                              \
    } while (0)

TESS_END_C

#endif
