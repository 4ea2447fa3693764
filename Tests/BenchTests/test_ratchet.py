import io
import json
import pathlib
import sys
import unittest
from contextlib import redirect_stdout

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Benchmarks"))
import ratchet  # noqa: E402


def figures(**values):
    return {name: {"name": name, "value": value} for name, value in values.items()}


def failures(entries, measured):
    with redirect_stdout(io.StringIO()):
        return ratchet.check(entries, measured)[1]


class RatchetTests(unittest.TestCase):
    lower = {"cost": {"value": 1.0, "margin": 0.1}}
    higher = {"recall": {"value": 0.9, "margin": 0.05, "better": "higher"}}

    def test_what_is_within_the_margin_passes(self):
        self.assertEqual(failures(self.lower, figures(cost=1.09)), 0)
        self.assertEqual(failures(self.higher, figures(recall=0.86)), 0)

    def test_what_got_worse_fails(self):
        self.assertEqual(failures(self.lower, figures(cost=1.11)), 1)
        self.assertEqual(failures(self.higher, figures(recall=0.84)), 1)

    def test_what_is_better_passes_and_tightens(self):
        self.assertEqual(failures(self.lower, figures(cost=0.5)), 0)
        entry = ratchet.tightened(self.lower["cost"], figures(cost=0.5)["cost"])
        self.assertEqual(entry, {"value": 0.5, "margin": 0.1})
        entry = ratchet.tightened(self.higher["recall"], figures(recall=0.8)["recall"])
        self.assertEqual(entry["value"], 0.9)

    def test_what_was_not_measured_fails_unless_it_may_be_missing(self):
        self.assertEqual(failures(self.lower, {}), 1)
        unmeasured = {"cost": {"name": "cost", "value": None, "why": "no quiet cores"}}
        self.assertEqual(failures(self.lower, unmeasured), 1)
        optional = {"cost": {**self.lower["cost"], "optional": True}}
        self.assertEqual(failures(optional, unmeasured), 0)

    def test_a_missed_bar_fails_what_is_held_and_is_said_of_the_others(self):
        def measured(name, value, better="lower"):
            return {name: {"name": name, "value": value, "bar": 1.05, "better": better}}

        # Within the margin of the last good run, yet over the bar.
        self.assertEqual(failures(self.lower, measured("cost", 1.06)), 1)
        self.assertEqual(failures(self.lower, measured("cost", 1.05)), 0)
        self.assertEqual(failures(self.higher, measured("recall", 0.95, "higher")), 1)
        slack = {"cost": {**self.lower["cost"], "bar_slack": 0.02}}
        self.assertEqual(failures(slack, measured("cost", 1.06)), 0)
        self.assertEqual(failures(slack, measured("cost", 1.08)), 1)
        said = io.StringIO()
        with redirect_stdout(said):
            both = {**measured("cost", 1.0), **measured("time", 2)}
            self.assertEqual(ratchet.check(self.lower, both), (1, 0))
        self.assertIn("missed time: 2, its bar 1.05", said.getvalue())

    def test_only_figures_are_read(self):
        lines = ["a table\n", '{"name": "cost", "value": 2}\n']
        self.assertEqual(ratchet.read_figures(lines)["cost"]["value"], 2)

    def test_the_ratchet_of_this_checkout_would_notice(self):
        # Each entry, made worse by more than its margin.
        for entries in json.loads(ratchet.PATH.read_text()).values():
            for name, entry in entries.items():
                step = entry.get("margin", 0) + abs(entry["value"]) * 1e-6 + 1e-9
                worse = entry["value"] + (-step if ratchet.is_higher_better(entry) else step)
                self.assertEqual(failures({name: entry}, figures(**{name: worse})), 1, name)
                self.assertEqual(failures({name: entry}, figures(**{name: entry["value"]})), 0)


if __name__ == "__main__":
    unittest.main()
