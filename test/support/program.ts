import type * as pulumi from "@pulumi/pulumi";

/** The value of an output, once the value is known. */
export const valueOf = <T>(output: pulumi.Output<T>): Promise<T> =>
  new Promise((resolve) => {
    output.apply((value) => {
      resolve(value);
    });
  });

/** The warnings of a test's programs, cleared for each test of the calling file. */
export function warningsOfProgram(): readonly string[] {
  const warnings: string[] = [];
  beforeEach(() => {
    warnings.length = 0;
    jest.spyOn(console, "warn").mockImplementation((line: unknown) => {
      warnings.push(String(line).replace(/^warning: \[runtime\] /, ""));
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  return warnings;
}
