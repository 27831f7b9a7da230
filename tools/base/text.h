/* Texts on a terminal and in JSON. */
#ifndef TESSERA_BASE_TEXT_H
#define TESSERA_BASE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Does a text end with this? ends_with_any_case takes capitals for small letters. */
bool ends_with(const char *text, const char *end);
bool ends_with_any_case(const char *text, const char *end);

/* Columns that a text takes; it is UTF-8 of letters that are one column wide. */
int text_columns(const char *text);

/* Print a text in lines of at most `columns`, every line but the first after `indent` spaces; the first one begins
 * where `used` columns are taken. Blank lines stay, and lines that begin with spaces are left as they are. */
void print_wrapped(FILE *out, const char *text, int indent, int used, int columns);

/* The first n bytes of a text (all of it if n < 0), with a '?' for each control character: names and labels must not
 * command the terminal. */
void print_clean(FILE *out, const char *text, int n);

/* In quotes, with what JSON wants escaped; bytes that are not UTF-8 become U+FFFD. */
void print_json_text(FILE *out, const char *text);

#endif
