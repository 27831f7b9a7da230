/* Names of arguments compared word by word, whatever the spelling. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "tessera/table.h"

enum { NAME_BYTES = 96 };

/* Words that stand for the same: British and American spelling, long and short forms, names that other programs have.
 */
static const char *const words[][2] = {
    { "center", "centre" },       { "centered", "centred" },    { "gray", "grey" },
    { "color", "colour" },        { "normalise", "normalize" }, { "normalised", "normalized" },
    { "randomise", "randomize" }, { "maximum", "max" },         { "minimum", "min" },
    { "symmetry", "sym" },        { "rounds", "iterations" },   { "apix", "pixel_size" },
    { "angpix", "pixel_size" },   { "voxel", "pixel" },
};

static const char *usual_word(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return word;
}

/* In lower case, with _ between its words, each in its usual form. */
static bool spell(char usual[NAME_BYTES], const char *name)
{
    char   word[NAME_BYTES];
    size_t length = 0, n = 0;
    for (;; name++) {
        const bool ends = !*name || *name == '_' || *name == '-';
        if (!ends) {
            if (n + 1 == sizeof word) return false;
            word[n++] = (char)tolower((unsigned char)*name);
            continue;
        }
        word[n] = '\0';
        const char  *put = usual_word(word);
        const size_t size = strlen(put);
        if (length + size + 2 > NAME_BYTES) return false;
        memcpy(usual + length, put, size);
        length += size;
        usual[length] = *name ? '_' : '\0';
        if (!*name) return true;
        length++;
        n = 0;
    }
}

bool tess_same_name(const char *a, const char *b)
{
    char usual[2][NAME_BYTES];
    return a && b && spell(usual[0], a) && spell(usual[1], b) && strcmp(usual[0], usual[1]) == 0;
}
