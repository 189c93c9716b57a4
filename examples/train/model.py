# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
"""The network, in the semantics of the library's kernels (their headers are the definition)."""
import math

import torch
from torch import nn
from torch.nn import functional as F

import tasks

dim = 128
norm_eps = 1e-5
length_eps = 1e-6
conv_width = 4
key_heads, key_size, value_heads, value_size = 2, 32, 4, 32  # gated delta net
scan_heads, scan_size, scan_groups, scan_states = 4, 32, 1, 32  # Mamba-2
query_heads, kv_heads, head_size, rotary = 4, 2, 32, 16
rope_base = 10000.0
ffn_size = 96
experts, experts_used, expert_size = 4, 2, 32
# What a layer mixes tokens with, and what follows.
layers = (("delta", None), ("attention", "swiglu"), ("mamba", None), ("delta", "experts"), ("attention", None))
chunk = 32


class RmsNorm(torch.autograd.Function):
    """y = x * r * weight, r = 1 / sqrt(mean of squares + eps); by hand, for autograd's own takes thrice the time."""

    @staticmethod
    def forward(ctx, x, weight):
        r = torch.rsqrt(x.square().mean(-1, keepdim=True) + norm_eps)
        n = x * r
        ctx.save_for_backward(n, r, weight)
        return n * weight

    @staticmethod
    def backward(ctx, g):
        n, r, weight = ctx.saved_tensors
        product = g * n
        gw = product.flatten(0, -2).sum(0)
        mean = (product @ weight.unsqueeze(-1)) / n.shape[-1]
        return (g * weight).addcmul_(n, mean, value=-1).mul_(r), gw


class ConvSilu(torch.autograd.Function):
    """Causal, depthwise: x is B x T x C, weight C x width, the last tap meets the newest input; then silu."""

    @staticmethod
    def forward(ctx, x, weight):
        y = x * weight[:, -1]
        for back in range(1, min(conv_width, x.shape[1])):
            y[:, back:].addcmul_(x[:, :-back], weight[:, -1 - back])
        ctx.save_for_backward(x, weight, y)
        return F.silu(y)

    @staticmethod
    def backward(ctx, g):
        x, weight, y = ctx.saved_tensors
        g = torch.ops.aten.silu_backward(g, y)
        gx = g * weight[:, -1]
        gw = torch.zeros_like(weight)
        gw[:, -1] = (g * x).flatten(0, 1).sum(0)
        for back in range(1, min(conv_width, x.shape[1])):
            gx[:, :-back].addcmul_(g[:, back:], weight[:, -1 - back])
            gw[:, -1 - back] = (g[:, back:] * x[:, :-back]).sum((0, 1))
        return gx, gw


rms_norm, conv_silu = RmsNorm.apply, ConvSilu.apply


def in_chunks(t):
    return t if t <= 48 else chunk


def delta_rule(q, k, v, log_gate, beta):
    """q, k, v: B x H x T x S; log_gate, beta: B x H x T. The gated delta rule by chunks: within one, the deltas solve
    a unit lower triangular system."""
    b, h, t, s = q.shape
    size = in_chunks(t)
    pad = -t % size
    if pad:
        q, k, v = (F.pad(x, (0, 0, 0, pad)) for x in (q, k, v))
        log_gate, beta = (F.pad(x, (0, pad)) for x in (log_gate, beta))
    n = (t + pad) // size
    q, k, v = (x.reshape(b * h, n, size, s) for x in (q, k, v))
    sums = log_gate.reshape(b * h, n, size).cumsum(-1)
    beta = beta.reshape(b * h, n, size, 1)
    lower = torch.ones(size, size, dtype=torch.bool).tril()
    left = (sums.unsqueeze(-1) - sums.unsqueeze(-2)).masked_fill(~lower, -1e30).exp()
    kept = sums.exp().unsqueeze(-1)
    kt = k.transpose(-1, -2)
    system = ((k @ kt) * left * beta).tril(-1)
    right = torch.cat((v, k * kept), -1) * beta
    solved = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
    within = (q @ kt) * left
    read = q * kept
    to_end = k * (sums[..., -1:] - sums).exp().unsqueeze(-1)
    state, out = None, []
    deltas, seens = (y.unbind(1) for y in solved.split(s, -1))
    within, read, to_end, last = within.unbind(1), read.unbind(1), to_end.transpose(-1, -2).unbind(1), kept[:, :, -1:].unbind(1)
    for c in range(n):
        delta = deltas[c]
        if state is None:
            o = within[c] @ delta
        else:
            delta = torch.baddbmm(delta, seens[c], state, alpha=-1)
            o = torch.baddbmm(within[c] @ delta, read[c], state)
        out.append(o)
        if c + 1 < n:
            fresh = to_end[c] @ delta
            state = fresh if state is None else state * last[c] + fresh
    return (out[0] if n == 1 else torch.cat(out, 1))[:, :t].reshape(b, h, t, -1)


