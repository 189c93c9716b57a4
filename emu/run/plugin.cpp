// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/plugin.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace tessera::run {

Plugin find_plugin(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path own = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> folders{own / "plugin", own / "../lib/tessera"};
  if (const char* chosen = std::getenv("TESSERA_PLUGIN_FOLDER"); chosen != nullptr && *chosen)
    folders = {chosen};
  const std::string file = "libtessera_" + name + ".so";
  for (const fs::path& folder : folders) {
    if (!fs::exists(folder / file, ignored)) continue;
    const std::string path = fs::canonical(folder / file, ignored).string();
    // QEMU separates a plugin's arguments by commas.
    if (path.find(',') != std::string::npos)
      return {"", "the path of the plugin may hold no comma: " + path};
    return {path, ""};
  }
  return {"", "no " + file + " here; build it (target tessera_" + name +
                  ") and say where it is in TESSERA_PLUGIN_FOLDER"};
}

}  // namespace tessera::run
