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

/** Every shipped hook and module, one after the other. */
function compiledFiles(state) {
  const places = {};
  const sizes = new Set();
  const dumps = [];
  let from = 0;
  for (const folder of ["hooks", "lua"].map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url)))) {
    for (const name of readdirSync(folder, { recursive: true })) {
      if (!name.endsWith(".lua")) continue;
      const text = new Uint8Array(readFileSync(join(folder, name)));
      // Without a name, which is the path in an installation.
      state.compile(state.main, text, "@");
      const bytecode = state.vm.dump(state.main);
      state.raw.lua_settop(state.main, 0);
      places[sha256(text)] = [from, bytecode.length];
      sizes.add(text.length);
      dumps.push(bytecode);
      from += bytecode.length;
    }
  }
  return { bytes: Buffer.concat(dumps), places, sizes: [...sizes] };
}

function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