def scan(x, step, a, b_in, c_in, d):
    """x: B x T x H x P; step: B x T x H; b_in, c_in: B x T x N (one group). Mamba-2 by chunks."""
    b, t, h, p = x.shape
    size = in_chunks(t)
    pad = -t % size
    given = x
    if pad:
        x, step = F.pad(x, (0, 0, 0, 0, 0, pad)), F.pad(step, (0, 0, 0, pad))
        b_in, c_in = (F.pad(z, (0, 0, 0, pad)) for z in (b_in, c_in))
    n = (t + pad) // size
    u = (x * step.unsqueeze(-1)).reshape(b, n, size, h, p).permute(0, 1, 3, 2, 4)  # b n h i p
    sums = (step * a).reshape(b, n, size, h).permute(0, 1, 3, 2).cumsum(-1)  # b n h i
    b_in, c_in = b_in.reshape(b, n, 1, size, -1), c_in.reshape(b, n, 1, size, -1)
    lower = torch.ones(size, size, dtype=torch.bool).tril()
    left = (sums.unsqueeze(-1) - sums.unsqueeze(-2)).masked_fill(~lower, -1e30).exp()
    y = ((c_in @ b_in.transpose(-1, -2)) * left) @ u
    if n > 1:
        decayed = u * (sums[..., -1:] - sums).exp().unsqueeze(-1)
        fresh = b_in.transpose(-1, -2) @ decayed  # b n h N p
        kept = sums.exp().unsqueeze(-1)
        state, states = torch.zeros_like(fresh[:, 0]), []
        for one, last in zip(fresh.unbind(1), kept[:, :, :, -1:].unbind(1)):
            states.append(state)
            state = state * last + one
        y = y + (c_in @ torch.stack(states, 1)) * kept
    y = y.permute(0, 1, 3, 2, 4).reshape(b, t + pad, h, p)[:, :t]
    return y + given * d.unsqueeze(-1)


def rotate(x, cosine, sine):
    """Pairs (p, p + rotary / 2) of the first `rotary` elements; x: B x H x T x S."""
    half = rotary // 2
    a, b, rest = x[..., :half], x[..., half:rotary], x[..., rotary:]
    return torch.cat((a * cosine - b * sine, b * cosine + a * sine, rest), -1)


def matrix(rows, cols, scale=1.0):
    return nn.Parameter(torch.randn(rows, cols) * (scale / math.sqrt(cols)))


def ones(n):
    return nn.Parameter(torch.ones(n))


def steps_bias(n):
    """The inverse softplus of steps spread between 0.01 and 0.2."""
    step = torch.exp(torch.linspace(math.log(0.01), math.log(0.2), n))
    return nn.Parameter(step + torch.log(-torch.expm1(-step)))


def log_rates(n):
    return nn.Parameter(torch.linspace(1, 8, n).log())


