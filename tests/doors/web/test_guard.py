from __future__ import annotations

import pytest

from lunwen.doors.web.option import Options
from lunwen.errors import UsageError


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8642", "[::1]:80", "localhost."])
def test_the_page_answers_under_its_own_names(shelf, make_client, host):
    client = make_client(shelf, hosts=Options().at("127.0.0.1").hosts)
    assert client.get("/healthz", host=host).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:8000", "127.0.0.1@evil", "", "[::1]x"]
)
@pytest.mark.parametrize("path", ["/", "/api/search?query=lamps", "/static/page.css"])
def test_another_name_is_refused_in_one_line(shelf, make_client, host, path):
    client = make_client(shelf, hosts=Options().at("127.0.0.1").hosts)
    answer = client.get(path, host=host)
    assert answer.status_code == 421
    assert answer.text == (
        f"no host {host!r} here. Allowed: 127.0.0.1, [::1], localhost. Allow more with: "
        "lunwen serve --allow-host NAME\n"
    )


def test_more_names_can_be_allowed(shelf, make_client):
    client = make_client(shelf, hosts=Options(hosts=("papers.example",)).at("127.0.0.1").hosts)
    assert client.get("/healthz", host="papers.example").status_code == 200


def test_for_other_machines_any_name_will_do_and_the_page_only_reads():
    assert Options().at("192.0.2.1").hosts == ()
    assert not Options().at("192.0.2.1").page_writes
    assert Options(read_only=False).at("192.0.2.1").page_writes
    assert "papers.example" in Options(hosts=("papers.example",)).at("::").hosts


def test_on_this_machine_readers_may_write():
    assert Options().at("127.0.0.1").page_writes
    assert Options().at("::1").page_writes
    assert not Options(read_only=True).at("::1").page_writes


@pytest.mark.parametrize("address", ["127.0.0.1", "192.0.2.1"])
def test_who_knows_the_token_of_the_api_writes_from_anywhere_unless_nobody_may(address):
    assert Options().at(address).api_writes
    assert Options(read_only=False).at(address).api_writes
    assert not Options(read_only=True).at(address).api_writes


def test_what_is_no_host_is_refused():
    with pytest.raises(
        UsageError,
        match=r'^no host "https://x\.org/". Allowed: a name or an address without scheme, port and path, in '
        r"small letters\. Write it so: papers\.example\.org$",
    ):
        Options(hosts=("https://x.org/",))
