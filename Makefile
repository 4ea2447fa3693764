# make run    a spoken question, answered aloud; sets up and builds whatever is missing
# make test   everything that can be tested
# make test-core, test-aarch64, test-kernel
#             the realtime core alone: under the sanitizers, on aarch64, on the kernel's ALSA
# make test-servers
#             the provider clients against other people's servers; installs these into the cache once
# make bench  every bench, into Benchmarks/RESULTS.md; bench-quick: against the last good figures
# make rules  the seed's rules, each with its tests and their result, from a run
# make lint   the style of Swift and C
# make soak   three simulated days of the audio core, in about six minutes
CONFIGURATION := release
VOICE := .build/$(CONFIGURATION)/voice
C_FILES := $(shell find Sources Tests Benchmarks -name '*.c' -o -name '*.h' -o -name '*.cc' -o -name '*.cpp')

# make install, uninstall
#             the program, its models and a service, below PREFIX; DESTDIR stands for /
PREFIX ?= /usr/local

.PHONY: setup build run install uninstall test test-core test-aarch64 test-kernel test-servers lint bench bench-quick soak rules

# Exit code 3 of set-up: a model file cannot be had. The sound path can still be proven.
setup:
	@sh Sources/Workers/Setup/setup.sh || [ $$? = 3 ]

build: setup
	swift build -c $(CONFIGURATION)

run: build
	$(VOICE) run

# Not built here: whoever installs as root built as somebody else before.
install uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' BUILD=.build/$(CONFIGURATION) Sources/Install/install.sh $@

# The workers, the C core under the sanitizers, the built program in real time, and then everything
# else in Swift, whose closing line is last. The program's runs have the machine to themselves: they
# watch a conversation second by second; what is simulated keeps to itself, too.
REAL_TIME := CommandLineTests|EndToEndTests
# Those that step a simulated world take a thread, some the main actor, for minutes. The rest one at a
# time: all at once they wait for the two threads of a small machine for so long that limits of theirs
# pass in real time (20 s for a token, seen).
SIMULATED := ScenarioTests|RulesTests
test: setup
	python3 -B -m unittest discover -s Tests/WorkersTests -t Tests/WorkersTests
	python3 -B -m unittest discover -s Tests/BenchTests -t Tests/BenchTests
	Tests/sanitize-core.sh
	Tests/count-core-calls.sh
	swift build
	sh Sources/Workers/Setup/test_tools.sh
	python3 -B -m unittest discover -s Tests/RouterTests -t Tests/RouterTests
	swift build --build-tests
	swift test --skip-build --disable-xctest --filter '$(REAL_TIME)'
	swift test --skip-build --disable-xctest --filter '$(SIMULATED)'
	swift test --skip-build --disable-xctest --no-parallel --skip '$(REAL_TIME)|$(SIMULATED)'

test-core:
	Tests/sanitize-core.sh
	Tests/count-core-calls.sh

# These two say why they are skipped when what they need is not installed; packages-checks.txt lists
# that.
test-aarch64:
	Tests/cross-core.sh

test-kernel:
	Tests/kernel-core.sh

# Says why it is skipped when the servers cannot be had.
test-servers: setup
	swift build --build-tests
	python3 -B Tests/RealServers/run.py swift test --skip-build --disable-xctest --filter RealServerTests

# 72 simulated hours on a device with two clocks, then 2 with the real signal processing.
soak: build
	.build/$(CONFIGURATION)/bench soak

# The tests whose names or comments carry a rule's number; the table says what each of them shows.
RULES := RulesTests|ScenarioTests|AgentRouterTests|VisionAgentsCoreTests|SessionsModelTests|StoresTests
rules:
	swift build --build-tests
	swift test --skip-build --disable-xctest --filter '^($(RULES))\.' > .build/rules.log 2>&1; true
	@python3 -B Tests/RulesTests/table.py Tests/RulesTests/rules.txt Tests .build/rules.log

bench: build
	.build/$(CONFIGURATION)/bench all

bench-quick: build
	CONFIGURATION=$(CONFIGURATION) Benchmarks/quick.sh

lint:
	@swift format lint --strict --recursive Sources Tests Benchmarks Package.swift
	@clang-format --dry-run -Werror $(C_FILES)
