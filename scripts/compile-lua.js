// Compiles the package's own Lua into build/engine/lua/own-bytecode.js, with the VM that will load it: the bundles hold it
// as code. A process that starts Lua need not parse it, and V8 need not compile and optimize the parser.
import { writeFileSync } from "node:fs";
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
  const file = fileURLToPath(new URL("own-bytecode.js", LUA));
  writeFileSync(file, `export const OWN_BYTECODE = {\n${compiled.join("")}};\n`);
}
