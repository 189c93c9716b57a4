/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* option_text(int argc, char** argv, const char* name) {
  const size_t length = strlen(name);
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  }
  return NULL;
}

bool option_number(const char* text, char stop, uint64_t* value) {
  if (text == NULL || *text < '0' || *text > '9') return false;
  char* end = NULL;
  *value = strtoull(text, &end, 0);
  return end != text && *end == stop;
}

bool options_known(int argc, char** argv, const char* const* known, int count) {
  for (int i = 0; i < argc; ++i) {
    const size_t length = strcspn(argv[i], "=");
    bool found = false;
    for (int k = 0; k < count && !found; ++k)
      found = strlen(known[k]) == length && strncmp(argv[i], known[k], length) == 0;
    if (!found) {
      fprintf(stderr, "tessera: the plugin knows no argument %s\n", argv[i]);
      return false;
    }
  }
  return true;
}
