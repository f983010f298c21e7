from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
import os
import stat
import sys
import tarfile
import tempfile
import threading
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lunwen.corpus import packing
from lunwen.corpus.files import open_paths
from lunwen.corpus.source import HEAD_BYTES
from lunwen.corpus.sources import sniff
from lunwen.errors import UnreadableFile


def read(*paths: Path | str) -> dict[str, bytes]:
    found = {}
    for file in open_paths([str(path) for path in paths]):
        with file.open() as stream:
            data = stream.read()
        assert data[:HEAD_BYTES] == file.head
        found[file.name] = data
    return found


def refusal(*paths: Path | str) -> str:
    with pytest.raises(UnreadableFile) as caught:
        list(open_paths([str(path) for path in paths]))
    return str(caught.value)


def make_zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def make_tar(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def test_a_file_is_read_again_and_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"papers")
    [file] = open_paths([str(tmp_path / "a.txt")])
    assert [file.open().read() for _ in range(3)] == [b"papers"] * 3
    gc.collect()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compression_is_found_by_content(tmp_path: Path, compress: object) -> None:
    (tmp_path / "plain.json").write_bytes(compress(b"[1]"))  # type: ignore[operator]
    assert read(tmp_path / "plain.json") == {"plain.json": b"[1]"}


def test_a_zip_is_its_members(tmp_path: Path) -> None:
    members = {
        "b/x.bib": b"x",
        "a.json.gz": gzip.compress(b"[2]"),
        ".hidden": b"h",
        "__MACOSX/a": b"m",
        "dir/": b"",
    }
    (tmp_path / "dump.zip").write_bytes(make_zip(members))
    assert read(tmp_path / "dump.zip") == {"dump.zip/b/x.bib": b"x", "dump.zip/a.json.gz": b"[2]"}


def test_a_tar_and_a_compressed_tar_are_their_members(tmp_path: Path) -> None:
    tar = make_tar({"x/a.xml": b"<a/>", "./b.xml": b"<b/>", ".git/c": b"c"})
    (tmp_path / "t.tar").write_bytes(tar)
    (tmp_path / "t.tgz").write_bytes(gzip.compress(tar))
    assert read(tmp_path / "t.tar") == {"t.tar/x/a.xml": b"<a/>", "t.tar/b.xml": b"<b/>"}
    assert read(tmp_path / "t.tgz") == {"t.tgz/x/a.xml": b"<a/>", "t.tgz/b.xml": b"<b/>"}


def test_an_archive_in_an_archive_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spool").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spool"))
    (tmp_path / "o.zip").write_bytes(make_zip({"i.zip": make_zip({"a": b"a", "b": b"b"})}))
    files = list(open_paths([str(tmp_path / "o.zip")]))
    assert [file.open().read() for file in files] == [b"a", b"b"]
    del files
    gc.collect()
    assert not list((tmp_path / "spool").iterdir())


def test_a_folder_is_walked_in_order_without_hidden_files(tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    for name in ("b/2.txt", "a.txt", "b/1.txt", ".cache/x.txt", "b/.DS_Store"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    (folder / "b" / "loop").symlink_to(folder)
    assert list(read(folder)) == ["papers/a.txt", "papers/b/1.txt", "papers/b/2.txt"]


def test_what_is_reached_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    paths = [str(tmp_path / "a.txt"), str(tmp_path), str(tmp_path / "link.txt"), str(tmp_path / "a.txt")]
    assert [file.name for file in open_paths(paths)] == ["a.txt"]


def test_standard_input_can_be_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"[1]"))))
    [file] = open_paths(["-", "-"])
    assert file.name == "standard input"
    assert [file.open().read() for _ in range(2)] == [b"[1]"] * 2


def test_a_pipe_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(b"[1]"))
    writer.start()
    assert read(tmp_path / "pipe") == {"pipe": b"[1]"}
    writer.join()


def test_a_byte_order_mark_is_not_content(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_bytes(b"\xef\xbb\xbf@misc{a}")
    assert read(tmp_path / "a.bib") == {"a.bib": b"@misc{a}"}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(min_size=1, max_size=200), packed=st.lists(st.sampled_from("gzt"), max_size=3))
def test_what_goes_in_comes_out(tmp_path: Path, data: bytes, packed: list[str]) -> None:
    data = b"text " + data
    written = data
    for how in packed:
        written = {"g": gzip.compress, "z": lambda d: make_zip({"m": d}), "t": lambda d: make_tar({"m": d})}[
            how
        ](written)
    (tmp_path / "file").write_bytes(written)
    assert list(read(tmp_path / "file").values()) == [data]


def test_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        refusal("x.json") == 'No file "x.json". Give a file, a folder, an archive, or - for standard input.'
    )
    Path("icml-2026.json").write_bytes(b"[]")
    assert refusal("icml2026.json") == (
        'No file "icml2026.json". Closest: "icml-2026.json". '
        "Give a file, a folder, an archive, or - for standard input."
    )
    assert refusal("icml-2026.json", "a\0b").startswith('No file "a b".')


