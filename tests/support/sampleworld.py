"""The sample world as assertions, as the derivation is meant to yield them; the clock stands at 2025-11-01."""

from __future__ import annotations

from kgplatform.terms import LABEL, PP, SC, XSD, literal
from support.projection import Source, World, first_seen

CATALOGUE = Source("catalogue/catalog.yaml", trust="authoritative", states_start=False, states_end=False)
HANDOVER = Source(
    "memos/handover.md", "Commerce owned Tax from June 2022 until 1 March 2024, Platform since.", dated="2024-02-20T00:00:00Z"
)
RUNBOOK = Source("memos/runbook-tax.md", "Platform owns Tax since 1 March 2024.", dated="2024-05-06T00:00:00Z")
ADR = Source("memos/adr-012.md", "Levy was renamed Tax on 15 January 2023.", dated="2023-01-20T00:00:00Z")
AVALON = Source(
    "finance/avalon.md", "Avalon owns Invoice from 1 July 2025.", trust="authoritative", scope="finance", dated="2025-07-01T00:00:00Z"
)
NOTIFY_A = Source("memos/notify-a.md", "Since 1 January 2025 Web owns Notify.", dated="2025-01-10T00:00:00Z")
NOTIFY_B = Source("memos/notify-b.md", "Since 1 January 2025 Commerce owns Notify.", dated="2025-01-11T00:00:00Z")
PEOPLE = Source("people/people.csv", trust="reviewed", dated="2025-10-01T00:00:00Z")
FAMILY = Source("memos/family.md", "Jack's spouse is Joan.", dated="2024-06-01T00:00:00Z")
INCIDENTS = Source("incidents/incidents.csv", trust="reviewed", dated="2025-09-30T00:00:00Z")
QUARTER = Source("incidents/q2.json", trust="reviewed", dated="2025-07-01T00:00:00Z")
FINANCE_INCIDENTS = Source("finance-records/incidents.csv", trust="reviewed", scope="finance", dated="2025-09-30T00:00:00Z")

OWNERS = {"cart": "commerce", "checkout": "web", "storefront": "web"}
DEPENDENCIES = (("storefront", "checkout"), ("checkout", "tax"), ("checkout", "cart"), ("invoice", "tax"))


def sample_world() -> World:
    world = World()
    for name in ("Storefront", "Checkout", "Tax", "Cart", "Invoice", "Notify", "Ledgerd", "Mailer", "Search"):
        world.entity(f"component:{name.lower()}", SC.Component, name)
    for name, rotation in (("Platform", "R7"), ("Commerce", "R3"), ("Web", "R1")):
        world.entity(f"team:{name.lower()}", SC.Team, name)
        world.entity(f"rotation:{rotation.lower()}", SC.Rotation, rotation)
        world.says(f"team:{name.lower()}", SC.on_call, f"rotation:{rotation.lower()}", CATALOGUE)
    for one, other in DEPENDENCIES:
        world.says(f"component:{one}", SC.depends_on, f"component:{other}", CATALOGUE)
    for component, team in OWNERS.items():
        world.says(f"component:{component}", SC.owned_by, f"team:{team}", CATALOGUE)
    world.says("component:search", SC.lifecycle, literal("experimental"), CATALOGUE)
    world.says("component:mailer", SC.lifecycle, literal("deprecated"), CATALOGUE)
    world.says("component:tax", SC.lifecycle, literal("production"), CATALOGUE)

    world.says("component:tax", SC.owned_by, "team:commerce", HANDOVER, CATALOGUE, since="2022-06", until="2024-03-01")
    world.says("component:tax", SC.owned_by, "team:platform", HANDOVER, RUNBOOK, CATALOGUE, since="2024-03-01")
    world.alias("component:tax", "Levy", ADR, relation=LABEL, until="2023-01-15")
    world.says("component:invoice", SC.owned_by, "team:commerce", CATALOGUE)
    world.says("component:notify", SC.owned_by, "team:web", NOTIFY_A, since="2025-01-01")
    world.says("component:notify", SC.owned_by, "team:commerce", NOTIFY_B, since="2025-01-01")
    web, commerce = (a for a in world.facts if a.subject == "component:notify" and a.relation == SC.owned_by)
    world.conflicts.append((web, commerce))
    world.entity("team:avalon", SC.Team, "Avalon", AVALON)
    world.says("component:invoice", SC.owned_by, "team:avalon", AVALON, since="2025-07-01")

    _people(world)
    _incidents(world)
    return world


def _people(world: World) -> None:
    world.entity("team:finance", SC.Team, "Finance", PEOPLE)
    for key, team, city in (("p1", "platform", "Lisbon"), ("p2", "finance", "Toronto")):
        world.entity(f"person:{key}", PP.Person, "Alex Kim", PEOPLE)
        world.entity(f"city:{city.lower()}", PP.City, city, PEOPLE)
        world.says(f"person:{key}", PP.works_for, f"team:{team}", PEOPLE, since=first_seen("2025-10-01"))
        world.says(f"person:{key}", PP.located_in, f"city:{city.lower()}", PEOPLE, since=first_seen("2025-10-01"))
        world.says(f"person:{key}", PP.job_title, literal("Engineer" if key == "p1" else "Analyst"), PEOPLE)
    for name in ("Jack", "Joan", "Amit"):
        world.entity(f"text:memos/family.md|{name}|{PP.Person}", PP.Person, name, FAMILY)
    world.entity(f"text:memos/family.md|New Jersey|{PP.Place}", PP.Place, "New Jersey", FAMILY)
    for name in ("United States", "Canada"):
        world.entity(f"text:memos/family.md|{name}|{PP.Country}", PP.Country, name, FAMILY)
    jack, joan, amit = (f"text:memos/family.md|{name}|{PP.Person}" for name in ("Jack", "Joan", "Amit"))
    seen = first_seen("2024-06-01")
    world.says(jack, PP.spouse, joan, FAMILY, since=seen)
    world.says(joan, PP.born_in, f"text:memos/family.md|New Jersey|{PP.Place}", FAMILY, since=seen)
    new_jersey, states = f"text:memos/family.md|New Jersey|{PP.Place}", f"text:memos/family.md|United States|{PP.Country}"
    world.says(new_jersey, PP.located_in, states, FAMILY, since=seen)
    world.says(jack, PP.colleague_of, amit, FAMILY, since=seen)
    world.says(amit, PP.citizen_of, f"text:memos/family.md|Canada|{PP.Country}", FAMILY, since=seen)


def _incidents(world: World) -> None:
    rows = (
        ("INC-100", "2024-11-05", "low", (INCIDENTS,)),
        ("INC-101", "2025-01-14", "high", (INCIDENTS,)),
        ("INC-102", "2025-02-20", "low", (INCIDENTS,)),
        ("INC-103", "2025-04-02", "high", (INCIDENTS,)),
        ("INC-104", "2025-05-17", "medium", (INCIDENTS, QUARTER)),
        ("INC-105", "2025-05-18", "medium", (INCIDENTS,)),
        ("INC-109", "2025-08-08", "high", (FINANCE_INCIDENTS,)),
    )
    for name, day, severity, sources in rows:
        key = f"incident:{name}"
        world.entity(key, SC.Incident, name, *sources)
        world.says(key, SC.affects, "component:tax", *sources, since=first_seen("2025-07-01"))
        world.says(key, SC.occurred_on, literal(day, XSD.date), *sources, since=first_seen("2025-07-01"))
        world.says(key, SC.severity, literal(severity), *sources, since=first_seen("2025-07-01"))
