// What the engine and gRPC cost: a plugin that has our plugin's schema, inputs and outputs, and does nothing else.
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");
const { serve } = require("../../provider/dist/hosts/plugin/server.js");
const { createJob, outputsOf } = require("./floorJob.cjs");

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const later = { job: unknown, jobId: unknown, origin: unknown };

async function create(request) {
  const inputs = request.getProperties().toJavaScript();
  const reply = new messages.CreateResponse();
  if (request.getPreview()) return reply.setProperties(Struct.fromJavaScript({ ...inputs, ...later }));
  const id = await createJob(inputs);
  return reply.setId(id).setProperties(Struct.fromJavaScript({ ...outputsOf(id, inputs), jobId: id }));
}

const check = (request) => new messages.CheckResponse().setInputs(request.getNews());
const schema = JSON.stringify({ ...require("../../provider/schema.json"), version: "0.0.0" });

let isConfigured = false;
exports.isConfigured = () => isConfigured;
exports.listening = serve({
  handshake: () => new messages.ProviderHandshakeResponse().setAcceptSecrets(true),
  getPluginInfo: () => new PluginInfo().setVersion("0.0.0"),
  getSchema: () => new messages.GetSchemaResponse().setSchema(schema),
  checkConfig: check,
  diffConfig: () => new messages.DiffResponse(),
  configure: () => {
    isConfigured = true;
    return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  },
  check,
  diff: () => new messages.DiffResponse().setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE),
  create,
  read: (request) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  cancel: () => new Empty(),
}).then(({ port }) => process.stdout.write(`${port}\n`));

process.on("SIGINT", () => process.exit()).on("SIGTERM", () => process.exit());
