package jobs;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.dataconnectivity.CachingJob;
import com.pulumi.dataconnectivity.CachingJobArgs;
import com.pulumi.dataconnectivity.ScheduledQueryJob;
import com.pulumi.dataconnectivity.ScheduledQueryJobArgs;
import com.pulumi.dataconnectivity.enums.IntervalUnit;
import com.pulumi.dataconnectivity.inputs.CachingJobParamsArgs;
import com.pulumi.resources.CustomResourceOptions;
import java.util.Map;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        // No default, so that no job is made by mistake: by default it cannot be deleted from here. Set a connection of your own.
        var sourceConnection = ctx.config().require("sourceConnection");
        var kept = CustomResourceOptions.builder().protect(true).retainOnDelete(true).build();

        var orders = new CachingJob("orders",
            CachingJobArgs.builder()
                .intervalUnit(IntervalUnit.Hour)
                .intervalValue(4)
                .logVerbosity(2)
                .params(CachingJobParamsArgs.builder()
                    .sourceConnection(sourceConnection)
                    .sourceName("Snowflake")
                    .sourceSchema("PUBLIC")
                    .sourceTable("ORDERS")
                    .build())
                .build(),
            kept);

        new ScheduledQueryJob("daily-totals",
            ScheduledQueryJobArgs.builder()
                .intervalUnit(IntervalUnit.Day)
                .intervalValue(1)
                .logVerbosity(2)
                .params(Map.of(
                    "name", "daily totals",
                    "query", "SELECT REGION, SUM(AMOUNT) FROM ORDERS GROUP BY REGION"))
                .build(),
            kept);

        ctx.export("jobId", orders.jobId());
    }
}
