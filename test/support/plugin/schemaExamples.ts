import * as z from "zod";

const described = z.record(z.string(), z.looseObject({ description: z.string() }));
const schema = z.looseObject({ resources: described, functions: described });

/** The example programs in the description of a resource or a function, by language. */
export function examplesOf(text: string, name: string): Readonly<Record<string, string>> {
  const { resources, functions } = schema.parse(JSON.parse(text));
  const { description = "" } = { ...resources, ...functions }[`data-connectivity:index:${name}`] ?? {};
  const blocks = description.matchAll(/^```(\w+)\n([^]*?)\n```$/gm);
  return Object.fromEntries([...blocks].map(([, language = "", program = ""]) => [language, program]));
}
