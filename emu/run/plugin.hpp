// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Finding the plugins of emu/plugin.
#ifndef TESSERA_EMU_RUN_PLUGIN_HPP_
#define TESSERA_EMU_RUN_PLUGIN_HPP_

#include <string>

namespace tessera::run {

struct Plugin {
  std::string path;
  std::string error;  ///< not empty: it was not found
};

/// libtessera_NAME.so: in $TESSERA_PLUGIN_FOLDER, else in `plugin` beside this program, or in
/// ../lib/tessera.
Plugin find_plugin(const std::string& name);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_PLUGIN_HPP_
