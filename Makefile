# make run    a spoken question, answered aloud; sets up and builds whatever is missing
# make test   everything that can be tested
# make lint   the style of Swift and C
CONFIGURATION := release
VOICE := .build/$(CONFIGURATION)/voice
FOREIGN_STYLE := $(shell find Sources Tests Benchmarks -name '*.c' -o -name '*.h' -o -name '*.cpp')

.PHONY: setup build run test workers-test lint

# Exit code 3 of set-up: a model file cannot be had. The sound path can still be proven.
setup:
	@sh Sources/Workers/Setup/setup.sh || [ $$? = 3 ]

build: setup
	swift build -c $(CONFIGURATION)

run: build
	$(VOICE) run

workers-test: setup
	python3 -B -m unittest discover -s Tests/WorkersTests -t Tests/WorkersTests

test: workers-test
	swift test

lint:
	swift format lint --strict --recursive Sources Tests Benchmarks Package.swift
	@clang-format --dry-run -Werror $(FOREIGN_STYLE)
