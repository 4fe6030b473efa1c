import runpy
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import MockCallArgs, MockResourceArgs, Mocks, set_mocks

JOB = "data-connectivity:index:CachingJob"


class Recorded(Mocks):
    """Answers for the engine, and keeps what the program declares."""

    def __init__(self) -> None:
        self.declared: list[MockResourceArgs] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.declared.append(args)
        return f"{args.name}-id", {**args.inputs, "jobId": f"{args.name}-id"}

    def call(self, args: MockCallArgs) -> tuple[dict[Any, Any], None]:
        return {}, None


@pulumi.runtime.test
def declare() -> None:
    runpy.run_path(str(Path(__file__).with_name("__main__.py")))


def test_each_row_of_the_file_is_a_job_of_its_account() -> None:
    mocks = Recorded()
    set_mocks(mocks, project="python", stack="test")
    pulumi.runtime.set_all_config(
        {
            "python:sourceConnections": '{"eu": "connection-eu", "us": "connection-us"}',
            **{f"python:{account}BaseUrl": f"https://{account}.example.com" for account in ["eu", "us"]},
            **{f"python:{account}Token": "test" for account in ["eu", "us"]},
        }
    )
    declare()
    jobs = {args.name: args for args in mocks.declared if args.typ == JOB}
    assert {name: args.inputs["intervalValue"] for name, args in jobs.items()} == {
        "orders-eu": 4,
        "customers-eu": 24,
        "orders-us": 4,
    }
    for name, args in jobs.items():
        account = name.removeprefix("orders-").removeprefix("customers-")
        assert args.inputs["params"]["sourceConnection"] == f"connection-{account}"
        assert f"::{account}::" in (args.provider or "")
