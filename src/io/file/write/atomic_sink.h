/* Byte sinks: a file being written, as a temporary file that is renamed when it is complete, compressed on the way if
 * asked; or standard output. */
#ifndef TESS_IO_FILE_WRITE_ATOMIC_SINK_H
#define TESS_IO_FILE_WRITE_ATOMIC_SINK_H

#include "tessera/io.h"

typedef struct tess__sink tess__sink;

/* Begin. `head` bytes at the start can be written again later (tess__sink_patch), compressed by gzip or not; not by
 * bzip2, nor on standard output. */
tess_status tess__sink_open(tess__sink **sink, const char *path, bool overwrite, tess_compression compression,
                            int level, int64_t head);

/* Complete it later without waiting until it is on disk. */
void tess__sink_skip_sync(tess__sink *sink);

/* For messages: the final name. */
const char *tess__sink_name(const tess__sink *sink);

/* The next bytes. */
tess_status tess__sink_write(tess__sink *sink, const void *bytes, int64_t n);

/* The offset of the next n bytes, which tess__sink_write_at fills in any order and from any thread; -1, and nothing is
 * claimed, where the sink is not seekable. */
int64_t     tess__sink_claim(tess__sink *sink, int64_t n);
tess_status tess__sink_write_at(tess__sink *sink, int64_t offset, const void *bytes, int64_t n);

/* Can the head be written again? */
bool tess__sink_can_patch(const tess__sink *sink);

/* Write the head again: its first n bytes, at most `head`. */
tess_status tess__sink_patch(tess__sink *sink, const void *bytes, int64_t n);

/* The descriptor of the temporary file, for libraries that write and seek by themselves (not compressed); -1 on
 * standard output. */
int tess__sink_descriptor(const tess__sink *sink);

/* Complete it: flush, put it under its name, free the sink (also when this fails: then nothing is left). */
tess_status tess__sink_finish(tess__sink *sink);

/* Drop it. NULL is allowed. */
void tess__sink_discard(tess__sink *sink);

#endif
