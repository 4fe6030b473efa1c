// What the engine and gRPC cost: a plugin that has our plugin's schema, inputs and outputs, and does nothing else.
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const messages = require("@pulumi/pulumi/proto/provider_pb.js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");
const { createJob, outputsOf } = require("./floorJob.cjs");

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const later = { job: unknown, jobId: unknown, origin: unknown };

async function created(request) {
  const inputs = request.getProperties().toJavaScript();
  if (request.getPreview())
    return new messages.CreateResponse().setProperties(Struct.fromJavaScript({ ...inputs, ...later }));
  const id = await createJob(inputs);
  const outputs = { ...outputsOf(id, inputs), jobId: id };
  return new messages.CreateResponse().setId(id).setProperties(Struct.fromJavaScript(outputs));
}

let isConfigured = false;
const answers = {
  handshake: () => new messages.ProviderHandshakeResponse().setAcceptSecrets(true),
  getPluginInfo: () => new PluginInfo().setVersion("0.0.0"),
  getSchema: () =>
    new messages.GetSchemaResponse().setSchema(
      JSON.stringify({ ...require("../../provider/schema.json"), version: "0.0.0" }),
    ),
  checkConfig: (request) => new messages.CheckResponse().setInputs(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => {
    isConfigured = true;
    return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  },
  check: (request) => new messages.CheckResponse().setInputs(request.getNews()),
  diff: () => new messages.DiffResponse().setChanges(messages.DiffResponse.DiffChanges.DIFF_NONE),
  create: created,
  read: (request) =>
    new messages.ReadResponse()
      .setId(request.getId())
      .setProperties(request.getProperties())
      .setInputs(request.getInputs()),
  cancel: () => new Empty(),
};

process.on("SIGINT", () => process.exit()).on("SIGTERM", () => process.exit());

const server = new Server();
const handlers = Object.entries(answers).map(([name, answer]) => [
  name,
  async ({ request }, done) => done(null, await answer(request)),
]);
server.addService(ResourceProviderService, Object.fromEntries(handlers));
exports.isConfigured = () => isConfigured;
exports.listening = new Promise((resolve) => {
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_error, port) => {
    process.stdout.write(`${port}\n`);
    resolve();
  });
});
