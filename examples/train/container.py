# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""The container of the weights, as the C++ example reads it: a safetensors file whose metadata holds the network's sizes.

Matrices are F16; vectors and convolutions F32. A layer's tensors are called LAYER.NAME as in model.py, but for
    rate   -exp(log_rate): what a kernel takes
    conv   width x channels instead of channels x width
"""
import json
import struct

import torch

import model as network
import tasks

_layers = [kind for pair in network.layers for kind in pair if kind is not None]


def _metadata():
    numbers = {
        "vocab": tasks.vocabulary,
        "scan_states": network.scan_states,
        "experts": network.experts,
    }
    for name in ("dim conv_width key_heads key_size value_heads value_size scan_heads scan_size query_heads kv_heads "
                 "head_size rotary ffn_size experts_used expert_size").split():
        numbers[name] = getattr(network, name)
    strings = {name: str(n) for name, n in numbers.items()}
    return strings | {"characters": tasks.characters, "layers": " ".join(_layers)}


def save(state, path):
    header, data = {"__metadata__": _metadata()}, b""
    for name, tensor in state.items():
        name = name.removeprefix("blocks.")
        if name.endswith(".log_rate"):
            name, tensor = name.replace("log_rate", "rate"), -tensor.double().exp().float()
        if name.endswith(".conv"):
            tensor = tensor.t()
        half = tensor.dim() == 2 and not name.endswith(".conv")
        part = tensor.contiguous().to(torch.float16 if half else torch.float32).numpy().tobytes()
        header[name] = {
            "dtype": "F16" if half else "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(part)],
        }
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    """The state of the network, to go on from; f16 values widened."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    state = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        kind = torch.float16 if entry["dtype"] == "F16" else torch.float32
        tensor = torch.frombuffer(bytearray(data[begin:end]), dtype=kind).reshape(entry["shape"]).float()
        if name.endswith(".rate"):
            name, tensor = name.replace("rate", "log_rate"), (-tensor.double()).log().float()
        if name.endswith(".conv"):
            tensor = tensor.t().contiguous()
        state["blocks." + name if name[0].isdigit() else name] = tensor
    return state
