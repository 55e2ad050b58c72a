"""What stands behind assertions: claims with their quotes, as one audience may see them."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import Audience, CitedClaim
from ..terms import document_iri
from ..times import Instant
from .base import Ledger, scopes_of
from .documents import bound_of
from .readings import WITHDRAWN


def citations(ledger: Ledger, claims: Iterable[str], audience: Audience, *, base: str, as_of: Instant = "") -> dict[str, CitedClaim]:
    """Claim id -> its citation; claims of documents that the audience may not see are left out."""
    ledger.use_keys("cited", set(claims))
    sql = (
        "SELECT c.id, d.collection, d.name, v.hash, c.quote, c.start, c.end, c.valid_from, c.valid_to, c.extractor, d.scopes, "
        "coalesce(k.scopes, ''), coalesce(CASE WHEN d.is_text THEN k.texts ELSE k.trust END, 'extracted'), max(r.date), c.note, c.line "
        "FROM cited x JOIN claim c ON c.id = x.key JOIN version v ON v.id = c.version JOIN document d ON d.id = v.document "
        "JOIN reading r ON r.version = v.id LEFT JOIN collection k ON k.name = d.collection "
        "WHERE ? = '' OR r.recorded <= ? GROUP BY c.id"
    )
    cited: dict[str, CitedClaim] = {}
    for row in ledger.rows(sql, as_of, as_of):
        scopes = scopes_of(row[10]) | scopes_of(row[11])
        if not scopes <= audience:
            continue
        cited[row[0]] = CitedClaim(
            document=f"{row[1]}/{row[2]}",
            document_iri=document_iri(base, row[1], row[2]),
            version=row[3],
            claim=row[0],
            quote=row[4],
            start=row[5],
            end=row[6],
            stated_start=bound_of(row[7]),
            stated_end=bound_of(row[8]),
            scopes=tuple(sorted(scopes)) or ("public",),
            trust=row[12],
            dated=row[13],
            extractor=row[9],
            note=row[14],
            line=row[15],
        )
    return cited


def newest_source(ledger: Ledger, audience: Audience, *, as_of: Instant = "") -> Instant:
    """The date of the newest version that the audience may see, '' if it may see none."""
    rows = ledger.rows(
        "SELECT max(r.date), d.scopes, coalesce(k.scopes, '') FROM document d JOIN reading r ON r.document = d.id "
        "JOIN version v ON v.id = r.version LEFT JOIN collection k ON k.name = d.collection "
        "WHERE v.hash <> ? AND (? = '' OR r.recorded <= ?) GROUP BY d.scopes, k.scopes",
        WITHDRAWN,
        as_of,
        as_of,
    )
    return max((row[0] for row in rows if scopes_of(row[1]) | scopes_of(row[2]) <= audience), default="")
