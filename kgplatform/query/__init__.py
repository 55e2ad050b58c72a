"""A question's way to rows: mentions linked, a plan made, checked against the ontology, compiled, executed.

question -> link, plan -> Plan -> check -> CheckedPlan -> compile -> CompiledQuery -> execute -> Result
"""
