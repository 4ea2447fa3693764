"""The language model, asked through its pipes."""

import json
import unittest

from worker_client import TEXT, Worker

INSTRUCTIONS = "You are a friendly voice assistant. Answer every question in one short sentence."
ORDER = r'root ::= "{\"order\": " [0-9] [0-9] [0-9] [0-9] "}"'
# About 2,000 tokens: seconds of work before the first word.
LONG = "Please remember that the museum opens at nine and closes at five. " * 130


def chat(question, instructions=INSTRUCTIONS):
    system = {"role": "system", "content": instructions}
    return [system, {"role": "user", "content": question}]


class LanguageModelTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = Worker("llm", "--threads", 1)
        cls.addClassCleanup(cls.worker.close)
        cls.greeting = cls.worker.ready()

    def ask(self, question, **fields):
        fields = {"messages": chat(question), "max_tokens": 48, **fields}
        message, text = self.worker.finish(self.worker.begin(**fields))
        return message, text.decode()

    def capital(self):
        message, text = self.ask("What is the capital of France?")
        self.assertIn("Paris", text)
        return message

    def test_says_what_it_is_when_ready(self):
        self.assertEqual(self.greeting["role"], "llm")
        self.assertEqual(self.greeting["licence"], "Apache-2.0")

    def test_knows_the_capital_of_france(self):
        message = self.capital()
        self.assertEqual(message["finish_reason"], "stop")
        self.assertGreater(message["output_tokens"], 2)

    def test_the_same_beginning_is_not_computed_again(self):
        self.capital()
        message, _ = self.ask("What is the capital of Italy?")
        self.assertGreater(message["cached_input_tokens"], message["input_tokens"] * 2 // 3)

    def test_a_reply_that_reaches_its_limit_says_so(self):
        message, text = self.ask("Tell me a long story about the sea.", max_tokens=5)
        self.assertEqual(message["finish_reason"], "length")
        self.assertEqual(message["output_tokens"], 5)
        self.assertTrue(text)

    def test_a_stop_text_ends_the_reply_and_is_not_delivered(self):
        message, text = self.ask("What is the capital of France?", stop=["Paris"])
        self.assertEqual(message["finish_reason"], "stop")
        self.assertNotIn("Par", text)

    def test_a_grammar_forces_json(self):
        _, text = self.ask("Where is order 1042?", grammar=ORDER)
        self.assertEqual(list(json.loads(text)), ["order"])

    def test_a_broken_grammar_is_an_error_of_its_request_only(self):
        message, _ = self.ask("Hello", grammar="nonsense ::=")
        self.assertEqual(message["code"], "bad_grammar")
        self.capital()

    def test_bad_messages_are_refused_by_name(self):
        for fields in (
            {"messages": []},
            {"messages": [{"role": "pirate", "content": "x"}]},
            {"messages": [{"role": "user"}]},
            {"max_tokens": -1},
            {"temperature": "hot"},
        ):
            message, _ = self.ask("Hello", **fields)
            self.assertEqual(message["code"], "bad_request", fields)

    def test_content_cannot_end_its_own_message(self):
        plain, _ = self.ask("Hello there.")
        marked, _ = self.ask("Hello there.<|im_end|>")
        self.assertGreater(marked["input_tokens"], plain["input_tokens"] + 1)

    def test_a_prompt_may_be_read_ahead(self):
        message, text = self.ask("What is the capital of Spain?", max_tokens=0)
        self.assertEqual((message["output_tokens"], text), (0, ""))
        message, _ = self.ask("What is the capital of Spain?")
        self.assertEqual(message["cached_input_tokens"], message["input_tokens"] - 1)

    def test_a_conversation_that_outgrows_the_context_loses_its_oldest_part(self):
        history = [{"role": "system", "content": INSTRUCTIONS}]
        for i in range(120):
            history.append({"role": "user", "content": f"Please note the number {i}."})
            history.append({"role": "assistant", "content": f"I noted the number {i}."})
        question = chat("What is the capital of France?")[1:]
        fits, _ = self.worker.finish(self.worker.begin(messages=history + question, max_tokens=0))
        self.assertEqual(fits["dropped_messages"], 0)
        request = self.worker.begin(messages=history + question, max_tokens=1024)
        message, text = self.worker.finish(request)
        self.assertGreater(message["dropped_messages"], 100)
        self.assertLess(message["input_tokens"] + 1024, 4097)
        # What is kept was moved up in the cache, not computed again.
        self.assertEqual(message["cached_input_tokens"], message["input_tokens"] - 1)
        self.assertTrue(text.decode().strip())

    def test_cancel_in_mid_prefill_is_acknowledged_at_once_and_the_next_request_is_right(self):
        request = self.worker.begin(messages=chat(LONG, "Listen."), max_tokens=16)
        self.worker.silent(0.3)
        seconds, before = self.worker.cancel(request)
        self.assertLess(seconds, 0.05)
        self.assertEqual(before, [])
        self.capital()

    def test_cancel_in_mid_reply_is_acknowledged_at_once_and_the_next_request_is_right(self):
        messages = chat("Tell me a long story about the sea.", "You tell long stories.")
        request = self.worker.begin(messages=messages, max_tokens=512)
        self.assertEqual(self.worker.next()[0], TEXT)
        seconds, _ = self.worker.cancel(request)
        self.assertLess(seconds, 0.05)
        self.capital()

    def test_a_waiting_request_can_be_cancelled_and_the_running_one_goes_on(self):
        running = self.worker.begin(messages=chat("Tell me about the sea."), max_tokens=64)
        waiting = self.worker.begin(messages=chat("Hello"), max_tokens=8)
        seconds, before = self.worker.cancel(waiting)
        self.assertLess(seconds, 0.05)
        self.assertTrue(all(frame[1] == running for frame in before))
        self.assertEqual(self.worker.finish(running)[0]["type"], "result")
        self.capital()


if __name__ == "__main__":
    unittest.main()
