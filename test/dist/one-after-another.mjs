// Runs the built command line again and again in one process, each time as a process of its own would: with its
// arguments, folder and environment, until nothing of it is left to wait for. To start Node and to load orcs takes
// ten times longer than most commands do. Its parent says which, and what is written before its time is up.
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , root] = process.argv;
const { load } = createRequire(import.meta.url)(join(root, "dist/bundle/whole.cjs"));
const MAIN = join(root, "dist/cli/main.js");
/** Thrown where a process would be gone. */
const GONE = Symbol("gone");
const { runProgram } = load("verb").part("cli/program");

process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.on("message", (message) => void answer(message));
process.on("disconnect", () => process.reallyExit(0));

async function answer({ args, cwd, env }) {
  const written = { stdout: "", stderr: "" };
  const undo = [capture("stdout", written), capture("stderr", written), keepListeners()];
  const { exit } = process;
  const gone = new Promise((resolve) => {
    process.exit = (code) => {
      if (code !== undefined) process.exitCode = code;
      resolve();
      throw GONE;
    };
  });
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, MAIN, ...args];
  process.exitCode = undefined;
  const before = waitedFor();
  await Promise.race([gone, runProgram().then(() => nothingLeft(before))]);
  process.emit("exit", process.exitCode ?? 0);
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.exit = exit;
  for (const each of undo) each();
  process.send({ code, ...written });
}

/** Collect what is written to a stream, until it is undone. */
function capture(name, written) {
  const stream = process[name];
  const { write } = stream;
  stream.write = (chunk, encoding, done) => {
    written[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    const then = typeof encoding === "function" ? encoding : done;
    if (then) process.nextTick(then);
    return true;
  };
  return () => (stream.write = write);
}

/** Whoever listens on the process from now on does not after it is undone. */
function keepListeners() {
  const all = [process, process.stdout, process.stderr];
  const before = all.map(
    (of) => new Map(of.eventNames().map((name) => [name, of.listeners(name)])),
  );
  return () => {
    for (const [i, of] of all.entries()) {
      for (const name of of.eventNames()) {
        const kept = before[i].get(name) ?? [];
        for (const listener of of.listeners(name)) {
          if (!kept.includes(listener)) of.removeListener(name, listener);
        }
      }
    }
  };
}

/** How much there is that keeps the process from ending. */
function waitedFor() {
  return process.getActiveResourcesInfo().length;
}

async function nothingLeft(before) {
  for (let turns = 0; waitedFor() > before; turns++) {
    await new Promise((resolve) => {
      if (turns < 20) setImmediate(resolve);
      else setTimeout(resolve, 2).unref();
    });
  }
}
