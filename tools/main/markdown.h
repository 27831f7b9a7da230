/* docs/reference.md, from the descriptors. */
#ifndef TESSERA_MAIN_MARKDOWN_H
#define TESSERA_MAIN_MARKDOWN_H

#include <stdio.h>

#include "tessera.h"

tess_status ops_markdown(FILE *out);

#endif
