package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
	"pulumi-data-connectivity/sdk/go/dataconnectivity"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		connection := dataconnectivity.GetConnectionOutput(ctx, dataconnectivity.GetConnectionOutputArgs{
			Name: pulumi.String(config.Require(ctx, "connection")),
		})

		// In mode "create", a job cannot be deleted from here: it stays, also if it leaves this program.
		keep := config.Get(ctx, "data-connectivity:jobOperations") != "all"

		orders, err := dataconnectivity.NewCachingJob(ctx, "orders", &dataconnectivity.CachingJobArgs{
			IntervalUnit:  dataconnectivity.IntervalUnitHour,
			IntervalValue: pulumi.Int(4),
			LogVerbosity:  pulumi.Int(2),
			Params: dataconnectivity.CachingJobParamsArgs{
				SourceConnection: connection.Id(),
				SourceName:       pulumi.String("Snowflake"),
				SourceSchema:     pulumi.String("PUBLIC"),
				SourceTable:      pulumi.String("ORDERS"),
			},
		}, pulumi.Protect(keep), pulumi.RetainOnDelete(keep))
		if err != nil {
			return err
		}
		ctx.Export("ordersJobId", orders.JobId)
		return nil
	})
}
