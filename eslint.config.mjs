import tseslint from "typescript-eslint";
import prettier from "eslint-config-prettier";

/** Imports point one way, in this order. Only the hosts and testing/mocks.ts know the SDK: each host stands on the same core. */
const layer = (files, forbidden) => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns: forbidden }] },
});
const sdk = {
  group: ["@pulumi/*"],
  message: "Only provider/src/hosts/dynamic, hosts/plugin and testing/mocks.ts import the SDK.",
};
const axios = { group: ["axios"], message: "client/http.ts is the only file that knows axios." };
const order = ["config", "jobs", "client", "lifecycle", "functions", "hosts", "plugin", "dynamic", "testing", "cli"];
const above = (folder, allowed = []) => ({
  group: order
    .slice(order.indexOf(folder) + 1)
    .filter((other) => !allowed.includes(other))
    .map((other) => `**/${other}/*`),
  message: `Imports point one way: ${[...order].reverse().join(" → ")}.`,
});

/** The emulator has its own option for the mode, and an operation named `create`. */
const aboutModes = ["BinaryExpression[operator=/^[!=]==$/]", "SwitchCase"].map((place) => ({
  selector: `${place} > Literal[value=/^(all|create)$/]`,
  message: "What a mode may do is in its rules (config/mode.ts): compare no mode by its name.",
}));

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "coverage/", "docs/reference/", "test/fixtures/", "test/recordings/"] },
  // Its SDK is made by the CLI: the engine's tests compile it.
  { ignores: ["examples/explicit-providers/"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { project: ["tsconfig.json"], tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "max-lines": ["error", 400],
      // An async function turns a throw into a rejection, awaited or not.
      "@typescript-eslint/require-await": "off",
      eqeqeq: "error",
    },
  },
  {
    files: ["provider/src/**"],
    ignores: ["provider/src/testing/emulator/**", "provider/src/cli/emulator.ts"],
    rules: { "no-restricted-syntax": ["error", ...aboutModes] },
  },
  layer(
    ["provider/src/!(index).ts"],
    [sdk, axios, { group: ["./*/*"], message: "A file at the top imports no folder." }],
  ),
  layer(["provider/src/config/**"], [sdk, axios, above("config")]),
  layer(["provider/src/jobs/**"], [sdk, axios, above("jobs")]),
  layer(["provider/src/client/**"], [sdk, axios, above("client")]),
  layer(["provider/src/client/http.ts"], [sdk, above("client")]),
  layer(["provider/src/lifecycle/**"], [sdk, axios, above("lifecycle")]),
  layer(["provider/src/functions/**"], [sdk, axios, above("functions")]),
  layer(["provider/src/hosts/**"], [sdk, axios, above("hosts")]),
  layer(["provider/src/hosts/dynamic/**", "provider/src/hosts/plugin/**"], [axios, above("dynamic")]),
  layer(["provider/src/cli/**"], [sdk, axios, above("functions", ["hosts", "testing", "cli"])]),
  layer(["provider/src/testing/**"], [sdk, axios]),
  layer(["provider/src/testing/mocks.ts"], [axios]),
  { files: ["**/*.cjs", "**/*.mjs", "**/*.js"], ...tseslint.configs.disableTypeChecked },
  // Loaded when they are needed and not before; a real `import()` fails in a user's jest.
  {
    files: [
      "provider/src/client/http.ts",
      "provider/src/jobs/declaration.ts",
      "provider/src/hosts/plugin/processCalls.ts",
      "provider/src/version.ts",
    ],
    rules: {
      "@typescript-eslint/no-require-imports": [
        "error",
        { allow: ["^axios$", "^\\./schemas\\.js$", "/schema\\.json$", "/package\\.json$"] },
      ],
    },
  },
  { files: ["**/*.cjs", "provider/bin/*.js"], rules: { "@typescript-eslint/no-require-imports": "off" } },
  prettier,
);
