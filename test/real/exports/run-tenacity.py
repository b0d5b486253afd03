"""Gives exported options to tenacity, and prints the seconds it would sleep when a number is drawn each time."""

import json
import random
import sys

import tenacity


def fail():
    raise OSError("down")


def delays_of(options, drawn):
    random.random = lambda: drawn
    random.uniform = lambda low, high: low + (high - low) * drawn
    slept = []
    retrying = tenacity.Retrying(
        wait=eval(options["wait"], vars(tenacity)),
        stop=tenacity.stop_after_attempt(options["stop_after_attempt"]),
        sleep=slept.append,
    )
    try:
        retrying(fail)
    except tenacity.RetryError:
        return slept


task = json.load(sys.stdin)
print(json.dumps([[delays_of(options, drawn) for drawn in task["drawn"]] for options in task["given"]]))
