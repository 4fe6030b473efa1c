import { isOnPath, type Language } from "./languages.js";

/** A program that registers its resources with the engine directly, so it can pass values that no SDK passes. */
export const withoutSdk: Language = {
  name: "JavaScript without an SDK",
  isHere: isOnPath("pulumi-language-nodejs"),
  runtime: "nodejs",
  files: (program) => ({ "index.js": `${register}\nmodule.exports = register(${JSON.stringify(program)});\n` }),
};

const register = `
const { createRequire } = require("node:module");
const { getMonitor } = require("@pulumi/pulumi/runtime/settings");
const { RegisterResourceRequest } = require("@pulumi/pulumi/proto/resource_pb");
const { Struct } = createRequire(require.resolve("@pulumi/pulumi"))("google-protobuf/google/protobuf/struct_pb.js");

async function register(program) {
  for (const [name, { type, properties }] of Object.entries(program)) {
    const request = new RegisterResourceRequest()
      .setName(name)
      .setType(type.replace(":", ":index:"))
      .setCustom(true)
      .setAcceptsecrets(true)
      .setObject(Struct.fromJavaScript(properties));
    await new Promise((resolve, reject) => {
      getMonitor().registerResource(request, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}`;
