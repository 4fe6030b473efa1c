import { sendOnce } from "../../../provider/src/client/http.js";

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a gateway, a cache or a replica makes of a reply. */
export type Edit = (reply: Reply, url: string) => Partial<Reply>;

/** A transport that edits the replies to creates, lists and reads by id. */
export const through =
  (edits: { readonly create?: Edit; readonly list?: Edit; readonly get?: Edit }): typeof sendOnce =>
  async (request) => {
    const result = await sendOnce(request);
    if (result.kind !== "reply") return result;
    const { url, method } = request;
    const [, last = ""] = /\/job\/([^/]+)$/.exec(url) ?? [];
    const edit =
      last === "create" || last === "list" ? edits[last] : last !== "" && method === "GET" ? edits.get : undefined;
    return edit === undefined ? result : { ...result, ...edit(result, url) };
  };
