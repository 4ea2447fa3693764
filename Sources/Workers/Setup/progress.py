"""One line that says how far something is."""

import sys
import time


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


def duration(seconds):
    seconds = int(seconds + 0.5)
    return f"{seconds} s" if seconds < 90 else f"{seconds // 60} min {seconds % 60:02d} s"


class Progress:
    """Rewrites its line on a terminal; elsewhere it prints one every few seconds."""

    def __init__(self, title, stream=None, clock=time.monotonic):
        self.title = title
        self.stream = stream or sys.stderr
        self.clock = clock
        self.begun = clock()
        self.terminal = self.stream.isatty()
        self.interval = 0.2 if self.terminal else 10.0
        self.shown = self.begun if not self.terminal else 0.0

    def __call__(self, text, last=False):
        now = self.clock()
        if not last and now - self.shown < self.interval:
            return
        self.shown = now
        line = f"{self.title}: {text}"
        if self.terminal:
            self.stream.write("\r\x1b[K" + line + ("\n" if last else ""))
        else:
            self.stream.write(line + "\n")
        self.stream.flush()

    def seconds(self):
        return self.clock() - self.begun

    def transfer(self, done, total, already=0):
        """How much of a file is there, how fast it comes, and how long it will take."""
        seconds = max(self.seconds(), 1e-3)
        rate = (done - already) / seconds
        if done >= total:
            self(f"{megabytes(total)} in {duration(seconds)}", last=True)
        elif rate > 0:
            self(
                f"{megabytes(done)} of {megabytes(total)}, {megabytes(rate)}/s, "
                f"{duration((total - done) / rate)} left"
            )

    def abandon(self):
        if self.terminal:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
