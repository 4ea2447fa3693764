#!/usr/bin/env python3
"""Prints the table of rules: rule, tests, result, from a run of the test suite.

usage: table.py RULES TESTS LOG
  RULES  the rules, one a line (rules.txt)
  TESTS  the folder of the tests, whose names or doc comments carry rule numbers
  LOG    what the run printed
The exit code is 0 only if every rule has a test, or a reason why not, and no test of a rule failed.
"""
import pathlib
import re
import sys

NUMBER = re.compile(r"\bR(\d+)\b")


def rules(path):
    """Number -> (text, reason why it is pending, what is missing, by what it is shown)."""
    found, last = {}, None
    for line in path.read_text().splitlines():
        if match := re.match(r"R(\d+) (.*)", line):
            last = int(match[1])
            found[last] = {"text": match[2], "pending": "", "partly": "", "note": ""}
        elif match := re.match(r"\s+(pending|partly|note): (.*)", line):
            found[last][match[1]] = match[2]
    return found


def tests(folder):
    """(name as the run prints it, place, numbers) of every test that names a rule."""
    found = []
    for path in sorted(folder.rglob("*.swift")):
        text = path.read_text()
        for match in re.finditer(r"@Test\b", text):
            function = re.compile(r"\bfunc (\w+)\(").search(text, match.end())
            if not function:
                continue
            head = text[match.start() : function.start()]
            display = re.match(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', head)
            before = text[: match.start()].rstrip(" ")
            comment = []
            for line in reversed(before.splitlines()):
                if not line.strip().startswith("///"):
                    break
                comment.append(line)
            numbers = set(map(int, NUMBER.findall(" ".join(comment))))
            if display:
                numbers |= set(map(int, NUMBER.findall(display[1])))
            if numbers:
                name = display[1].replace('\\"', '"') if display else function[1] + "("
                found.append((name, f"{path.parent.name}/{path.stem}", numbers))
    return found


def results(log):
    """Name -> passed, for every test of the run."""
    found = {}
    pattern = re.compile(
        r'Test (?:"(.*?)"|(\w+\()[^)]*\)) (?:with \d+ test cases? )?(passed|failed|skipped)')
    for line in log.read_text(errors="replace").splitlines():
        if match := pattern.search(line):
            name = match[1] if match[1] is not None else match[2]
            found[name] = found.get(name, True) and match[3] == "passed"
    return found


def main():
    table, run = rules(pathlib.Path(sys.argv[1])), results(pathlib.Path(sys.argv[3]))
    by_rule = {number: [] for number in table}
    unknown = []
    for name, place, numbers in tests(pathlib.Path(sys.argv[2])):
        for number in numbers:
            if number not in by_rule:
                unknown.append(f"R{number} of {place}: there is no such rule")
            elif name in run:
                by_rule[number].append((place, name, run[name]))
    counts = {"seen": 0, "partly": 0, "pending": 0, "missing": 0, "failed": 0}
    for number, rule in table.items():
        shown = by_rule[number]
        if any(not passed for _, _, passed in shown):
            result = "failed"
        elif rule["pending"]:
            result = "pending"
        elif not shown:
            result = "missing"
        else:
            result = "partly" if rule["partly"] else "seen"
        counts[result] += 1
        print(f"R{number:<4} {result:<8} {rule['text']}")
        for place, name, passed in shown:
            print(f"      {'ok ' if passed else 'NO '} {place}: {name.rstrip('(')}")
        for reason in (rule["pending"], rule["partly"], rule["note"]):
            if reason:
                print(f"          {reason}")
    for line in unknown:
        print(line)
    print(", ".join(f"{count} {what}" for what, count in counts.items()), f"of {len(table)} rules")
    sys.exit(1 if counts["missing"] or counts["failed"] or unknown else 0)


if __name__ == "__main__":
    main()
