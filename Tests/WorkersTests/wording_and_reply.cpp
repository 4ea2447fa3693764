// What the workers do with text, as pairs of input and expectation; exits with the failures.
#include "LanguageModel/ReplyText.h"
#include "SpeechToText/Wording.h"
#include <cstdio>

static int failures = 0;

static void expect(const std::string &found, const std::string &wanted, const char *what) {
  if (found == wanted)
    return;
  std::printf("%s: \"%s\" instead of \"%s\"\n", what, found.c_str(), wanted.c_str());
  ++failures;
}

static void expect(bool holds, const char *what) {
  expect(holds ? "yes" : "no", "yes", what);
}

static void transcripts() {
  using worker::transcriptWording;
  expect(transcriptWording(" What is it? "), "What is it?", "trimmed");
  expect(transcriptWording(" [BLANK_AUDIO]"), "", "noise marker alone");
  expect(transcriptWording("Yes (music playing) please."), "Yes please.", "remark in the middle");
  expect(transcriptWording("*sighs* Well. [MUSIC]"), "Well.", "several remarks");
  expect(transcriptWording("one [two three"), "one [two three", "unpaired bracket stays");
  expect(transcriptWording(">> Hello."), "Hello.", "change of speaker");
  expect(transcriptWording(" ... - ?"), "", "no letter, no words");
  expect(transcriptWording("No, no, no."), "No, no, no.", "people repeat words");
  expect(transcriptWording("Go go go go go go home."), "Go home.", "a stuck word");
  expect(transcriptWording("I was born on a farm. I was born on a farm. I was born on a farm."),
         "I was born on a farm.", "a stuck sentence");
  expect(transcriptWording("Is it one two or one two three?"), "Is it one two or one two three?",
         "repeated words apart");
}

static void characters() {
  worker::ReplyText text({});
  expect(text.append(" \n Caf\xC3"), "Caf", "white space in front, half a character kept back");
  expect(text.append("\xA9 "), "\xC3\xA9 ", "the character whole");
  expect(text.append("\xF0\x9F\x99"), "", "three quarters of a character");
  expect(text.finish(), "", "a character that never became whole");
}

static void stops() {
  worker::ReplyText text({"User:", "\n\n"});
  expect(text.append("Fine. Us"), "Fine. ", "what may become a stop is kept back");
  expect(text.append("ually."), "Usually.", "and given when it did not");
  expect(text.append("\nUse"), "\n", "another beginning");
  expect(text.append("r: hi"), "", "the stop itself is swallowed");
  expect(text.stopped(), "stopped");
  expect(text.append("more"), "", "nothing after a stop");
  expect(text.finish(), "", "nothing at the end either");
}

static void loops() {
  using worker::endsInLoop;
  expect(!endsInLoop({}), "nothing is no loop");
  expect(!endsInLoop({1, 1, 1, 1, 1, 1, 1}), "seven times");
  expect(endsInLoop({1, 1, 1, 1, 1, 1, 1, 1}), "eight times");
  expect(endsInLoop({9, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5}), "a phrase three times");
  expect(!endsInLoop({1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 6}), "almost three times");
}

int main() {
  transcripts();
  characters();
  stops();
  loops();
  return failures;
}
