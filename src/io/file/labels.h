/* Labels from texts of fixed length in headers. */
#ifndef TESS_IO_FILE_LABELS_H
#define TESS_IO_FILE_LABELS_H

#include "tessera/io.h"

/* Add a text of up to n bytes, which ends before at a 0, as a label; blanks around it are cut, and what cannot be
 * printed becomes '?'. Nothing is added if nothing is left, or if there are ten labels. */
static inline void tess__add_label(tess_meta *meta, const char *text, int n)
{
    char *label = meta->n_labels < 10 ? meta->labels[meta->n_labels] : NULL;
    int   from = 0, length = 0;
    while (length < n && text[length]) length++;
    while (length > 0 && (unsigned char)text[length - 1] <= ' ') length--;
    while (from < length && (unsigned char)text[from] <= ' ') from++;
    if (!label || from == length) return;
    if (length - from > 80) length = from + 80;
    for (int i = from; i < length; i++) label[i - from] = text[i];
    for (int i = 0; i < length - from; i++)
        if (label[i] < ' ' || label[i] > '~') label[i] = '?';
    label[length - from] = '\0';
    meta->n_labels++;
}

#endif