class Delta(nn.Module):
    def __init__(self):
        super().__init__()
        channels = 2 * key_heads * key_size + value_heads * value_size
        self.norm = ones(dim)
        self.in_qkv = matrix(channels, dim)
        self.in_z = matrix(value_heads * value_size, dim)
        self.in_ab = matrix(2 * value_heads, dim)  # decay, then beta
        self.conv = nn.Parameter((torch.rand(channels, conv_width) - 0.5) * 1.0)
        self.log_rate = log_rates(value_heads)
        self.step_bias = steps_bias(value_heads)
        self.out_norm = ones(value_size)
        self.out = matrix(dim, value_heads * value_size, 0.4)

    def forward(self, x, _):
        b, t, _ = x.shape
        h = rms_norm(x, self.norm)
        qkv = conv_silu(h @ self.in_qkv.T, self.conv)
        keys = key_heads * key_size
        q, k, v = qkv.split((keys, keys, value_heads * value_size), -1)

        def heads(y, n):
            return y.reshape(b, t, n, -1).transpose(1, 2)

        def unit(y):
            return y / torch.linalg.vector_norm(y, dim=-1, keepdim=True).clamp_min(length_eps)

        # Head h reads key head h / (H / Hk).
        q = unit(heads(q, key_heads)).repeat_interleave(value_heads // key_heads, 1) * key_size**-0.5
        k = unit(heads(k, key_heads)).repeat_interleave(value_heads // key_heads, 1)
        a, beta = (h @ self.in_ab.T).transpose(1, 2).split(value_heads, 1)
        log_gate = -self.log_rate.exp().unsqueeze(-1) * F.softplus(a + self.step_bias.unsqueeze(-1))
        y = delta_rule(q, k, heads(v, value_heads), log_gate, torch.sigmoid(beta)).transpose(1, 2)
        z = F.silu(h @ self.in_z.T).reshape(b, t, value_heads, -1)
        return x + (rms_norm(y, self.out_norm) * z).reshape(b, t, -1) @ self.out.T


class Mamba(nn.Module):
    def __init__(self):
        super().__init__()
        inner = scan_heads * scan_size
        channels = inner + 2 * scan_groups * scan_states
        self.norm = ones(dim)
        self.in_z = matrix(inner, dim)
        self.in_xbc = matrix(channels, dim)
        self.in_step = matrix(scan_heads, dim)
        self.conv = nn.Parameter((torch.rand(channels, conv_width) - 0.5) * 1.0)
        self.log_rate = log_rates(scan_heads)
        self.step_bias = steps_bias(scan_heads)
        self.skip = ones(scan_heads)
        self.out_norm = ones(inner)
        self.out = matrix(dim, inner, 0.4)

    def forward(self, x, _):
        b, t, _ = x.shape
        h = rms_norm(x, self.norm)
        xbc = conv_silu(h @ self.in_xbc.T, self.conv)
        inner = scan_heads * scan_size
        u, b_in, c_in = xbc.split((inner, scan_states, scan_states), -1)
        step = F.softplus(h @ self.in_step.T + self.step_bias)
        y = scan(u.reshape(b, t, scan_heads, -1), step, -self.log_rate.exp(), b_in, c_in, self.skip)
        y = y.reshape(b, t, inner) * F.silu(h @ self.in_z.T)
        return x + rms_norm(y, self.out_norm) @ self.out.T


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = ones(dim)
        self.q = matrix(query_heads * head_size, dim)
        self.k = matrix(kv_heads * head_size, dim)
        self.v = matrix(kv_heads * head_size, dim)
        self.q_norm = ones(head_size)
        self.k_norm = ones(head_size)
        self.out = matrix(dim, query_heads * head_size, 0.4)

    def forward(self, x, tables):
        b, t, _ = x.shape
        cosine, sine, mask = tables
        h = rms_norm(x, self.norm)

        def heads(y, n):
            return y.reshape(b, t, n, head_size).transpose(1, 2)

        q = rotate(rms_norm(heads(h @ self.q.T, query_heads), self.q_norm), cosine, sine)
        k = rotate(rms_norm(heads(h @ self.k.T, kv_heads), self.k_norm), cosine, sine)
        v = heads(h @ self.v.T, kv_heads)
        # The query heads of a key head are rows of one product.
        group = query_heads // kv_heads
        q = q.reshape(b * kv_heads, group * t, head_size)
        k, v = (y.reshape(b * kv_heads, t, head_size) for y in (k, v))
        scores = (q @ k.transpose(1, 2)).reshape(-1, t, t) * head_size**-0.5 + mask
        y = scores.softmax(-1).reshape(b * kv_heads, group * t, t) @ v
        y = y.reshape(b, query_heads, t, head_size).transpose(1, 2).reshape(b, t, -1)
        return x + y @ self.out.T


class SwiGLU(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = ones(dim)
        self.gate = matrix(ffn_size, dim)
        self.up = matrix(ffn_size, dim)
        self.down = matrix(dim, ffn_size, 0.4)

    def forward(self, x, _):
        h = rms_norm(x, self.norm)
        return x + (F.silu(h @ self.gate.T) * (h @ self.up.T)) @ self.down.T


class Experts(nn.Module):
    """Each token's two best experts, weighted by a softmax over the two. All are computed: there are few."""

    def __init__(self):
        super().__init__()
        self.norm = ones(dim)
        self.router = matrix(experts, dim)
        self.gate = matrix(experts * expert_size, dim)
        self.up = matrix(experts * expert_size, dim)
        self.down = matrix(experts * dim, expert_size, 0.4)  # expert by expert
        self.balance = None

    def forward(self, x, _):
        h = rms_norm(x, self.norm)
        scores = h @ self.router.T
        best = scores.topk(experts_used, -1).indices
        chosen = torch.zeros_like(scores).scatter(-1, best, 1.0)
        weights = scores.masked_fill(chosen == 0, -1e30).softmax(-1)
        everyone = scores.softmax(-1)
        self.balance = (chosen.mean((0, 1)) * everyone.mean((0, 1))).sum() * (experts / experts_used)
        y = F.silu(h @ self.gate.T) * (h @ self.up.T)
        y = (y.unflatten(-1, (experts, expert_size)) * weights.unsqueeze(-1)).flatten(-2)
        down = self.down.reshape(experts, dim, expert_size).permute(1, 0, 2).reshape(dim, -1)
        return x + y @ down.T


kinds = {"delta": Delta, "mamba": Mamba, "attention": Attention, "swiglu": SwiGLU, "experts": Experts}


class Hybrid(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = matrix(tasks.vocabulary, dim)
        self.blocks = nn.ModuleList(kinds[k]() for pair in layers for k in pair if k is not None)
        self.final_norm = ones(dim)

    def forward(self, tokens):
        t = tokens.shape[1]
        frequency = rope_base ** (-torch.arange(0, rotary, 2, dtype=torch.float64) / rotary)
        angles = torch.arange(t, dtype=torch.float64).unsqueeze(-1) * frequency
        mask = torch.full((t, t), -torch.inf).triu(1)
        tables = (angles.cos().float(), angles.sin().float(), mask)
        x = F.embedding(tokens, self.embedding)
        for block in self.blocks:
            x = block(x, tables)
        return rms_norm(x, self.final_norm) @ self.embedding.T

    def balance(self):
        return sum(b.balance for b in self.blocks if isinstance(b, Experts))
