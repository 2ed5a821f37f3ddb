import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { configSchema } from "../../src/config/schema.ts";
import { VERBS } from "../../src/core/cli-verbs.ts";
import { DEFAULT_SETTINGS } from "../../src/config/settings.ts";
import { SPELLINGS } from "../../src/config/spellings.ts";
import { ERROR_CODES } from "../../src/core/errors.ts";
import {
  DEFAULT_MAX_RETRIES,
  DEFAULT_PRIORITY,
  DEFAULT_TIMEOUT_MS,
  MATCH_KEYS,
  MATCH_OPTIONS,
} from "../../src/core/hook.ts";
import { ORCS_POINTS } from "../../src/core/point-table.ts";
import { pointSet } from "../../src/core/points.ts";
import { pageProblems } from "../../bench/page.ts";
import { DEFAULT_LIMITS } from "../../src/engine/runtime/runtime-limits.ts";
import { folder, open } from "../unit/engine/orcs/engine.ts";
import { pages, ROOT } from "./pages.ts";

/** What the documentation says in words, held against the code. */

const all = pages();

function page(path: string): string {
  const found = all.find((each) => each.path === path);
  if (!found) throw new Error(`no page ${path}`);
  return found.text;
}

/** The part of a page below a heading, up to the next one of its level or above. */
function section(path: string, heading: string): string {
  const level = heading.indexOf(" ");
  const [, below = ""] = page(path).split(`\n${heading}\n`);
  const end = new RegExp(`^#{1,${level}} `, "m").exec(below)?.index;
  expect(below, `${path} has no section ${heading}`).not.toBe("");
  return below.slice(0, end);
}

/** The cells of the rows of a section's tables, code marks of the first one taken off. */
function rows(text: string): string[][] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(/ (?<!\\)\| /));
}

function keysOf(text: string): string[] {
  return rows(text).flatMap(([first = ""]) => first.match(/(?<=`)[^`]+(?=`)/g)?.slice(0, 1) ?? []);
}

/** The schema behind what optional and piped ones wrap. */
function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodLazy) return bare(schema.unwrap());
  return schema instanceof z.ZodPipe ? bare(schema.out) : schema;
}

/** The keys of a table's schema. */
function shapeOf(schema: unknown): Record<string, unknown> {
  const table = bare(schema);
  return table instanceof z.ZodObject ? table.shape : {};
}

describe("docs/reference/configuration.md has every existing key and no other", () => {
  const PAGE = "docs/reference/configuration.md";
  const around = {
    points: pointSet(),
    cwd: "/",
    baseDir: "/",
    locate: (path: string) => path,
    findScript: () => ({ file: undefined, lookedIn: [], nearest: undefined }),
  };
  const { hooks, agents, packages, ...settings } = shapeOf(configSchema(around, false));
  const hooksList = bare(hooks) as z.ZodArray;
  const hook = shapeOf(hooksList.element);

  test("in settings, with defaults", () => {
    const documented = new Map<string, string>();
    const text = section(PAGE, "## Settings");
    for (const part of text.split(/^### /m).slice(1)) {
      const name = part.slice(0, part.indexOf("\n"));
      for (const [first = "", , standard = ""] of rows(part)) {
        const key = first.replaceAll("`", "");
        const path = /^\(top\)$|,/.test(name) ? key : `${name}.${key}`;
        documented.set(path, standard.replaceAll("`", ""));
      }
    }
    const existing = Object.entries(settings).flatMap(([name, schema]) => {
      const keys = Object.keys(shapeOf(schema));
      return keys.length > 0 ? keys.map((key) => `${name}.${key}`) : [name];
    });
    expect([...documented.keys()].sort()).toEqual(existing.sort());

    for (const [path, standard] of documented) {
      const value = path
        .split(".")
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], DEFAULT_SETTINGS);
      // Where the layers look is no part of the settings.
      const known = path === "scripts.dirs" ? ["hooks"] : value;
      expect(standard, path).toBe(known === undefined ? "—" : JSON.stringify(known));
    }
  });

  test("in the table of a package", () => {
    const keys = rows(section(PAGE, "## Packages")).map(([key = ""]) => key.replaceAll("`", ""));
    expect(keys).toEqual(Object.keys(shapeOf((bare(packages) as z.ZodRecord).valueType)));
  });

  test("in hooks: conditions, spellings and defaults", () => {
    const [table = ""] = section(PAGE, "## Hooks").split("\n### ");
    const spellings = Object.keys(SPELLINGS);
    const own = Object.keys(hook).filter((key) => !spellings.includes(key));
    expect(keysOf(table).sort()).toEqual(own.sort());
    const match = [...MATCH_KEYS, ...MATCH_OPTIONS].sort();
    expect(keysOf(section(PAGE, "### match")).sort()).toEqual(match);
    expect(Object.keys(shapeOf(hook["match"])).sort()).toEqual(match);
    const written = rows(section(PAGE, "### Other spellings")).flatMap(([first = ""]) =>
      first.split(", ").map((key) => key.replaceAll("`", "")),
    );
    expect(written.sort()).toEqual(spellings.sort());

    const defaults = Object.fromEntries(
      rows(table).map(([key = "", , standard = ""]) => [
        key.replaceAll("`", ""),
        standard.replaceAll("`", ""),
      ]),
    );
    expect(defaults).toMatchObject({
      priority: String(DEFAULT_PRIORITY),
      timeout_ms: String(DEFAULT_TIMEOUT_MS),
      max_retries: String(DEFAULT_MAX_RETRIES),
    });
  });

  test("in agents", () => {
    const agent = Object.keys(shapeOf((bare(agents) as z.ZodRecord).valueType));
    expect(keysOf(section(PAGE, "## Agents")).sort()).toEqual(
      agent.map((key) => `agents.NAME.${key}`).sort(),
    );
  });
});

