/* The files that one run of the command writes, in a search tree by identity: device and inode of a file that exists,
 * the resolved path of one that does not. */
#define _XOPEN_SOURCE 700 /* for realpath */
#include "files/outputs/output_names.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/options.h"
#include "files/file_name.h"

enum { MAX_PATH = 4096, MAX_IDENTITY = 2 * MAX_PATH };

struct output_name {
    char *identity;
    char *what;
    char *path;
    int   file; /* the input it is made of, as job.file */
};

static int by_identity(const void *a, const void *b)
{
    const struct output_name *x = a, *y = b;
    return strcmp(x->identity, y->identity);
}

/* ---- Identities ---- */

/* A link whose target is missing: where the target would be. */
static void follow(char path[MAX_PATH])
{
    char    target[MAX_PATH];
    ssize_t n;
    for (int i = 0; i < 8 && (n = readlink(path, target, sizeof target - 1)) > 0; i++) {
        char *slash = strrchr(path, '/');
        target[n] = 0;
        const size_t folder = target[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
        (void)snprintf(path + folder, MAX_PATH - folder, "%s", target);
    }
}

/* False of what is not a file on disk: pipes and devices may be written several times. */
static bool identify(char text[MAX_IDENTITY], const char *named)
{
    struct stat info;
    char        path[MAX_PATH];
    if (strcmp(named, "-") == 0) return (void)snprintf(text, MAX_IDENTITY, "-"), true;
    if (strlen(named) >= sizeof path) return false;
    (void)snprintf(path, sizeof path, "%s", named);
    if (stat(path, &info) == 0) {
        (void)snprintf(text, MAX_IDENTITY, "%ju:%ju", (uintmax_t)info.st_dev, (uintmax_t)info.st_ino);
        return S_ISREG(info.st_mode);
    }
    follow(path);
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    char *folder = realpath(!slash ? "." : slash == path ? "/" : path, NULL);
    if (folder) (void)snprintf(text, MAX_IDENTITY, "%s/%s", folder, slash ? slash + 1 : path);
    free(folder);
    return folder != NULL;
}

/* The same of an input: "12@x.mrcs:mrc" is x.mrcs, and "a=x.mrc" of calc is x.mrc. */
static bool identify_input(char text[MAX_IDENTITY], const char *argument)
{
    char        path[MAX_PATH];
    const char *equals = strchr(argument, '=');
    if (access(argument, F_OK) != 0 && equals) argument = equals + 1;
    return strcmp(argument, "-") != 0 && plain_path(path, sizeof path, behind_number(argument)) &&
           access(path, F_OK) == 0 && identify(text, path);
}

static bool is_input(const char *argument, const char *identity)
{
    char text[MAX_IDENTITY];
    return identify_input(text, argument) && strcmp(text, identity) == 0;
}

/* ---- Clashes ---- */

static tess_status clash(const job *j, const struct output_name *one, const struct output_name *other)
{
    const bool several = one->file > 0 && other->file > 0 && one->file != other->file;
    TESS_CHECK(!several, TESS_EARG,
               "%s: %s and %s would both become %s; their names without folder and extension must differ",
               j->verb->name, j->inputs[one->file - 1], j->inputs[other->file - 1], other->path);
    TESS_FAIL(TESS_EARG, "%s: %s %s and %s %s are the same file; every output needs its own name", j->verb->name,
              one->what, one->path, other->what, other->path);
}

/* No output is another input of a verb that is run for each: it may be still to be read. */
static tess_status check_arguments(const job *j, const struct output_name *added)
{
    const bool         each = j->file > 0;
    const char *const *inputs = each ? j->inputs : j->arguments;
    const int          n = each ? j->n_files + (j->verb->with_last ? 1 : 0) : j->n_arguments;
    const bool         is_output = strcmp(added->what, "-o") == 0;
    for (int i = 0; i < n; i++) {
        if (!is_input(inputs[i], added->identity)) continue;
        const bool own = is_output && (!each || i == j->file - 1);
        TESS_CHECK(!own || job_has(j, "force"), TESS_EEXIST, "%s: -o %s is the input itself; -f overwrites it",
                   j->verb->name, added->path);
        if (own) continue;
        TESS_CHECK(!each || j->n_files < 2, TESS_EARG,
                   "%s: %s, made of %s, would overwrite the input %s; %s needs another folder or extension than the "
                   "inputs have",
                   j->verb->name, added->path, j->inputs[j->file - 1], inputs[i], added->what);
        TESS_FAIL(TESS_EARG, "%s: %s %s would overwrite the input %s; every output needs its own name", j->verb->name,
                  added->what, added->path, inputs[i]);
    }
    return TESS_OK;
}

/* Nor a file that another option names. */
static tess_status check_options(const job *j, const struct output_name *added)
{
    for (int i = 0; i < j->n_given; i++) {
        char          called[48];
        const option *o = j->given[i].option;
        TESS_CHECK(o->type != OPTION_FILE || o->writes || !is_input(j->given[i].value, added->identity), TESS_EARG,
                   "%s: %s %s would overwrite the file of %s; every output needs its own name", j->verb->name,
                   added->what, added->path, option_called(o, called));
    }
    return TESS_OK;
}

/* ---- The tree ---- */

static void free_name(struct output_name *name)
{
    if (!name) return;
    free(name->identity);
    free(name->what);
    free(name->path);
    free(name);
}

static tess_status make_name(struct output_name **made, const job *j, const char *what, const char *path)
{
    char text[MAX_IDENTITY];
    *made = NULL;
    if (!identify(text, path)) return TESS_OK;
    struct output_name *name = calloc(1, sizeof *name);
    if (name) *name = (struct output_name){ strdup(text), strdup(what), strdup(path), j->file };
    if (name && name->identity && name->what && name->path) return *made = name, TESS_OK;
    free_name(name);
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for the names of its outputs", j->verb->name);
}

static tess_status add(job *j, struct output_name *name, bool *kept)
{
    struct output_name **found = tsearch(name, &j->outputs->tree, by_identity);
    TESS_CHECK(found, TESS_ENOMEM, "%s: no memory for the names of its outputs", j->verb->name);
    *kept = *found == name;
    if (*kept) {
        if (name->identity[0] == '/' || name->identity[0] == '-') return TESS_OK; /* it does not exist yet */
        TESS_TRY(check_arguments(j, name));
        return check_options(j, name);
    }
    const bool same = strcmp((*found)->what, name->what) == 0 && strcmp((*found)->path, name->path) == 0;
    return same && (*found)->file == name->file ? TESS_OK : clash(j, *found, name);
}

tess_status output_names_start(job *j)
{
    j->outputs = calloc(1, sizeof *j->outputs);
    TESS_CHECK(j->outputs, TESS_ENOMEM, "%s: no memory for the names of its outputs", j->verb->name);
    return TESS_OK;
}

tess_status output_names_add(job *j, const char *what, const char *path)
{
    struct output_name *name;
    bool                kept = false;
    TESS_TRY(make_name(&name, j, what, path));
    if (!name) return TESS_OK;
    const tess_status status = add(j, name, &kept);
    if (!kept) free_name(name);
    return status;
}

tess_status output_names_check_input(const job *j, const char *path)
{
    char identity[MAX_IDENTITY];
    if (!j->outputs->tree || !identify_input(identity, path)) return TESS_OK;
    struct output_name         sought = { .identity = identity };
    struct output_name *const *found = tfind(&sought, &j->outputs->tree, by_identity);
    if (!found) return TESS_OK;
    for (int i = 0; i < j->n_arguments; i++)
        if (strcmp((*found)->what, "-o") == 0 && is_input(j->arguments[i], identity)) return TESS_OK;
    TESS_FAIL(TESS_EARG, "%s: %s %s would overwrite %s, which is read; every output needs its own name", j->verb->name,
              (*found)->what, (*found)->path, path);
}

void output_names_free(job *j)
{
    while (j->outputs && j->outputs->tree) {
        struct output_name *root = *(struct output_name **)j->outputs->tree;
        (void)tdelete(root, &j->outputs->tree, by_identity);
        free_name(root);
    }
    free(j->outputs);
    j->outputs = NULL;
}
