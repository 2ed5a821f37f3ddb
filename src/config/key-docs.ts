/**
 * What each key of a configuration does, in one line of Markdown: path → text. The last cells of the tables
 * in docs/configuration.md and docs/handlers.md, the JSON Schema and the Lua definitions are made from it.
 * Keys of a table within a hook (`match`, `shell`, `tests`, …) stand under its name alone.
 */
export const KEY_DOCS: Readonly<Record<string, string>> = {
  debug:
    "logs everything from level debug on, instead of warnings and errors; a program that brings its own logger decides itself",
  self_guard:
    "whether coding agents are kept from switching orcs off, by the [policy](policies.md#self-guard) of that name; only your own configuration can say it",
  scripts: "where scripts are",
  "scripts.dirs": 'where `script = "…"` and `require` look',
  permissions: "what the built-in tools may do, and which commands may run without asking",
  "permissions.root": "the directory that tools cannot leave; else the working directory",
  "permissions.capabilities":
    "what tools may do at all; hooks can take more away for a call, never add",
  "permissions.env":
    "environment variables that commands get besides `PATH`, `HOME`, `LANG`, `TMPDIR`, `USER` and `TERM`; else none",
  "permissions.grants":
    'commands that begin with these words run without asking, and somebody is asked about every other; an empty list asks about all. Not set: commands need no grant. `"git status"` covers `git status -s`, not `git statusx`; plain words only, without quotes, operators and globs ([grants](runtime.md#permissions-and-grants))',
  engine: "how hooks are run",
  "engine.on_error":
    "what happens when a hook fails; else pre hooks fail closed, post and on hooks open ([actions](actions.md#when-a-hook-fails))",
  "engine.max_depth": "how deep hooks may call tools that have hooks that call tools",
  "engine.trace": "whether outcomes carry a trace of every hook",
  "engine.max_payload_mb":
    "the most that a Lua hook may give back at once, and the longest string it may read",
  "engine.test_on_reload":
    "whether a reload runs the tests of the hooks first; when one fails, the last good hooks stay",
  "engine.load_ms":
    "the longest that the scripts and modules of your own configuration may take to load, and as much again those of a project ([loading](failures.md#loading-takes-too-long)). A project cannot change it",
  lua: "the limits of scripts",
  "lua.max_run_ms":
    "the longest a script may run without waiting; ten times as long while it is loaded ([which clock](lua.md#which-clock-a-limit-uses))",
  "lua.max_chain_ms":
    "the longest that all Lua of one dispatch may run, waits aside ([which clock](lua.md#which-clock-a-limit-uses))",
  "lua.memory_mb": "memory of one script",
  "lua.isolation":
    '`"worker"` runs scripts on a thread of their own, where a watchdog ends what hangs; contexts cross as copies, which costs more. For scripts that nobody vouches for',
  hil: "how `ask` is answered (a human in the loop)",
  "hil.mode":
    'whom to ask: `"terminal"` is the question that `orcs run` asks (on stderr, answered on stdin, where both are terminals), `"callback"` the program\'s `approve`, `"deny"` refuses without asking. Not set: whoever is there, `approve` first. Nobody there is a refusal that says so',
  "hil.timeout_ms":
    "how long an answer is awaited, waiting for one's turn at the terminal included; no answer in that time is a refusal",
  model: "what `orcs.llm` asks the program's model for, where a call does not say",
  "model.provider": "who runs the model; handed to the program's function",
  "model.name": "the model; handed to the program's function",
  "model.temperature": "how freely it answers; handed to the program's function",
  paths: "where files are kept",
  "paths.state":
    "the directory where `orcs hook`, `orcs serve` and `orcs mcp` keep `orcs.state` from one run to the next; else one of the user's. Elsewhere it is kept in memory",
  "paths.audit":
    "the directory of the [audit log](audit.md); else one beside the state, for `orcs hook`, `orcs serve`, `orcs mcp` and `orcs run` alone",
  "paths.snapshots":
    "the directory where components leave what they [begin with next time](runtime.md#snapshots); without it nothing is kept",
  serve: "the service that answers for hosts",
  "serve.auto":
    "whether `orcs hook` starts a service in the background when there is none, for the next time",
  "serve.port":
    "the port on 127.0.0.1 for hosts that send their events by HTTP; 0 takes any. Not set: no HTTP",
  "serve.idle_minutes": "how long a service started in the background stays when nobody asks it",
  hosts: "what is done where a host lacks a word",
  "hosts.ask":
    '`ask` where the host cannot ask its user: `"deny"` refuses, `"pass"` says nothing, so that the host decides',
  "hosts.rewrite":
    'a rewrite that the host takes only together with an approval: `"refuse"`, or `"approve"` the call as it is rewritten',
  audit: "what is [written down](audit.md) of what the hooks decide",
  "audit.level":
    '`"decisions"` writes each dispatch in which a hook decided, changed the payload or failed, `"all"` those, too, in which none did, `"off"` none',
  "audit.fsync":
    'when lines are forced onto the disk: `"never"` leaves it to the system (they outlive a crash of the program), `"interval"` once in a second, `"always"` before the answer is given (they outlive a failure of power)',
  "audit.on_error":
    'what becomes of a decision at a pre point that cannot be written: `"closed"` refuses it (`ORCS8005`), `"open"` lets it stand',
  "audit.max_mb": "a file that would grow beyond it is set aside, and another one begun",
  "audit.keep": "how many files that were set aside are kept; not set: all of them",
  redact: "what is masked besides [what is known to be secret](redaction.md)",
  "redact.keys":
    "names whose values are masked, whatever their case and what stands between their words",
  "redact.patterns": "regular expressions (RE2); what they match in a text is masked",
  trust: "what holds for a project that nobody has trusted",
  "trust.untrusted":
    '`"warn"`, or `"deny"`: what becomes of tool calls in a discovered project that nobody has trusted. Only your own configuration can say it; `ORCS_UNTRUSTED=deny` does, too',
  ui: "how the command line looks",
  "ui.color": "not used yet: colours follow the terminal and `NO_COLOR`",
  "ui.verbose": "not used yet: whether more is shown",
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
  "hooks.script":
    "a Lua file in `scripts.dirs` or beside this file; `orcs:audit`, `orcs:mid-stream`, `orcs:narrow-caps`, `orcs:rate-limit` and `orcs:reminders` ship",
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
