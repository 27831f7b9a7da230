/* Statuses, and the record of the last failure on the calling thread.
 *
 * Every function that can fail returns a tess_status. A failing status always comes with a message, and with the
 * places it passed on its way up: use TESS_TRY around each call, also in your own functions.
 */
#ifndef TESSERA_ERROR_H
#define TESSERA_ERROR_H

#include "tessera/base.h"

TESS_BEGIN_C

/* Every status: name, value, meaning. New ones are added at the end. */
#define TESS_STATUSES(X)                                                                                               \
    X(TESS_OK, 0, "success")                                                                                           \
    X(TESS_ESHAPE, -1, "shapes do not fit together")                                                                   \
    X(TESS_EDTYPE, -2, "element type is not supported")                                                                \
    X(TESS_EARG, -3, "argument has a value that is not allowed")                                                       \
    X(TESS_ERANGE, -4, "index, axis or value is out of range")                                                         \
    X(TESS_ELAYOUT, -5, "strides do not allow this")                                                                   \
    X(TESS_EWRITE, -6, "array cannot be written")                                                                      \
    X(TESS_EALIAS, -7, "output overlaps an input")                                                                     \
    X(TESS_EDEVICE, -8, "device is not there or does not support this")                                                \
    X(TESS_ENOMEM, -9, "out of memory")                                                                                \
    X(TESS_EPARSE, -10, "text is not understood")                                                                      \
    X(TESS_EIO, -11, "reading or writing did not succeed")                                                             \
    X(TESS_EFORMAT, -12, "bytes of a file contradict its format")                                                      \
    X(TESS_EUNSUPPORTED, -13, "valid, but not supported here")                                                         \
    X(TESS_EEXIST, -14, "file is already there")                                                                       \
    X(TESS_ECANCELLED, -15, "call was cancelled")

typedef enum tess_status {
#define TESS_STATUS_ENUM_(name, value, text) name = value,
    TESS_STATUSES(TESS_STATUS_ENUM_)
#undef TESS_STATUS_ENUM_
} tess_status;

/** The name of a status, as "TESS_ESHAPE"; "TESS_E?" for a number that is none. Never NULL. */
TESS_API const char *tess_status_name(tess_status status);

/** What a status means, in a few words. Never NULL. */
TESS_API const char *tess_status_text(tess_status status);

/** The status of the last failure on this thread; TESS_OK if there was none since tess_error_clear. */
TESS_API tess_status tess_error_status(void);

/**
 * The message of the last failure on this thread: one line, without a line break; "" if there was none.
 *
 * Good until the next failing call on this thread. A successful call does not change it.
 */
TESS_API const char *tess_error_message(void);

/**
 * The whole record of the last failure on this thread: message, places and notes, a line each; "" if there was none.
 * Where a text is at fault, its line and a line with a caret come after the message.
 *
 *     error: transpose: a is a released or zeroed array; an array that was made is needed
 *       at tess__check_array (src/core/check.c:23)
 *       in tess_transpose (src/core/view.c:71)  tess__check_array("transpose", "a", a)
 *       note: while turning slice 3 of stack.mrc
 *
 * Good until the next call of this function, or the next failing call, on this thread.
 */
TESS_API const char *tess_error_trace(void);

/** Where in a text the last failure of this thread lies, as of tess_op_text: line and column from 1, and the length,
 *  both in columns of a terminal. False, with nothing set, if it is not about a text. Pointers may be NULL. */
TESS_API bool tess_error_position(int *line, int *column, int *length);

/** The errno of the system's call that the last failure of this thread comes from, as ENOENT where a file is missing;
 *  0 if it does not come from one. Only failures of TESS_EIO do. */
TESS_API int tess_error_errno(void);

/** Forget the last failure of this thread. */
TESS_API void tess_error_clear(void);

/* ---- Messages in the words of another language ----
 *
 * Messages name functions, arguments and options as C spells them. A program that offers them under other names, as a
 * command or a binding, gets the message with its names marked (tess_error_marked) and spells each its own way:
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

/** What a mark in a message stands for, and an example of how C spells it. New ones are added at the end. */
typedef enum tess_mark_kind {
    TESS_MARK_CALL,     /* "bin" of "bin: …": the function that failed, with which a message begins */
    TESS_MARK_FUNCTION, /* tess_cast: another function of the library */
    TESS_MARK_ARGUMENT, /* axis, or ctf->defocus: a parameter of the function, or a field of one */
    TESS_MARK_OPTION,   /* opts->border: a field of the function's options */
    TESS_MARK_NULL,     /* NULL: an argument or option that was not given */
    TESS_MARK_BYTES,    /* 4096 bytes: an amount of memory */
    TESS_MARK_PHRASE    /* words that depend on the language, such as how to overwrite a file; `name` says which:
                           "overwrite", "required", "memory_limit", "member", "volumes", "to_cpu", "versioned_dlpack" */
} tess_mark_kind;