def test_no_name_is_not_the_folder_one_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "papers.json").write_bytes(b"[]")
    monkeypatch.chdir(tmp_path)
    assert refusal("") == 'No file "". Give a file, a folder, an archive, or - for standard input.'


def test_a_name_of_bytes_that_are_no_text_is_shown_as_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"odd\xff.json")
    (tmp_path / name).write_bytes(b"[]")
    assert list(read(tmp_path / name)) == ["odd\ufffd.json"]
    assert list(read(tmp_path)) == [f"{tmp_path.name}/odd\ufffd.json"]


def test_an_empty_file_and_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.bib").touch()
    Path("folder").mkdir()
    assert refusal("empty.bib") == '"empty.bib" is empty. Give a file that holds papers.'
    assert refusal("folder") == (
        'The folder "folder" holds no files. Give a folder or a file that holds papers.'
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    assert refusal("-") == "standard input is empty. Give it the text of a file that holds papers."


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.write_bytes(b"[]")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert refusal(path) == f'"{path}" cannot be read: Permission denied. Give a file that you may read.'


def test_nothing_is_read_when_one_path_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a")
    with pytest.raises(UnreadableFile):
        next(open_paths([str(tmp_path / "a.txt"), str(tmp_path / "none")]))


def test_damage_is_said_when_the_file_is_used_and_the_others_go_on(tmp_path: Path) -> None:
    whole = gzip.compress(os.urandom(300_000))
    (tmp_path / "1.gz").write_bytes(whole[:200])
    (tmp_path / "2.zip").write_bytes(make_zip({"a": b"a" * 1000})[:60])
    (tmp_path / "3.gz").write_bytes(whole[:-20])
    (tmp_path / "4.txt").write_bytes(b"fine")
    (tmp_path / "5.txt").touch()
    name = tmp_path.name
    messages = {}
    for file in open_paths([str(tmp_path)]):
        try:
            with file.open() as stream:
                stream.read()
        except UnreadableFile as error:
            messages[file.name] = str(error)
    assert messages == {
        f"{name}/1.gz": f"{name}/1.gz is damaged: Compressed file ended before the end-of-stream marker was "
        "reached. Fetch it again.",
        f"{name}/2.zip": f"{name}/2.zip is a damaged archive: File is not a zip file. Fetch it again.",
        f"{name}/3.gz": f"{name}/3.gz is damaged: Compressed file ended before the end-of-stream marker was "
        "reached. Fetch it again.",
        f"{name}/5.txt": f"{name}/5.txt is empty. Give a file that holds papers.",
    }


def test_sniffing_a_damaged_file_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"[" * 100)[:15])
    [file] = open_paths([str(tmp_path / "a.gz")])
    with pytest.raises(UnreadableFile, match=r"^a\.gz is damaged: Compressed file ended"):
        sniff(file)


def test_more_than_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunwen.corpus.files.LIMIT", 2_000_000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"0" * 3_000_000))
    [file] = open_paths([str(tmp_path / "bomb.gz")])
    with file.open() as stream, pytest.raises(UnreadableFile) as caught:
        stream.read()
    assert str(caught.value) == (
        "bomb.gz holds more than 8 GiB decompressed, the most that is read. Split it."
    )
    monkeypatch.setattr(packing, "LIMIT", 1000)
    (tmp_path / "bomb.zip").write_bytes(make_zip({"a": b"0" * 600, "b": b"0" * 600}))
    [file] = open_paths([str(tmp_path / "bomb.zip")])
    with pytest.raises(UnreadableFile, match=r"bomb.zip holds more than"):
        file.open()


def test_packing_without_end_is_refused(tmp_path: Path) -> None:
    data = b"papers"
    for _ in range(6):
        data = gzip.compress(data)
    (tmp_path / "quine.gz").write_bytes(data)
    [file] = open_paths([str(tmp_path / "quine.gz")])
    with pytest.raises(UnreadableFile, match=r"^quine\.gz is packed more than 4 times over\."):
        file.open()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"\x28\xb5\x2f\xfd....",
            "f is a Zstandard file. lunwen unpacks gzip, bzip2, xz, zip and tar. Unpack it first.",
        ),
        ("title".encode("utf-16"), "f is UTF-16 text. Papers are read as UTF-8. Save it as UTF-8."),
        (make_zip({}), "f holds no files. Give an archive that holds papers."),
    ],
)
def test_what_is_not_unpacked_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "f").write_bytes(data)
    [file] = open_paths([str(tmp_path / "f")])
    with pytest.raises(UnreadableFile) as caught:
        file.open()
    assert str(caught.value) == message


def test_a_member_with_a_password(tmp_path: Path) -> None:
    data = bytearray(make_zip({"a.json": b"[1]"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    (tmp_path / "locked.zip").write_bytes(bytes(data))
    [file] = open_paths([str(tmp_path / "locked.zip")])
    with pytest.raises(UnreadableFile, match=r"locked.zip/a.json is damaged: .*password required"):
        file.open()


def test_a_socket_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    os.mknod(tmp_path / "x" / "pipe", stat.S_IFIFO | 0o600)
    assert refusal(tmp_path / "x").endswith("holds no files. Give a folder or a file that holds papers.")
