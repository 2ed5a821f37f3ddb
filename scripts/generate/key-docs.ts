import { readdirSync } from "node:fs";
import { settingDocs } from "../../src/config/settings.ts";

/**
 * What each key of a configuration does, in one line of Markdown: path → text. The last cells of the tables
 * in docs/reference/configuration.md and docs/reference/handlers.md, the JSON Schema and the Lua definitions are made from it.
 * Keys of a table within a hook (`match`, `shell`, `tests`, …) stand under its name alone.
 */
export const KEY_DOCS: Readonly<Record<string, string>> = {
  ...settingDocs(),
  protocol:
    "the protocol of the `shell` and `webhook` hooks in this file that name none; for files of other systems ([cocode](coming-from/cocode.md))",
  hooks: "the hooks, each with exactly one handler",
  "hooks.id":
    "the name of the hook in denials, logs and traces; must be unique. Otherwise `<file>:<point>:<n>`",
  "hooks.point":
    "when the hook runs ([hook points](hook-points.md)). Required, unless the script sets it",
  "hooks.fql": "the hook runs for calls of the components that match this pattern ([FQL](#fql))",
  "hooks.priority": "hooks with a lower number run earlier",
  "hooks.enabled": "`false` disables the hook: it is skipped",
  "hooks.match": "conditions on the payload ([match](#match)); otherwise none",
  "hooks.once": "whether the hook is removed as soon as it starts to run for the first time",
  "hooks.async":
    "whether the hook runs without being waited for: it receives a copy of the context; of its result, only `inject` counts, with the next event; a denial is logged as an error",
  "hooks.observe":
    'states that `async` at a pre point is intended; without it, `orcs check` warns. A hook that decides, but should not decide yet, has `mode = "audit"` instead',
  "hooks.stream":
    "at a post point: whether the hook sees a streamed result in chunks as they arrive, with an overlap, instead of the whole result at the end",
  "hooks.files":
    "files and folders beside the configuration that the handler needs; `orcs trust` seals them with the hook",
  "hooks.enforced":
    "whether no other configuration can replace or loosen this hook; can only be set in the [configuration of the machine](../how-to/machine.md)",
  "hooks.unsealed":
    "states that the hook intentionally runs something that `orcs trust` cannot seal, such as `npm run check`; without it, `orcs check` warns at a pre point",
  "hooks.timeout_ms": "the maximum wall-clock time of one call, including waits",
  "hooks.max_retries": "how often the hook may return `retry` for one operation",
  "hooks.options":
    "available to the script as `orcs.options`; the same script with different options has a separate state",
  "hooks.on_error":
    "what happens when the hook fails; otherwise `engine.on_error`, otherwise by phase",
  "hooks.on_store_error":
    'what happens when the [shared state](shared-state.md) cannot be used: `"closed"`, `"open"`, or `"local"`, which counts on this machine until then; otherwise `on_error`',
  "hooks.on_timeout": "what happens when the hook times out; otherwise `on_error`",
  "hooks.mode":
    'what becomes of its result: `"enforce"` applies it, `"warn"` only tells it to the person and the model, `"audit"` runs the hook after the decision and only records it ([shadow](shadow.md))',
  "hooks.rollout":
    "the per cent of the sessions in which the hook runs, by a hash of `session_id`; a call without a session is in",
  "hooks.shadow_effects":
    "with `audit`: whether tool calls and the webhook of the hook take place; they are marked",
  extends:
    "[packages of hooks](packages.md) whose hooks run: `npm:NAME`, or the path of a folder with a package.json",
  packages:
    "by name of a package: `off` lists ids of its hooks that do not run, `options` sets its options",
  mode: "the mode of all hooks of this file that have a stronger one",
  "hooks.script": `a Lua file in \`scripts.dirs\` or beside this file, or a script that ships with orcs: ${shippedScripts()}`,
  "hooks.handler_inline": "a function, a function body, or an expression whose value is the result",
  "hooks.shell": "a command for `sh -c` ([handlers](handlers.md#shell))",
  "hooks.webhook": "a URL to which the context is sent ([handlers](handlers.md#webhook))",
  "hooks.module": "a function of a JavaScript module ([handlers](handlers.md#module))",
  "hooks.handler":
    "a table: a handler that lives on between calls ([handlers](handlers.md#handler)). A text, with `type`: a command or a Python function in MassGen's spelling ([MassGen](coming-from/massgen.md))",
  "hooks.tests": "tests of the hook, for `orcs test`",
  "hooks.type":
    'belongs to `handler`: `"command"`, or `"python"` for a function `package.module.function` beside the configuration or installed',
  "match.tool": "the whole name of the tool; names and globs are separated by `|`",
  "match.tool_regex": "any part of the name of the tool; a regular expression (RE2)",
  "match.path":
    "the arguments `path`, `file_path`, `from`, `to`, `cwd`, `notebook_path`; a glob; one match is enough",
  "match.command":
    "any part of the argument `command`, or of the payload's own `command`; a regular expression (RE2)",
  "match.runs":
    "the commands that a command line would run, in any spelling; patterns such as `git push --force` and `rm -r*`; one match is enough ([what a command runs](matchers.md#what-a-command-runs))",
  "match.writes":
    "files that the call would create, append to or overwrite, whatever its tool; globs; a leading `!` leaves files out ([what a call does](matchers.md#what-a-call-does))",
  "match.removes": "files that it would remove or move away; as `writes`",
  "match.reads": "files whose content it would take in; as `writes`",
  "match.connects": "hosts that it would connect to, such as `*.example.com`; as `writes`",
  "match.unsure":
    'what happens if only an effect that is not sure matches: `"ask"`: a denial becomes a question; `"match"`: as if it were sure; `"ignore"`: nothing',
  "match.session": "the payload's `session_id`",
  "match.agent": "the payload's `agent_id`",
  "match.event":
    "at `host.pre_event`, the name of the coding agent's event; names are separated by `|`",
  "match.source": "what caused the event, or whose it is ([conditions](matchers.md#conditions))",
  agents: "hooks of one agent, by the name of the agent",
  "agents.hooks": "hooks that run only for this agent, in the form of `[[hooks]]`",
  "agents.mode": "the mode of all hooks of this agent that have a stronger one",
  "packages.off": "ids of hooks of the package that do not run",
  "packages.options": "options of its hooks, over the default values of the package",
  "agents.override": "points at which the global hooks do not run for this agent",
  "shell.command": "a command line for `sh -c`",
  "shell.pass_context": "whether the context is written to the command's standard input",
  "shell.parse_result": "whether the output is read as a result; the exit code always counts",
  "shell.protocol":
    '[the format of input and output](#protocols); with `"cocode"`, `pass_context` and `parse_result` are `false` unless set',
  "shell.background_s":
    "how long processes may live that the command leaves in the background, in seconds, at most a day; they end with the session at the latest. `0` ends them with the command. Default with another `protocol` than `orcs`: `3600`",
  "shell.env":
    "names of variables that the command inherits in addition to `PATH`, `HOME` and `LANG`",
  "module.function": "`./file.mjs#name`; without `#name`, the default export",
  "module.env":
    "names of variables of the agent's environment that the function gets as its fourth argument",
  "webhook.url":
    "`http://` or `https://`; path and query may contain `${NAME}`, whose value is percent-encoded",
  "webhook.method": '`"POST"` or `"PUT"`, in upper or lower case',
  "webhook.headers":
    "header values may contain `${NAME}`; `content-type` and `accept` are `application/json` unless set",
  "webhook.allow_env":
    "the variables that `${NAME}` may refer to; a variable that is not listed, not set or empty is an error (`ORCS1019`)",
  "webhook.allow_hosts":
    "hosts, with or without a port, that may be contacted although they are not public",
  "webhook.redact":
    "whether secrets are masked in the request ([redaction](redaction.md)); where the response keeps the mask, the original value is restored",
  "webhook.protocol": "[the format of the request and the response](#protocols)",
  "handler.process":
    "a program and its arguments, started by the first call in the folder of the configuration; exactly one of `process`, `socket` and `url` is required",
  "handler.socket": "the absolute path of a Unix socket on which the handler listens",
  "handler.url": "`http://` or `https://`; each request is a POST on a kept connection",
  "handler.protocol":
    '`"jsonrpc"` ([below](#the-protocol-jsonrpc)) or `"ahp"` ([AHP](ahp.md)); required',
  "handler.handshake": "whether the handler is asked for its version and its capabilities first",
  "handler.env":
    "with `process`: names of variables that it inherits in addition to `PATH`, `HOME` and `LANG`",
  "handler.headers": "with `url`: as for a [webhook](#webhook)",
  "handler.allow_env": "with `url`: as for a [webhook](#webhook)",
  "handler.allow_hosts": "with `url`: as for a [webhook](#webhook)",
  "handler.redact":
    "with `url`: whether secrets are masked in the request, as for a [webhook](#webhook)",
  "tests.name": "the title of the test; in Lua, the first value of the table",
  "tests.event": "the event: keys of the payload, mainly `tool` and `args`",
  "tests.events": "several events in sequence, each with its own `expect`",
  "tests.expect": "the expected outcome; keys that are left out are not compared",
  "tests.calls": "the tool calls that the hook is expected to make, in order, and their results",
  "tests.state": "the initial content of `orcs.state`",
  "tests.state_after": "the expected content of `orcs.state` afterwards, in part",
  "tests.now_ms": "the time of the clock at the start",
  "tests.time":
    "the date at which `now_ms` is 0, for `orcs.time` and `orcs.date`, default 2026-01-01",
  "tests.options": "`orcs.options`, instead of the configuration's",
  "event.point": "the point; otherwise the hook's own",
  "event.component": "the component that makes the call",
  "event.child": "the child that makes the call",
  "event.instance": "the channel of the call",
  "event.metadata": "the content of `ctx.metadata`",
  "event.payload": "the whole payload, instead of single keys",
  "event.now_ms": "the time to which the clock is set before the event",
  "expect.action": '`"continue"`, `"skip"`, `"abort"`, `"replace"` or `"retry"`',
  "expect.reason": 'the reason, or a Lua pattern that matches in it: `{ matches = "…" }`',
  "expect.decision": "the decision about permission",
  "expect.hook": "the hook that returned the action",
  "expect.result": "the result",
  "expect.delay_ms": "the delay of a retry",
  "expect.payload": "the payload after the hooks, in part",
  "expect.metadata": "the metadata after the hooks, in part",
  "expect.inject": "the texts for the model",
  "expect.error": "the hook fails with this message, or with one that a Lua pattern matches",
  "expect.logs": "log lines, in order; an empty list means none",
  "calls.tool": "the name of the tool",
  "calls.args": "the arguments; if left out, any",
  "calls.answers": "the result of the tool",
  "calls.times": "the number of such calls; default 1",
};

function shippedScripts(): string {
  const scripts = readdirSync(new URL("../../hooks", import.meta.url))
    .filter((name) => name.endsWith(".lua"))
    .map((name) => `\`orcs:${name.slice(0, -".lua".length)}\``);
  return scripts.toSorted().join(", ");
}
