"""Django's PostgreSQL, waited for with patience: the ENGINE of `dalhc.db.postgres`."""
