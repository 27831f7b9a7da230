/* String buffer: text that grows by printf formats. */
#ifndef TESS_LANG_PRINT_WRITE_H
#define TESS_LANG_PRINT_WRITE_H

#include "tessera/error.h"

typedef struct tess__writer {
    char  *text; /* NULL: nothing yet, or no memory */
    size_t used, capacity;
    bool   failed;
} tess__writer;

void tess__write(tess__writer *w, const char *format, ...) TESS_PRINTF(2, 3);
void tess__write_bytes(tess__writer *w, const char *bytes, size_t n);
/* The text, to be freed with tess__free, or TESS_ENOMEM. */
tess_status tess__write_finish(tess__writer *w, char **out);

#endif