describe("docs/reference/lua.md", () => {
  test("lists every orcs function and no other", async () => {
    const list = `
      local names = {}
      for name, value in pairs(orcs) do
        if name == "state" then
          for below in pairs(value) do names[#names + 1] = "state." .. below end
        else names[#names + 1] = name end
      end
      return names
    `;
    const orcs = await open({ cwd: folder({ "list.lua": list }) });
    const names = (await orcs.run("list.lua")) as string[];
    const text = section("docs/reference/lua.md", "## orcs");
    const documented = new Set(
      [...text.matchAll(/^(?:\| |)`orcs\.[^\n]*?(?= \| | ⏳|$)/gm)].flatMap(([line]) =>
        [...line.matchAll(/`orcs\.([\w.]+)/g)].map(([, name = ""]) => name),
      ),
    );
    expect([...documented].sort()).toEqual(names.sort());
  });

  test("lists the keys of a context", async () => {
    const orcs = await open();
    const { ctx } = await orcs.dispatch("tool.pre_execute", { tool_name: "x", args: {} });
    const documented = [
      ...section("docs/reference/lua.md", "## The context").matchAll(/^\| (.*?) \|/gm),
    ]
      .flatMap(([, cell = ""]) => [...cell.matchAll(/`ctx\.(\w+)`/g)].map(([, name = ""]) => name))
      .sort();
    expect(documented).toEqual(Object.keys(ctx).sort());
  });
});

