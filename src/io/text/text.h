/* Text files: read in one call, written through a buffer; numbers in them, independent of the locale. */
#ifndef TESS_IO_TEXT_TEXT_H
#define TESS_IO_TEXT_TEXT_H

#include "io/file/write/atomic_sink.h"
#include "io/file/source.h"

/* A whole file in memory, ended by a zero byte; to be freed. Zero bytes inside are an error; a byte order mark
 * before it is left out. `fn` is the public function, for messages. */
tess_status tess__text_read(char **text, int64_t *n, const char *fn, const char *path);

/* The same of a source, from its start. */
tess_status tess__text_read_source(char **text, int64_t *n, const char *fn, tess__source *source);

/* The same for text that is given, which is copied. */
tess_status tess__text_copy(char **copy, const char *fn, const char *name, const char *text, int64_t n);

/* A number as in C, without hexadecimal ones: "-1.5e3", "nan", "inf". All of the text, spaces around it not allowed. */
bool tess__text_f64(double *value, const char *text, int64_t n);

/* An integer. */
bool tess__text_i64(int64_t *value, const char *text, int64_t n);

static inline bool tess__is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* A text file that is being written: under its name when it is complete. */
typedef struct tess__text_out tess__text_out;
tess_status tess__text_out_open(tess__text_out **out, const char *fn, const char *path, bool overwrite);
tess_status tess__text_put(tess__text_out *out, const char *text, int64_t n);
tess_status tess__text_put_string(tess__text_out *out, const char *text);

/* Rename it to its final name if `status` is TESS_OK, else drop it; freed. Returns `status` or a failure here. */
tess_status tess__text_out_close(tess__text_out *out, tess_status status);

#endif