/** A mark. All texts are there, "" where they have no meaning, and good until the speller returns. */
typedef struct tess_mark {
    tess_mark_kind kind;
    const char    *name;     /* "border" of opts->border, "cast" of tess_cast, "4096" of 4096 bytes */
    const char    *field;    /* "defocus" of ctf->defocus; "" elsewhere */
    const char    *text;     /* as C spells it */
    const char    *function; /* the function that failed; "" if the message does not begin with one */
    const char    *rest;     /* of the message up to the next mark, as " is 7; 0 to 3 is allowed" */
    bool           is_first; /* the first behind the function that failed */
} tess_mark;

/** How to spell a mark: a text that stays good until the next call, or NULL for the spelling of C. The ": " behind a
 *  TESS_MARK_CALL is left out with it where its spelling is "". */
typedef const char *(*tess_spell_fn)(const tess_mark *mark, void *user);

/**
 * The message of the last failure on this thread with its marks, which are control characters; "" if there was none.
 *
 * A failure that is passed on keeps its marks: TESS_FAIL(status, "%s", marked), also in another thread. Good until the
 * next failing call on this thread.
 */
TESS_API const char *tess_error_marked(void);

/**
 * Writes a marked message to `to`, a buffer of `n` bytes, with each mark as `spell` spells it; NULL: as C does.
 * Returns the length of the whole text, as snprintf does; what is longer than n - 1 is cut. `to` may be NULL if n is 0,
 * and a `marked` that is NULL is "". Allocates nothing.
 */
TESS_API size_t tess_spell(char *to, size_t n, const char *marked, tess_spell_fn spell, void *user);

/* The three functions behind the macros. `file`, `function` and `call` must be literals: only the pointer is kept. */
TESS_API TESS_COLD tess_status tess__fail(tess_status status, const char *file, int line, const char *function,
                                          const char *format, ...) TESS_PRINTF(5, 6);
TESS_API TESS_COLD tess_status tess__trace(tess_status status, const char *file, int line, const char *function,
                                           const char *call);
TESS_API TESS_COLD tess_status tess__note(tess_status status, const char *file, int line, const char *function,
                                          const char *call, const char *format, ...) TESS_PRINTF(6, 7);

/* Messages of the library's own functions begin with the function's name, which becomes a mark. */
#ifdef TESS_LIBRARY
TESS_COLD tess_status tess__fail_in_call(tess_status status, const char *file, int line, const char *function,
                                         const char *format, ...) TESS_PRINTF(5, 6);
#define TESS__FAIL tess__fail_in_call
#else
#define TESS__FAIL tess__fail
#endif

/** Fail here: record the printf-style message and this place, and return the status. A status of your own should always
 *  be made this way: a bare `return TESS_EIO` may pass for the last failure of that kind. */
#define TESS_FAIL(status, ...) return TESS__FAIL((status), __FILE__, __LINE__, __func__, __VA_ARGS__)

/** If the condition does not hold, fail here. */
#define TESS_CHECK(condition, status, ...)                                                                             \
    do {                                                                                                               \
        if (!(condition)) TESS_FAIL(status, __VA_ARGS__);                                                              \
    } while (0)

/** If the call fails, add this place to its trace and return its status. */
#define TESS_TRY(call)                                                                                                 \
    do {                                                                                                               \
        tess_status tess_status_ = (call);                                                                             \
        if (tess_status_ != TESS_OK) return tess__trace(tess_status_, __FILE__, __LINE__, __func__, #call);            \
    } while (0)

/** Like TESS_TRY, and add what the caller knew, printf-style: TESS_TRY_NOTE(f(x), "particle %d of %s", i, path). */
#define TESS_TRY_NOTE(call, ...)                                                                                       \
    do {                                                                                                               \
        tess_status tess_status_ = (call);                                                                             \
        if (tess_status_ != TESS_OK)                                                                                   \
            return tess__note(tess_status_, __FILE__, __LINE__, __func__, #call, __VA_ARGS__);                         \
    } while (0)

/** Like TESS_TRY in a function that has something to release: set `status`, a variable, and go to `label`. */
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
