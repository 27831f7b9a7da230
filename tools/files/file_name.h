/* Parts of the names of files. */
#ifndef TESSERA_FILES_FILE_NAME_H
#define TESSERA_FILES_FILE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the path without ":fmt" or ":member" behind it, which the library cuts off where the whole is no file. */
size_t path_length(const char *name);

/* The same as a text; false if it does not fit. */
bool plain_path(char *text, size_t size, const char *name);

/* Behind the N@ of "12@stack.mrcs"; the name itself if it has none. */
const char *behind_number(const char *name);

/* Where the ending of an output begins, ".mrc", ".mrc.gz" …; brackets and ":fmt" are behind it. Where those begin if
 * there is no ending. */
size_t name_end(const char *name);

/* What {name} is of an argument: the name without folder, ending and ":fmt". "12@stack.mrcs" is stack_12, and
 * "maps.npz:half/1" maps_half_1. */
void name_of_input(char *text, size_t size, const char *argument);

/* What stands for that name in patterns of names: "{name}". */
extern const char name_mark[];

/* A pattern with the name of an argument in the place of each mark; to be freed, NULL: no memory. Where the pattern is
 * one with %d too, a % of the name becomes %%. */
char *put_name(const char *pattern, const char *argument, bool counts);

#endif
