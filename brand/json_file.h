/* Writing a JSON text to a file of the zone's folder. */
#ifndef BRAND_JSON_FILE_H
#define BRAND_JSON_FILE_H

#include <jansson.h>

#include "common/host/err.h"

/* Replaces `name` in dirfd atomically, in one write; takes the reference to j (NULL: out of memory). */
int json_file_save(json_t *j, int dirfd, const char *name, struct err *e);

#endif
