/* Marks in messages: names of functions, arguments and options that a front end spells its own way (tess_spell), and
 * tess_error_message as C does. In the format of a message they stand between backquotes, spelled as in C:
 *
 *     TESS_CHECK(high > low, TESS_ERANGE, "%s: `opts->high` is %g; more than `opts->low` is needed", fn, high);
 *     TESS_FAIL(TESS_EARG, "%s: `%s` is `NULL`", fn, arg);
 *     TESS_FAIL(TESS_EEXIST, "write: %s is there; `overwrite|opts->overwrite is 0`", path);
 *
 * The last is a phrase, with the name by which front ends know it. In the record, control characters stand for the
 * backquotes; only those of formats are replaced, so what a caller wrote stays as it is. An argument of a mark may hold
 * words or marks of its own, TESS__MARK: then these are used, and the mark around them is dropped.
 */
#ifndef TESS_CORE_CHECK_MARKS_H
#define TESS_CORE_CHECK_MARKS_H

#include <stdbool.h>
#include <stddef.h>

/* A mark in a text that is an argument of a message. */
#define TESS__MARK(text) "\001" text "\002"

/* Write a format with control characters for its backquotes. One that is too long is cut before a conversion. */
void tess__marks_format(char *to, size_t n, const char *format);

/* Write a message as it is kept: one line, with marks that are whole and hold no others. The function that failed is
 * marked: `fn`, or if that is NULL and `is_in_call`, the name with which the text begins. `n` is at least 128. */
void tess__marks_keep(char *to, size_t n, const char *fn, bool is_in_call, const char *text);

/* Behind the function that failed and its ": ", with which a message that is kept may begin. */
const char *tess__marks_behind_call(const char *marked);

#endif
