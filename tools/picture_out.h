/* Where a picture goes: to the file of -o, or to the terminal. */
#ifndef TESSERA_PICTURE_OUT_H
#define TESSERA_PICTURE_OUT_H

#include "output.h"
#include "picture/terminal.h"

/* The options of verbs that make pictures; numbers have no type to choose there, as those of GLOBAL_OUT have. */
#define PICTURE_OPTIONS(formats)                                                                                       \
    { .name = "output",                                                                                                \
      .value = "OUT",                                                                                                  \
      .help = "the picture to write, " formats "; - is standard output [the terminal]",                                \
      .type = OPTION_FILE,                                                                                             \
      .letter = 'o' },                                                                                                 \
        { .name = "force", .help = "replace a file that is there", .letter = 'f' },                                    \
        { .name = "dry-run", .help = "check everything, say what would be written, write nothing" },                   \
    {                                                                                                                  \
        .name = "terminal", .value = "WORD", .choices = "auto half ascii kitty iterm sixel", .type = OPTION_CHOICE,    \
        .help = "how to show it without -o [auto: what the terminal can do]"                                           \
    }

typedef struct picture_out {
    const char *path; /* NULL: the terminal */
    bool        overwrite;
    bool        skip; /* --dry-run: all was said */
    terminal    terminal;
} picture_out;

/* Before any work: may it be written, or is there a terminal? */
tess_status picture_out_find(picture_out *out, job *job);

/* Write a canvas there. */
tess_status picture_out_canvas(const picture_out *out, const canvas *c);

#endif
