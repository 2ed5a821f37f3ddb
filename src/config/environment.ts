import { jsonOr, setOwn } from "../core/index.ts";
import { USER_FOLDERS } from "../machine/index.ts";
import { SETTINGS_SHAPE } from "./settings.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The configuration in the variables `ORCS_<SECTION>_<KEY>`: `ORCS_LUA_MEMORY_MB=32` is `lua.memory_mb = 32`,
 * `ORCS_DEBUG=1` is `debug = true`. Lists are JSON or separated by commas. An unknown key stays in the tree, so it is
 * reported like any other error.
 * @returns undefined when no variable is set
 */
export function environmentTree(env: Variables): Record<string, unknown> | undefined {
  const tree: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined || !name.startsWith(PREFIX) || FOLDERS.has(name)) continue;
    if (name === UNTRUSTED && value === "deny") setOwn(tree, "trust", { untrusted: value });
    const rest = name.slice(PREFIX.length).toLowerCase();
    const section = SECTIONS.find((known) => rest === known || rest.startsWith(`${known}_`));
    if (section === undefined) continue;
    if (rest === section) {
      setOwn(
        tree,
        section,
        readAs(value, (read) => fits(section, read)),
      );
      continue;
    }
    const key = rest.slice(section.length + 1);
    const read = readAs(value, (candidate) => fits(section, { [key]: candidate }));
    const table = (tree[section] ?? {}) as Record<string, unknown>;
    setOwn(table, key, read);
    setOwn(tree, section, table);
  }
  return Object.keys(tree).length === 0 ? undefined : tree;
}

const PREFIX = "ORCS_";
/** Contains "deny" or nothing; for a machine that is configured once for everything that runs on it. */
const UNTRUSTED = "ORCS_UNTRUSTED";
/** Variables that are no settings: `ORCS_STATE_HOME` is no key `home` of `[state]`. */
const FOLDERS: ReadonlySet<string> = new Set(Object.values(USER_FOLDERS));
const SECTIONS = Object.keys(SETTINGS_SHAPE) as (keyof typeof SETTINGS_SHAPE)[];

/** The reading of a text that the schema accepts; if it accepts none, the text itself, for the message. */
function readAs(text: string, takes: (value: unknown) => boolean): unknown {
  const json = jsonOr(text);
  const list = text.split(",").map((item) => item.trim());
  const flag = { "1": true, "0": false, true: true, false: false }[text.toLowerCase()];
  const readings = [json, text, list, flag].filter((reading) => reading !== undefined);
  return readings.find(takes) ?? json ?? text;
}

function fits(section: keyof typeof SETTINGS_SHAPE, value: unknown): boolean {
  return SETTINGS_SHAPE[section].safeParse(value).success;
}
