/**
 * The rooms of docs/explanation/architecture.md, from the bottom up. Each may import from those above it in this list,
 * through their `index.ts` alone. Within `engine`, the same holds for its own rooms.
 */
export const ROOMS = [
  "core",
  "machine",
  "matching",
  "guards",
  "formats",
  "records",
  "config",
  "fleet",
  "undo",
  "engine",
  "agents",
  "daemon",
  "workbench",
  "cli",
];
/** From the bottom up. */
export const ENGINE = ["lint", "auth", "registry", "lua", "handlers", "tools", "runtime", "orcs", "testing"];
/** Packages and parts of Node that only these folders use. */
const OWNERS = {
  wasmoon: "engine/lua",
  worker_threads: "(engine/lua|machine)",
  child_process: "machine/spawn",
  zod: "(config|daemon/wire)",
  "smol-toml": "config",
  "toml-eslint-parser": "config",
  re2js: "matching/patterns",
  unbash: "matching/shell",
  chokidar: "engine/orcs",
  "jsonc-parser": "agents",
  commander: "cli",
  fflate: "fleet",
  "@opentelemetry": "daemon/otel",
  picocolors: "cli",
};

/** Nothing of these folders imports from a later one. */
const upwards = (parent, names) =>
  names.slice(0, -1).map((name, i) => ({
    name: `${name}-imports-from-below`,
    comment: `${parent}${name}/ may import from: ${[...names.slice(0, i), "itself"].join(", ")}`,
    severity: "error",
    from: { path: `^${parent}${name}/` },
    to: { path: `^${parent}(${names.slice(i + 1).join("|")})/` },
  }));

export default {
  forbidden: [
    ...upwards("src/", ROOMS),
    ...upwards("src/engine/", ENGINE),
    {
      name: "a-room-has-one-door",
      comment: "others import index.ts of a room, not the files behind it",
      severity: "error",
      from: { path: "^src/([^/]+)" },
      to: { path: "^src/[^/]+/", pathNot: "^src/($1/|[^/]+/index\\.ts$)" },
    },
    {
      name: "a-room-of-the-engine-has-one-door",
      comment: "others import index.ts of a room of the engine, not the files behind it",
      severity: "error",
      from: { path: "^src/engine/([^/]+)" },
      to: { path: "^src/engine/[^/]+/", pathNot: "^src/engine/($1/|[^/]+/index\\.ts$)" },
    },
    {
      name: "a-door-is-for-others",
      comment: "a room's own files import each other directly",
      severity: "error",
      from: { path: "^src/((?:engine/)?[^/]+)/" },
      to: { path: "^src/$1/index\\.ts$" },
    },
    {
      name: "every-folder-is-a-room",
      comment: "a new folder of src/ has its place in the list above",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: `^src/(${ROOMS.join("|")})/` },
      to: {},
    },
    {
      name: "core-imports-nothing",
      comment: "the vocabulary needs neither Node nor a package, but to tell kinds of objects without running their code",
      severity: "error",
      from: { path: "^src/core/" },
      to: { pathNot: "^src/core/|^(node:)?util/types$" },
    },
    ...Object.entries(OWNERS).map(([name, folder]) => ({
      name: `${folder}-owns-${name}`,
      comment: `only src/${folder}/ uses ${name}`,
      severity: "error",
      from: { path: "^src/", pathNot: `^src/${folder}/` },
      to: { path: `(^|node_modules/)(node:)?${name}(/|$)` },
    })),
    {
      name: "no-cycles",
      comment: "types may point both ways, code may not",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
