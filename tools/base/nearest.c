/* Names that were meant: the distance of two names in typing errors. */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static char plain(char c) { return c == '_' ? '-' : (char)tolower((unsigned char)c); }

static int min(int a, int b) { return a < b ? a : b; }

int names_distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    int rows[3][LONGEST + 1]; /* of the letters of a before the last, the last, and this one */
    for (int k = 0; k <= nb; k++) rows[0][k] = k;
    for (int i = 1; i <= na; i++) {
        int       *row = rows[i % 3];
        const int *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int k = 1; k <= nb; k++) {
            const char x = plain(a[i - 1]), y = plain(b[k - 1]);
            row[k] = min(min(last[k] + 1, row[k - 1] + 1), last[k - 1] + (x != y));
            if (i > 1 && k > 1 && x == plain(b[k - 2]) && plain(a[i - 2]) == y) row[k] = min(row[k], before[k - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

void nearest_start(nearest *n, const char *wanted)
{
    n->wanted = wanted;
    n->name = NULL;
    const int third = (int)strlen(wanted) / 3; /* more is another word */
    n->distance = third > 1 ? third : 1;
}

void nearest_try(nearest *n, const char *name)
{
    int distance = names_distance(n->wanted, name);
    if (distance > 1 && strlen(n->wanted) > 2 && name_begins(name, n->wanted)) distance = 1; /* it was only begun */
    if (distance >= n->distance + (n->name == NULL)) return;
    n->distance = distance;
    n->name = name;
}

bool names_equal(const char *a, const char *b)
{
    while (*a && plain(*a) == plain(*b)) a++, b++;
    return *a == *b;
}

bool name_begins(const char *name, const char *prefix)
{
    while (*prefix && plain(*name) == plain(*prefix)) name++, prefix++;
    return *prefix == '\0';
}