/** The members of an interface. */
function members(file: string, name: string): string[] {
  const text = readFileSync(ROOT + file, "utf8");
  const [, body = ""] =
    new RegExp(`export interface ${name}[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(text) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = ""]) => member);
}

describe("docs/reference/runtime.md", () => {
  const PAGE = "docs/reference/runtime.md";

  test("lists the limits and their defaults", () => {
    const documented = rows(section(PAGE, "## Limits")).map(([key = "", standard = ""]) => [
      key.replaceAll("`", ""),
      Number(standard),
    ]);
    expect(Object.fromEntries(documented)).toEqual(DEFAULT_LIMITS);
  });

  test("describes the hook effects at each of the 25 points once", () => {
    const named = rows(section(PAGE, "## What hooks can do")).map(([points = ""]) =>
      [...points.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    );
    expect(named.flat().sort()).toEqual(Object.keys(ORCS_POINTS).sort());
    // Every pre point stands with its post point, and what only looks on has no actions.
    for (const names of named.filter(([first = ""]) => !first.includes(".on_"))) {
      expect(names).toEqual([names[0], names[0]?.replace(".pre_", ".post_")]);
    }
  });

  test("lists the members of a component, its context, and the spawn options", () => {
    const text = section(PAGE, "## Components in TypeScript");
    const spawn = members("src/engine/runtime/orcs-engine.ts", "SpawnOptions");
    const script = members("src/engine/orcs/runtime/runtime.ts", "SpawnScriptOptions");
    const context = members("src/core/child.ts", "ChildContext").filter((name) =>
      new RegExp(`^ {2}${name}\\(`, "m").test(readFileSync(`${ROOT}src/core/child.ts`, "utf8")),
    );
    // What a host that makes components of something else needs.
    const forHosts = ["isLost", "reload", "dispose"];
    const values = ["id", "subscriptions", "tools"];
    const component = members("src/core/component.ts", "Component").filter(
      (name) => !forHosts.includes(name) && !values.includes(name),
    );
    expect([spawn.length, script.length, context.length, component.length]).toEqual([7, 2, 11, 6]);
    for (const name of [...spawn, ...script, ...context, ...component]) {
      expect(text, name).toContain(`\`${name}\``);
    }
  });

  test("lists the functions of a Lua component", () => {
    const source = readFileSync(`${ROOT}src/engine/orcs/runtime/lua-component.ts`, "utf8");
    const [, keys = ""] = /COMPONENT_KEYS = \[([^\]]*)\]/.exec(source) ?? [];
    const names = [...keys.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(7);
    const [block] = all.find(({ path }) => path === PAGE)?.blocks ?? [];
    for (const name of names) expect(block?.text, name).toMatch(new RegExp(`^ {2}${name} = `, "m"));
  });
});

test("docs/reference/embedding.md lists every option of createOrcs and every key of a hook definition", () => {
  const options = members("src/engine/orcs/options.ts", "CreateOrcsOptions");
  expect(keysOf(section("docs/reference/embedding.md", "## createOrcs")).sort()).toEqual(
    options.sort(),
  );
  const definition = [
    ...members("src/engine/orcs/options.ts", "HookDefinition"),
    ...members("src/core/hook.ts", "HookOptions"),
  ];
  const text = section("docs/reference/embedding.md", "## Hooks in TypeScript");
  expect(definition.length).toBeGreaterThan(10);
  for (const key of definition) expect(text, key).toContain(`\`${key}\``);
});

test("docs/reference/errors.md lists only codes that are raised", () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== "core/errors.ts")
    .map((name) => readFileSync(`${ROOT}src/${name}`, "utf8"))
    .join("");
  for (const code of Object.keys(ERROR_CODES)) expect(sources, code).toContain(`"${code}"`);
});

