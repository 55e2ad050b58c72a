"""What packs, settings and files say in vain: refused where it cannot be used, listed where it has no effect or differs."""
