/** Layers of docs/architecture.md: folder → the folders it may import from, and packages only it may use. */
const LAYERS = {
  core: [],
  matchers: ["core"],
  spawn: ["core"],
  registry: ["core", "matchers"],
  lua: ["core", "matchers"],
  protocols: ["core"],
  handlers: ["core", "protocols", "spawn"],
  config: ["core", "matchers"],
  auth: ["core"],
  tools: ["core", "registry", "auth", "spawn"],
  runtime: ["core", "registry", "auth"],
  audit: ["core"],
};
const HOST = ["testing", "adapters", "serve"];
const BELOW_HOST = Object.keys(LAYERS);
const OWNERS = {
  wasmoon: "lua",
  worker_threads: "(lua|spawn)",
  child_process: "spawn",
  zod: "config",
  "smol-toml": "config",
  "toml-eslint-parser": "config",
  re2js: "matchers",
  unbash: "matchers",
  chokidar: "host",
  "jsonc-parser": "serve",
  commander: "cli",
  picocolors: "cli",
};

const mayImport = (folder, allowed) => ({
  name: `${folder}-imports`,
  comment: `src/${folder}/ may import from itself${allowed.length ? ` and ${allowed.join(", ")}` : " alone"}`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
});

export default {
  forbidden: [
    ...Object.entries(LAYERS).map(([folder, allowed]) => mayImport(folder, allowed)),
    mayImport("host", BELOW_HOST),
    ...HOST.map((folder) => mayImport(folder, ["core", "host", "protocols", "spawn"])),
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
