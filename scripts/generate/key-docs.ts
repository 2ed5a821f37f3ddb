import { readdirSync } from "node:fs";
import { settingDocs } from "../../src/config/settings.ts";

/**
 * What each key of a configuration does, in one line of Markdown: path → text. The last cells of the tables
 * in docs/configuration.md and docs/handlers.md, the JSON Schema and the Lua definitions are made from it.
 * Keys of a table within a hook (`match`, `shell`, `tests`, …) stand under its name alone.
 */
export const KEY_DOCS: Readonly<Record<string, string>> = {
  ...settingDocs(),
  hooks: "the hooks, each with exactly one handler",
  "hooks.id": "names the hook in refusals, logs and traces; unique. Else `<file>:<point>:<n>`",
  "hooks.point": "when it runs ([hook points](hook-points.md)). Required, but a script can say it",
  "hooks.fql": "which components it applies to ([FQL](#fql))",
  "hooks.priority": "lower runs earlier",
  "hooks.enabled": "switched off, it is passed over",
  "hooks.match": "conditions on the payload ([match](#match)); else none",
  "hooks.once": "removed as soon as it has begun to run once",
  "hooks.async":
    "nobody waits for it: it gets a copy of the context, and what it answers is ignored; a denial is an error in the log",
  "hooks.observe":
    "it only looks on, so that `async` at a pre point is meant; without it, `orcs check` warns",
  "hooks.stream":
    "at a post point: a result that is a stream is shown piece by piece as it comes, with an overlap, and not once it has ended",
  "hooks.files":
    "files and folders beside the configuration that its handler needs, and that `orcs trust` seals with it",
  "hooks.unsealed":
    "it is known to run what `orcs trust` cannot seal, `npm run check`, say; without it, `orcs check` warns at a pre point",
  "hooks.timeout_ms": "wall clock of one call, waits included",
  "hooks.max_retries": "how often it may answer `retry` for one operation",
  "hooks.options":
    "handed to the script as `orcs.options`; the same script with other options gets a state of its own",
  "hooks.on_error": "what happens when it fails; else `engine.on_error`, else by phase",
  "hooks.on_timeout": "what happens when it takes too long; else `on_error`",
  "hooks.script": `a Lua file in \`scripts.dirs\` or beside this file, or one that ships: ${shippedScripts()}`,
  "hooks.handler_inline": "a function, the body of one, or an expression whose value is the answer",
  "hooks.shell": "a command for `sh -c` ([handlers](handlers.md#shell))",
  "hooks.webhook": "a URL that is asked ([handlers](handlers.md#webhook))",
  "hooks.module": "a function of a JavaScript module ([handlers](handlers.md#module))",
  "hooks.handler":
    "MassGen's spelling of a command, with `type`; its answers are read as MassGen's",
  "hooks.tests": "tests of the hook, for `orcs test`",
  "hooks.type": 'goes with `handler`; a `"python"` callable is refused with a hint',
  "match.tool": "the whole name of the tool, by names and globs separated by `|`",
  "match.tool_regex": "the name of the tool, by a regular expression (RE2)",
  "match.path":
    "the arguments `path`, `file_path`, `from`, `to`, `cwd`, `notebook_path`, by a glob; one is enough",
  "match.command": "the argument `command`, or the payload's, by a regular expression (RE2)",
  "match.runs":
    "commands such as `git push --force` and `rm -r*`, one of which the command line would run, however it is spelt ([what a command runs](matchers.md#what-a-command-runs))",
  "match.session": "the payload's `session_id`",
  "match.agent": "the payload's `agent_id`",
  agents: "hooks of one agent, by its name",
  "agents.hooks": "hooks that run for this agent alone, written as `[[hooks]]`",
  "agents.override": "points at which the global hooks do not run for this agent",
  "shell.command": "a line for `sh -c`",
  "shell.pass_context": "whether the context is written to its standard input",
  "shell.parse_result": "whether what it prints is an answer; its exit code is one in any case",
  "shell.protocol":
    '[how it is told and how it answers](#protocols); with `"cocode"`, `pass_context` and `parse_result` are `false` unless set',
  "shell.env": "names of variables that it inherits besides `PATH`, `HOME` and `LANG`",
  "webhook.url":
    "`http://` or `https://`; may hold `${NAME}` in path and query, where the value is percent-encoded",
  "webhook.method": '`"POST"` or `"PUT"`, in any case',
  "webhook.headers":
    "their values may hold `${NAME}`; `content-type` and `accept` are `application/json` unless set",
  "webhook.allow_env":
    "the variables that `${NAME}` may stand for; one that is not listed, not set or empty is a mistake (`ORCS1019`)",
  "webhook.allow_hosts":
    "hosts, with or without a port, that may be reached although they are not public",
  "webhook.redact":
    "whether secrets in what is sent are masked ([redaction](redaction.md)); what the answer leaves masked is what it was before",
  "webhook.protocol": "[what is sent, and how the answer is read](#protocols)",
  "tests.name": "what it shows; in Lua the first value of the table",
  "tests.event": "what happens: keys of the payload, `tool` and `args` above all",
  "tests.events": "several events, one after the other, each with an `expect` of its own",
  "tests.expect": "what is to come of it; what is left out may be anything",
  "tests.calls": "the tools that the hook is to call, in order, and what they answer",
  "tests.state": "what `orcs.state` holds before",
  "tests.state_after": "what `orcs.state` holds afterwards, in part",
  "tests.now_ms": "what the clock shows at the start",
  "tests.options": "`orcs.options`, in place of the configuration's",
  "event.point": "the point; else the hook's own",
  "event.component": "the component it concerns",
  "event.child": "the child it concerns",
  "event.instance": "the channel it concerns",
  "event.metadata": "what `ctx.metadata` holds",
  "event.payload": "the whole payload, in place of single keys",
  "event.now_ms": "what the clock is set to before it",
  "expect.action": '`"continue"`, `"skip"`, `"abort"`, `"replace"` or `"retry"`',
  "expect.reason": 'the reason, or a Lua pattern that is found in it: `{ matches = "…" }`',
  "expect.decision": "what is decided of the permission",
  "expect.hook": "the hook whose action it is",
  "expect.result": "the result",
  "expect.delay_ms": "the wait of a retry",
  "expect.payload": "the payload as the hooks leave it, in part",
  "expect.metadata": "the metadata as the hooks leave it, in part",
  "expect.inject": "the texts for the model",
  "expect.error": "the hook fails with this message, or one that a Lua pattern is found in",
  "expect.logs": "lines of the log, in order; an empty list: none",
  "calls.tool": "the name of the tool",
  "calls.args": "its arguments; left out: any",
  "calls.answers": "what the tool answers",
  "calls.times": "how often it is called so; default 1",
};

function shippedScripts(): string {
  const scripts = readdirSync(new URL("../../hooks", import.meta.url))
    .filter((name) => name.endsWith(".lua"))
    .map((name) => `\`orcs:${name.slice(0, -".lua".length)}\``);
  return scripts.toSorted().join(", ");
}
