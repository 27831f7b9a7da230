/* Where a picture goes: to the file of -o, or to the terminal. */
#ifndef TESSERA_DRAW_PICTURE_OUT_H
#define TESSERA_DRAW_PICTURE_OUT_H

#include "files/outputs/output.h"
#include "picture/terminal/terminal.h"

/* The option of verbs that make pictures. */
#define TERMINAL_OPTION                                                                                                \
    CHOICE("terminal", "WORD", "auto half ascii sixel", "terminal output without -o [auto: the best it supports]")

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
