import csv
from pathlib import Path

import pulumi
import pulumi_data_connectivity as data_connectivity


class CachedTables(pulumi.ComponentResource):
    """Caches the tables that a CSV file names for one account."""

    jobs: dict[str, data_connectivity.CachingJob]

    def __init__(self, account: str, tables: Path, source_connection: str, provider: data_connectivity.Provider) -> None:
        super().__init__("example:index:CachedTables", account)
        with tables.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["account"] == account]
        self.jobs = {
            row["table"]: data_connectivity.CachingJob(
                f"{row['table'].lower()}-{account}",
                interval_unit="Hour",
                interval_value=int(row["every_hours"]),
                log_verbosity=2,
                params={
                    "source_connection": source_connection,
                    "source_name": "Snowflake",
                    "source_schema": "PUBLIC",
                    "source_table": row["table"],
                },
                opts=pulumi.ResourceOptions(
                    parent=self,
                    provider=provider,
                    protect=True,
                    retain_on_delete=True,
                    # For jobs that were declared before the component was: it keeps them. Remove it in a new project.
                    aliases=[pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)],
                ),
            )
            for row in rows
        }
        self.register_outputs({})
