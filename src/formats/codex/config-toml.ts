import { equalJson, isPlainObject } from "../../core/index.ts";
import type { TomlSettings } from "../settings-spec.ts";

const SWITCHES = ["hooks", "codex_hooks"];

/** Codex has its switch in `config.toml`, and there which hooks its user has trusted. */
export const CODEX_TOML: TomlSettings = {
  decisive: "features hooks profile profiles projects notify shell_environment_policy".split(" "),
  isWeakened(was, now) {
    const isOff = SWITCHES.some(
      (name) => isOffIn(now["features"], name) && !isOffIn(was["features"], name),
    );
    return isOff || !holds(now["hooks"], was["hooks"]) || addsOff(now["hooks"], was["hooks"]);
  },
  withoutSwitches(text) {
    let table = "";
    const lines = text.split("\n").filter((line) => {
      const [, header] = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
      if (header !== undefined) table = header;
      const name =
        table === "features" ? String.raw`(?:features\s*\.\s*)?` : String.raw`features\s*\.\s*`;
      return !new RegExp(String.raw`^\s*${name}(?:codex_)?hooks\s*=\s*false\s*(?:#.*)?$`).test(
        line,
      );
    });
    return lines.join("\n");
  },
};

function isOffIn(section: unknown, name: string): boolean {
  return isPlainObject(section) && section[name] === false;
}

/** Whether everything of a value is in another. */
function holds(now: unknown, was: unknown): boolean {
  if (!isPlainObject(was)) return was === undefined || equalJson(now, was);
  return isPlainObject(now) && Object.entries(was).every(([key, value]) => holds(now[key], value));
}

function addsOff(now: unknown, was: unknown): boolean {
  if (!isPlainObject(now)) return false;
  const old = isPlainObject(was) ? was : {};
  return Object.entries(now).some(([key, value]) =>
    key === "enabled" ? value === false && old[key] !== false : addsOff(value, old[key]),
  );
}
