/* Texts of descriptions in words of Python's.
 *
 * Descriptions are written for C: arrays have four axes, "{b,1,1,n}", outputs may be NULL or are allocated by the call.
 */
#include "help.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void append(text *t, const char *format, ...)
{
    va_list args;
    if (t->failed) return;
    for (;;) {
        va_start(args, format);
        const int n = vsnprintf(t->at + t->used, t->size - t->used, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < t->size - t->used) {
            t->used += (size_t)n;
            return;
        }
        char *larger = n < 0 ? NULL : realloc(t->at, t->size * 2 + (size_t)n);
        if (!larger) {
            t->failed = true;
            return;
        }
        t->at = larger;
        t->size = t->size * 2 + (size_t)n;
    }
}

/* ---- Words ---- */

typedef enum audience { OF_ALL, OF_INPUTS, OF_DEFAULTS } audience;

/* The first that fits counts. An empty set of axes and no choice are None. */
static const struct {
    const char *in_c, *here;
    audience    rows;
} words[] = {
    { "; may be NULL: ", "; None: ", OF_ALL },
    { "; may be NULL", "; optional", OF_INPUTS },
    { "; may be NULL", "", OF_ALL },
    { "; a zeroed array, or NULL", "", OF_ALL },
    { "; must be zeroed, or NULL", "", OF_ALL },
    { "; or NULL", "", OF_ALL },
    { "; may be the input (in place) or NULL", "; out may be the input", OF_ALL },
    { "; may be the input (in place)", "; out may be the input", OF_ALL },
    { "; may be an input (in place)", "; out may be an input", OF_ALL },
    { "; may be the input itself", "; out may be the input", OF_ALL },
    { "; must be zeroed", "", OF_ALL },
    { "; must be allocated", "", OF_ALL },
    { "; allocated if it is zeroed", "", OF_ALL },
    { "; allocated as ", "; ", OF_ALL },
    { "; allocated in ", "; in ", OF_ALL },
    { "allocated array", "array", OF_ALL },
    { "which must be allocated", "which must be given", OF_ALL },
    { "allocate a real out, which receives the power", "return real numbers, the power", OF_ALL },
    { "; 0 at first if newly allocated", "", OF_ALL },
    { " if newly allocated", " by default", OF_ALL },
    { "of a newly allocated output", "of the result", OF_ALL },
    { "; any strides", "", OF_ALL },
    { ", with size 1 in the reduced axes", ", without the reduced axes", OF_ALL },
    { "b, d, h, w order", "C order", OF_ALL },
    { "border value: value outside the input", "value outside the input, with border='value'", OF_ALL },
    { "border value: its", "its", OF_ALL },
    { "with border value", "with border='value'", OF_ALL },
    { "correlate: do not", "do not", OF_ALL },
    { "fields of a tess_ctf", "fields of a CTF", OF_ALL },
    { "in the order of tess_ctf", "in the order of the fields of a CTF", OF_ALL },
    { "K = min(M,N)", "k = min(m, n)", OF_ALL },
    { "max(M,N)", "max(m, n)", OF_ALL },
    { "; b of either may be 1", "; either may be one for all batches", OF_ALL },
    { "; its b is 1", "", OF_ALL },
    { ", with any b", ", for any number of batches", OF_ALL },
    { "same b as in", "same batches as in_", OF_ALL },
    { "in is longer", "in_ is longer", OF_ALL },
    { "in may be", "in_ may be", OF_ALL },
    { "in and the", "in_ and the", OF_ALL },
    { "in combined", "in_ combined", OF_ALL },
    { "and in complex", "and in_ complex", OF_ALL },
    { "out without in", "out without in_", OF_ALL },
    { "D, H and W", "d, h and w", OF_ALL },
    { "NULL", "None", OF_ALL },
    { "opts->", "", OF_ALL },
    { "opts.", "", OF_ALL },
    { "; 0: ", "; None: ", OF_DEFAULTS },
    { "; 0 ", "; None ", OF_DEFAULTS },
};
enum { N_WORDS = sizeof words / sizeof *words, N_LETTERS = 256 };

/* The numbers of words by their first letter, each a list that ends in -1. */
static int first_of[N_LETTERS], next_of[N_WORDS];

static void sort_words(void)
{
    static bool is_done;
    if (is_done) return;
    is_done = true;
    for (int letter = 0; letter < N_LETTERS; letter++) first_of[letter] = -1;
    for (int i = N_WORDS - 1; i >= 0; i--) {
        int *first = &first_of[(unsigned char)words[i].in_c[0]];
        next_of[i] = *first;
        *first = i;
    }
}

static bool is_for(const tess_arg_info *row, audience which)
{
    if (which == OF_INPUTS) return row->role == TESS_ROLE_IN;
    return which == OF_ALL || row->type == TESS_ARG_AXIS_SET || row->type == TESS_ARG_CHOICE;
}

static int find_words(const tess_arg_info *row, const char *at)
{
    for (int i = first_of[(unsigned char)*at]; i >= 0; i = next_of[i])
        if (strncmp(at, words[i].in_c, strlen(words[i].in_c)) == 0 && is_for(row, words[i].rows)) return i;
    return -1;
}

/* The argument in is in_ here: "layout of in". */
static bool names_input(const char *from, const char *at)
{
    if (at - from < 4 || isalnum((unsigned char)at[2])) return false;
    return strncmp(at - 4, " of in", 6) == 0 || (strncmp(at - 4, " to in", 6) == 0 && at[2] != ' ');
}

