import csv
from pathlib import Path

import pulumi
import pulumi_data_connectivity as data_connectivity

from cached_tables import CachedTables

config = pulumi.Config()
# No default, so that no job is made by mistake: by default it cannot be deleted from here. Set connections of your own.
source_connections = config.require_object("sourceConnections")

accounts = ["eu", "us"]
tables = Path(__file__).with_name("tables.csv")
with tables.open(newline="") as file:
    unknown = {row["account"] for row in csv.DictReader(file)}.difference(accounts)
if unknown:
    raise ValueError(f"tables.csv: the accounts {sorted(unknown)} are none of {accounts}.")

for account in accounts:
    provider = data_connectivity.Provider(
        account,
        base_url=config.require(f"{account}BaseUrl"),
        token=config.require_secret(f"{account}Token"),
    )
    cached = CachedTables(account, tables, source_connections[account], provider)
    pulumi.export(account, {table: job.job_id for table, job in cached.jobs.items()})
