from __future__ import annotations

import pytest

from lunwen.corpus.process import GONE, Process

ADD_ONE = "from lunwen.corpus.process import serve; serve(lambda number: number + 1)"


def test_it_answers_one_question_after_the_other() -> None:
    process = Process(ADD_ONE)
    try:
        assert [process.ask(number) for number in range(3)] == [1, 2, 3]
    finally:
        process.kill()
        process.close()


@pytest.mark.parametrize("code", [ADD_ONE, "import sys; sys.exit(3)", "print('nonsense')"])
def test_a_dead_process_shows_as_gone(code: str) -> None:
    process = Process(code)
    process.kill()
    with pytest.raises(GONE):
        process.ask("text")
    process.close()


def test_without_an_interpreter_there_is_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunwen.corpus.process.sys.executable", "")
    process = Process(ADD_ONE)
    with pytest.raises(EOFError):
        process.ask(1)
    process.kill()
    process.close()
