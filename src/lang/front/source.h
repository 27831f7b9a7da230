/* Source text of an operator, and the first diagnostic about it. */
#ifndef TESS_LANG_FRONT_SOURCE_H
#define TESS_LANG_FRONT_SOURCE_H

#include "lang/front/tree.h"

/* The first error is kept; later ones are ignored, so that callers need not check each step. */
typedef struct tess__source {
    const char *text;
    int32_t     length;
    const char *label; /* in messages; NULL: the name of the operator, which is looked for in the text */
    bool        macro; /* fragments of one line each */
    tess_status status;
} tess__source;

/* TESS_EPARSE: "label:line:column: message", with the line and a caret for the trace. */
void tess__complain(tess__source *source, tess__bytes where, const char *format, ...) TESS_COLD TESS_PRINTF(3, 4);

/* The source text of a tree, for errors that are found after parsing. */
static inline tess__source tess__source_of(const tess__tree *tree)
{
    return (tess__source){ .text = tree->text, .length = tree->length, .label = tree->label, .macro = tree->macro };
}

void tess__no_memory(tess__source *source, size_t size) TESS_COLD;

/* For "%.*s" of a name: not too much of it. */
static inline int tess__shown(tess__bytes name) { return name.length < 64 ? name.length : 64; }

#endif
