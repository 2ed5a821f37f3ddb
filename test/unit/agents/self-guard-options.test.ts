import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { HOST_NAMES } from "../../../src/core/hosts.ts";
import { HOSTS } from "../../../src/formats/hosts.ts";
import { placeHere, SCOPES, settingsPaths } from "../../../src/agents/install/settings-places.ts";
import { selfGuardOptions } from "../../../src/agents/self-guard.ts";

const { settings } = selfGuardOptions({ config: false }).selfGuard as { settings: string[] };

/** Whether a rule covers a path: it ends the path, or is a folder in it. */
function covers(rule: string, path: string): boolean {
  const whole = rule.startsWith("/") ? rule : `/${rule}`;
  return rule.endsWith("/") ? path.includes(whole) : path.endsWith(whole);
}

describe.each(HOST_NAMES)("self-guard protects what may contain hooks of %s", (host) => {
  test.each(SCOPES)("of the scope %s", (scope) => {
    const place = { ...placeHere(), project: "/p" };
    const paths = settingsPaths(host, scope, place);
    if (HOSTS[host].readsFolder) paths.push(paths[0]?.replace(/[^/]*$/, "new.json") ?? "");
    for (const path of paths) {
      expect([path, settings.some((rule) => covers(rule, path))]).toEqual([path, true]);
    }
  });

  const { folder, plugins } = HOSTS[host];
  test.runIf(plugins !== undefined)("in its plugins", () => {
    const file = join(
      placeHere().home,
      folder,
      plugins?.folder ?? "",
      "cache/orcs",
      plugins?.hooks ?? "",
    );
    expect(settings.filter((rule) => covers(rule, file))).not.toEqual([]);
  });
});