/* Up to `end`. */
static void append_up_to(text *t, const tess_arg_info *row, const char *from, const char *end)
{
    const char *begin = from; /* of what is not yet written */
    sort_words();
    for (const char *at = from; at < end;) {
        const int  i = find_words(row, at);
        const bool is_input = i < 0 && *at == 'i' && names_input(from, at);
        if (i < 0 && !is_input) {
            at++;
            continue;
        }
        append(t, "%.*s%s", (int)(at - begin), begin, is_input ? "in_" : words[i].here);
        at += is_input ? 2 : strlen(words[i].in_c);
        begin = at;
    }
    append(t, "%.*s", (int)(end - begin), begin);
}

void append_words(text *t, const tess_arg_info *row, const char *words_of_row)
{
    append_up_to(t, row, words_of_row, words_of_row + strlen(words_of_row));
}

/* ---- Shapes ---- */

typedef struct part {
    const char *at;
    size_t      length; /* up to a "?" */
} part;

/* Four sizes in braces; the end of them, or NULL if there is something else. */
static const char *read_shape(const char *at, part *sizes)
{
    int depth = 0, n = 0;
    if (*at != '{') return NULL;
    sizes[0].at = ++at;
    for (; *at && (depth > 0 || *at != '}'); at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at != ',' || depth > 0) continue;
        if (n == 3) return NULL;
        sizes[n].length = (size_t)(at - sizes[n].at);
        sizes[++n].at = at + 1;
    }
    if (!*at || n < 3) return NULL;
    sizes[3].length = (size_t)(at - sizes[3].at);
    return at + 1;
}

static void read_axes(const char *axes, part *names)
{
    for (int i = 0; i < 4; i++) {
        names[i] = (part){ axes, strcspn(axes, ",|?") };
        axes += strcspn(axes, ",|");
        axes += i < 3;
    }
}

static bool is_letter(part p, char letter) { return p.length == 1 && tolower((unsigned char)*p.at) == letter; }

/* Which sizes are written: not those of 1, and of the axes that count batches the first, as "...". */
typedef enum shown { HIDDEN, SHOWN, DOTS } shown;

static void choose_by_axes(const char *axes, const part *sizes, shown *how)
{
    part names[4];
    bool has_dots = false;
    read_axes(axes, names);
    for (int i = 0; i < 4; i++) {
        const bool counts = isupper((unsigned char)*names[i].at) != 0;
        how[i] = is_letter(sizes[i], '1') || (counts && has_dots) ? HIDDEN : counts ? DOTS : SHOWN;
        has_dots = has_dots || how[i] == DOTS;
    }
}

/* Of arrays whose axes are those of C, sizes of 1 in front may be left out. */
static void choose_in_c(const part *sizes, bool of_job, shown *how)
{
    bool       is_front = true;
    const bool is_any = !of_job && is_letter(sizes[0], 'b') && is_letter(sizes[1], 'd');
    for (int i = 0; i < 4; i++) {
        is_front = is_front && is_letter(sizes[i], '1');
        how[i] = is_front ? HIDDEN : SHOWN;
    }
    if (is_any) how[0] = DOTS, how[1] = HIDDEN;
    if (of_job || is_any || !is_letter(sizes[2], 'h') || !is_letter(sizes[3], 'w') || how[0] == HIDDEN) return;
    const bool is_image = is_letter(sizes[1], '1');
    if (is_image) how[1] = HIDDEN;
    if (is_image || is_letter(sizes[1], 'd')) how[0] = DOTS;
}

static void append_lower(text *t, part size)
{
    for (size_t i = 0; i < size.length; i++) append(t, "%c", tolower((unsigned char)size.at[i]));
}

static void append_tuple(text *t, const part *sizes, const shown *how)
{
    int n = 0;
    append(t, "(");
    for (int i = 0; i < 4; i++) {
        if (how[i] == HIDDEN) continue;
        append(t, "%s", n++ ? ", " : "");
        if (how[i] == DOTS) append(t, "...");
        else append_lower(t, sizes[i]);
    }
    const bool is_one = n == 1 && t->used > 0 && !t->failed && t->at[t->used - 1] != '.';
    append(t, "%s)", is_one ? "," : "");
}

/* An axis that results have only with an option: "(..., shells), or (..., cones, shells) with directions". */
static void append_by_axes(text *t, const char *axes, const part *sizes)
{
    part  names[4];
    shown how[4];
    int   optional = -1;
    read_axes(axes, names);
    choose_by_axes(axes, sizes, how);
    for (int i = 0; i < 4; i++)
        if (names[i].at[names[i].length] == '?' && how[i] == SHOWN) optional = i;
    if (optional < 0) {
        append_tuple(t, sizes, how);
        return;
    }
    how[optional] = HIDDEN;
    append_tuple(t, sizes, how);
    how[optional] = SHOWN;
    append(t, ", or ");
    append_tuple(t, sizes, how);
    append(t, " with %.*s", (int)names[optional].length, names[optional].at);
}

static const char *next_shape(const char *at, part *sizes)
{
    while (*at && !read_shape(at, sizes)) at++;
    return at;
}

void append_help(text *t, const tess_arg_info *row, bool of_job)
{
    part        sizes[4];
    shown       how[4];
    const bool  is_receiver = strncmp(row->help, "receives ", 9) == 0;
    const char *at = row->help + (is_receiver ? 9 : 0);
    for (;;) {
        const char *brace = next_shape(at, sizes);
        append_up_to(t, row, at, brace);
        if (!*brace) return;
        if (row->axes) {
            append_by_axes(t, row->axes, sizes);
        } else {
            choose_in_c(sizes, of_job, how);
            append_tuple(t, sizes, how);
        }
        at = read_shape(brace, sizes);
    }
}

void append_shape(text *t, const tess_arg_info *row)
{
    part sizes[4];
    if (!row->axes || *next_shape(row->help, sizes)) return;
    read_axes(row->axes, sizes);
    append(t, "; shape ");
    append_by_axes(t, row->axes, sizes);
}
