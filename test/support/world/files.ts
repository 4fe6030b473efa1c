import type { Machine, SimulatedFile } from "./machine.js";

/** The temporary folder of every simulated machine. Which machine's files it has depends on who looks. */
export const temporary = "/simulated";

const isPath = (first: unknown): first is string => typeof first === "string" && first.startsWith(temporary);

/** A process cannot look at the processes of the machine that plays the simulation. */
const isOfProcesses = (first: unknown): first is string => typeof first === "string" && first.startsWith("/proc/");

/** Descriptors of simulated files. Real ones are small. */
const firstDescriptor = 1_000_000;
const isDescriptor = (first: unknown): first is number => typeof first === "number" && first >= firstDescriptor;

interface Simulated {
  readonly isOf: (first: unknown) => boolean;
  readonly call: (...args: readonly unknown[]) => unknown;
}

const failure = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });

/** The functions of `node:fs` that this package uses, for the files of simulated machines. */
export function simulatedFiles(machine: () => Machine, command: () => unknown): Readonly<Record<string, Simulated>> {
  const opened: SimulatedFile[] = [];
  const inode = (descriptor: unknown) => {
    const file = opened[Number(descriptor) - firstDescriptor];
    if (file === undefined) throw failure("EBADF", String(descriptor));
    return file;
  };
  const found = (path: string) => {
    const file = machine().files.get(path);
    if (file === undefined) throw failure("ENOENT", path);
    return file;
  };
  const written = (path: string, isNew: boolean): SimulatedFile => {
    const { files } = machine();
    if (isNew && files.has(path)) throw failure("EEXIST", path);
    const file = files.get(path) ?? { text: "", writtenBy: command(), at: machine().wall() };
    files.set(path, file);
    return file;
  };
  const isFolder = (path: string) => [...machine().files.keys()].some((file) => file.startsWith(`${path}/`));
  const statOf = (path: string) => {
    const file = machine().files.get(path);
    const isDirectory = file === undefined && (path === temporary || isFolder(path));
    if (file === undefined && !isDirectory) return undefined;
    return {
      uid: process.getuid?.(),
      mode: 0o700,
      mtimeMs: file?.at ?? machine().wall(),
      isDirectory: () => isDirectory,
      isFile: () => !isDirectory,
      isSymbolicLink: () => false,
    };
  };
  const stat = ofPath((path, options) => {
    const answer = statOf(path);
    const throws = !(typeof options === "object" && options !== null && "throwIfNoEntry" in options);
    if (answer === undefined && throws) throw failure("ENOENT", path);
    return answer;
  });
  const remove = ofPath((path) => {
    found(path);
    machine().files.delete(path);
  });
  const flagOf = (options: unknown): string =>
    typeof options === "object" && options !== null && "flag" in options ? String(options.flag) : "w";
  const write = (file: SimulatedFile, text: string) => {
    file.text = text;
    file.at = machine().wall();
  };
  return {
    mkdirSync: ofPath(() => undefined),
    chmodSync: ofPath(() => undefined),
    rmdirSync: ofPath((path) => {
      if (isFolder(path)) throw failure("ENOTEMPTY", path);
    }),
    existsSync: ofPath((path) => statOf(path) !== undefined),
    lstatSync: stat,
    statSync: stat,
    readdirSync: ofPath((folder) => {
      const names = [...machine().files.keys()].flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1).split("/")[0] ?? ""] : [],
      );
      return [...new Set(names)].sort();
    }),
    readFileSync: {
      isOf: (first) => isPath(first) || isOfProcesses(first),
      call: (path) => found(String(path)).text,
    },
    readlinkSync: { isOf: isOfProcesses, call: (path) => found(String(path)).text },
    openSync: ofPath((path, flags) => {
      const file = flags === "r" ? found(path) : written(path, String(flags).includes("x"));
      if (flags === "w") file.text = "";
      return firstDescriptor + opened.push(file) - 1;
    }),
    closeSync: { isOf: isDescriptor, call: () => undefined },
    writeSync: {
      isOf: isDescriptor,
      call: (descriptor, text, position) => {
        const file = inode(descriptor);
        const bytes = String(text);
        const at = typeof position === "number" ? position : file.text.length;
        write(file, file.text.slice(0, at) + bytes + file.text.slice(at + bytes.length));
        return Buffer.byteLength(bytes);
      },
    },
    ftruncateSync: {
      isOf: isDescriptor,
      call: (descriptor, length) => {
        const file = inode(descriptor);
        write(file, file.text.slice(0, typeof length === "number" ? length : 0));
      },
    },
    writeFileSync: {
      isOf: (first) => isPath(first) || isDescriptor(first),
      call: (target, text, options) => {
        const file = isPath(target) ? written(target, flagOf(options).includes("x")) : inode(target);
        write(file, String(text));
      },
    },
    unlinkSync: remove,
    rmSync: ofPath((path) => {
      const { files } = machine();
      for (const file of [...files.keys()]) if (file === path || file.startsWith(`${path}/`)) files.delete(file);
    }),
    linkSync: ofPath((from, to) => {
      const { files } = machine();
      if (files.has(String(to))) throw failure("EEXIST", String(to));
      files.set(String(to), found(from));
    }),
    renameSync: ofPath((from, to) => {
      const file = found(from);
      machine().files.delete(from);
      machine().files.set(String(to), file);
    }),
  };
}

const ofPath = (call: (path: string, ...more: readonly unknown[]) => unknown): Simulated => ({
  isOf: isPath,
  call: (path, ...more) => call(String(path), ...more),
});
