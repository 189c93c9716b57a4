# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Sourced: where the real model is, and what it is known to say. Neither is part of the repository: model and text are
# known by their hashes.
# shellcheck shell=bash disable=SC2034

known_model=b0a507e7ad0f626624f17112325e66691f9076d622e1d3274d103d00299f2696
published_tokens=256
published_bytes=565
published_text=30b2ffb07967932a88bfdf5e23b517a6f4cfcf7231db9e537360d3c12a4e4d10

# The path of the real model, or nothing.  find_model REPOSITORY
find_model() {
  if [ -n "${TESSERA_MODEL:-}" ]; then
    echo "$TESSERA_MODEL"
  elif [ -f "$1/../shared/models/stories260K.bin" ]; then
    echo "$(cd "$1/../shared/models" && pwd)/stories260K.bin"
  fi
}

# Is this file the model whose text is known?
is_known_model() {
  [ "$(sha256sum <"$1")" = "$known_model  -" ]
}

# Does this file begin with the published text?
begins_with_published_text() {
  [ "$(head -c "$published_bytes" "$1" | sha256sum)" = "$published_text  -" ]
}
