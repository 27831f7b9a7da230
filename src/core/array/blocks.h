/* Blocks of whole huge pages, mapped on their own, and a cache of those that were freed. */
#ifndef TESS_CORE_ARRAY_BLOCKS_H
#define TESS_CORE_ARRAY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At least `size` bytes, aligned to 2 MiB: a kept block of the same number of huge pages, or a new mapping, which is
 * `fresh`: all zero. NULL when there is no memory, even after all kept blocks were given back. At most `most_kept`
 * bytes are kept afterwards. */
void *tess__block_take(size_t size, int64_t most_kept, bool *fresh);

/* Frees a block: keeps it for the next one of its size, or gives it back to the system. */
void tess__block_give(void *block, size_t size, int64_t most_kept);

/* Gives kept blocks back, those first that were freed first, until at most `most` bytes are kept, and those that nobody
 * has asked for in a second. False if there was nothing to give back. */
bool tess__blocks_trim(int64_t most);

/* Bytes that are kept. */
int64_t tess__blocks_kept(void);

#endif
