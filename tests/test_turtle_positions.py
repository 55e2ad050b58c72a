"""Lines of triples, and texts joined from files."""

from __future__ import annotations

import pyoxigraph as ox
from hypothesis import given
from hypothesis import strategies as st

from kgplatform.packs.positions import Places, joined, positioned

TEXT = '''@prefix : <http://x/> .
:T a :N ;
   :s "one"
   # a comment "in quotes"
   ;
   :p [ :path :code ;
        :max "1" ; :min 3
      ] ,
      """a
b""" ,
      "c"@en ;
   :in ( 1
   "x"
   ) .
:U :v
   :w .
'''


def test_each_triple_has_the_line_on_which_its_object_ends() -> None:
    lines = {str(triple.object): line for triple, line in positioned(TEXT) if isinstance(triple.object, ox.NamedNode | ox.Literal)}

    expected = {"<http://x/N>": 2, '"one"': 3, "<http://x/code>": 6, '"1"': 7, '"a\\nb"': 10, '"c"@en': 11, "<http://x/w>": 16}
    assert expected == {term: lines[term] for term in expected}


def test_lines_of_any_length_are_counted_once() -> None:
    text = f'<x:a> <x:p> "{"é" * 30_000}" .\n<x:b> <x:p> <x:{"c" * 70_000}> ;\n <x:q> <x:d> .'

    assert [1, 2, 3] == [line for _, line in positioned(text)]


def test_blank_nodes_of_one_label_in_two_files_are_two() -> None:
    text = joined([("a.ttl", '<x:a> <x:p> _:r . _:r <x:q> "_:r # no label", <x:_:r> . # _:r'), ("b.ttl", "<x:b> <x:p> _:r .")])
    triples = [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)]
    a, b = (next(t.object for t in triples if str(t.subject) == subject) for subject in ("<x:a>", "<x:b>"))

    assert a != b
    assert {'"_:r # no label"', "<x:_:r>"} == {str(t.object) for t in triples if t.subject == a}


def test_a_line_of_a_joined_text_is_a_line_of_its_file() -> None:
    text = joined([("a.ttl", "<x:a> <x:p> <x:b> .\n"), ("b.ttl", "\n<x:c> <x:p> <x:d> .")])
    places = Places(text, "ontology")

    assert ["a.ttl:1", "b.ttl:2"] == [places.at(line) for _, line in positioned(text)]
    assert "ontology, line 3" == Places("x\ny\nz", "ontology").at(3)


@given(
    st.lists(
        st.sampled_from(['"a"', "'b'@en", "<x:o>", "1", "_:n", '"""l\n"""', "[ <x:in> 2 ]", "( 1 2 )", '"c"^^<x:d>', '"#"']),
        min_size=1,
        max_size=6,
    )
)
def test_every_statement_on_lines_of_its_own_is_told_its_line(objects: list[str]) -> None:
    text = "".join(f"<x:s{number}>\n <x:p> {value}\n\n.\n" for number, value in enumerate(objects))
    starts = {f"<x:s{number}>": text[: text.index(f"<x:s{number}>")].count("\n") + 1 for number in range(len(objects))}
    ends = {f"<x:s{n}>": starts[f"<x:s{n}>"] + 1 + value.count("\n") for n, value in enumerate(objects)}

    assert ends == {str(t.subject): line for t, line in positioned(text) if str(t.predicate) == "<x:p>"}
