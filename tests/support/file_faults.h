/* Reading and writing of files while memory runs out. Each file that includes this has its own. */
#ifndef TESS_TEST_FILE_FAULTS_H
#define TESS_TEST_FILE_FAULTS_H

#include "support/folder.h"
#include "support/hooks.h"

static const char old[] = "what was there before";

static void put_old(const char *name) { put_file(name, old, sizeof old); }

static bool is_old(const char *name)
{
    char bytes[64];
    return get_file(name, bytes, sizeof bytes) == (long)sizeof old && memcmp(bytes, old, sizeof old) == 0;
}

/* Let every allocation of some work on a file fail in turn, once and for good: it does without, or says that there is no
 * memory; then what was there is untouched if the work `writes`, and nothing is left behind. */
static void check_memory(hooks *h, tess_status (*work)(const void *what), const void *what, const char *name,
                         bool writes)
{
    for (int good = 0; good < 2; good++)
        for (long at = 1;; at++) {
            if (writes) put_old(name);
            h->calls = h->fired = 0;
            h->for_good = good;
            h->fail_at = at;
            const int         before = count_files();
            const tess_status status = work(what);
            h->fail_at = 0;
            if (h->fired == 0) {
                CHECK_OK(status);
                CHECK(at > 3);
                break;
            }
            CHECK(count_files() == before);
            if (status == TESS_OK) continue; /* it did without */
            CHECK(status == TESS_ENOMEM && tess_error_message()[0]);
            if (writes) CHECK(is_old(name));
        }
}

#endif
