import pulumi
import pulumi_data_connectivity as data_connectivity

# No default: by default you cannot delete a job from here, so nothing is declared until you set a connection of your own.
source_connection = pulumi.Config().require("sourceConnection")

jobs = [
    data_connectivity.CachingJob(
        table.lower(),
        interval_unit="Hour",
        interval_value=4,
        log_verbosity=2,
        params={
            "source_connection": source_connection,
            "source_name": "Snowflake",
            "source_schema": "PUBLIC",
            "source_table": table,
        },
        opts=pulumi.ResourceOptions(protect=True, retain_on_delete=True),
    )
    for table in ["ORDERS", "CUSTOMERS"]
]

pulumi.export("jobIds", [job.job_id for job in jobs])
