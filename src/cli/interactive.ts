import { createInterface } from "node:readline";
import { join } from "node:path";
import { isPlainObject, messageOf, resolvePoint } from "../core/index.ts";
import type { Json, JsonObject } from "../core/index.ts";
import type { Engine, Orcs } from "../engine/index.ts";
import { makeFolder, replaceFile, textIfReadable, userStateDir } from "../machine/index.ts";
import { EVENT_OPTIONS, eventOf } from "./eval.ts";
import { hooksText } from "./list.ts";
import { openOrcs } from "./open-orcs.ts";
import { EXIT } from "./options.ts";
import { doingOf } from "./outcome-text.ts";
import { print, tell } from "./output.ts";
import { printable } from "./table.ts";
import { DEFINITIONS } from "./type-files.ts";
import { verbCommand } from "./verb-command.ts";

const HELP = `An expression shows its value; statements run. ctx is the context of the event; names without local stay.
Tools only read here; whatever would write, run or send is denied.
  :hooks         the loaded hooks
  :reload        load the configuration and its scripts again, and forget all names
  :effects LINE  what a command line does
  :help, :quit`;
const COMMANDS = [":hooks", ":reload", ":effects", ":help", ":quit"];
const MOST_HISTORY = 500;

/** `orcs eval --interactive`: lines of Lua among the loaded hooks. */
export const interactiveCommand = verbCommand("eval --interactive", {
  options: EVENT_OPTIONS,
  help: HELP,
  run: async (options, point: string | undefined, words: string[]) => {
    let engine: Engine | undefined;
    const orcs = await openOrcs(options.config, { opened: (opened) => void (engine = opened) });
    try {
      const globals: JsonObject = {};
      if (point !== undefined || options.event !== undefined || options.host !== undefined) {
        const { point: name, payload, address } = await eventOf(orcs, options, point, words);
        const spec = resolvePoint(name, orcs.points);
        const { ctx } = orcs.registry.unhooked(spec, payload, address);
        globals["ctx"] = JSON.parse(JSON.stringify(ctx)) as Json;
      }
      if (engine) await converse(orcs, engine, globals);
    } finally {
      await orcs.close();
    }
  },
});

async function converse(orcs: Orcs, engine: Engine, globals: JsonObject): Promise<void> {
  let prompt = await engine.prompt(globals);
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  const history = join(userStateDir(), "eval-history");
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal && { output: process.stderr, completer: completer(globals) }),
    history: isTerminal ? (textIfReadable(history) ?? "").split("\n").filter(Boolean) : [],
    historySize: MOST_HISTORY,
  });
  lines.on("history", (all: string[]) => {
    makeFolder(userStateDir());
    replaceFile(history, all.map((line) => `${line}\n`).join(""));
  });
  lines.on("SIGINT", () => lines.close());
  const ask = (text: string): void => {
    lines.setPrompt(text);
    if (isTerminal) lines.prompt();
  };
  if (isTerminal) tell("Lua among the loaded hooks; :help, :quit");
  ask("orcs> ");
  let begun = "";
  for await (const line of lines) {
    const text = begun + line;
    begun = "";
    try {
      const [command = "", ...rest] = text.trim().split(/\s+/);
      if (command === ":quit") break;
      if (command === ":help") print(HELP);
      else if (command === ":hooks") print(hooksText(orcs));
      else if (command === ":effects") {
        const call = { tool_name: "exec", args: { command: rest.join(" ") }, cwd: process.cwd() };
        print(doingOf(orcs, call)?.text ?? "nothing that orcs knows");
      } else if (command === ":reload") {
        await orcs.reload();
        prompt = await engine.prompt(globals);
      } else if (command.startsWith(":")) throw new Error(`there is no ${command}; see :help`);
      else if (command !== "") {
        const values = await prompt.run(text);
        if (!values) begun = `${text}\n`;
        for (const each of values ?? []) print(printable(orcs.redact(each)));
      }
    } catch (thrown) {
      tell(printable(orcs.redact(messageOf(thrown))));
      if (!isTerminal) process.exitCode = EXIT.findings;
    }
    ask(begun === "" ? "orcs> " : "  ... ");
  }
  lines.close();
}

/** Completes commands, functions of the Lua definitions, and parts of the context. */
function completer(globals: JsonObject): (line: string) => [string[], string] {
  const functions = (textIfReadable(DEFINITIONS) ?? "").matchAll(/^function (orcs[.\w]+)/gm);
  const names = [...COMMANDS, ...Array.from(functions, ([, name = ""]) => name)];
  names.push(...pathsIn(globals));
  return (line) => {
    const [word = ""] = /:?[\w.]*$/.exec(line) ?? [];
    return [names.filter((name) => name.startsWith(word)), word];
  };
}

function pathsIn(table: JsonObject, before = ""): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const path = `${before}${key}`;
    return isPlainObject(value) ? pathsIn(value, `${path}.`).concat(path) : path;
  });
}
