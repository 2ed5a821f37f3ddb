import { AGENT_NAMES } from "../../src/core/hosts.ts";
import { AGENTS } from "../../src/formats/hosts.ts";
import { table } from "./table.ts";

/** An agent with hooks of its own that orcs cannot be installed in yet. */
interface OtherAgent {
  readonly label: string;
  readonly read: string;
  /** What its hooks are, by that document. */
  readonly protocol: string;
  /** What orcs would need. */
  readonly missing: string;
}

/** None of them was run. */
const OTHER_AGENTS: readonly OtherAgent[] = [
  {
    label: "Crush",
    read: "[docs/hooks](https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md), 2026-08-21",
    protocol:
      "close to Claude Code's: one event, `PreToolUse`, named in `event`; the response has `decision` (`allow`, `deny`), " +
      "`reason`, `context` and `updated_input`, which is merged with the arguments. Calls of subagents have no event",
    missing:
      "a protocol of its own, and entries in `crush.json`, which is in the project itself, not in a folder",
  },
  {
    label: "Goose",
    read: "[its guide to hooks](https://github.com/block/goose/blob/main/documentation/docs/guides/context-engineering/hooks.md), at 0825b57",
    protocol:
      "close to Claude Code's: the name is in `event`, the directory in `working_dir`, the prompt in `message`. Only " +
      '`PreToolUse` and `Stop` can be denied, with `decision: "block"` or exit code 2; nothing can be rewritten, masked or asked',
    missing: "a protocol of its own, and a plugin with a `hooks/hooks.json` in `.agents/plugins`",
  },
  {
    label: "Kiro CLI",
    read: "[its page on hooks](https://kiro.dev/docs/cli/hooks), 2026",
    protocol:
      "`agentSpawn`, `userPromptSubmit`, `preToolUse`, `postToolUse` and `stop`, named in `hook_event_name`. Only `preToolUse` " +
      "can be denied, with exit code 2; a response has no keys: nothing can be rewritten, masked or asked",
    missing:
      "a protocol of its own, and entries in the file of each agent (`.kiro/agents/*.json`), because there is none for all",
  },
  {
    label: "Cline",
    read: "[the hook examples of its SDK](https://github.com/cline/cline/blob/main/sdk/examples/hooks/README.md), 2026-08-22",
    protocol:
      "its own: a script in `.cline/hooks` for each event, named in `hookName`; the response has `cancel`, `review`, " +
      "`overrideInput` and `errorMessage`. Its documentation describes plugins of its SDK instead",
    missing: "a protocol of its own, or an adapter for its plugins",
  },
];

/** The table of agents in docs/how-to/install.md. */
export function agentTable(): string {
  return table(
    ["agent", "read", "protocol", "tried with the program"],
    AGENT_NAMES.map((name) => {
      const { label, source } = AGENTS[name];
      const { read, protocol, tried } = source;
      return [`[${label}](hosts/${name}.md)`, read, protocol, tried ?? "no"];
    }),
  );
}

/** The table of agents that orcs cannot be installed in. */
export function otherAgentTable(): string {
  return table(
    ["agent", "read", "its hooks", "missing in orcs"],
    OTHER_AGENTS.map(({ label, read, protocol, missing }) => [label, read, protocol, missing]),
  );
}
