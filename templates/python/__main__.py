import pulumi
import pulumi_data_connectivity as data_connectivity

connection = data_connectivity.get_connection_output(name=pulumi.Config().require("connection"))

# In mode "create", a job cannot be deleted from here: it stays, also if it leaves this program.
keep = pulumi.Config("data-connectivity").get("jobOperations") != "all"

orders = data_connectivity.CachingJob(
    "orders",
    interval_unit="Hour",
    interval_value=4,
    log_verbosity=2,
    params={
        "source_connection": connection.id,
        "source_name": "Snowflake",
        "source_schema": "PUBLIC",
        "source_table": "ORDERS",
    },
    opts=pulumi.ResourceOptions(protect=keep, retain_on_delete=keep),
)

pulumi.export("ordersJobId", orders.job_id)
