import { createServer, type IncomingHttpHeaders } from "node:http";
import { close, listen } from "../support/servers.js";
import { declared, HIDDEN, outcomeOf, startProvider, tables, textOf } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln"&+/=';

/** Every form in which a server could send the token back. */
const echoes = [TOKEN, encodeURIComponent(TOKEN), `Bearer ${TOKEN}`, TOKEN.replaceAll('"', "&quot;")];
const secrets = [...echoes, "eyJhbGciOiJIUzI1NiJ9", "c2ln"];
const statuses = [200, 201, 302, 400, 401, 403, 404, 408, 409, 422, 429, 500, 503];

afterEach(stopAll);

test("No token is in a message, a record, the log or the output, whatever the server sends back", async () => {
  const received: IncomingHttpHeaders[] = [];
  // This server answers the list, and each create with the next status and with the token in every part of the reply.
  const server = createServer((request, response) => {
    received.push(request.headers);
    if (request.method === "GET") {
      response.end(JSON.stringify({ dataSources: [] }));
      return;
    }
    request.resume().once("end", () => {
      const status = statuses[received.length % statuses.length] ?? 500;
      // The provider never alters an id, so an id that contains the token cannot be saved.
      const id = received.length % 4 === 0 ? `id ${TOKEN}` : `id-${received.length}`;
      const job = { id, name: echoes.join(" "), params: { [TOKEN]: echoes, nested: { deep: echoes } } };
      const body = received.length % 2 === 0 ? { jobs: [job], message: echoes.join(" ") } : { error: echoes.join(" ") };
      const echo = encodeURIComponent(TOKEN);
      response.writeHead(status, `No ${echo}`, {
        "Content-Type": `application/json; token=${echo}`,
        Location: `https://${TOKEN.slice(0, 20)}.example/${echo}`,
        "Retry-After": "0",
        "X-Token": echo,
      });
      response.end(JSON.stringify(body));
    });
  });
  const port = await listen(server);
  const accounts = Object.fromEntries(
    tables(26).map((_, n) => [`a${n}`, { baseUrl: `http://127.0.0.1:${port}`, token: TOKEN }]),
  );
  const provider = await startProvider({ accounts }, { DATA_CONNECTIVITY_LOG: "debug" });
  const results = [];
  for (const account of Object.keys(accounts)) {
    results.push(await provider.create(declared(`${HIDDEN}_${account}`, { account })));
  }
  await close(server);
  expect(new Set(results.map(outcomeOf))).toEqual(new Set(["created", "notCreated", "unconfirmed"]));
  expect(received.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true);
  const shown = [...results.map(textOf), provider.said(), provider.process.printed()].join("\n");
  expect(shown).toContain("<token>");
  for (const secret of secrets) expect(shown).not.toContain(secret);
  // Saved values are data: the token is removed from the values, and nothing else in them is changed.
  const saved = JSON.stringify(results);
  expect(saved).toContain("<token>");
  for (const token of [TOKEN, JSON.stringify(TOKEN).slice(1, -1)]) expect(saved).not.toContain(token);
  expect(provider.said()).not.toContain(HIDDEN);
  expect(results.map(textOf).join("\n")).not.toContain(HIDDEN);
});
