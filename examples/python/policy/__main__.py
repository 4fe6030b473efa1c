from pulumi_policy import EnforcementLevel, PolicyPack, ReportViolation, ResourceValidationArgs, ResourceValidationPolicy


def every_four_hours(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    if args.resource_type != "data-connectivity:index:CachingJob":
        return
    if args.props["intervalUnit"] == "Hour" and args.props["intervalValue"] < 4:
        report_violation(f"intervalValue is {args.props['intervalValue']:g}. Accepted: 4 hours or more.", None)


PolicyPack(
    name="data-connectivity",
    enforcement_level=EnforcementLevel.MANDATORY,
    policies=[
        ResourceValidationPolicy(
            name="caching-interval",
            description="A table is cached every four hours at most.",
            validate=every_four_hours,
        )
    ],
)
