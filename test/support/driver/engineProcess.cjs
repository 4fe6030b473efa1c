// An engine in a process of its own: it starts a provider's process as the CLI does, and takes its lines. The arguments
// are those of the provider's process. Prints the provider's port. Whoever holds the other end of descriptor 3 notices
// when the provider's process, and all that it started, has ended.
const { spawn } = require("node:child_process");
const { createServer } = require("node:http2");

const server = createServer().on("stream", (stream) => {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.resume().on("end", () => stream.end(Buffer.alloc(5)));
});
server.listen(0, "127.0.0.1", () => {
  const args = [...process.argv.slice(2), `127.0.0.1:${server.address().port}`];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe", 3] });
  child.stdout.once("data", (port) => process.stdout.write(`${child.pid} ${port}`));
  child.stderr.pipe(process.stderr);
});
