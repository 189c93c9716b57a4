/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Arguments of a plugin: words of the form NAME=VALUE. */
#ifndef TESSERA_EMU_PLUGIN_OPTIONS_H_
#define TESSERA_EMU_PLUGIN_OPTIONS_H_

#include <stdbool.h>
#include <stdint.h>

/* The value of `name`, or NULL. */
const char* option_text(int argc, char** argv, const char* name);
/* The number in `text` (decimal, or hexadecimal after 0x) up to `stop`; false where there is none. */
bool option_number(const char* text, char stop, uint64_t* value);
/* Refuses names that are not among the `count` known ones, with a message. */
bool options_known(int argc, char** argv, const char* const* known, int count);

#endif /* TESSERA_EMU_PLUGIN_OPTIONS_H_ */
