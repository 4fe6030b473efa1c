package jobs;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.dataconnectivity.CachingJob;
import com.pulumi.dataconnectivity.CachingJobArgs;
import com.pulumi.dataconnectivity.DataconnectivityFunctions;
import com.pulumi.dataconnectivity.enums.IntervalUnit;
import com.pulumi.dataconnectivity.inputs.CachingJobParamsArgs;
import com.pulumi.dataconnectivity.inputs.GetConnectionArgs;
import com.pulumi.resources.CustomResourceOptions;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var name = ctx.config().require("connection");
        var connection = DataconnectivityFunctions.getConnection(GetConnectionArgs.builder().name(name).build());

        // In mode "create", a job cannot be deleted from here: it stays, also if it leaves this program.
        var keep = !"all".equals(ctx.config("data-connectivity").get("jobOperations").orElse("create"));

        var orders = new CachingJob("orders",
            CachingJobArgs.builder()
                .intervalUnit(IntervalUnit.Hour)
                .intervalValue(4)
                .logVerbosity(2)
                .params(CachingJobParamsArgs.builder()
                    .sourceConnection(connection.applyValue(found -> found.id()))
                    .sourceName("Snowflake")
                    .sourceSchema("PUBLIC")
                    .sourceTable("ORDERS")
                    .build())
                .build(),
            CustomResourceOptions.builder().protect(keep).retainOnDelete(keep).build());

        ctx.export("ordersJobId", orders.jobId());
    }
}
