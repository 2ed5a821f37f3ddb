import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { atFileEnd } from "../../file-end.ts";
import type { HostName } from "../../../src/core/hosts.ts";
import type { HostEvent } from "../../../src/formats/host-protocol.ts";
import { recordsFolder } from "../../../src/agents/install/install-record.ts";
import type { InstallContext, InstallPlan } from "../../../src/agents/install/plan.ts";
import {
  applyPlan,
  planInstall,
  planStatus,
  planSync,
  planUninstall,
} from "../../../src/agents/install/plan.ts";
import type { Scope } from "../../../src/agents/install/settings-places.ts";
import { machineSettingsPath, settingsPath } from "../../../src/agents/install/settings-places.ts";
import type { UsedPoint } from "../../../src/agents/install/wanted-events.ts";

type HostEvents = Readonly<Record<string, HostEvent>>;

/** A table of events of its own: what hosts have is not what is tested. */
export const EVENTS: HostEvents = {
  Before: { point: "tool.pre_execute", refusable: true, timeoutMs: 600_000 },
  BeforeShell: { point: "tool.pre_execute", refusable: true, timeoutMs: 600_000, installed: false },
  After: { point: "tool.post_execute", refusable: false, timeoutMs: 600_000 },
  Prompt: { point: "prompt.pre_submit", refusable: true, timeoutMs: 30_000, longestMs: 30_000 },
  End: { point: "session.on_end", refusable: false, timeoutMs: 1_500, longestMs: 1_500 },
  Odd: { point: "host.pre_event", refusable: true, timeoutMs: 600_000 },
  Worktree: { point: "host.pre_event", refusable: true, timeoutMs: 600_000, installed: false },
};

export function used(...points: readonly string[]): UsedPoint[] {
  return points.map((point) => ({ point, hooks: [`on-${point}`], longestMs: 30_000 }));
}

const temporary: string[] = [];
atFileEnd(() => {
  for (const dir of temporary.splice(0)) {
    rmSync(dir, { recursive: true, force: true });
  }
});

/** A machine of one person: a home and a project in it. */
export class Machine {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "orcs-install-")));
  readonly around: InstallContext;
  /** The hook points of each configuration, the found one without a name. */
  readonly uses: Record<string, UsedPoint[]> = { "": used("tool.pre_execute") };
  /** The file of the configuration that is found. */
  config: string;

  constructor() {
    temporary.push(this.root);
    const machine = { root: join(this.root, "machine"), owner: process.getuid?.() ?? 0 };
    const place = {
      env: {},
      home: join(this.root, "home"),
      project: join(this.root, "project"),
      machine: { ...machine, platform: "linux" as const },
    };
    this.around = { place, records: recordsFolder(place), programs: ["/opt/o/main.js"] };
    this.config = this.write("project/orcs.toml", "");
  }

  path(host: HostName, scope: Scope = "user"): string {
    const { place } = this.around;
    return scope === "machine"
      ? (machineSettingsPath(host, place) ?? "")
      : settingsPath(host, scope, place);
  }

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  async install(
    host: HostName,
    options: { scope?: Scope; program?: string; config?: string; events?: HostEvents } = {},
  ) {
    const { scope = "user", program = "node /opt/o/main.js", config, events } = options;
    const target = { host, scope, path: this.path(host, scope) };
    return this.carryOut(
      await planInstall(target, { program, config }, this.#needs(events), this.around),
    );
  }

  async sync(host: HostName, scope: Scope = "user", events?: HostEvents) {
    const target = { host, scope, path: this.path(host, scope) };
    const plan = await planSync(target, this.#needs(events), this.around);
    return plan && this.carryOut(plan);
  }

  uninstall(host: HostName, scope: Scope = "user") {
    const plan = planUninstall({ host, scope, path: this.path(host, scope) }, this.around);
    return plan && this.carryOut(plan);
  }

  carryOut(plan: InstallPlan) {
    applyPlan(plan, this.around.records);
    return { status: planStatus(plan), events: plan.events, notes: plan.notes };
  }

  /** Everything in the home and the project but the records: bytes and mode of each file, each folder. */
  snapshot(): Record<string, string> {
    const entries = ["home", "project"]
      .map((name) => join(this.root, name))
      .filter((dir) => existsSync(dir))
      .flatMap((dir) => readdirSync(dir, { recursive: true, withFileTypes: true }));
    return Object.fromEntries(
      entries
        .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
        .filter(({ path }) => !relative(this.root, path).startsWith("home/.local"))
        .map(({ entry, path }) => {
          const { mode } = statSync(path, { throwIfNoEntry: false }) ?? { mode: 0 };
          const holds = entry.isFile() ? readFileSync(path).toString("base64") : "";
          const kind = entry.isSymbolicLink() ? "link" : mode.toString(8);
          return [relative(this.root, path), `${kind} ${holds}`];
        }),
    );
  }

  #needs(events = EVENTS) {
    return {
      events,
      used: (config: string | undefined) =>
        Promise.resolve({ config: config ?? this.config, points: this.uses[config ?? ""] ?? [] }),
    };
  }
}
