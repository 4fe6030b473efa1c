import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { CachingJob, ScheduledQueryJob } from "pulumi-data-connectivity";
import * as z from "zod";
import { startCommand } from "../support/command.js";
import { exampleFolder } from "../support/example.js";
import { listen } from "../support/servers.js";

const folder = exampleFolder("pipeline");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const environment = z.record(z.string(), z.string()).default({});

const steps = z.array(z.object({ uses: z.string().optional(), run: z.string().optional() }));
const workflow = z
  .object({
    permissions: environment,
    env: environment,
    jobs: z.record(z.string(), z.object({ permissions: environment, env: environment, steps })),
  })
  .parse(parse(read(".github/workflows/data-connectivity.yml")));

const strings = z.array(z.string());
/** The keywords of GitLab's reference that the file uses. Any other keyword is a misspelling and rejected by GitLab. */
const gitlabJob = z.strictObject({
  rules: z.array(z.strictObject({ if: z.string() })),
  script: strings,
  variables: environment,
  environment: z.string().optional(),
  resource_group: z.string().optional(),
  interruptible: z.boolean().optional(),
  timeout: z.stringFormat("duration", /^\d+ hours?$/).optional(),
  id_tokens: z.record(z.string(), z.strictObject({ aud: z.string() })).optional(),
});
const gitlab = z
  .strictObject({
    image: z.strictObject({ name: z.string(), entrypoint: strings }),
    variables: environment,
    default: z.strictObject({ before_script: strings }),
    preview: gitlabJob,
    up: gitlabJob,
    nightly: gitlabJob,
  })
  .parse(parse(read(".gitlab-ci.yml")));

const preview = "pulumi preview --diff --policy-pack policy";
const runs = (job: string) => (workflow.jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);

describe("The pipeline files", () => {
  test("hold commands that bash can read, into which nobody else's text is inserted", () => {
    const commands = [
      ...["preview", "up", "nightly"].flatMap(runs),
      ...gitlab.default.before_script,
      ...gitlab.preview.script,
      ...gitlab.up.script,
      ...gitlab.nightly.script,
    ];
    for (const command of commands) {
      expect(spawnSync("bash", ["-n"], { input: command, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
      expect(command).not.toContain("${{");
    }
  });

  test("preview without the service's token, and without the right to ask for one", () => {
    expect(read("index.ts")).not.toMatch(/getDataSources/);
    for (const env of [workflow.env, workflow.jobs["preview"]?.env, gitlab.variables, gitlab.preview.variables]) {
      expect(Object.keys(env ?? {}).filter((name) => name.startsWith("DATA_CONNECTIVITY_"))).toEqual([]);
    }
    expect(workflow.permissions).toEqual({ contents: "read" });
    expect(workflow.jobs["preview"]?.permissions).toEqual({ contents: "read", "pull-requests": "write" });
    expect(gitlab.preview.id_tokens).toBeUndefined();
    expect([runs("preview").at(-1), gitlab.preview.script.at(-2)]).toEqual([preview, preview]);
  });

  test("comment with the stack's jobs, and still preview, and fail, if a create is unconfirmed", () => {
    const check = "pulumi stack export | npx pulumi-data-connectivity jobs --check --format markdown > jobs.md";
    const [of = ""] = gitlab.preview.script;
    expect([runs("preview").at(-3), of]).toEqual([check, `${check} || open=1`]);
    // The commands as GitLab runs them: in one shell that ends at the first failure.
    const inShell = (exitCode: number) => {
      const fakes = `pulumi() { echo "pulumi $1"; }; npx() { return ${exitCode}; }; curl() { echo comment; }; cd "$(mktemp -d)"`;
      const { status, stdout } = spawnSync("bash", ["-e"], { input: [fakes, ...gitlab.preview.script].join("\n") });
      return [status, String(stdout)];
    };
    expect([inShell(0), inShell(1)]).toEqual([
      [0, "comment\npulumi preview\n"],
      [1, "comment\npulumi preview\n"],
    ]);
  });

  test("ask each night for every problem, by the same credentials, in one command", () => {
    const command = "npx pulumi-data-connectivity jobs --at-service --all --check --since 24h --format markdown";
    expect([runs("nightly").at(-1), gitlab.nightly.script]).toEqual([
      `${command} >> "$GITHUB_STEP_SUMMARY"`,
      [command],
    ]);
    expect(workflow.jobs["nightly"]?.env).toEqual(workflow.jobs["up"]?.env);
    expect(gitlab.nightly).toMatchObject({ variables: gitlab.up.variables, id_tokens: gitlab.up.id_tokens });
    // A schedule runs on the default branch, too: it must not bring it up.
    expect(gitlab.up.rules).toEqual([
      { if: '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' },
    ]);
  });

  test("bring up main with a token from a command", () => {
    const command = "node token.mjs";
    expect(workflow.jobs["up"]?.env["DATA_CONNECTIVITY_CREDENTIALS_COMMAND"]).toBe(command);
    expect(gitlab.up.variables["DATA_CONNECTIVITY_CREDENTIALS_COMMAND"]).toBe(command);
    const steps = ["npx pulumi-data-connectivity doctor", "pulumi up --yes --diff --policy-pack policy"];
    expect([runs("up").slice(-2), gitlab.up.script]).toEqual([steps, steps]);
  });
});

describe("token.mjs", () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { url = "", headers } = request;
      requests.push([request.method, url, headers.authorization ?? headers["x-vault-token"] ?? body].join(" "));
      const answers: Readonly<Record<string, object>> = {
        "/oidc?api-version=2&audience=data-connectivity": { value: "github-identity" },
        "/v1/auth/jwt/login": { auth: { client_token: "vault-token" } },
        "/v1/data-connectivity/token": { data: { token: "service-token" } },
      };
      response.writeHead(answers[url] === undefined ? 404 : 200).end(JSON.stringify(answers[url] ?? {}));
    });
  });
  let address = "";

  beforeAll(async () => {
    address = `http://127.0.0.1:${await listen(server)}`;
  });
  beforeEach(() => requests.splice(0));
  afterAll(() => server.close());

  const token = (env: NodeJS.ProcessEnv) =>
    startCommand(process.execPath, ["token.mjs"], { cwd: folder, env: { VAULT_ADDR: address, ...env } }).finished;

  test("prints the token and nothing else in exchange for GitLab's identity", async () => {
    expect(await token({ VAULT_ID_TOKEN: "gitlab-identity" })).toMatchObject({ exitCode: 0, output: "service-token" });
    expect(requests).toEqual([
      'POST /v1/auth/jwt/login {"role":"data-connectivity","jwt":"gitlab-identity"}',
      "GET /v1/data-connectivity/token vault-token",
    ]);
  });

  test("asks GitHub for an identity first", async () => {
    const github = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${address}/oidc?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "runner",
    };
    expect(await token(github)).toMatchObject({ exitCode: 0, output: "service-token" });
    expect(requests.slice(0, 2)).toEqual([
      "GET /oidc?api-version=2&audience=data-connectivity Bearer runner",
      'POST /v1/auth/jwt/login {"role":"data-connectivity","jwt":"github-identity"}',
    ]);
  });

  test("fails without a token on stdout when it is refused", async () => {
    const refused = await token({ VAULT_ID_TOKEN: "x", VAULT_ADDR: `${address}/sealed` });
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toContain("/sealed/v1/auth/jwt/login answered HTTP 404.");
  });
});

