/* A folder of its own for tests of files. */
#define _XOPEN_SOURCE 700
#include "support/folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];
static int  owner;

static void each_file(void (*visit)(const char *name))
{
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) visit(e->d_name);
    if (d) (void)closedir(d);
}

static int remove_one(const char *name, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    (void)remove(name);
    return 0;
}

static void remove_all(void)
{
    if (getpid() == owner) (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); /* not a child that a test made */
}

const char *folder(void)
{
    if (!path[0]) {
        const char *base = getenv("TMPDIR");
        (void)snprintf(path, sizeof path, "%.40s/tessera-XXXXXX", base && strlen(base) < 40 ? base : "/tmp");
        if (!mkdtemp(path)) {
            perror("mkdtemp");
            exit(1);
        }
        owner = getpid();
        (void)atexit(remove_all);
    }
    return path;
}

const char *in_folder(const char *name)
{
    static char names[8][256];
    static int  next;
    char       *text = names[next++ % 8];
    (void)snprintf(text, sizeof names[0], "%s/%.150s", folder(), name);
    return text;
}

void put_file(const char *name, const void *bytes, long n)
{
    FILE *f = fopen(in_folder(name), "wb");
    if (!f || fwrite(bytes, 1, (size_t)n, f) != (size_t)n || fclose(f) != 0) {
        perror(name);
        exit(1);
    }
}

long get_file(const char *name, void *bytes, long size)
{
    FILE *f = fopen(in_folder(name), "rb");
    if (!f) return -1;
    long n = (long)fread(bytes, 1, (size_t)size, f);
    if (n == size && fgetc(f) != EOF) {
        (void)fseek(f, 0, SEEK_END);
        n = ftell(f);
    }
    (void)fclose(f);
    return n;
}

static int files;

static void count_one(const char *name)
{
    (void)name;
    files++;
}

int count_files(void)
{
    files = 0;
    (void)folder();
    each_file(count_one);
    return files;
}
