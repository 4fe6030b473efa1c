from pathlib import Path

import pulumi
import pulumi_data_connectivity as data_connectivity

from cached_tables import CachedTables

config = pulumi.Config()
# No default: by default you cannot delete a job from here, so nothing is declared until you set connections of your own.
source_connections = config.require_object("sourceConnections")

for account in ["eu", "us"]:
    provider = data_connectivity.Provider(
        account,
        base_url=config.require(f"{account}BaseUrl"),
        token=config.require_secret(f"{account}Token"),
    )
    cached = CachedTables(account, Path(__file__).with_name("tables.csv"), source_connections[account], provider)
    pulumi.export(account, {table: job.job_id for table, job in cached.jobs.items()})
