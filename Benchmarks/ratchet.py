#!/usr/bin/env python3
"""Holds the figures of a bench run against the last good ones.

    bench NAME --quick | Benchmarks/ratchet.py NAME            exit 1 when a figure got worse
    bench NAME --quick | Benchmarks/ratchet.py NAME --tighten  writes better values down

`ratchet.json` has, by bench and figure, the last good value and by how much it may be worse before
that is no accident. Only counts and CPU ratios belong there: they say the same on every machine.
A figure that is missing, or that could not be measured, fails like one that got worse, unless its
entry says `"optional": true`. One with an entry that misses the bar it is printed with fails too (by
more than its `bar_slack`, where the noise is more than the distance to the bar); of other figures a
missed bar is said, but does not fail: most of them are times of this machine.
"""

import json
import pathlib
import sys

PATH = pathlib.Path(__file__).with_name("ratchet.json")


def read_figures(lines):
    """The figures among lines that may be anything, by name."""
    figures = {}
    for line in lines:
        if line.startswith("{"):
            figure = json.loads(line)
            figures[figure["name"]] = figure
    return figures


def is_higher_better(entry):
    return entry.get("better", "lower") == "higher"


def limit(entry):
    margin = entry.get("margin", 0)
    return entry["value"] - margin if is_higher_better(entry) else entry["value"] + margin


def judge(name, entry, figure):
    """Result: whether the figure passes, and a sentence."""
    value = figure.get("value") if figure else None
    if value is None:
        why = figure.get("why", "it has no value") if figure else "it was not printed"
        return entry.get("optional", False), f"{name}: not measured ({why})"
    bound = limit(entry)
    is_good = value >= bound if is_higher_better(entry) else value <= bound
    text = f"{name}: {value:g}, last good {entry['value']:g}, bound {bound:g}"
    if misses_its_bar(figure, entry.get("bar_slack", 0)):
        return False, f"{text}; it misses its bar of {figure['bar']:g}"
    return is_good, text


def misses_its_bar(figure, slack=0):
    """Whether a figure with a value and a bar is on the wrong side of it, by more than `slack`."""
    value, bar = figure.get("value"), figure.get("bar")
    if value is None or bar is None:
        return False
    return value < bar - slack if figure.get("better") == "higher" else value > bar + slack


def tightened(entry, figure):
    """The entry with a better value in it, or as it was."""
    value = figure.get("value") if figure else None
    if value is None:
        return entry
    is_better = value > entry["value"] if is_higher_better(entry) else value < entry["value"]
    return {**entry, "value": round(value, 6)} if is_better else entry


def check(entries, figures):
    """Prints one line a figure. Result: how many passed and how many failed."""
    passed = failed = 0
    for name, entry in entries.items():
        is_good, text = judge(name, entry, figures.get(name))
        print(f"  {'passed' if is_good else 'FAILED'} {text}")
        passed += is_good
        failed += not is_good
    for name, figure in figures.items():
        if name not in entries and misses_its_bar(figure):
            print(f"  missed {name}: {figure['value']:g}, its bar {figure['bar']:g}")
    return passed, failed


def main(arguments):
    names = [argument for argument in arguments if not argument.startswith("--")]
    if len(names) != 1 or set(arguments) - set(names) - {"--tighten"}:
        print(__doc__, file=sys.stderr)
        return 64
    ratchet = json.loads(PATH.read_text())
    entries = ratchet.get(names[0], {})
    figures = read_figures(sys.stdin)
    if "--tighten" in arguments:
        ratchet[names[0]] = {
            name: tightened(entry, figures.get(name)) for name, entry in entries.items()
        }
        PATH.write_text(json.dumps(ratchet, indent=2) + "\n")
    _, failed = check(entries, figures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