test("the first screen of the README has the two commands with which CI begins", () => {
  const screen = page("README.md").split("\n").slice(0, 21).join("\n");
  const [, commands = ""] = /```text\n(npm ci[^`]*)```/.exec(screen) ?? [];
  const run = readFileSync(`${ROOT}.ci/run`, "utf8").split("\n");
  expect(commands.split("\n").slice(0, 2)).toEqual(
    run.filter((line) => line.startsWith("npm ")).slice(0, 2),
  );
});

test("AGENTS.md is short, and has all rooms and files that exist", async () => {
  const text = readFileSync(`${ROOT}AGENTS.md`, "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(81);
  const file = pathToFileURL(`${ROOT}.dependency-cruiser.js`).href;
  const { ROOMS } = (await import(file)) as { ROOMS: string[] };
  expect([...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, room]) => room)).toEqual(ROOMS);
  for (const [path] of text.matchAll(/\b(?:daemon|engine|formats|machine)\/[\w/-]+(?:\.ts|\/)/g)) {
    if (!path.includes("AGENT")) expect(existsSync(`${ROOT}src/${path}`), path).toBe(true);
  }
});

describe("docs/explanation/architecture.md", () => {
  const PAGE = "docs/explanation/architecture.md";
  const folders = readdirSync(`${ROOT}src`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  test("lists the rooms, in the order of the layers that are checked", async () => {
    const file = pathToFileURL(`${ROOT}.dependency-cruiser.js`).href;
    const { ENGINE, ROOMS } = (await import(file)) as Record<"ENGINE" | "ROOMS", string[]>;
    const listed = rows(section(PAGE, "## Rooms")).map(([room = ""]) => room.replaceAll("`", ""));
    expect(listed.slice(0, ROOMS.length)).toEqual(ROOMS.map((room) => `src/${room}/`));
    expect(listed.slice(-ENGINE.length)).toEqual(ENGINE.map((room) => `src/engine/${room}/`));
    expect(folders).toEqual(ROOMS.toSorted());
  });

  test("names existing files", () => {
    const named = [...page(PAGE).matchAll(/`((?:src|lua)\/[\w./-]+\.(?:ts|lua))`/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, file = ""] of named) expect(existsSync(ROOT + file), file).toBe(true);
    const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: "utf8" });
    for (const [, file = ""] of page(PAGE).matchAll(/`([\w-]+\.ts)`/g)) {
      expect(
        sources.some((path) => path.endsWith(`/${file}`)),
        file,
      ).toBe(true);
    }
  });
});

test("nothing tells to install or run a bare name, which a stranger may have published", () => {
  const files = ["src", "plugins", "docs", "scripts"].flatMap((name) =>
    readdirSync(ROOT + name, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:md|ts|js|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const bare =
    /\bnpm (?:i|install)(?: (?:-g|--global))? orcs(?![\w.@/-])|\bnpx (?!--no-install)(?:-\S+ )*orcs\b/;
  for (const file of [...files, `${ROOT}README.md`, `${ROOT}action.yml`]) {
    expect(bare.exec(readFileSync(file, "utf8"))?.[0], file).toBe(undefined);
  }
});

/** Where the first cells of the tables of a page lead. */
function rowLinks(text: string): string[] {
  return [...text.matchAll(/^\| \[[^\]]*\]\(([^)]+)\)/gm)].map(([, link = ""]) => link);
}

