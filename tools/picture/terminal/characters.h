/* The same drawing in the characters of a terminal: lines as dots of braille, eight in a character, or as letters where
 * there is no UTF-8; texts as they are. One unit is one dot: a character is 2 wide and 4 high. */
#ifndef TESSERA_PICTURE_TERMINAL_CHARACTERS_H
#define TESSERA_PICTURE_TERMINAL_CHARACTERS_H

#include <stdio.h>

#include "picture/terminal/terminal.h"

typedef struct characters {
    surface   surface; /* first, so that it is one */
    int64_t   columns, rows;
    uint8_t  *dots;    /* of each character: the eight bits of braille */
    colour   *colours; /* of each character */
    uint32_t *letters; /* of each character: a text that stands over the dots, or 0 */
    double    clip[4]; /* left, top, right, bottom */
} characters;

tess_status characters_new(characters **c, int64_t columns, int64_t rows);
void        characters_free(characters *c);

/* Print it, in the colours and characters that the terminal has. */
tess_status characters_show(const characters *c, const terminal *t, FILE *stream);

#endif
