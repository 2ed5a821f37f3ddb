// Compiles the package's own Lua with the VM that will load it: what every state begins with into
// build/engine/lua/own-bytecode.js, so that the bundles hold it as code, and shipped hooks and modules into a file
// whose digest is there. A process that starts Lua need not parse it, and V8 need not compile and optimize the parser.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LUA = new URL("../build/engine/lua/", import.meta.url);

export async function compileLua() {
  const [{ LuaVm }, { LuaState }, { ownLua }] = await Promise.all(
    ["vm.js", "state.js", "own-lua.js"].map((file) => import(new URL(file, LUA).href)),
  );
  const sizes = { memoryBytes: 2 ** 26, maxValueBytes: 2 ** 20 };
  // No script will run in it.
  const state = new LuaState(LuaVm.create(), {}, sizes);
  const compiled = Object.entries(ownLua()).map(([name, own]) => {
    const bytecode = Buffer.from(own.compile(state, state.main)).toString("base64");
    return `  ${name}: "${bytecode}",\n`;
  });
  const shipped = compiledFiles(state);
  const file = fileURLToPath(new URL("own-bytecode.js", LUA));
  const own = `export const OWN_BYTECODE = {\n${compiled.join("")}};\n`;
  const digests = JSON.stringify({ digest: sha256(shipped.bytes), places: shipped.places, sizes: shipped.sizes });
  writeFileSync(file, `${own}export const SHIPPED_BYTECODE = ${digests};\n`);
  // Beside the module, in both forms of the package.
  for (const folder of [LUA, new URL("../dist/engine/lua/", import.meta.url)]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(new URL("compiled.bin", folder), shipped.bytes);
  }
}

/** The guards that judge a call, and what they require: what most installations load. */
const GUARDS = /^(?:hooks\/(?:path|secret|self|shell)-guard|lua\/(?:file_guard|policy|self_guard|shell_guard)\/\w+)\.lua$/;

/** Compiled hooks and modules, one after the other. */
function compiledFiles(state) {
  const places = {};
  const sizes = new Set();
  const dumps = [];
  let from = 0;
  for (const folder of ["hooks", "lua"]) {
    const path = fileURLToPath(new URL(`../${folder}`, import.meta.url));
    for (const name of readdirSync(path, { recursive: true }).toSorted()) {
      if (!GUARDS.test(`${folder}/${name.replaceAll("\\", "/")}`)) continue;
      const text = new Uint8Array(readFileSync(join(path, name)));
      // Without a name, which is the path in an installation.
      state.compile(state.main, text, "@");
      const bytecode = withoutLocals(state.vm.dump(state.main));
      state.raw.lua_settop(state.main, 0);
      places[sha256(text)] = [from, bytecode.length];
      sizes.add(text.length);
      dumps.push(bytecode);
      from += bytecode.length;
    }
  }
  return { bytes: Buffer.concat(dumps), places, sizes: [...sizes] };
}

/** The beginning of a dump of Lua 5.4: signature, format, sizes and samples of types, and the number of upvalues. */
const HEADER = 32;
/** Bytes of a constant by its type besides strings. */
const CONSTANTS = { 0x00: 0, 0x01: 0, 0x11: 0, 0x03: 8, 0x13: 8 };
const STRINGS = [0x04, 0x14];

/** A dump without the names of local variables, which are a fifth of it; lines and all else stay. */
function withoutLocals(dump) {
  const kept = [];
  let from = 0;
  let at = HEADER;
  const number = () => {
    let value = 0;
    for (;;) {
      if (at >= dump.length) throw new Error("unexpected form of Lua's bytecode");
      const byte = dump[at++];
      value = value * 0x80 + (byte & 0x7f);
      if (byte & 0x80) return value;
    }
  };
  /** Skip a counted list of items of so many bytes. */
  const skip = (bytes) => {
    const count = number();
    at += count * bytes;
  };
  const string = () => {
    const size = number();
    if (size > 0) at += size - 1;
  };
  const list = (each) => {
    for (let left = number(); left > 0; left--) each();
  };
  const constant = () => {
    const type = dump[at++];
    if (STRINGS.includes(type)) string();
    else at += CONSTANTS[type];
  };
  const prototype = () => {
    string();
    number();
    number();
    at += 3;
    skip(4);
    list(constant);
    skip(3);
    list(prototype);
    skip(1);
    list(() => (number(), number()));
    kept.push(dump.subarray(from, at), Uint8Array.of(0x80));
    list(() => (string(), number(), number()));
    from = at;
    list(string);
  };
  prototype();
  kept.push(dump.subarray(from, at));
  if (at !== dump.length) throw new Error("unexpected form of Lua's bytecode");
  return Buffer.concat(kept);
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
