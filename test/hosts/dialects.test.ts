import { anyLanguage, ownProvider, typescript } from "../../provider/src/hosts/dialects.js";
import { ofTheLifecycle, ofTheLifecycleWithAll } from "../docs/lifecycleMessages.js";

const written = /(existingJobId|changedAtService): "|(aliases|ignoreChanges|retainOnDelete): /;
const inConfiguration = /pulumi config|data-connectivity:/;

const all = (dialect: typeof typescript): string =>
  [...ofTheLifecycle(dialect), ...ofTheLifecycleWithAll(dialect)].map(([, message]) => message).join("\n");

describe("what a message tells the user to type", () => {
  test("is TypeScript, and stack configuration, for the dynamic classes", () => {
    expect(all(typescript)).toMatch(written);
    expect(all(typescript)).toMatch(inConfiguration);
  });

  test("names inputs and options for every language where programs of every language have the provider", () => {
    expect(all(anyLanguage)).not.toMatch(written);
    expect(all(anyLanguage)).toContain('add its id to the declaration, existingJobId "<id>" (Python: existing_job_id)');
    expect(all(anyLanguage)).toContain(
      'ignoreChanges (Python: ignore_changes) with "intervalValue", "params.sourceTable"',
    );
  });

  test("is an input of the provider where the program declares the provider", () => {
    expect(all(ownProvider)).not.toMatch(inConfiguration);
    expect(all(ownProvider)).toContain('jobOperations "all" in the inputs of the provider');
  });
});
