/** The text of a dynamic provider that answers, fails, hangs or prints, as the inputs of its resource say. */
export const handler = `exports.handler = () => {
  let config;
  const fail = (message, rest) => { throw Object.assign(new Error(message), { stack: "" }, rest); };
  return {
    configure: async (req) => { config = req.config; },
    check: async (olds, news) => ({
      inputs: { ...news, setting: config.get("scratch:setting") ?? null, before: olds.size ?? null },
      failures: news.size > 9 ? [{ property: "", reason: "size: at most 9" }] : [],
    }),
    diff: async (id, olds, news) => news.size < 0
      ? fail("size of " + id + " is\\nnegative")
      : { changes: news.size === 0 ? undefined : olds.size !== news.size, replaces: news.kind ? ["kind"] : [], deleteBeforeReplace: !!news.kind },
    create: async (props) => {
      if (props.size === 7) fail("out of stock");
      if (props.size === 8) fail("", { id: "unconfirmed", properties: { ...props, made: "perhaps" }, reasons: ["no reply", "look for it"] });
      if (props.connect) await new Promise((resolve) => require("net").connect(props.connect, "127.0.0.1", resolve));
      if (props.hang) { console.error("hanging"); await new Promise(() => {}); }
      if (props.askEngine) {
        const [host, port] = process.argv[2].split(":");
        const socket = require("net").connect(port, host);
        return new Promise((resolve) => socket
          .on("connect", () => resolve({ id: "engine lives", outs: {} })).on("error", () => resolve({ id: "engine is dead", outs: {} })));
      }
      console.log("creating"); console.error("with care");
      return { id: "id-" + props.size, outs: { ...props, list: [1, null, { deep: true }] } };
    },
    read: async (id, props) => id === "broken" ? fail("cannot read") : { id: id + "-seen", props },
    update: async (id, olds, news) => news.size === 8 ? fail("", { id, properties: news, reasons: ["still no reply"] }) : { outs: { ...news, was: olds.size } },
    delete: async (id) => { if (id === "kept") fail("cannot delete"); },
  };
};`;

/** The inputs of a resource of that provider. */
export const props = (values: Record<string, string | number | boolean>) => ({ __provider: handler, ...values });
