"""Progress of jobs as a line on standard error, or as a tqdm bar if tqdm is installed."""
import sys
import time


class Line:
    """A callable (stage, done, total) for the `progress` argument of jobs."""

    def __init__(self, job):
        self.job, self.stage, self.bar, self.length, self.last = job, None, None, 0, 0.0
        try:
            from tqdm import tqdm
            self.tqdm = tqdm
        except ImportError:
            self.tqdm = None

    def __call__(self, stage, done, total):
        if self.tqdm:
            self._move_bar(stage, done, total)
        elif stage != self.stage or done >= total or time.monotonic() - self.last > 0.1:
            self._write(f"{self.job}: {done} of {total} {stage}", done >= total)
            self.last = time.monotonic()
        self.stage = stage

    def _move_bar(self, stage, done, total):
        if self.bar is None or stage != self.stage or total != self.bar.total or done < self.bar.n:
            self.close()
            self.bar = self.tqdm(total=total, desc=self.job, unit=" " + stage)
        self.bar.update(done - self.bar.n)

    def _write(self, text, ends):
        if sys.stderr is not None:
            sys.stderr.write("\r" + text.ljust(self.length) + ("\n" if ends else ""))
            sys.stderr.flush()
        self.length = 0 if ends else len(text)

    def close(self):
        """End the line."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if self.length:
            self._write("", True)
