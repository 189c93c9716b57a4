#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Fails unless the hot symbols of an object file hold the instructions of its backend.

usage: check_hot.py OBJDUMP OBJECT BACKEND FLAVOUR

BACKEND is the tag (scalar, emu_k1, rvv, ime1, hwy, ...), FLAVOUR decides which registers count.
"""
import re
import subprocess
import sys

# Where each kernel's loop lives; names are matched in demangled symbols.
KERNELS = {
    "matmul": r"multiply_blocks|multiply_row_tiles|dot_block",
    "softmax": r"\bsoftmax<|softmax_row|exp_row",
    "rope": r"\brotate_run<",
    "attention": r"\battention<|AttentionTile|fma_rows|fma_block",
    "ssm_conv": r"conv_step|conv_rows",
    "gated_delta_net": r"gated_delta_net_step|run_phase|run_step|delta_head|HeadRecurrence",
}

VMADOT = re.compile(r"VMADOT")  # made below from the raw word: no disassembler knows it
RVV_INT = re.compile(r"^(vwmacc|vwmul|vmacc|vmadd|vmul|vwmaccu|vwmaccsu|vqdot|vf(w)?macc|vfmadd)")
RVV_FMA = re.compile(r"^vf(n)?m(acc|add|sac|sub)")


def x86(register):
    return re.compile(r"^vfn?m(add|sub)\w*ps\b.*%" + register)


def wanted(backend, flavour):
    """Per kernel, the instruction that must occur. Recurrent kernels do what attention does, in vectors of the backend's own."""
    found = wanted_of_tiles(backend, flavour)
    if not backend.startswith(("emu", "ime")):
        found.update(ssm_conv=found["attention"], gated_delta_net=found["attention"])
    return found


def wanted_of_tiles(backend, flavour):
    if backend in ("rvv",) or flavour.startswith("rvv_"):
        return {"matmul": RVV_INT, "softmax": RVV_FMA, "rope": RVV_FMA, "attention": RVV_FMA}
    if backend in ("ime1", "ime2"):
        return {"matmul": VMADOT, "softmax": RVV_FMA, "rope": RVV_FMA, "attention": RVV_FMA}
    if flavour == "avx512" and backend in ("hwy", "xsimd"):
        fma = x86("zmm")
        dot = r"vpdpbusd\w*\b.*%zmm" if backend == "hwy" else r"vp(mulld|maddwd|dpwssd)\b.*%zmm|vfmadd\w*ps.*%zmm"
        return {"matmul": re.compile("^(" + dot + ")"), "softmax": fma, "rope": fma, "attention": fma}
    if flavour == "avx2" and backend in ("hwy", "xsimd"):
        fma = x86("ymm")
        dot = r"vpmadd(ubsw|wd)\b.*%ymm" if backend == "hwy" else r"vp(mulld|maddwd)\b.*%ymm|vfmadd\w*ps.*%ymm"
        return {"matmul": re.compile("^(" + dot + ")"), "softmax": fma, "rope": fma, "attention": fma}
    if backend.startswith("emu"):
        # The tile is a call of the instruction set model; relocations name it.
        return {"matmul": re.compile(r"^RELOCATION .*EmuDot<.*multiply")}
    if backend == "scalar":
        return {"matmul": re.compile(r"^(imul|pmaddwd|pmull|pmulh|mulw|mul\b)"),
                "softmax": re.compile(r"^(mulsd|f(n)?m(add|sub)\.s)"), "rope": re.compile(r"^(mulsd|mulss|f(n)?m(add|sub)\.s|fmul\.s)"),
                "attention": re.compile(r"^(mulsd|f(n)?madd\.s)")}
    raise SystemExit(f"no rule for backend {backend} in flavour {flavour}")


def instructions_by_symbol(objdump, obj):
    text = subprocess.run([objdump, "-d", "-r", "--demangle", obj], check=True,
                          capture_output=True, text=True).stdout
    symbol, found = None, {}
    for line in text.splitlines():
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if head and head.group(1).startswith(".L"):
            continue  # a label inside a function
        if head:
            symbol = head.group(1)
            found.setdefault(symbol, [])
            continue
        relocation = re.match(r"^\s*[0-9a-f]+:\s+R_\w+\s+(.*)$", line)
        if relocation and symbol is not None:
            found[symbol].append("RELOCATION " + relocation.group(1))
            continue
        body = re.match(r"^\s*[0-9a-f]+:\s+((?:[0-9a-f]{2,8} ?)+)\s+(.*)$", line)
        if body and symbol is not None:
            raw, instruction = body.group(1).split(), body.group(2).strip()
            if len(raw) == 1 and len(raw[0]) == 8 and int(raw[0], 16) & 0x7F == 0x2B:
                instruction = "VMADOT " + raw[0]
            found[symbol].append(re.sub(r"\s+", " ", instruction))
    return found


def main():
    objdump, obj, backend, flavour = sys.argv[1:5]
    symbols = instructions_by_symbol(objdump, obj)
    failed = False
    for kernel, pattern in wanted(backend, flavour).items():
        names = [s for s in symbols if re.search(KERNELS[kernel], s)]
        hits = sum(1 for s in names for i in symbols[s] if pattern.search(i))
        verdict = "ok" if hits else "FAILED"
        print(f"{verdict} {backend} {flavour} {kernel}: {hits} of {pattern.pattern} in {len(names)} symbols")
        failed = failed or not hits
    if flavour.startswith("avx"):
        # Such an instruction waits for the upper halves of the registers that AVX left behind: 80 ns on a Zen core.
        old = [f"{symbol}: {i}" for symbol, found in symbols.items() for i in found if "%xmm" in i and not i.startswith("v")]
        print("\n".join(["FAILED SSE among AVX:", *old]) if old else "ok no SSE among AVX")
        failed = failed or bool(old)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