type Report = (text: string) => void;
type Validate = (inputs: object, policyArgs: object, report: Report) => void;
interface Policy {
  readonly type: string;
  readonly validate: Validate;
}

/** Loads the policies with a mock of `@pulumi/policy`. Like the original, it reads a class's `__pulumiType`. */
function loadPolicies(): readonly Policy[] {
  const loaded: Policy[] = [];
  const validateResourceOfType = ({ __pulumiType: type }: typeof CachingJob, validate: Validate) => ({
    type,
    validate,
  });
  const PolicyPack = jest.fn((_name: string, pack: { policies: { validateResource: Policy }[] }) => {
    loaded.push(...pack.policies.map(({ validateResource }) => validateResource));
  });
  jest.doMock("@pulumi/policy", () => ({ PolicyPack, validateResourceOfType }), { virtual: true });
  jest.requireActual(join(folder, "policy/index.cjs"));
  return loaded;
}

describe("The policy", () => {
  const policies = loadPolicies();
  const tooOften = "intervalValue is 3. Accepted: 4 hours or more.";

  test.each([
    ["refuses a caching job of every three hours", CachingJob, "Hour", 3, [tooOften]],
    ["accepts one of every four hours", CachingJob, "Hour", 4, []],
    ["accepts one of every day", CachingJob, "Day", 1, []],
    ["leaves a scheduled query alone", ScheduledQueryJob, "Hour", 1, []],
  ])("%s", (_what, { __pulumiType }, intervalUnit, intervalValue, violations) => {
    const said: string[] = [];
    expect(policies).toHaveLength(1);
    for (const { type, validate } of policies)
      if (type === __pulumiType) validate({ intervalUnit, intervalValue }, {}, (text) => said.push(text));
    expect(said).toEqual(violations);
  });
});
