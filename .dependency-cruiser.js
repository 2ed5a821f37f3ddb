/** Layers of docs/explanation/architecture.md: folder → the folders it may import from, and packages only it may use. */
const LAYERS = {
  core: [],
  files: ["core"],
  spawn: ["core", "files"],
  patterns: ["core"],
  shell: ["core", "patterns"],
  match: ["core", "patterns", "shell"],
  registry: ["core", "match"],
  lua: ["core", "patterns", "shell"],
  lint: ["core"],
  protocols: ["core"],
  handlers: ["core", "protocols", "spawn"],
  config: ["core", "files", "match", "patterns", "shell"],
  auth: ["core"],
  tools: ["core", "files", "spawn"],
  runtime: ["core", "registry", "auth", "files"],
  audit: ["core", "files"],
  recording: ["core", "files"],
  trust: ["core", "files", "config", "lua"],
  fuzz: ["core", "files", "shell", "spawn"],
  bundles: ["core", "files", "config", "trust"],
  shipping: ["core", "files", "config", "audit", "bundles"],
};
const BELOW_ENGINE = Object.keys(LAYERS);
// What `engine.test_on_reload` asks for is loaded from above, when it is asked for.
LAYERS.engine = BELOW_ENGINE;
const EXCEPT = { engine: "testing/reload-tests.ts" };
// The rig that runs hooks on events that did not happen, and what is made with it.
LAYERS.testing = [...BELOW_ENGINE, "engine"];
LAYERS.replay = [...BELOW_ENGINE, "engine", "testing"];
LAYERS.check = [...BELOW_ENGINE, "engine"];
LAYERS.adapters = ["core", "engine", "protocols"];
LAYERS.otel = ["core", "files", "registry", "engine"];
LAYERS.feed = ["core", "recording", "registry", "engine"];
LAYERS.serve = ["core", "files", "registry", "trust", "bundles", "shipping", "engine", "protocols", "spawn", "check", "otel", "feed"];
// Without the engine: of the service it has the types of the wire, and where services are.
LAYERS.client = ["core", "files", "serve"];
// Beside the command line, which alone starts it.
LAYERS.inspect = [
  ...BELOW_ENGINE,
  "engine",
  "testing",
  "replay",
  "check",
  "feed",
  "serve",
  "client",
];
/** Only these files of a folder are imported by others. */
const ENTRIES = { shell: "shell.ts" };
const OWNERS = {
  wasmoon: "lua",
  worker_threads: "(lua|spawn)",
  child_process: "spawn",
  zod: "(config|serve/wire)",
  "smol-toml": "config",
  "toml-eslint-parser": "config",
  re2js: "patterns",
  unbash: "shell",
  chokidar: "engine",
  "jsonc-parser": "serve",
  commander: "cli",
  fflate: "bundles",
  "@opentelemetry": "otel",
  picocolors: "cli",
};

const mayImport = (folder, allowed) => ({
  name: `${folder}-imports`,
  comment: `src/${folder}/ may import from itself${allowed.length ? ` and ${allowed.join(", ")}` : " alone"}`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/${EXCEPT[folder] ? `|^src/${EXCEPT[folder]}` : ""}` },
});

export default {
  forbidden: [
    ...Object.entries(LAYERS).map(([folder, allowed]) => mayImport(folder, allowed)),
    ...Object.entries(ENTRIES).map(([folder, entry]) => ({
      name: `${folder}-has-one-entry`,
      comment: `others import src/${folder}/${entry}, not the files behind it`,
      severity: "error",
      from: { path: "^src/", pathNot: `^src/${folder}/` },
      to: { path: `^src/${folder}/`, pathNot: `^src/${folder}/${entry}$` },
    })),
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
