# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""Trains the network: train.py CHECKPOINT [--weights FILE] [--minutes M] [--stage N].

Goes on from CHECKPOINT if it exists, else from --weights (a container as export.py writes it), else from the seed.
Texts depend on the seed and the step alone, so a run that was broken off and resumed is the run that was not.
"""
import argparse
import math
import os
import random
import time

import torch
from torch.nn import functional as F

import model as network
import tasks
from recipe import seed, stages


def batch_of(texts):
    """Tokens, wanted tokens and the weight of each; texts shorter than the longest are filled up."""
    longest = max(len(tokens) for tokens, _ in texts) - 1
    inputs = torch.zeros(len(texts), longest, dtype=torch.long)
    targets = torch.zeros_like(inputs)
    weights = torch.zeros(len(texts), longest)
    for i, (tokens, wanted) in enumerate(texts):
        inputs[i, : len(tokens) - 1] = torch.tensor(tokens[:-1])
        targets[i, : len(tokens) - 1] = torch.tensor(tokens[1:])
        weights[i, : len(tokens) - 1] = torch.tensor(wanted[1:], dtype=torch.float)
    return inputs, targets, weights


def short_batch(rng, stage, reach):
    names, shares = zip(*stage["mix"].items())
    picked = rng.choices(names, shares, k=stage["short"])
    return batch_of([tasks.text_of(*tasks.case(rng, name, reach, one_width=stage["one_width"])) for name in picked])


def list_batch(rng, stage, reach):
    most = max(4, round(reach * tasks.most_entries))
    entries = rng.randint(2, most)
    count = max(1, min(64, stage["list_tokens"] // (5 * entries + 7 * stage["questions"])))
    return batch_of([tasks.questions(rng, entries, stage["questions"]) for _ in range(count)])


def loss_of(net, batch):
    inputs, targets, weights = batch
    logits = net(inputs)
    each = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    return (each * weights.flatten()).sum() / weights.sum() + 0.01 * net.balance()


@torch.no_grad()
def accuracy(net, cases):
    """The share of exactly right answers per task (the largest logit at every place of the answer)."""
    right = {name: [0, 0] for name in tasks.names}
    for name in tasks.names:
        texts = sorted((tasks.text_of(p, a) for n, p, a in cases if n == name), key=lambda t: len(t[0]))
        for i in range(0, len(texts), 25):
            inputs, targets, weights = batch_of(texts[i : i + 25])
            wrong = (net(inputs).argmax(-1) != targets) & (weights != 0)
            right[name][0] += int((~wrong.any(-1)).sum())
            right[name][1] += inputs.shape[0]
    return {name: a / b for name, (a, b) in right.items() if b}


def rate(stage, step):
    warm = stage["warm_up"]
    if step < warm:
        return stage["rate"] * (step + 1) / warm
    part = (step - warm) / max(1, stage["steps"] - warm)
    return stage["last_rate"] + (stage["rate"] - stage["last_rate"]) * 0.5 * (1 + math.cos(math.pi * part))


def optimiser(net):
    decayed = [p for p in net.parameters() if p.dim() == 2 and min(p.shape) > 4]
    others = [p for p in net.parameters() if not (p.dim() == 2 and min(p.shape) > 4)]
    groups = [{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.98), eps=1e-9, foreach=True)


def save(path, net, opt, place):
    torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "place": place}, path + ".part")
    os.replace(path + ".part", path)


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("checkpoint")
    parse.add_argument("--weights", help="a container to start from")
    parse.add_argument("--stage", type=int, default=0, help="with --weights: the stage to start with")
    parse.add_argument("--minutes", type=float, default=1e9)
    parse.add_argument("--profile", action="store_true")
    options = parse.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    net = network.Hybrid()
    print("parameters", sum(p.numel() for p in net.parameters()), flush=True)
    opt = optimiser(net)
    stage_index, step = options.stage, 0
    if os.path.exists(options.checkpoint):
        stored = torch.load(options.checkpoint)
        net.load_state_dict(stored["net"])
        opt.load_state_dict(stored["opt"])
        stage_index, step = stored["place"]
        if stage_index < options.stage:
            stage_index, step = options.stage, 0
    elif options.weights:
        import container

        net.load_state_dict(container.load(options.weights))
    cases = tasks.held_out_set(seed + 1, 100)
    begin = reported = time.time()
    losses, list_losses = [], []
    while stage_index < len(stages):
        stage = stages[stage_index]
        while step < stage["steps"]:
            rng = random.Random(f"{seed} {stage_index} {step}")
            reach = min(1.0, 0.35 + 0.65 * step / stage["growth"]) if stage["growth"] else 1.0
            for group in opt.param_groups:
                group["lr"] = rate(stage, step)
            opt.zero_grad()
            short = loss_of(net, short_batch(rng, stage, reach))
            short.backward()
            losses.append(short.item())
            if stage["list_tokens"]:
                lists = loss_of(net, list_batch(rng, stage, reach)) * stage["list_weight"]
                lists.backward()
                list_losses.append(lists.item() / stage["list_weight"])
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            step += 1
            if step % 100 == 0:
                seconds = time.time() - begin
                mean = [sum(x) / max(1, len(x)) for x in (losses, list_losses)]
                print(f"stage {stage_index} step {step} seconds {seconds:.0f} rate {rate(stage, step):.5f} "
                      f"loss {mean[0]:.4f} lists {mean[1]:.4f}", flush=True)
                losses, list_losses = [], []
            late = time.time() - begin > 60 * options.minutes
            if late or time.time() - reported > 150 or step == stage["steps"]:
                save(options.checkpoint, net, opt, (stage_index, step))
                right = accuracy(net, cases)
                print("accuracy " + " ".join(f"{k} {v:.3f}" for k, v in right.items()), flush=True)
                reported = time.time()
            if late:
                return
        stage_index, step = stage_index + 1, 0
    save(options.checkpoint, net, opt, (stage_index, 0))


if __name__ == "__main__":
    main()
