"""What a run is told from outside: kgplatform.toml, the environment, patterns of excluded paths."""
