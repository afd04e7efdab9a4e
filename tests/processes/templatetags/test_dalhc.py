from __future__ import annotations

from dalhc import clock
from processes.templatetags import dalhc as tags

NOON = 1_795_780_800_000


def test_agent_text_stands_where_htmx_leaves_it_alone():
    assert tags.agent_text("<b>") == "<bdi hx-disable>&lt;b&gt;</bdi>"
    assert tags.agent_text(None) == "<bdi hx-disable></bdi>"


def test_hidden_characters_are_counted_beside_the_text():
    said = tags.agent_text("a\u200bb\u200bc, https://аpple.com")
    assert "2 hidden characters shown as ⟦…⟧; letters of several alphabets" in said


def test_a_long_text_keeps_its_end_in_view():
    said = tags.agent_text("a" * 300 + "; rm -rf /srv", 100)
    assert "<summary>213 more characters</summary>" in said
    assert said.endswith("; rm -rf /srv</bdi>")
    assert said.count("hx-disable") == 3
    assert said.count("a") >= 300


def test_a_hidden_character_in_the_fold_is_warned_of():
    assert "1 hidden character " in tags.agent_text("a" * 50 + "\u202e" + "a" * 50, 20)


def test_a_tools_name_of_two_alphabets_is_warned_of_once():
    assert tags.tool_name("rеad").count('class="warn"') == 1
    assert tags.tool_name("日本read").count('class="warn"') == 1
    assert 'class="warn"' not in tags.tool_name("read_file")


def test_a_moment_says_its_zone():
    with clock.at(NOON + 7_200_000):
        assert tags.moment(NOON, "long") == (
            '<time datetime="2026-11-27T12:00:00Z" '
            'title="2026-11-27 12:00:00 UTC">2 hours</time>'
        )
        assert ">2h<" in tags.moment(NOON, "ago")
        assert ">12:00<" in tags.moment(NOON)
        assert ">12:00:00<" in tags.moment(NOON, "second")
    assert tags.moment(None) == ""


def test_an_icon_is_decoration():
    assert tags.icon("guard") == (
        '<svg aria-hidden="true"><use href="/static/icons.svg#guard"/></svg>'
    )
