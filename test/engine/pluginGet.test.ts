import { cachingBody } from "../support/all/declarations.js";
import { stopAll } from "../support/emulated.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWith, javascript, python, type Declared } from "../support/plugin/languages.js";
import { fails, job, succeeds } from "../support/plugin/pluginStack.js";
import { serviceAndStack } from "../support/startStack.js";

afterEach(stopAll);

describe.each([javascript, python])("A job that a $name program gets", (language) => {
  describeWith(language)("with the plugin", () => {
    test("is read, is never changed or deleted, and may be one of the stack, which stays the stack's own", async () => {
      const { service, stack } = await serviceAndStack({ language, mode: "all" });
      const { id } = service.addJob(cachingBody("OTHER"));
      const get = (of: string): Declared => ({ ...job({}), get: of });
      const own = { orders: job(inputs()) };

      stack.declare({ ...own, seen: get(id) });
      await succeeds(stack.up());
      service.changeJob(id, { intervalValue: 9 });
      expect(await succeeds(stack.refresh(["--diff"]))).toContain("~ intervalValue: 4 => 9");
      expect(await succeeds(stack.up(["--diff"]))).not.toContain("intervalValue");

      const ordersId = service.jobs.find(({ name }) => name === "ORDERS")?.id ?? "";
      stack.declare({ orders: job(inputs("ORDERS", { intervalValue: 6 })), seen: get(ordersId) });
      expect(await succeeds(stack.up(["--refresh"]))).toContain("~ 1 updated");
      stack.declare({ seen: get(id), again: get(ordersId) });
      expect(await succeeds(stack.up())).toContain("- 1 deleted");
      expect(service.jobs).toMatchObject([{ id, intervalValue: 9 }]);
      stack.declare({ seen: get(ordersId) });
      expect(await fails(stack.preview())).toContain(`the service has no job ${ordersId}. It was not read.`);

      await succeeds(stack.destroy());
      expect(service.jobs).toMatchObject([{ id, intervalValue: 9 }]);
    });
  });
});
