"""Rows of sleepers in the transaction of a service, in fixed SQL. Only services come here."""
