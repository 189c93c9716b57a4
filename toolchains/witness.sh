# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# shellcheck shell=bash
# Sourced by dev.sh, for `dev.sh witness`: GNU binutils of Debian testing (2.47 or later knows the matrix instructions)
# against tessera-ime, which share nothing.
#
#   1. as assembles each line of tests/isa/golden_words.hpp: the words must be the published ones.
#   2. objdump disassembles every word that is legal on k3: the lines must be tessera-ime's.
#   3. objdump disassembles words of every pattern of the opcode's bits 31:25, 15, 14:12 and 7: what one side knows and the
#      other does not is counted by reason. A difference without a reason fails.
#
# The programs are unpacked into build/prefix/testing and run by their own loader; nothing on the system changes.

# A program of that prefix, by the loader and the libraries beside it.
testing_program() {
  local root=$1 program=$2
  shift 2
  "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \
    "$root/usr/bin/riscv64-linux-gnu-$program" "$@"
}

# Lines "WORD ASSEMBLY" of the words in a file, one eight-digit word a line, as objdump prints them: a loadable object
# without symbols, so that the words are not taken for data.
testing_disassembly() {
  local root=$1 words=$2 folder=$3
  sed 's/^/.4byte 0x/' "$words" >"$folder/words.s"
  testing_program "$root" as -march=rv64gcv_xsmtvdotii "$folder/words.s" -o "$folder/words.o"
  testing_program "$root" objcopy --strip-all "$folder/words.o" "$folder/stripped.o"
  testing_program "$root" objdump -d -M numeric "$folder/stripped.o" |
    awk -F'\t' '/^ *[0-9a-f]+:\t/ { gsub(/ /, "", $2); print $2 " " $3 (NF > 3 ? " " $4 : "") }'
}

# Both sides in one spelling: no blanks behind commas, int8 not spelled.
one_spelling() {
  sed -e 's/, */,/g' -e 's/,i8$//'
}

witness_golden() {
  local root=$1 folder=$2
  sed -n 's/^    {"\(.*\)", 0x\([0-9a-f]*\), .*/\2 \1/p' tests/isa/golden_words.hpp >"$folder/golden"
  cut -d' ' -f2- "$folder/golden" >"$folder/golden.s"
  testing_program "$root" as -march=rv64gcv_xsmtvdotii "$folder/golden.s" -o "$folder/golden.o"
  testing_program "$root" objdump -d "$folder/golden.o" |
    awk -F'\t' '/^ *[0-9a-f]+:\t/ { gsub(/ /, "", $2); print $2 }' >"$folder/golden.words"
  cut -d' ' -f1 "$folder/golden" | diff - "$folder/golden.words" || return 1
  echo "golden_words_assembled $(wc -l <"$folder/golden.words")"
}

witness_legal() {
  local root=$1 folder=$2 tool=$3
  "$tool" words k3 >"$folder/ours"
  cut -d' ' -f1 "$folder/ours" >"$folder/legal"
  testing_disassembly "$root" "$folder/legal" "$folder" | one_spelling >"$folder/theirs.legal"
  one_spelling <"$folder/ours" >"$folder/ours.legal"
  local differences
  differences=$(diff "$folder/ours.legal" "$folder/theirs.legal" | grep -c '^<' || true)
  echo "legal_words_disassembled $(wc -l <"$folder/theirs.legal")"
  echo "legal_words_different $differences"
  if [ "$differences" -ne 0 ]; then
    diff "$folder/ours.legal" "$folder/theirs.legal" | head -20 || true
    return 1
  fi
}

# Each pattern with registers v16, v4, v8 (fields 16 or 17, 4 or 5, 8).
witness_patterns() {
  local root=$1 folder=$2 tool=$3
  awk 'BEGIN { for (high = 0; high < 128; high++) for (bit15 = 0; bit15 < 2; bit15++)
    for (funct3 = 0; funct3 < 8; funct3++) for (bit7 = 0; bit7 < 2; bit7++)
      printf "%08x\n", high * 33554432 + 8 * 1048576 + (4 + bit15) * 32768 + funct3 * 4096 + (16 + bit7) * 128 + 43 }' \
    >"$folder/patterns"
  # shellcheck disable=SC2046 # one argument a word
  "$tool" dis $(cat "$folder/patterns") | sed 's/  / /' >"$folder/ours.all"
  testing_disassembly "$root" "$folder/patterns" "$folder" | one_spelling >"$folder/theirs"
  sed 's/  *# illegal: .*//' "$folder/ours.all" | one_spelling >"$folder/ours"
  paste -d'|' "$folder/ours" "$folder/theirs" "$folder/ours.all" |
    awk -F'|' '
      function reason(ours, theirs, rule) {
        if (theirs ~ /\.(word|insn|4byte|byte)/ && ours ~ /\.4byte/) return "same"
        if (ours == theirs) return "same"
        if (rule ~ /data type field/) return "reserved data type: binutils prints it as int8 or int4"
        if (ours !~ /\.4byte/ && theirs ~ /\.(word|insn|4byte|byte)/ && rule != "")
          return "known but illegal here, unknown there: " rule
        if (rule != "") return "illegal here, printed there otherwise: " rule
        return ""
      }
      { rule = ""; if (match($3, /# illegal: /)) rule = substr($3, RSTART + 11)
        why = reason($1, $2, rule)
        if (why == "same") { same++; next }
        if (why == "") { print "without_reason " $1 " | " $2; bad++; next }
        count[why]++; if (!(why in example)) example[why] = $1 " | " $2 }
      END { print "patterns_same " same + 0
            for (why in count) print "patterns_different " count[why] " (" why "; first: " example[why] ")"
            print "patterns_without_reason " bad + 0
            exit bad > 0 }'
}

# witness TOOL: tessera-ime of a native build.
witness() {
  local tool=$1 prefix="$build_root/prefix/testing" folder="$build_root/witness" status=0
  ensure_apt_root "$prefix" testing "" binutils-riscv64-linux-gnu
  rm -rf "$folder"
  mkdir -p "$folder"
  testing_program "$prefix" as --version | head -1
  (cd "$root" && witness_golden "$prefix" "$folder") || status=1
  witness_legal "$prefix" "$folder" "$tool" || status=1
  witness_patterns "$prefix" "$folder" "$tool" || status=1
  if [ "$status" -eq 0 ]; then echo "witness agrees"; else echo "witness differs"; fi
  return "$status"
}