describe("every page of the docs", () => {
  /** The anchors that headings get. */
  function anchors(text: string): string[] {
    return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  }

  test.each(all.map(({ path, text }) => [path, text] as const))(
    "%s: links lead to existing targets",
    (path, text) => {
      const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "");
      for (const [, link = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue;
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? path : join(dirname(path), file);
        expect(existsSync(ROOT + target), `${path}: ${link}`).toBe(true);
        if (anchor === undefined) continue;
        expect(anchors(page(target)), `${path}: ${link}`).toContain(anchor);
      }
    },
  );

  /** Pages outside of docs/ that are in the package, too. */
  const others = ["CHANGELOG.md", "CONTRIBUTING.md", "clients/python/README.md"];
  const { files } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as { files: string[] };
  const isPacked = (path: string): boolean =>
    files.some((shipped) => path === shipped || path.startsWith(`${shipped}/`));
  const shipped = [...all.map(({ path }) => path), ...others].filter(isPacked);

  test("the README, the pages of docs/ and those of the client are in the package", () => {
    expect(shipped).toEqual(expect.arrayContaining(["README.md", "docs/README.md", ...others]));
    expect(isPacked("src/matching/shell/README.md")).toBe(false);
  });

  test.each(shipped)("%s: links lead to files of the package", (path) => {
    const prose = readFileSync(ROOT + path, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
    const targets = [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^https?:/.test(link))
      .map((link) => join(dirname(path), link));
    expect(targets.filter((target) => !isPacked(target) || !existsSync(ROOT + target))).toEqual([]);
  });

  test.each(all.map(({ path, text }) => [path, text] as const))(
    "%s: has no local paths or internal names",
    (_path, text) => {
      expect(text).not.toMatch(/\/(work|tmp\/w|home|root|Users)\//);
      expect(text).not.toMatch(/\bseeds?\/|design\.md|facts\.md|registry\.npmjs/);
    },
  );

  test("has one line in the map, and the decisions have one together", () => {
    const map = page("docs/README.md");
    expect(page("README.md")).toContain("(docs/README.md)");
    const linked = rowLinks(map).filter((link) => !link.startsWith("../"));
    const expected = all
      .map(({ path }) => path)
      .filter((path) => /^docs\/[\w-]+\//.test(path) && !path.startsWith("docs/decisions/"))
      .map((path) => path.slice("docs/".length));
    expect(linked.sort()).toEqual(expected.sort());
    expect(map).toContain("(decisions/)");
  });

  test("the page on the command line lists the existing commands and no other", () => {
    const verbs = Object.keys(VERBS).filter((name) => !["rules", "package"].includes(name));
    const rows = keysOf(page("docs/reference/cli.md"));
    const named = rows.map((row) =>
      verbs.findLast((name) => `${row} `.startsWith(`orcs ${name} `)),
    );
    expect(new Set(named)).toEqual(new Set(verbs));
  });
});

test("README and the comparison have the figures of guard-figures.md", () => {
  const cells = (line: string): string[] => line.slice(2, -2).split(" | ");
  const lines = page("docs/explanation/guard-figures.md").split("\n");
  const from = lines.indexOf("Default:");
  const measured = new Map<string, readonly string[]>();
  for (const line of lines.slice(from, lines.indexOf("Strict, all packs:"))) {
    const [corpus = "", stop = "", no = "", theirs = "", theirNo = ""] = cells(line);
    const share = (text: string): string => text.replace(/ \(.*/, "");
    measured.set(corpus.replace(/ \(.*/, ""), [share(stop), no, theirs, theirNo]);
  }
  const compared = page("docs/explanation/comparison.md").split("\n");
  const shown = new Map(
    compared.filter((line) => line.startsWith("| ")).map((line) => [cells(line)[0], cells(line)]),
  );
  for (const [row, corpus] of Object.entries(COMPARED)) {
    expect(shown.get(row)?.slice(1), row).toEqual(measured.get(corpus));
  }
  const [stop, no, theirs, theirNo] = measured.get("cc-safety-net-2.0") ?? [];
  const said = page("README.md").replaceAll("\n", " ");
  expect(said).toContain(`(${theirs} and ${theirNo}, against ${stop} and ${no};`);
});

/** Rows of docs/explanation/comparison.md, and the corpus of each in guard-figures.md. */
const COMPARED = {
  "cc-safety-net 2.0.10": "cc-safety-net-2.0",
  "cc-safety-net 0.9.0": "cc-safety-net-0.9",
  "destructive_command_guard, core": "dcg-core",
  "nah 1.3.1, shell": "nah-shell",
  orcs: "own",
  "everyday lines, collected by us": "everyday",
};

describe("the figures of performance.md", () => {
  const table = (commit: string, rows = "| a |\n"): string =>
    `<!-- figures: lua worker -->\n${rows}<!-- end of figures: ${commit} -->\n`;

  test("of one run have no problem; a missing table and one of another commit do", () => {
    expect(pageProblems(table("0a1b2c3") + table("0a1b2c3"))).toEqual([]);
    expect(pageProblems(table("0a1b2c3") + table("0a1b2c3-dirty"))).toEqual([
      "tables of several commits: 0a1b2c3, 0a1b2c3-dirty",
    ]);
    expect(pageProblems(table("0a1b2c3", ""))).toEqual(["no figures: lua worker"]);
  });

  test("are all there, and of one commit", () => {
    expect(pageProblems(page("docs/explanation/performance.md"))).toEqual([]);
  });
});
