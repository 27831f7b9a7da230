/* Inputs by list: @names.txt stands for the paths in that file. */
#include "files/input_lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The text of a list, which arguments point into. */
struct input_list {
    struct input_list *next;
    char              *text;
};

static bool is_list(const char *argument) { return argument[0] == '@' && argument[1]; }

static tess_status read_all(char **text, size_t *size, FILE *from, const job *j, const char *path)
{
    char   part[4096];
    size_t n;
    FILE  *out = open_memstream(text, size);
    TESS_CHECK(out, TESS_ENOMEM, "%s: no memory for the list %s", j->verb->name, path);
    while ((n = fread(part, 1, sizeof part, from)) > 0) (void)fwrite(part, 1, n, out);
    const int  why = errno;
    const bool failed = ferror(from) != 0;
    TESS_CHECK(fclose(out) == 0, TESS_ENOMEM, "%s: no memory for the list %s", j->verb->name, path);
    TESS_CHECK(!failed, TESS_EIO, "%s: the list %s cannot be read: %s", j->verb->name, path, strerror(why));
    return TESS_OK;
}

static tess_status read_text(char **text, size_t *size, const job *j, const char *path)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE      *from = standard ? stdin : fopen(path, "rb");
    TESS_CHECK(
        from, TESS_EIO,
        "%s: the list %s cannot be read: %s; @%s reads the names of inputs from it; ./@%s is a file of that name",
        j->verb->name, path, strerror(errno), path, path);
    const tess_status status = read_all(text, size, from, j, path);
    if (!standard) (void)fclose(from);
    return status;
}

/* The next path of the text, which it is cut out of; NULL after the last. */
static char *next_path(char **at)
{
    static const char blanks[] = " \t\r\f\v";
    while (**at) {
        char *line = *at + strspn(*at, blanks), *end = line + strcspn(line, "\n");
        *at = *end ? end + 1 : end;
        while (end > line && strchr(blanks, end[-1])) end--;
        *end = 0;
        if (*line && *line != '#') return line;
    }
    return NULL;
}

static tess_status add_argument(job *j, const char *argument)
{
    const size_t n = (size_t)j->n_arguments;
    if ((n & (n - 1)) == 0) {
        const char **more = realloc((void *)(uintptr_t)j->arguments, (n ? 2 * n : 1) * sizeof *more);
        TESS_CHECK(more, TESS_ENOMEM, "%s: no memory for %zu inputs", j->verb->name, 2 * n);
        j->arguments = more;
    }
    ((const char **)(uintptr_t)j->arguments)[j->n_arguments++] = argument;
    return TESS_OK;
}

static tess_status add_list(job *j, const char *path)
{
    size_t             size = 0;
    struct input_list *list = calloc(1, sizeof *list);
    TESS_CHECK(list, TESS_ENOMEM, "%s: no memory for the list %s", j->verb->name, path);
    list->next = j->lists;
    j->lists = list;
    TESS_TRY(read_text(&list->text, &size, j, path));
    TESS_CHECK(strlen(list->text) == size, TESS_EFORMAT,
               "%s: the list %s is not a text file: it contains a zero byte; a file with one path per line is needed",
               j->verb->name, path);
    const int before = j->n_arguments;
    char     *at = list->text, *name;
    while ((name = next_path(&at))) TESS_TRY(add_argument(j, name));
    TESS_CHECK(j->n_arguments > before, TESS_EARG, "%s: the list %s names no inputs; one path per line is needed",
               j->verb->name, path);
    return TESS_OK;
}

tess_status input_lists_read(job *j)
{
    const char *const *typed = j->arguments;
    const int          n = j->n_arguments;
    bool               any = false;
    for (int i = 0; i < n; i++) any = any || is_list(typed[i]);
    if (!any) return TESS_OK;
    tess_status status = TESS_OK;
    j->arguments = NULL;
    j->n_arguments = 0;
    for (int i = 0; i < n && status == TESS_OK; i++)
        status = is_list(typed[i]) ? add_list(j, typed[i] + 1) : add_argument(j, typed[i]);
    free((void *)(uintptr_t)typed);
    return status;
}

void input_lists_free(job *j)
{
    while (j->lists) {
        struct input_list *list = j->lists;
        j->lists = list->next;
        free(list->text);
        free(list);
    }
}
