/* Text that grows: for SVG, for HTML and for what goes to a terminal. Memory that runs out is told once, at the end. */
#ifndef TESSERA_PICTURE_LONGTEXT_H
#define TESSERA_PICTURE_LONGTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "tessera.h"

typedef struct longtext {
    char  *bytes; /* ended by a zero byte once something was added */
    size_t length, capacity;
    bool   failed; /* memory ran out: what was added since is missing */
} longtext;

void longtext_bytes(longtext *t, const void *bytes, size_t n);
void longtext_add(longtext *t, const char *format, ...) TESS_PRINTF(2, 3);

/* A number with at most two digits after the point, whatever the locale. */
void longtext_number(longtext *t, double value);

/* Bytes in base 64. */
void longtext_base64(longtext *t, const void *bytes, size_t n);

/* Words as XML and HTML have them: characters that they keep for themselves are spelt out, those that they do not allow
 * are left out. Or n bytes of them, which end where a character does. */
void longtext_escaped(longtext *t, const char *words);
void longtext_escaped_bytes(longtext *t, const char *words, size_t n);

/* Write it to a file, whole or not at all; "-" is standard output. Fails if memory ran out before. */
tess_status longtext_write(const longtext *t, const char *path, bool overwrite);

void longtext_free(longtext *t);

#endif
