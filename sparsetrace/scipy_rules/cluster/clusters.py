"""``scipy.cluster``: trees of clusters, and the nearest of a table of codes.

Contract: which clusters are joined, and which code is nearest, has no derivative; how far they are
from each other depends on the observations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.cluster import hierarchy

from sparsetrace.operands.operands import contains_traced
from sparsetrace.scipy_rules.rule_tools import Call, array_of, current
from sparsetrace.scipy_rules.whole import at_point, ranked, whole


def linkage(call: Call, *args, **kwargs):
    """Each distance depends on all observations."""
    distances = whole(call, *args, **kwargs)
    joined = ranked(call, *args, **kwargs)
    return np.stack([joined[:, 0], joined[:, 1], distances[:, 2], joined[:, 3]], axis=1)


single = complete = average = weighted = centroid = median = ward = linkage


# ----------------------------------------------------------------- what is asked of a tree
def _of_tree(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of a function of a tree, whose shapes come from a run on a tree that is one."""

    def on_tree(call: Call, *args, **kwargs):
        if current().local:
            return rule(call, *args, **kwargs)
        signature = inspect.signature(call.original)
        traced = {
            name
            for name, value in signature.bind(*args, **kwargs).arguments.items()
            if contains_traced(value)
        }

        def original(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            given = bound.arguments
            if "Z" in traced:
                given["Z"] = hierarchy.linkage(np.arange(len(given["Z"]) + 1.0)[:, None])
            if "R" in traced:
                given["R"] = hierarchy.inconsistent(given["Z"])
            return call.original(*bound.args, **bound.kwargs)

        return rule(replace(call, original=original), *args, **kwargs)

    return on_tree


cophenet = maxdists = maxinconsts = maxRstat = _of_tree(whole)
cut_tree = fcluster = is_monotonic = is_valid_linkage = leaves_list = _of_tree(ranked)
optimal_leaf_ordering = _of_tree(linkage)
fclusterdata = is_valid_im = is_isomorphic = ranked


@_of_tree
def inconsistent(call: Call, *args, **kwargs):
    """Mean, deviation and excess of heights, which depend on all; how many are counted does not."""
    numbers = whole(call, *args, **kwargs)
    counts = ranked(call, *args, **kwargs)
    return np.stack([numbers[:, 0], numbers[:, 1], counts[:, 2], numbers[:, 3]], axis=1)


def num_obs_linkage(Z):
    return len(array_of(Z)) + 1


def to_mlab_linkage(Z):
    return array_of(Z)[:, :3] + [1.0, 1.0, 0.0]


# ----------------------------------------------------------------- codes
kmeans2 = whole


def kmeans(call: Call, obs, k_or_guess, *args, **kwargs):
    """Of codes that are given, those that are the nearest to no observation are left out."""
    given = np.ndim(k_or_guess) > 0
    return (at_point if given else whole)(call, obs, k_or_guess, *args, **kwargs)


def vq(call: Call, obs, code_book, check_finite=True):
    """The nearest code of each observation, and its distance."""
    obs, codes = array_of(obs), array_of(code_book)
    if obs.ndim != codes.ndim or obs.ndim not in (1, 2):
        raise ValueError("Observation and code_book should have the same rank, 1 or 2")
    if obs.ndim == 1:
        distances = np.abs(obs[:, None] - codes[None, :])
    elif obs.shape[1] != codes.shape[1]:
        raise ValueError("Observation and code_book have different numbers of features")
    else:
        distances = np.sqrt(np.sum((obs[:, None, :] - codes[None, :, :]) ** 2, axis=-1))
    return np.argmin(distances, axis=1), np.min(distances, axis=1)
