package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
	"pulumi-data-connectivity/sdk/go/dataconnectivity"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// No default, so that no job is made by mistake: by default it cannot be deleted from here. Set a connection of your own.
		sourceConnection, err := config.Try(ctx, "sourceConnection")
		if err != nil {
			return err
		}
		orders, err := dataconnectivity.NewCachingJob(ctx, "orders", &dataconnectivity.CachingJobArgs{
			IntervalUnit:  dataconnectivity.IntervalUnitHour,
			IntervalValue: pulumi.Int(4),
			LogVerbosity:  pulumi.Int(2),
			Params: dataconnectivity.CachingJobParamsArgs{
				SourceConnection: pulumi.String(sourceConnection),
				SourceName:       pulumi.String("Snowflake"),
				SourceSchema:     pulumi.String("PUBLIC"),
				SourceTable:      pulumi.String("ORDERS"),
			},
		}, pulumi.Protect(true), pulumi.RetainOnDelete(true))
		if err != nil {
			return err
		}
		ctx.Export("jobId", orders.JobId)
		return nil
	})
}
