# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Writes what the C++ example reads: export.py CHECKPOINT FOLDER puts weights.safetensors and held_out.txt there.

Without a CHECKPOINT (-), only the held-out set. --accuracy prints the accuracy of the weights as written;
--logits PROMPT the logits behind a prompt, to be compared with those of the C++ example.
"""
import argparse
import os

import torch

import container
import model as network
import tasks
from recipe import seed
from train import accuracy

cases_of_each = 75


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("checkpoint")
    parse.add_argument("folder")
    parse.add_argument("--accuracy", action="store_true")
    parse.add_argument("--logits")
    options = parse.parse_args()
    torch.set_num_threads(1)
    weights = os.path.join(options.folder, "weights.safetensors")
    cases = tasks.held_out_set(seed + 2, cases_of_each)
    recall = tasks.recall_set(seed + 3, cases_of_each)
    with open(os.path.join(options.folder, "held_out.txt"), "w") as file:
        for name, prompt, answer in cases + recall:
            file.write(f"{name}\t{prompt}\t{answer}\n")
    if options.checkpoint != "-":
        container.save(torch.load(options.checkpoint)["net"], weights)
    if options.accuracy or options.logits is not None:
        net = network.Hybrid()
        net.load_state_dict(container.load(weights))
    if options.accuracy:
        print(" ".join(f"{k} {v:.4f}" for k, v in accuracy(net, cases).items()))
    if options.logits is not None:
        with torch.no_grad():
            for x in net(torch.tensor([tasks.encode("\n" + options.logits)]))[0, -1]:
                print(f"{x.item():.9g}")


if __name__ == "__main__":
    main()
