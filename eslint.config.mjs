import tseslint from "typescript-eslint";
import prettier from "eslint-config-prettier";

/** Imports point one way: pulumi → lifecycle → client, jobs. Only pulumi/ and testing/mocks.ts know the SDK, so that another host can stand on the same core. */
const layer = (files, forbidden) => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns: forbidden }] },
});
const sdk = {
  group: ["@pulumi/*"],
  message: "Only provider/src/pulumi and provider/src/testing/mocks.ts import the SDK.",
};
const above = (...folders) => ({
  group: folders.map((folder) => `**/${folder}/*`),
  message: "Imports point one way: pulumi → lifecycle → client, jobs.",
});
const axios = { group: ["axios"], message: "client/http.ts is the only file that knows axios." };

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "coverage/", "docs/reference/", "test/fixtures/", "test/recordings/"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "max-lines": ["error", 250],
      // An async function turns a throw into a rejection, awaited or not.
      "@typescript-eslint/require-await": "off",
      eqeqeq: "error",
    },
  },
  layer(
    ["provider/src/config/**"],
    [sdk, axios, above("jobs", "client", "lifecycle", "pulumi", "hosts", "testing", "cli")],
  ),
  layer(["provider/src/jobs/**"], [sdk, axios, above("client", "lifecycle", "pulumi", "hosts", "testing", "cli")]),
  layer(["provider/src/client/**"], [sdk, axios, above("lifecycle", "pulumi", "hosts", "testing", "cli")]),
  layer(["provider/src/client/http.ts"], [sdk, above("lifecycle", "pulumi", "hosts", "testing", "cli")]),
  layer(["provider/src/lifecycle/**"], [sdk, axios, above("pulumi", "hosts", "testing", "cli")]),
  layer(["provider/src/pulumi/**"], [axios, above("hosts", "testing", "cli")]),
  layer(["provider/src/hosts/**"], [axios, above("testing", "cli")]),
  layer(["provider/src/cli/**"], [sdk, axios, above("pulumi", "hosts")]),
  layer(["provider/src/testing/**"], [sdk, axios]),
  layer(["provider/src/testing/mocks.ts"], [axios]),
  { files: ["**/*.cjs", "**/*.mjs", "**/*.js"], ...tseslint.configs.disableTypeChecked },
  // Loaded when they are needed and not before; a real `import()` fails in a user's jest.
  {
    files: ["provider/src/client/http.ts", "provider/src/jobs/loadSchemas.ts"],
    rules: { "@typescript-eslint/no-require-imports": ["error", { allow: ["^axios$", "^\\./schemas\\.js$"] }] },
  },
  { files: ["**/*.cjs", "provider/bin/*.js"], rules: { "@typescript-eslint/no-require-imports": "off" } },
  prettier,
);
