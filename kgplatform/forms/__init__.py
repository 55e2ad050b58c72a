"""Outside forms (settings, mapping files, plans, requests) as typed definitions, and one reader for all, which says where a value does not fit."""
