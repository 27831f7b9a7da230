"""Tests as functions: `@test` before each, `finish()` at the end; the last line counts them, as tests/run reads it."""
import os
import sys
import traceback

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
SAMPLE = max(1, int(os.environ.get("TESS_TEST_SAMPLE", 1)))
sys.path[:0] = [os.path.join(BUILD, "python"), os.path.join(os.path.dirname(__file__), "..", "..", "oracle")]

_counts = {"passed": 0, "failed": 0, "skipped": 0}


class Skip(Exception):
    """A test that cannot run here, and why."""


def test(function):
    """Run a test now; what it raises is a failure."""
    try:
        function()
        _counts["passed"] += 1
    except Skip as reason:
        _counts["skipped"] += 1
        print(f"SKIPPED {function.__name__}: {reason}")
    except Exception:
        _counts["failed"] += 1
        print(f"FAILED {function.__name__}")
        traceback.print_exc(file=sys.stdout)
    return function


def raises(kind, text, function, *args, **keywords):
    """Check that a call raises an exception of a class whose message has a text in it. Returns the exception."""
    try:
        function(*args, **keywords)
    except kind as error:
        assert text in str(error), f"{text!r} is not in {str(error)!r}"
        return error
    raise AssertionError(f"{getattr(function, '__name__', function)} raised nothing; {kind.__name__} was expected")


def finish():
    skipped = f", {_counts['skipped']} skipped" if _counts["skipped"] else ""
    print(f"{_counts['passed']} passed, {_counts['failed']} failed{skipped}", flush=True)
    sys.exit(1 if _counts["failed"] else 0)
