import type { Exchange } from "./http.js";
import type { Verdict } from "./resend.js";

interface RequestLine {
  readonly method: string;
  readonly path: string;
  readonly exchanged: Exchange;
  readonly started: number;
  readonly tries: number;
  readonly verdict: Verdict;
}

/** The debug log: one line for each request, without headers, bodies and tokens. */
export function logRequest({ method, path, exchanged, started, tries, verdict }: RequestLine): void {
  const status = exchanged.kind === "reply" ? String(exchanged.status) : `- (${exchanged.reason})`;
  const at = new Date(started).toISOString();
  process.stderr.write(
    `[data-connectivity] ${at} ${method} ${path} ${status} ${Date.now() - started}ms try=${tries} ${verdict}\n`,
  );
}
