---@meta

-- Types of orcs for lua-language-server. Made from the code by npm run generate; never run.
-- orcs types puts this file where an editor finds it.

---What is decided of a permission; deny refuses.
---@alias orcs.Decision "allow"|"ask"|"defer"|"deny"

---A text for the model.
---@alias orcs.Injection string|{ content: string, strategy?: "tool_result"|"user_message" }

---Answer: the chain continues; the next hook sees the changes of this one.
---@class orcs.Continue
---@field action? "continue" What happens.
---@field ctx? orcs.Context The context, as it is or with what was changed.
---@field decision? orcs.Decision What is decided of the permission.
---@field reason? string Why.
---@field inject? orcs.Injection|orcs.Injection[] Text for the model, in order.
---@field stop? boolean Skip the remaining hooks; the operation goes on.

---Answer: the operation does not run, and result is used as its result; the chain ends.
---@class orcs.Skip
---@field action "skip" What happens.
---@field result? any The result.
---@field reason? string Why.

---Answer: the operation is denied with reason; at a post point it has already run, and its result is withheld; the chain ends.
---@class orcs.Abort
---@field action "abort" What happens.
---@field reason? string Why.

---Answer: result replaces the result; the chain continues with it.
---@class orcs.Replace
---@field action "replace" What happens.
---@field result any The result.
---@field reason? string Why.

---Answer: the operation runs again after delay_ms, at most max_retries times; the chain ends.
---@class orcs.Retry
---@field action "retry" What happens.
---@field delay_ms? number Milliseconds to wait first.
---@field reason? string Why.

---What a handler may answer somewhere.
---@alias orcs.Answer orcs.Continue|orcs.Skip|orcs.Abort|orcs.Replace|orcs.Retry

---What a handler may answer at pre points.
---@alias orcs.answer.pre orcs.Continue|orcs.Skip|orcs.Abort|orcs.Retry

---What a handler may answer at post points.
---@alias orcs.answer.post orcs.Continue|orcs.Abort|orcs.Replace|orcs.Retry

---What a handler may answer at on points.
---@alias orcs.answer.on orcs.Continue

---What a handler may answer at questions.
---@alias orcs.answer.question orcs.Continue|orcs.Replace

---Conditions on a payload; all must hold.
---@class orcs.Match
---@field tool? string The whole name of the tool; names and globs are separated by `|`.
---@field tool_regex? string Any part of the name of the tool; a regular expression (RE2).
---@field path? string The arguments `path`, `file_path`, `from`, `to`, `cwd`, `notebook_path`; a glob; one match is enough.
---@field command? string Any part of the argument `command`, or of the payload's own `command`; a regular expression (RE2).
---@field runs? string|string[] The commands that a command line would run, in any spelling; patterns such as `git push --force` and `rm -r*`; one match is enough.
---@field session? string The payload's `session_id`.
---@field agent? string The payload's `agent_id`.

---A test of a hook, for orcs test.
---@class orcs.Test
---@field [1] string What it shows.
---@field event? orcs.TestEvent The event: keys of the payload, mainly `tool` and `args`.
---@field events? orcs.TestStep[] Several events in sequence, each with its own `expect`.
---@field expect? orcs.TestExpect The expected outcome; keys that are left out are not compared.
---@field calls? orcs.TestCall[] The tool calls that the hook is expected to make, in order, and their results.
---@field state? table<string, any> The initial content of `orcs.state`.
---@field state_after? table<string, any> The expected content of `orcs.state` afterwards, in part.
---@field now_ms? number The time of the clock at the start.
---@field options? table<string, any> `orcs.options`, instead of the configuration's.

---What happens in a test: words of its own, and keys of the payload.
---@class orcs.TestEvent
---@field point? orcs.Point The point; otherwise the hook's own.
---@field component? string The component that makes the call.
---@field child? string The child that makes the call.
---@field instance? string The channel of the call.
---@field metadata? table<string, any> The content of `ctx.metadata`.
---@field payload? table<string, any> The whole payload, instead of single keys.
---@field now_ms? number The time to which the clock is set before the event.
---@field tool? string The tool's name.
---@field args? table<string, any> The tool's arguments.
---@field [string] any Any other key of the payload.

---One of several events of a test.
---@class orcs.TestStep : orcs.TestEvent
---@field expect orcs.TestExpect What is to come of it.

---What is to come of an event.
---@class orcs.TestExpect
---@field action? "continue"|"skip"|"abort"|"replace"|"retry" `"continue"`, `"skip"`, `"abort"`, `"replace"` or `"retry"`.
---@field reason? string|{ matches: string } The reason, or a Lua pattern that matches in it: `{ matches = "…" }`.
---@field decision? "allow"|"ask"|"defer"|"deny"|"none" The decision about permission.
---@field hook? string The hook that returned the action.
---@field result? any The result.
---@field delay_ms? number The delay of a retry.
---@field payload? table<string, any> The payload after the hooks, in part.
---@field metadata? table<string, any> The metadata after the hooks, in part.
---@field inject? any The texts for the model.
---@field error? string|{ matches: string } The hook fails with this message, or with one that a Lua pattern matches.
---@field logs? (string|{ matches: string })[] Log lines, in order; an empty list means none.

---A call of a tool that a hook is to make, and its answer.
---@class orcs.TestCall
---@field tool? string The name of the tool.
---@field args? any The arguments; if left out, any.
---@field answers? table<string, any> The result of the tool.
---@field times? integer The number of such calls; default 1.

---What a script may say of a hook; what orcs.toml says wins.
---@class orcs.HookKeys
---@field id? string The name of the hook in denials, logs and traces; must be unique. Otherwise `<file>:<point>:<n>`.
---@field fql? string The hook runs for calls of the components that match this pattern.
---@field priority? integer Hooks with a lower number run earlier.
---@field enabled? boolean `false` disables the hook: it is skipped.
---@field match? orcs.Match Conditions on the payload; otherwise none.
---@field once? boolean Whether the hook is removed as soon as it starts to run for the first time.
---@field async? boolean Whether the hook runs without being waited for: it receives a copy of the context, and its result is ignored; a denial is logged as an error.
---@field observe? boolean States that the hook only observes, so that `async` at a pre point is intended; without it, `orcs check` warns.
---@field stream? boolean At a post point: whether the hook sees a streamed result in chunks as they arrive, with an overlap, instead of the whole result at the end.
---@field timeout_ms? integer The maximum wall-clock time of one call, including waits.
---@field max_retries? integer How often the hook may return `retry` for one operation.
---@field on_error? "open"|"closed" What happens when the hook fails; otherwise `engine.on_error`, otherwise by phase.
---@field on_timeout? "open"|"closed" What happens when the hook times out; otherwise `on_error`.
---@field files? string[] Files and folders beside the configuration that the handler needs; `orcs trust` seals them with the hook.
---@field unsealed? boolean States that the hook intentionally runs something that `orcs trust` cannot seal, such as `npm run check`; without it, `orcs check` warns at a pre point.
---@field tests? orcs.Test[] Tests of the hook, for `orcs test`.

---A hook at any point; orcs.hook.<point> knows its payload.
---@class orcs.Hook : orcs.HookKeys
---@field point? orcs.Point When it runs.
---@field handler orcs.Handler What it does.

---Every hook point.
---@alias orcs.PointName
---| "component.pre_init"
---| "component.post_init"
---| "component.pre_shutdown"
---| "component.post_shutdown"
---| "request.pre_dispatch"
---| "request.post_dispatch"
---| "signal.pre_dispatch"
---| "signal.post_dispatch"
---| "child.pre_spawn"
---| "child.post_spawn"
---| "child.pre_run"
---| "child.post_run"
---| "channel.pre_create"
---| "channel.post_create"
---| "channel.pre_destroy"
---| "channel.post_destroy"
---| "tool.pre_execute"
---| "tool.post_execute"
---| "auth.pre_check"
---| "auth.post_check"
---| "auth.on_grant"
---| "bus.pre_broadcast"
---| "bus.post_broadcast"
---| "bus.on_register"
---| "bus.on_unregister"
---| "tool.on_failure"
---| "prompt.pre_submit"
---| "prompt.post_submit"
---| "llm.pre_generate"
---| "llm.post_generate"
---| "session.on_start"
---| "session.on_end"
---| "context.pre_compact"
---| "context.post_compact"
---| "agent.pre_stop"
---| "agent.on_notification"
---| "ui.on_status_line"
---| "ui.on_file_suggestion"
---| "tool.on_list"
---| "host.pre_event"

---Other systems' names of points.
---@alias orcs.PointAlias
---| "PreToolUse"
---| "BeforeTool"
---| "PostToolUse"
---| "AfterTool"
---| "PostToolUseFailure"
---| "UserPromptSubmit"
---| "PrePromptSubmit"
---| "BeforeAgent"
---| "beforeSubmitPrompt"
---| "PostUserMessage"
---| "GenerateStart"
---| "BeforeModel"
---| "GenerateEnd"
---| "AfterModel"
---| "SessionStart"
---| "SessionEnd"
---| "SubagentStart"
---| "SubagentStop"
---| "PreCompact"
---| "PreCompress"
---| "PostCompact"
---| "Stop"
---| "AfterAgent"
---| "PermissionRequest"
---| "Notification"
---| "NotificationEvent"
---| "StatusLine"
---| "FileSuggestion"

---Where a hook stands.
---@alias orcs.Point orcs.PointName|orcs.PointAlias

---Who began an action.
---@class orcs.Principal
---@field type string What kind of principal, such as User or System.
---@field id string Which one.

---What a hook sees of the operation it stands at. payload and metadata may be changed.
---@class orcs.Context
---@field hook_point string The point's name.
---@field component_id string The component it concerns, namespace::name.
---@field channel_id string The channel it concerns.
---@field principal orcs.Principal Who began it.
---@field timestamp_ms integer Milliseconds since the engine started.
---@field payload table<string, any> What the point is about; may be changed.
---@field metadata table<string, any> A bag that goes along from the pre to the post point; may be changed.
---@field depth integer How many dispatches this one is nested in.
---@field max_depth integer How deep it may be.

---What a hook does.
---@alias orcs.Handler fun(ctx: orcs.Context): orcs.Answer|orcs.Context|nil

---Payload of component.pre_init. Before a component is initialised; abort prevents the start.
---@class orcs.payload.component.pre_init
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field snapshot? any The snapshot of the component's last run; null if there is none.
---@field [string] any Whatever else the host sends.

---Context of component.pre_init.
---@class orcs.context.component.pre_init : orcs.Context
---@field hook_point "component.pre_init" The point's name.
---@field payload orcs.payload.component.pre_init Before a component is initialised; abort prevents the start.

---A hook at component.pre_init. Before a component is initialised; abort prevents the start.
---@class orcs.hook.component.pre_init : orcs.HookKeys
---@field point "component.pre_init" When it runs.
---@field handler fun(ctx: orcs.context.component.pre_init): orcs.answer.pre|orcs.context.component.pre_init|nil What it does; it may answer continue, skip, abort, retry.

---Payload of component.post_init. After a component was initialised successfully.
---@class orcs.payload.component.post_init
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field init_result? any The return value of init.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field [string] any Whatever else the host sends.

---Context of component.post_init.
---@class orcs.context.component.post_init : orcs.Context
---@field hook_point "component.post_init" The point's name.
---@field payload orcs.payload.component.post_init After a component was initialised successfully.

---A hook at component.post_init. After a component was initialised successfully.
---@class orcs.hook.component.post_init : orcs.HookKeys
---@field point "component.post_init" When it runs.
---@field handler fun(ctx: orcs.context.component.post_init): orcs.answer.post|orcs.context.component.post_init|nil What it does; it may answer continue, abort, replace, retry.

---Payload of component.pre_shutdown. Before a component is shut down.
---@class orcs.payload.component.pre_shutdown
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field status? string The status of the channel: running, paused, failed.
---@field [string] any Whatever else the host sends.

---Context of component.pre_shutdown.
---@class orcs.context.component.pre_shutdown : orcs.Context
---@field hook_point "component.pre_shutdown" The point's name.
---@field payload orcs.payload.component.pre_shutdown Before a component is shut down.

---A hook at component.pre_shutdown. Before a component is shut down.
---@class orcs.hook.component.pre_shutdown : orcs.HookKeys
---@field point "component.pre_shutdown" When it runs.
---@field handler fun(ctx: orcs.context.component.pre_shutdown): orcs.answer.pre|orcs.context.component.pre_shutdown|nil What it does; it may answer continue, skip, abort, retry.

---Payload of component.post_shutdown. After a component was shut down.
---@class orcs.payload.component.post_shutdown
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field snapshot? any The snapshot for the next start of the component.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field [string] any Whatever else the host sends.

---Context of component.post_shutdown.
---@class orcs.context.component.post_shutdown : orcs.Context
---@field hook_point "component.post_shutdown" The point's name.
---@field payload orcs.payload.component.post_shutdown After a component was shut down.

---A hook at component.post_shutdown. After a component was shut down.
---@class orcs.hook.component.post_shutdown : orcs.HookKeys
---@field point "component.post_shutdown" When it runs.
---@field handler fun(ctx: orcs.context.component.post_shutdown): orcs.answer.post|orcs.context.component.post_shutdown|nil What it does; it may answer continue, abort, replace, retry.

---Payload of request.pre_dispatch. Before a request is delivered to its component.
---@class orcs.payload.request.pre_dispatch
---@field id string The request's id. A hook must not change it.
---@field category? string The category, such as Request; for an event, the category of the subscription.
---@field operation string The requested operation.
---@field source? string The sender of the request. A hook must not change it.
---@field target? string The component that receives the request. A hook must not change it.
---@field payload? any The data of the request.
---@field timeout_ms? integer The time limit in milliseconds, from sending to the response.
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of request.pre_dispatch.
---@class orcs.context.request.pre_dispatch : orcs.Context
---@field hook_point "request.pre_dispatch" The point's name.
---@field payload orcs.payload.request.pre_dispatch Before a request is delivered to its component.

---A hook at request.pre_dispatch. Before a request is delivered to its component.
---@class orcs.hook.request.pre_dispatch : orcs.HookKeys
---@field point "request.pre_dispatch" When it runs.
---@field handler fun(ctx: orcs.context.request.pre_dispatch): orcs.answer.pre|orcs.context.request.pre_dispatch|nil What it does; it may answer continue, skip, abort, retry.

---Payload of request.post_dispatch. After a component responded to a request.
---@class orcs.payload.request.post_dispatch
---@field id string The request's id. A hook must not change it.
---@field category? string The category, such as Request; for an event, the category of the subscription.
---@field operation string The requested operation.
---@field source? string The sender of the request. A hook must not change it.
---@field target? string The component that receives the request. A hook must not change it.
---@field payload? any The data of the request.
---@field timeout_ms? integer The time limit in milliseconds, from sending to the response.
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field response? any The response.
---@field error? string The error, if the request failed.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field [string] any Whatever else the host sends.

---Context of request.post_dispatch.
---@class orcs.context.request.post_dispatch : orcs.Context
---@field hook_point "request.post_dispatch" The point's name.
---@field payload orcs.payload.request.post_dispatch After a component responded to a request.

---A hook at request.post_dispatch. After a component responded to a request.
---@class orcs.hook.request.post_dispatch : orcs.HookKeys
---@field point "request.post_dispatch" When it runs.
---@field handler fun(ctx: orcs.context.request.post_dispatch): orcs.answer.post|orcs.context.request.post_dispatch|nil What it does; it may answer continue, abort, replace, retry.

---Payload of signal.pre_dispatch. Before a signal is delivered to its component.
---@class orcs.payload.signal.pre_dispatch
---@field signal? any The signal: kind, reason, approval_id, source.
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of signal.pre_dispatch.
---@class orcs.context.signal.pre_dispatch : orcs.Context
---@field hook_point "signal.pre_dispatch" The point's name.
---@field payload orcs.payload.signal.pre_dispatch Before a signal is delivered to its component.

---A hook at signal.pre_dispatch. Before a signal is delivered to its component.
---@class orcs.hook.signal.pre_dispatch : orcs.HookKeys
---@field point "signal.pre_dispatch" When it runs.
---@field handler fun(ctx: orcs.context.signal.pre_dispatch): orcs.answer.pre|orcs.context.signal.pre_dispatch|nil What it does; it may answer continue, skip, abort, retry.

---Payload of signal.post_dispatch. After a component handled a signal.
---@class orcs.payload.signal.post_dispatch
---@field signal? any The signal: kind, reason, approval_id, source.
---@field signal_response? any The response: handled, ignored or abort.
---@field channel_action? any The action of the channel for this signal.
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of signal.post_dispatch.
---@class orcs.context.signal.post_dispatch : orcs.Context
---@field hook_point "signal.post_dispatch" The point's name.
---@field payload orcs.payload.signal.post_dispatch After a component handled a signal.

---A hook at signal.post_dispatch. After a component handled a signal.
---@class orcs.hook.signal.post_dispatch : orcs.HookKeys
---@field point "signal.post_dispatch" When it runs.
---@field handler fun(ctx: orcs.context.signal.post_dispatch): orcs.answer.post|orcs.context.signal.post_dispatch|nil What it does; it may answer continue, abort, replace, retry.

---Payload of child.pre_spawn. Before a child is spawned; capabilities can only be removed.
---@class orcs.payload.child.pre_spawn
---@field child_config? table<string, any> The configuration of the child: id, script or code, options, timeout_ms.
---@field parent_id? string The component or child that spawned it. A hook must not change it.
---@field capabilities? integer The capabilities that the child requests. Bits can only be taken away.
---@field effective_capabilities? integer The capabilities that it receives: those that its parent has, too. Bits can only be taken away.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of child.pre_spawn.
---@class orcs.context.child.pre_spawn : orcs.Context
---@field hook_point "child.pre_spawn" The point's name.
---@field payload orcs.payload.child.pre_spawn Before a child is spawned; capabilities can only be removed.

---A hook at child.pre_spawn. Before a child is spawned; capabilities can only be removed.
---@class orcs.hook.child.pre_spawn : orcs.HookKeys
---@field point "child.pre_spawn" When it runs.
---@field handler fun(ctx: orcs.context.child.pre_spawn): orcs.answer.pre|orcs.context.child.pre_spawn|nil What it does; it may answer continue, skip, abort, retry.

---Payload of child.post_spawn. After a child was spawned.
---@class orcs.payload.child.post_spawn
---@field child_id? string The child's path below its component. A hook must not change it.
---@field parent_id? string The component or child that spawned it. A hook must not change it.
---@field capabilities? integer The capabilities of the child. Bits can only be taken away.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of child.post_spawn.
---@class orcs.context.child.post_spawn : orcs.Context
---@field hook_point "child.post_spawn" The point's name.
---@field payload orcs.payload.child.post_spawn After a child was spawned.

---A hook at child.post_spawn. After a child was spawned.
---@class orcs.hook.child.post_spawn : orcs.HookKeys
---@field point "child.post_spawn"|"SubagentStart" When it runs.
---@field handler fun(ctx: orcs.context.child.post_spawn): orcs.answer.post|orcs.context.child.post_spawn|nil What it does; it may answer continue, abort, replace, retry.

---Payload of child.pre_run. Before a child runs.
---@class orcs.payload.child.pre_run
---@field child_id? string The child's path below its component. A hook must not change it.
---@field parent_id? string The component or child that spawned it. A hook must not change it.
---@field input? any The input of the child.
---@field [string] any Whatever else the host sends.

---Context of child.pre_run.
---@class orcs.context.child.pre_run : orcs.Context
---@field hook_point "child.pre_run" The point's name.
---@field payload orcs.payload.child.pre_run Before a child runs.

---A hook at child.pre_run. Before a child runs.
---@class orcs.hook.child.pre_run : orcs.HookKeys
---@field point "child.pre_run" When it runs.
---@field handler fun(ctx: orcs.context.child.pre_run): orcs.answer.pre|orcs.context.child.pre_run|nil What it does; it may answer continue, skip, abort, retry.

---Payload of child.post_run. After a child ran.
---@class orcs.payload.child.post_run
---@field child_id? string The child's path below its component. A hook must not change it.
---@field parent_id? string The component or child that spawned it. A hook must not change it.
---@field child_result? any The result of the child.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of child.post_run.
---@class orcs.context.child.post_run : orcs.Context
---@field hook_point "child.post_run" The point's name.
---@field payload orcs.payload.child.post_run After a child ran.

---A hook at child.post_run. After a child ran.
---@class orcs.hook.child.post_run : orcs.HookKeys
---@field point "child.post_run"|"SubagentStop" When it runs.
---@field handler fun(ctx: orcs.context.child.post_run): orcs.answer.post|orcs.context.child.post_run|nil What it does; it may answer continue, abort, replace, retry.

---Payload of channel.pre_create. Before a channel's runner is spawned.
---@class orcs.payload.channel.pre_create
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field runtime_hints? any Settings of the channel: mailbox, request_timeout_ms.
---@field [string] any Whatever else the host sends.

---Context of channel.pre_create.
---@class orcs.context.channel.pre_create : orcs.Context
---@field hook_point "channel.pre_create" The point's name.
---@field payload orcs.payload.channel.pre_create Before a channel's runner is spawned.

---A hook at channel.pre_create. Before a channel's runner is spawned.
---@class orcs.hook.channel.pre_create : orcs.HookKeys
---@field point "channel.pre_create" When it runs.
---@field handler fun(ctx: orcs.context.channel.pre_create): orcs.answer.pre|orcs.context.channel.pre_create|nil What it does; it may answer continue, skip, abort, retry.

---Payload of channel.post_create. After a channel's runner started.
---@class orcs.payload.channel.post_create
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field handle? table<string, any> The handle of the channel; handle.id is its id.
---@field [string] any Whatever else the host sends.

---Context of channel.post_create.
---@class orcs.context.channel.post_create : orcs.Context
---@field hook_point "channel.post_create" The point's name.
---@field payload orcs.payload.channel.post_create After a channel's runner started.

---A hook at channel.post_create. After a channel's runner started.
---@class orcs.hook.channel.post_create : orcs.HookKeys
---@field point "channel.post_create" When it runs.
---@field handler fun(ctx: orcs.context.channel.post_create): orcs.answer.post|orcs.context.channel.post_create|nil What it does; it may answer continue, abort, replace, retry.

---Payload of channel.pre_destroy. After a runner's loop ended, before its snapshot.
---@class orcs.payload.channel.pre_destroy
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field exit_reason? string The reason why the loop ended.
---@field [string] any Whatever else the host sends.

---Context of channel.pre_destroy.
---@class orcs.context.channel.pre_destroy : orcs.Context
---@field hook_point "channel.pre_destroy" The point's name.
---@field payload orcs.payload.channel.pre_destroy After a runner's loop ended, before its snapshot.

---A hook at channel.pre_destroy. After a runner's loop ended, before its snapshot.
---@class orcs.hook.channel.pre_destroy : orcs.HookKeys
---@field point "channel.pre_destroy" When it runs.
---@field handler fun(ctx: orcs.context.channel.pre_destroy): orcs.answer.pre|orcs.context.channel.pre_destroy|nil What it does; it may answer continue, skip, abort, retry.

---Payload of channel.post_destroy. After a runner's result was collected.
---@class orcs.payload.channel.post_destroy
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field channel_id? string The channel of the component. A hook must not change it.
---@field snapshot? any The snapshot for the next start of the component.
---@field [string] any Whatever else the host sends.

---Context of channel.post_destroy.
---@class orcs.context.channel.post_destroy : orcs.Context
---@field hook_point "channel.post_destroy" The point's name.
---@field payload orcs.payload.channel.post_destroy After a runner's result was collected.

---A hook at channel.post_destroy. After a runner's result was collected.
---@class orcs.hook.channel.post_destroy : orcs.HookKeys
---@field point "channel.post_destroy" When it runs.
---@field handler fun(ctx: orcs.context.channel.post_destroy): orcs.answer.post|orcs.context.channel.post_destroy|nil What it does; it may answer continue, abort, replace, retry.

---Payload of tool.pre_execute. Before a tool runs: rewrite its arguments, skip it with a result, or deny it.
---@class orcs.payload.tool.pre_execute
---@field tool_name string The tool's name. A hook must not change it.
---@field tool? string The same name under a shorter key. A hook must not change it.
---@field args table<string, any> The arguments of the call; the tool receives changes.
---@field capabilities? integer The capabilities of the call: READ 1, WRITE 2, DELETE 4, EXECUTE 8, SPAWN 16, LLM 32, HTTP 64. Bits can only be taken away.
---@field sandbox_root? string The directory to which the tool is confined. A hook must not change it.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field cwd? string The working directory of the call, to which relative paths are relative.
---@field messages? any[] The conversation so far, as sent by the coding agent.
---@field tool_use_id? string The coding agent's id of this call. A hook must not change it.
---@field recent_tools? string[] Names of the tools called before, the most recent last.
---@field [string] any Whatever else the host sends.

---Context of tool.pre_execute.
---@class orcs.context.tool.pre_execute : orcs.Context
---@field hook_point "tool.pre_execute" The point's name.
---@field payload orcs.payload.tool.pre_execute Before a tool runs: rewrite its arguments, skip it with a result, or deny it.

---A hook at tool.pre_execute. Before a tool runs: rewrite its arguments, skip it with a result, or deny it.
---@class orcs.hook.tool.pre_execute : orcs.HookKeys
---@field point "tool.pre_execute"|"PreToolUse"|"BeforeTool" When it runs.
---@field handler fun(ctx: orcs.context.tool.pre_execute): orcs.answer.pre|orcs.context.tool.pre_execute|nil What it does; it may answer continue, skip, abort, retry.

---Payload of tool.post_execute. After a tool ran, also if it returned ok = false: replace or deny its result.
---@class orcs.payload.tool.post_execute
---@field tool_name string The tool's name. A hook must not change it.
---@field tool? string The same name under a shorter key. A hook must not change it.
---@field args table<string, any> The arguments of the call; the tool receives changes.
---@field capabilities? integer The capabilities of the call: READ 1, WRITE 2, DELETE 4, EXECUTE 8, SPAWN 16, LLM 32, HTTP 64. Bits can only be taken away.
---@field sandbox_root? string The directory to which the tool is confined. A hook must not change it.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field cwd? string The working directory of the call, to which relative paths are relative.
---@field messages? any[] The conversation so far, as sent by the coding agent.
---@field tool_use_id? string The coding agent's id of this call. A hook must not change it.
---@field recent_tools? string[] Names of the tools called before, the most recent last.
---@field result? any The result of the tool; change it with replace.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field [string] any Whatever else the host sends.

---Context of tool.post_execute.
---@class orcs.context.tool.post_execute : orcs.Context
---@field hook_point "tool.post_execute" The point's name.
---@field payload orcs.payload.tool.post_execute After a tool ran, also if it returned ok = false: replace or deny its result.

---A hook at tool.post_execute. After a tool ran, also if it returned ok = false: replace or deny its result.
---@class orcs.hook.tool.post_execute : orcs.HookKeys
---@field point "tool.post_execute"|"PostToolUse"|"AfterTool" When it runs.
---@field handler fun(ctx: orcs.context.tool.post_execute): orcs.answer.post|orcs.context.tool.post_execute|nil What it does; it may answer continue, abort, replace, retry.

---Payload of auth.pre_check. Before a permission check: can decide it.
---@class orcs.payload.auth.pre_check
---@field command? string The command, or another operation that needs permission.
---@field capabilities? integer The capabilities of the caller. Bits can only be taken away.
---@field session? any The session of the caller: id, elevated.
---@field tool_name? string The tool that requests the check. A hook must not change it.
---@field args? table<string, any> The arguments of the call.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of auth.pre_check.
---@class orcs.context.auth.pre_check : orcs.Context
---@field hook_point "auth.pre_check" The point's name.
---@field payload orcs.payload.auth.pre_check Before a permission check: can decide it.

---A hook at auth.pre_check. Before a permission check: can decide it.
---@class orcs.hook.auth.pre_check : orcs.HookKeys
---@field point "auth.pre_check"|"PermissionRequest" When it runs.
---@field handler fun(ctx: orcs.context.auth.pre_check): orcs.answer.pre|orcs.context.auth.pre_check|nil What it does; it may answer continue, skip, abort, retry.

---Payload of auth.post_check. After a permission check.
---@class orcs.payload.auth.post_check
---@field command? string The command that was checked.
---@field permission_result? any The result of the check: status, reason, grant_pattern.
---@field [string] any Whatever else the host sends.

---Context of auth.post_check.
---@class orcs.context.auth.post_check : orcs.Context
---@field hook_point "auth.post_check" The point's name.
---@field payload orcs.payload.auth.post_check After a permission check.

---A hook at auth.post_check. After a permission check.
---@class orcs.hook.auth.post_check : orcs.HookKeys
---@field point "auth.post_check" When it runs.
---@field handler fun(ctx: orcs.context.auth.post_check): orcs.answer.post|orcs.context.auth.post_check|nil What it does; it may answer continue, abort, replace, retry.

---Payload of auth.on_grant. When a permission is granted at run time.
---@class orcs.payload.auth.on_grant
---@field pattern? string The first words of the granted commands.
---@field granted_by? any The principal that granted it: type, id.
---@field [string] any Whatever else the host sends.

---Context of auth.on_grant.
---@class orcs.context.auth.on_grant : orcs.Context
---@field hook_point "auth.on_grant" The point's name.
---@field payload orcs.payload.auth.on_grant When a permission is granted at run time.

---A hook at auth.on_grant. When a permission is granted at run time.
---@class orcs.hook.auth.on_grant : orcs.HookKeys
---@field point "auth.on_grant" When it runs.
---@field handler fun(ctx: orcs.context.auth.on_grant): orcs.answer.on|orcs.context.auth.on_grant|nil What it does; it may answer continue.

---Payload of bus.pre_broadcast. Before an event is broadcast.
---@class orcs.payload.bus.pre_broadcast
---@field event? any The event: category, operation, source, payload.
---@field target_count? integer The number of subscribers.
---@field [string] any Whatever else the host sends.

---Context of bus.pre_broadcast.
---@class orcs.context.bus.pre_broadcast : orcs.Context
---@field hook_point "bus.pre_broadcast" The point's name.
---@field payload orcs.payload.bus.pre_broadcast Before an event is broadcast.

---A hook at bus.pre_broadcast. Before an event is broadcast.
---@class orcs.hook.bus.pre_broadcast : orcs.HookKeys
---@field point "bus.pre_broadcast" When it runs.
---@field handler fun(ctx: orcs.context.bus.pre_broadcast): orcs.answer.pre|orcs.context.bus.pre_broadcast|nil What it does; it may answer continue, skip, abort, retry.

---Payload of bus.post_broadcast. After an event was broadcast.
---@class orcs.payload.bus.post_broadcast
---@field event? any The event: category, operation, source, payload.
---@field delivered_count? integer The number of recipients.
---@field [string] any Whatever else the host sends.

---Context of bus.post_broadcast.
---@class orcs.context.bus.post_broadcast : orcs.Context
---@field hook_point "bus.post_broadcast" The point's name.
---@field payload orcs.payload.bus.post_broadcast After an event was broadcast.

---A hook at bus.post_broadcast. After an event was broadcast.
---@class orcs.hook.bus.post_broadcast : orcs.HookKeys
---@field point "bus.post_broadcast" When it runs.
---@field handler fun(ctx: orcs.context.bus.post_broadcast): orcs.answer.post|orcs.context.bus.post_broadcast|nil What it does; it may answer continue, abort, replace, retry.

---Payload of bus.on_register. When a component registers on the bus.
---@class orcs.payload.bus.on_register
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field subscriptions? string[] The categories of events to which it subscribes.
---@field [string] any Whatever else the host sends.

---Context of bus.on_register.
---@class orcs.context.bus.on_register : orcs.Context
---@field hook_point "bus.on_register" The point's name.
---@field payload orcs.payload.bus.on_register When a component registers on the bus.

---A hook at bus.on_register. When a component registers on the bus.
---@class orcs.hook.bus.on_register : orcs.HookKeys
---@field point "bus.on_register" When it runs.
---@field handler fun(ctx: orcs.context.bus.on_register): orcs.answer.on|orcs.context.bus.on_register|nil What it does; it may answer continue.

---Payload of bus.on_unregister. When a component leaves the bus.
---@class orcs.payload.bus.on_unregister
---@field component_id? string The component, namespace::name. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of bus.on_unregister.
---@class orcs.context.bus.on_unregister : orcs.Context
---@field hook_point "bus.on_unregister" The point's name.
---@field payload orcs.payload.bus.on_unregister When a component leaves the bus.

---A hook at bus.on_unregister. When a component leaves the bus.
---@class orcs.hook.bus.on_unregister : orcs.HookKeys
---@field point "bus.on_unregister" When it runs.
---@field handler fun(ctx: orcs.context.bus.on_unregister): orcs.answer.on|orcs.context.bus.on_unregister|nil What it does; it may answer continue.

---Payload of tool.on_failure. After a tool threw or returned ok = false.
---@class orcs.payload.tool.on_failure
---@field tool_name string The tool's name. A hook must not change it.
---@field tool? string The same name under a shorter key. A hook must not change it.
---@field args table<string, any> The arguments of the call; the tool receives changes.
---@field capabilities? integer The capabilities of the call: READ 1, WRITE 2, DELETE 4, EXECUTE 8, SPAWN 16, LLM 32, HTTP 64. Bits can only be taken away.
---@field sandbox_root? string The directory to which the tool is confined. A hook must not change it.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field cwd? string The working directory of the call, to which relative paths are relative.
---@field messages? any[] The conversation so far, as sent by the coding agent.
---@field tool_use_id? string The coding agent's id of this call. A hook must not change it.
---@field recent_tools? string[] Names of the tools called before, the most recent last.
---@field result? any The result of the tool, if there is one.
---@field error? string The error.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field [string] any Whatever else the host sends.

---Context of tool.on_failure.
---@class orcs.context.tool.on_failure : orcs.Context
---@field hook_point "tool.on_failure" The point's name.
---@field payload orcs.payload.tool.on_failure After a tool threw or returned ok = false.

---A hook at tool.on_failure. After a tool threw or returned ok = false.
---@class orcs.hook.tool.on_failure : orcs.HookKeys
---@field point "tool.on_failure"|"PostToolUseFailure" When it runs.
---@field handler fun(ctx: orcs.context.tool.on_failure): orcs.answer.on|orcs.context.tool.on_failure|nil What it does; it may answer continue.

---Payload of prompt.pre_submit. Before a user's prompt is processed.
---@class orcs.payload.prompt.pre_submit
---@field prompt string The text of the user; the agent receives changes.
---@field user_prompt? string The same text under the key of other systems.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field messages? any[] The conversation so far, as sent by the coding agent.
---@field cwd? string Working directory of the agent.
---@field [string] any Whatever else the host sends.

---Context of prompt.pre_submit.
---@class orcs.context.prompt.pre_submit : orcs.Context
---@field hook_point "prompt.pre_submit" The point's name.
---@field payload orcs.payload.prompt.pre_submit Before a user's prompt is processed.

---A hook at prompt.pre_submit. Before a user's prompt is processed.
---@class orcs.hook.prompt.pre_submit : orcs.HookKeys
---@field point "prompt.pre_submit"|"UserPromptSubmit"|"PrePromptSubmit"|"BeforeAgent"|"beforeSubmitPrompt" When it runs.
---@field handler fun(ctx: orcs.context.prompt.pre_submit): orcs.answer.pre|orcs.context.prompt.pre_submit|nil What it does; it may answer continue, skip, abort, retry.

---Payload of prompt.post_submit. After a user's message was added to the conversation.
---@class orcs.payload.prompt.post_submit
---@field prompt string The text of the user; the agent receives changes.
---@field user_prompt? string The same text under the key of other systems.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field messages? any[] The conversation so far, as sent by the coding agent.
---@field cwd? string Working directory of the agent.
---@field [string] any Whatever else the host sends.

---Context of prompt.post_submit.
---@class orcs.context.prompt.post_submit : orcs.Context
---@field hook_point "prompt.post_submit" The point's name.
---@field payload orcs.payload.prompt.post_submit After a user's message was added to the conversation.

---A hook at prompt.post_submit. After a user's message was added to the conversation.
---@class orcs.hook.prompt.post_submit : orcs.HookKeys
---@field point "prompt.post_submit"|"PostUserMessage" When it runs.
---@field handler fun(ctx: orcs.context.prompt.post_submit): orcs.answer.post|orcs.context.prompt.post_submit|nil What it does; it may answer continue, abort, replace, retry.

---Payload of llm.pre_generate. Before the model is called.
---@class orcs.payload.llm.pre_generate
---@field prompt? string The prompt for the model.
---@field system_prompt? string The instructions before the conversation.
---@field model_provider? string The provider of the model.
---@field model_name? string The model's name.
---@field available_tools? string[] Names of the tools that the model can call.
---@field messages? any[] The conversation that is sent to the model.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of llm.pre_generate.
---@class orcs.context.llm.pre_generate : orcs.Context
---@field hook_point "llm.pre_generate" The point's name.
---@field payload orcs.payload.llm.pre_generate Before the model is called.

---A hook at llm.pre_generate. Before the model is called.
---@class orcs.hook.llm.pre_generate : orcs.HookKeys
---@field point "llm.pre_generate"|"GenerateStart"|"BeforeModel" When it runs.
---@field handler fun(ctx: orcs.context.llm.pre_generate): orcs.answer.pre|orcs.context.llm.pre_generate|nil What it does; it may answer continue, skip, abort, retry.

---Payload of llm.post_generate. After the model responded.
---@class orcs.payload.llm.post_generate
---@field prompt? string The prompt for the model.
---@field system_prompt? string The instructions before the conversation.
---@field model_provider? string The provider of the model.
---@field model_name? string The model's name.
---@field available_tools? string[] Names of the tools that the model can call.
---@field messages? any[] The conversation that is sent to the model.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field response_text? string The text of the model.
---@field tool_calls? any[] The tool calls that the model requests, in the model's format.
---@field usage? table<string, any> prompt_tokens, completion_tokens and total_tokens.
---@field elapsed_ms? integer The duration of the operation in milliseconds.
---@field [string] any Whatever else the host sends.

---Context of llm.post_generate.
---@class orcs.context.llm.post_generate : orcs.Context
---@field hook_point "llm.post_generate" The point's name.
---@field payload orcs.payload.llm.post_generate After the model responded.

---A hook at llm.post_generate. After the model responded.
---@class orcs.hook.llm.post_generate : orcs.HookKeys
---@field point "llm.post_generate"|"GenerateEnd"|"AfterModel" When it runs.
---@field handler fun(ctx: orcs.context.llm.post_generate): orcs.answer.post|orcs.context.llm.post_generate|nil What it does; it may answer continue, abort, replace, retry.

---Payload of session.on_start. When a session starts.
---@class orcs.payload.session.on_start
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field system_prompt? string The instructions before the conversation.
---@field model_provider? string The provider of the model.
---@field model_name? string The model's name.
---@field [string] any Whatever else the host sends.

---Context of session.on_start.
---@class orcs.context.session.on_start : orcs.Context
---@field hook_point "session.on_start" The point's name.
---@field payload orcs.payload.session.on_start When a session starts.

---A hook at session.on_start. When a session starts.
---@class orcs.hook.session.on_start : orcs.HookKeys
---@field point "session.on_start"|"SessionStart" When it runs.
---@field handler fun(ctx: orcs.context.session.on_start): orcs.answer.on|orcs.context.session.on_start|nil What it does; it may answer continue.

---Payload of session.on_end. When a session ends.
---@class orcs.payload.session.on_end
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field system_prompt? string The instructions before the conversation.
---@field model_provider? string The provider of the model.
---@field model_name? string The model's name.
---@field total_tokens? integer Tokens of the whole session.
---@field total_tool_calls? integer Tool calls of the whole session.
---@field elapsed_ms? integer The duration of the session in milliseconds.
---@field reason? string The reason why it ended.
---@field [string] any Whatever else the host sends.

---Context of session.on_end.
---@class orcs.context.session.on_end : orcs.Context
---@field hook_point "session.on_end" The point's name.
---@field payload orcs.payload.session.on_end When a session ends.

---A hook at session.on_end. When a session ends.
---@class orcs.hook.session.on_end : orcs.HookKeys
---@field point "session.on_end"|"SessionEnd" When it runs.
---@field handler fun(ctx: orcs.context.session.on_end): orcs.answer.on|orcs.context.session.on_end|nil What it does; it may answer continue.

---Payload of context.pre_compact. Before a conversation is compacted.
---@class orcs.payload.context.pre_compact
---@field trigger? string The trigger: auto or manual.
---@field custom_instructions? string Instructions for the summary.
---@field messages? any[] The conversation; at the post point, the compacted one.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of context.pre_compact.
---@class orcs.context.context.pre_compact : orcs.Context
---@field hook_point "context.pre_compact" The point's name.
---@field payload orcs.payload.context.pre_compact Before a conversation is compacted.

---A hook at context.pre_compact. Before a conversation is compacted.
---@class orcs.hook.context.pre_compact : orcs.HookKeys
---@field point "context.pre_compact"|"PreCompact"|"PreCompress" When it runs.
---@field handler fun(ctx: orcs.context.context.pre_compact): orcs.answer.pre|orcs.context.context.pre_compact|nil What it does; it may answer continue, skip, abort, retry.

---Payload of context.post_compact. After a conversation was compacted.
---@class orcs.payload.context.post_compact
---@field trigger? string The trigger: auto or manual.
---@field custom_instructions? string Instructions for the summary.
---@field messages? any[] The conversation; at the post point, the compacted one.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of context.post_compact.
---@class orcs.context.context.post_compact : orcs.Context
---@field hook_point "context.post_compact" The point's name.
---@field payload orcs.payload.context.post_compact After a conversation was compacted.

---A hook at context.post_compact. After a conversation was compacted.
---@class orcs.hook.context.post_compact : orcs.HookKeys
---@field point "context.post_compact"|"PostCompact" When it runs.
---@field handler fun(ctx: orcs.context.context.post_compact): orcs.answer.post|orcs.context.context.post_compact|nil What it does; it may answer continue, abort, replace, retry.

---Payload of agent.pre_stop. Before an agent stops; a denial makes it continue.
---@class orcs.payload.agent.pre_stop
---@field message? string The last message of the agent.
---@field kind? string The reason why it stops.
---@field stop_hook_active? boolean Whether a hook has already made the agent continue.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of agent.pre_stop.
---@class orcs.context.agent.pre_stop : orcs.Context
---@field hook_point "agent.pre_stop" The point's name.
---@field payload orcs.payload.agent.pre_stop Before an agent stops; a denial makes it continue.

---A hook at agent.pre_stop. Before an agent stops; a denial makes it continue.
---@class orcs.hook.agent.pre_stop : orcs.HookKeys
---@field point "agent.pre_stop"|"Stop"|"AfterAgent" When it runs.
---@field handler fun(ctx: orcs.context.agent.pre_stop): orcs.answer.pre|orcs.context.agent.pre_stop|nil What it does; it may answer continue, skip, abort, retry.

---Payload of agent.on_notification. When an agent notifies its user.
---@class orcs.payload.agent.on_notification
---@field message? string The text of the notification.
---@field kind? string The kind of notification, in the coding agent's terms.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of agent.on_notification.
---@class orcs.context.agent.on_notification : orcs.Context
---@field hook_point "agent.on_notification" The point's name.
---@field payload orcs.payload.agent.on_notification When an agent notifies its user.

---A hook at agent.on_notification. When an agent notifies its user.
---@class orcs.hook.agent.on_notification : orcs.HookKeys
---@field point "agent.on_notification"|"Notification"|"NotificationEvent" When it runs.
---@field handler fun(ctx: orcs.context.agent.on_notification): orcs.answer.on|orcs.context.agent.on_notification|nil What it does; it may answer continue.

---Payload of ui.on_status_line. Requests the status line.
---@class orcs.payload.ui.on_status_line
---@field query? any The query.
---@field result? any The current value; change it with replace.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of ui.on_status_line.
---@class orcs.context.ui.on_status_line : orcs.Context
---@field hook_point "ui.on_status_line" The point's name.
---@field payload orcs.payload.ui.on_status_line Requests the status line.

---A hook at ui.on_status_line. Requests the status line.
---@class orcs.hook.ui.on_status_line : orcs.HookKeys
---@field point "ui.on_status_line"|"StatusLine" When it runs.
---@field handler fun(ctx: orcs.context.ui.on_status_line): orcs.answer.question|orcs.context.ui.on_status_line|nil What it does; it may answer continue, replace.

---Payload of ui.on_file_suggestion. Requests file names to suggest.
---@class orcs.payload.ui.on_file_suggestion
---@field query? any The query.
---@field result? any The current value; change it with replace.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of ui.on_file_suggestion.
---@class orcs.context.ui.on_file_suggestion : orcs.Context
---@field hook_point "ui.on_file_suggestion" The point's name.
---@field payload orcs.payload.ui.on_file_suggestion Requests file names to suggest.

---A hook at ui.on_file_suggestion. Requests file names to suggest.
---@class orcs.hook.ui.on_file_suggestion : orcs.HookKeys
---@field point "ui.on_file_suggestion"|"FileSuggestion" When it runs.
---@field handler fun(ctx: orcs.context.ui.on_file_suggestion): orcs.answer.question|orcs.context.ui.on_file_suggestion|nil What it does; it may answer continue, replace.

---Payload of tool.on_list. Requests the list of tools to offer.
---@class orcs.payload.tool.on_list
---@field query? any The query.
---@field result? any The current value; change it with replace.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of tool.on_list.
---@class orcs.context.tool.on_list : orcs.Context
---@field hook_point "tool.on_list" The point's name.
---@field payload orcs.payload.tool.on_list Requests the list of tools to offer.

---A hook at tool.on_list. Requests the list of tools to offer.
---@class orcs.hook.tool.on_list : orcs.HookKeys
---@field point "tool.on_list" When it runs.
---@field handler fun(ctx: orcs.context.tool.on_list): orcs.answer.question|orcs.context.tool.on_list|nil What it does; it may answer continue, replace.

---Payload of host.pre_event. An event of a coding agent that has no point of its own; payload.event is its name.
---@class orcs.payload.host.pre_event
---@field event string The name of the event, as sent by the coding agent. A hook must not change it.
---@field session_id? string The session of the agent. A hook must not change it.
---@field agent_id? string The id of the agent, as sent by the coding agent. A hook must not change it.
---@field [string] any Whatever else the host sends.

---Context of host.pre_event.
---@class orcs.context.host.pre_event : orcs.Context
---@field hook_point "host.pre_event" The point's name.
---@field payload orcs.payload.host.pre_event An event of a coding agent that has no point of its own; payload.event is its name.

---A hook at host.pre_event. An event of a coding agent that has no point of its own; payload.event is its name.
---@class orcs.hook.host.pre_event : orcs.HookKeys
---@field point "host.pre_event" When it runs.
---@field handler fun(ctx: orcs.context.host.pre_event): orcs.answer.pre|orcs.context.host.pre_event|nil What it does; it may answer continue, skip, abort, retry.

---How important a line of the log is.
---@alias orcs.LogLevel "debug"|"info"|"warn"|"error"

---What a component may be allowed.
---@alias orcs.Capability "READ"|"WRITE"|"DELETE"|"EXECUTE"|"SPAWN"|"LLM"|"HTTP"

---Every signal.
---@alias orcs.SignalKind "veto"|"cancel"|"pause"|"resume"|"approve"|"reject"

---What a component answers to a signal; abort ends its channel.
---@alias orcs.SignalResponse "handled"|"ignored"|"abort"

---What a component is asked. An event is a request that nobody waits for.
---@class orcs.Request
---@field id string The request's id.
---@field category string What kind it is; of an event, what subscriptions name.
---@field operation string What the component is asked to do.
---@field source string Who asks.
---@field target string Who is asked.
---@field payload any What it is asked with.
---@field timeout_ms integer Milliseconds from sending to the answer.

---Word from outside that overtakes what waits.
---@class orcs.Signal
---@field kind orcs.SignalKind Which signal.
---@field approval_id? string Which question approve and reject answer.
---@field reason? string Why.
---@field source? string Who sent it.

---What the script of a component returns.
---@class orcs.Component
---@field id string Its name; lua:: is put in front.
---@field subscriptions? string[] Categories of events that it wants; * is all of them.
---@field init? fun(): any Called once, after restore.
---@field on_request fun(request: orcs.Request): any Called with one request or event at a time; returns the answer.
---@field on_signal? fun(signal: orcs.Signal): orcs.SignalResponse|nil Called when a signal comes, also while a request waits.
---@field shutdown? fun(status: string) Called at the end, with what the channel was doing.
---@field snapshot? fun(): any Returns what to begin with next time; taken after shutdown.
---@field restore? fun(snapshot: any) Called before init, with what snapshot returned.

---What the script of a child returns, if not a bare function.
---@class orcs.Child
---@field run fun(input: any): any Called with what the child is given; the answer must be JSON.

---What orcs.null is.
---@class orcs.Null

---What goes along with a call of a tool.
---@class orcs.CallOptions
---@field metadata? table<string, any> What the call's hooks find in ctx.metadata.

---What a tool answers.
---@class orcs.ToolAnswer
---@field ok boolean Whether it worked.
---@field error string Why not, when it did not work.
---@field [string] any What the tool answers besides.

---How a redirection is written.
---@alias orcs.RedirectOp
---| ">"
---| ">>"
---| ">|"
---| "&>"
---| "&>>"
---| "<"
---| "<>"

---What a command line would run.
---@class orcs.ShellCommands
---@field [integer] orcs.ShellCommand The commands; the last one is opaque and stands for the rest when it could not be read.
---@field complete boolean Whether the whole line could be read.
---@field why? string Why it could not.

---A simple command that a command line would run.
---@class orcs.ShellCommand
---@field argv string[] Name and arguments as the program gets them; globs, and what is not known, as written.
---@field unknown integer[] Positions in argv of the words that are not wholly known.
---@field program string Last part of the name, such as rm of /bin/rm; empty when it is not known.
---@field redirects orcs.ShellRedirect[] Files that it reads or writes by redirection.
---@field via string[] Through what it runs, outermost first, such as sudo, sh or xargs.
---@field from string[] Programs whose output it reads from a pipe or runs as its script.
---@field cwd? string Directory it runs in; nil when it is not known.
---@field dynamic boolean Whether something of it cannot be known.
---@field opaque boolean Whether it is not known what it runs at all, or it stands for what cannot be read.

---A redirection from or to a file.
---@class orcs.ShellRedirect
---@field op orcs.RedirectOp As it is written.
---@field target string The file, as far as it is known.
---@field dynamic boolean Whether the file is not wholly known.

---What scripts can ask of the engine.
---@class orcs
---@field options table<string, any> The options of the configuration.
---@field null orcs.Null JSON's null; not nil, and true in a condition.
orcs = {}

---Values that scripts share.
---@class orcs.State
orcs.state = {}

---Register a hook. The point stands behind the last colon: "builtin::llm:tool.pre_execute".
---@param spec string The components and the point: {FQL}:{point}.
---@param handler orcs.Handler What it does.
---@return string # The hook's id.
---@overload fun(hook: orcs.hook.component.pre_init): string
---@overload fun(hook: orcs.hook.component.post_init): string
---@overload fun(hook: orcs.hook.component.pre_shutdown): string
---@overload fun(hook: orcs.hook.component.post_shutdown): string
---@overload fun(hook: orcs.hook.request.pre_dispatch): string
---@overload fun(hook: orcs.hook.request.post_dispatch): string
---@overload fun(hook: orcs.hook.signal.pre_dispatch): string
---@overload fun(hook: orcs.hook.signal.post_dispatch): string
---@overload fun(hook: orcs.hook.child.pre_spawn): string
---@overload fun(hook: orcs.hook.child.post_spawn): string
---@overload fun(hook: orcs.hook.child.pre_run): string
---@overload fun(hook: orcs.hook.child.post_run): string
---@overload fun(hook: orcs.hook.channel.pre_create): string
---@overload fun(hook: orcs.hook.channel.post_create): string
---@overload fun(hook: orcs.hook.channel.pre_destroy): string
---@overload fun(hook: orcs.hook.channel.post_destroy): string
---@overload fun(hook: orcs.hook.tool.pre_execute): string
---@overload fun(hook: orcs.hook.tool.post_execute): string
---@overload fun(hook: orcs.hook.auth.pre_check): string
---@overload fun(hook: orcs.hook.auth.post_check): string
---@overload fun(hook: orcs.hook.auth.on_grant): string
---@overload fun(hook: orcs.hook.bus.pre_broadcast): string
---@overload fun(hook: orcs.hook.bus.post_broadcast): string
---@overload fun(hook: orcs.hook.bus.on_register): string
---@overload fun(hook: orcs.hook.bus.on_unregister): string
---@overload fun(hook: orcs.hook.tool.on_failure): string
---@overload fun(hook: orcs.hook.prompt.pre_submit): string
---@overload fun(hook: orcs.hook.prompt.post_submit): string
---@overload fun(hook: orcs.hook.llm.pre_generate): string
---@overload fun(hook: orcs.hook.llm.post_generate): string
---@overload fun(hook: orcs.hook.session.on_start): string
---@overload fun(hook: orcs.hook.session.on_end): string
---@overload fun(hook: orcs.hook.context.pre_compact): string
---@overload fun(hook: orcs.hook.context.post_compact): string
---@overload fun(hook: orcs.hook.agent.pre_stop): string
---@overload fun(hook: orcs.hook.agent.on_notification): string
---@overload fun(hook: orcs.hook.ui.on_status_line): string
---@overload fun(hook: orcs.hook.ui.on_file_suggestion): string
---@overload fun(hook: orcs.hook.tool.on_list): string
---@overload fun(hook: orcs.hook.host.pre_event): string
---@overload fun(hook: orcs.Hook): string
function orcs.hook(spec, handler) end

---Remove a hook of this script.
---@param id string The hook's id.
---@return boolean # Whether there was one.
function orcs.unhook(id) end

---Run a tool through its hooks and wait for its answer.
---@param kind string The tool's name.
---@param arg? any Its arguments, or the value of its main one.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.ToolAnswer # What the tool answered; ok says whether it worked.
function orcs.get(kind, arg, options) end

---Answer: the operation is refused.
---@param reason string Why, for the agent to read.
---@return orcs.Abort # To be returned.
function orcs.deny(reason) end

---Answer: the operation may run without a check of permissions.
---@param reason? string Why, for the agent to read.
---@return orcs.Continue # To be returned.
function orcs.allow(reason) end

---Answer: somebody is asked whether the operation may run.
---@param reason? string Why, for the agent to read.
---@return orcs.Continue # To be returned.
function orcs.ask(reason) end

---Answer: the operation does not run, and this is its result.
---@param result? any Without one: null.
---@return orcs.Skip # To be returned.
function orcs.skip(result) end

---Answer: this takes the place of the result.
---@param result? any Without one: null.
---@return orcs.Replace # To be returned.
function orcs.replace(result) end

---Answer: the operation runs again.
---@param ms? number Milliseconds to wait first.
---@return orcs.Retry # To be returned.
function orcs.retry(ms) end

---Answer: a text is given to the model; the operation goes on.
---@param text orcs.Injection|orcs.Injection[] One text or several.
---@return orcs.Continue # To be returned.
function orcs.inject(text) end

---Read a value that scripts share.
---@param key string Names the value, for all scripts of the engine.
---@return any # The value, or nil.
function orcs.state.get(key) end

---Keep a value for all scripts of the engine.
---@param key string Names the value, for all scripts of the engine.
---@param value any Any JSON value; nil deletes.
function orcs.state.set(key, value) end

---Forget a value.
---@param key string Names the value, for all scripts of the engine.
---@return boolean # Whether there was one.
function orcs.state.delete(key) end

---Add to a counter, at once for all scripts.
---@param key string Names the value, for all scripts of the engine.
---@param by? number What is added; default 1.
---@param ttl_ms? number The counter ends that long after its first increment.
---@return number # The sum.
function orcs.state.incr(key, by, ttl_ms) end

---Write a line to the log.
---@param level orcs.LogLevel How important it is.
---@param value any The line; what is not a string is shown as `orcs.inspect` shows it.
---@overload fun(value: any)
function orcs.log(level, value) end

---A value as text, for people: `{ 1, 2, name = "x" }`. Metamethods are not consulted.
---@param value any What is shown.
---@return string # At most 4,096 characters.
function orcs.inspect(value) end

---Give a text to the program; the command line writes it to stderr.
---@param text string|number The text.
function orcs.emit_output(text) end

---Wait; the engine goes on with other work.
---@param ms number Milliseconds.
function orcs.sleep(ms) end

---The time, for measuring.
---@return integer # Milliseconds since the engine started.
function orcs.now_ms() end

---Make a random UUID.
---@return string # The UUID.
function orcs.uuid() end

---Write a value as JSON.
---@param value? any Any JSON value.
---@return string # The JSON.
function orcs.json_encode(value) end

---Read JSON; its null is orcs.null.
---@param text string The JSON.
---@return any # The value.
function orcs.json_decode(text) end

---Mark a table as a list, so that an empty one stays one.
---@param list? table The table; default a new one.
---@return table # The same table.
function orcs.array(list) end

---Whether a text or a value is in there; no pattern.
---@param where string|any[] A text or a list.
---@param what any A part of the text, or a value of the list.
---@return boolean # Whether it is.
function orcs.contains(where, what) end

---Whether a text begins with another; no pattern.
---@param text string The text.
---@param prefix string What it may begin with.
---@return boolean # Whether it does.
function orcs.starts_with(text, prefix) end

---Whether a path matches a glob, as in match.path.
---@param pattern string The glob; without / it matches at any depth.
---@param path string The path.
---@return boolean # Whether it does.
function orcs.glob_match(pattern, path) end

---Mask the secrets in a text or in a value.
---@param value any A text, or any JSON value.
---@return any # The text, or a copy of the value, with [redacted] in their place.
function orcs.redact(value) end

---List the simple commands that a command line would run; nothing runs.
---@param command string|string[] The line, or the words of one command as they are.
---@param cwd? string Directory it starts in; left out, cwd counts from there.
---@return orcs.ShellCommands # In the order of the line.
function orcs.shell(command, cwd) end

---Whether a command line would run one of some commands, as in match.runs; nothing runs.
---@param command string|string[] The line, or the words of one command as they are.
---@param patterns string|string[] Patterns of commands; one is enough.
---@return boolean # Whether it would, or may where it is not known, or cannot be read.
---@return string? # Why the line could not be read whole, where nothing that could be read matches.
function orcs.runs(command, patterns) end

---Follow the symbolic links of a path; it only tells where they lead.
---@param path string The path; it need not exist.
---@param cwd? string Directory it is seen from; default permissions.root.
---@return string # The absolute path that opening it would end at.
function orcs.real_path(path, cwd) end

---All arguments of exec.
---@class orcs.ExecArgs
---@field command string The command line.
---@field cwd? string Directory to run in; default the sandbox root.
---@field timeout_ms? integer Wall-clock limit; default 30000.
---@field env? table<string, string> Additional environment variables.

---What exec answers.
---@class orcs.ExecAnswer : orcs.ToolAnswer
---@field stdout string Its standard output, as text.
---@field stderr string Its standard error, as text.
---@field code integer Exit code; 128 + n if signal n ended it.

---Run a command line with sh -c. ok means code == 0; stdout and stderr are always returned. The command is not confined.
---@param command string The command line.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.ExecAnswer # ok says whether it worked.
---@overload fun(args: orcs.ExecArgs, options?: orcs.CallOptions): orcs.ExecAnswer
function orcs.exec(command, options) end

---All arguments of read.
---@class orcs.ReadArgs
---@field path string The file.

---What read answers.
---@class orcs.ReadAnswer : orcs.ToolAnswer
---@field content string The whole content, as text.
---@field size integer Size in bytes.

---Read a text file.
---@param path string The file.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.ReadAnswer # ok says whether it worked.
---@overload fun(args: orcs.ReadArgs, options?: orcs.CallOptions): orcs.ReadAnswer
function orcs.read(path, options) end

---All arguments of write.
---@class orcs.WriteArgs
---@field path string The file.
---@field content string The new content.

---What write answers.
---@class orcs.WriteAnswer : orcs.ToolAnswer
---@field size integer Number of bytes written.

---Write a text file atomically; missing directories are created.
---@param path string The file.
---@param content string The new content.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.WriteAnswer # ok says whether it worked.
---@overload fun(args: orcs.WriteArgs, options?: orcs.CallOptions): orcs.WriteAnswer
function orcs.write(path, content, options) end

---All arguments of grep.
---@class orcs.GrepArgs
---@field pattern string Regular expression (RE2).
---@field path string File or directory.

---What grep answers.
---@class orcs.GrepAnswer : orcs.ToolAnswer
---@field matches { path: string, line: integer, text: string }[] List of { path, line, text }; lines count from 1.
---@field truncated boolean true if not everything was searched or listed.

---Find matching lines in a file, or in all text files below a directory.
---@param pattern string Regular expression (RE2).
---@param path string File or directory.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.GrepAnswer # ok says whether it worked.
---@overload fun(args: orcs.GrepArgs, options?: orcs.CallOptions): orcs.GrepAnswer
function orcs.grep(pattern, path, options) end

---All arguments of glob.
---@class orcs.GlobArgs
---@field pattern string Glob, as in match.path.
---@field path? string Directory to search; default the sandbox root.

---What glob answers.
---@class orcs.GlobAnswer : orcs.ToolAnswer
---@field files string[] Sorted paths, relative to the sandbox root.
---@field truncated boolean true if there are more.

---List the files whose paths match; .git and node_modules are skipped.
---@param pattern string Glob, as in match.path.
---@param path? string Directory to search; default the sandbox root.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.GlobAnswer # ok says whether it worked.
---@overload fun(args: orcs.GlobArgs, options?: orcs.CallOptions): orcs.GlobAnswer
function orcs.glob(pattern, path, options) end

---All arguments of mkdir.
---@class orcs.MkdirArgs
---@field path string The directory.

---What mkdir answers.
---@class orcs.MkdirAnswer : orcs.ToolAnswer

---Create a directory and its missing parents.
---@param path string The directory.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.MkdirAnswer # ok says whether it worked.
---@overload fun(args: orcs.MkdirArgs, options?: orcs.CallOptions): orcs.MkdirAnswer
function orcs.mkdir(path, options) end

---All arguments of remove.
---@class orcs.RemoveArgs
---@field path string The path to remove.

---What remove answers.
---@class orcs.RemoveAnswer : orcs.ToolAnswer

---Remove a file, a link (not its target), or a directory with its content.
---@param path string The path to remove.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.RemoveAnswer # ok says whether it worked.
---@overload fun(args: orcs.RemoveArgs, options?: orcs.CallOptions): orcs.RemoveAnswer
function orcs.remove(path, options) end

---All arguments of mv.
---@class orcs.MvArgs
---@field from string The path to move.
---@field to string The new path, including the last segment.

---What mv answers.
---@class orcs.MvAnswer : orcs.ToolAnswer

---Rename a file, link or directory; an existing file is replaced.
---@param from string The path to move.
---@param to string The new path, including the last segment.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.MvAnswer # ok says whether it worked.
---@overload fun(args: orcs.MvArgs, options?: orcs.CallOptions): orcs.MvAnswer
function orcs.mv(from, to, options) end

---All arguments of scan_dir.
---@class orcs.ScanDirArgs
---@field path string The directory.

---What scan_dir answers.
---@class orcs.ScanDirAnswer : orcs.ToolAnswer
---@field entries { name: string, kind: string, size: integer }[] Sorted list of { name, kind = "file" | "dir" | "link" | "other", size }.
---@field truncated boolean true if there are more.

---List a directory.
---@param path string The directory.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.ScanDirAnswer # ok says whether it worked.
---@overload fun(args: orcs.ScanDirArgs, options?: orcs.CallOptions): orcs.ScanDirAnswer
function orcs.scan_dir(path, options) end

---All arguments of http.
---@class orcs.HttpArgs
---@field url string http: or https:.
---@field method? string Default GET, or POST with a body.
---@field headers? table<string, string> Request headers.
---@field body? string Request body.

---What http answers.
---@class orcs.HttpAnswer : orcs.ToolAnswer
---@field status integer Status code.
---@field headers table<string, string> Response headers, names in lower case.
---@field body string Response body, as text.

---Send an HTTP request. ok means that there was a response, with any status.
---@param url string http: or https:.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.HttpAnswer # ok says whether it worked.
---@overload fun(args: orcs.HttpArgs, options?: orcs.CallOptions): orcs.HttpAnswer
function orcs.http(url, options) end

---All arguments of llm.
---@class orcs.LlmArgs
---@field prompt? string The prompt.
---@field system_prompt? string The instructions before the conversation.
---@field [string] any What else the model's function understands.

---What llm answers.
---@class orcs.LlmAnswer : orcs.ToolAnswer
---@field text string The text of the model.
---@field usage table<string, any> Numbers of tokens, in the model's format.
---@field tool_calls any[] The tool calls that the model requests.

---Call the program's model.
---@param prompt? string The prompt.
---@param options? orcs.CallOptions What goes along with the call.
---@return orcs.LlmAnswer # ok says whether it worked.
---@overload fun(args: orcs.LlmArgs, options?: orcs.CallOptions): orcs.LlmAnswer
function orcs.llm(prompt, options) end

---The table that request takes.
---@class orcs.RequestOptions
---@field category? string What kind of request it is; default Request.
---@field timeout_ms? integer Milliseconds to wait for the answer.

---What request answers.
---@class orcs.RequestAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field response any What it answered.

---In the runtime: sends a request to a component; response.
---@param target string The component, namespace::name.
---@param operation string What it is to do.
---@param payload? any What it is asked with.
---@param options? orcs.RequestOptions How to ask.
---@return orcs.RequestAnswer # ok says whether it worked.
function orcs.request(target, operation, payload, options) end

---What emit_event answers.
---@class orcs.EmitEventAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field delivered integer How many were told.

---In the runtime: sends an event to all subscribers; delivered.
---@param category string What subscriptions name.
---@param operation string What happened.
---@param payload? any What there is to know of it.
---@return orcs.EmitEventAnswer # ok says whether it worked.
function orcs.emit_event(category, operation, payload) end

---The table that spawn_child takes.
---@class orcs.SpawnChildOptions
---@field id string Its name among its siblings.
---@field capabilities? orcs.Capability[] What it asks for; default all that its parent may.
---@field script? string A Lua file under the script folders.
---@field code? string Lua in place of a file.
---@field options? table<string, any> For the script, as orcs.options.
---@field timeout_ms? integer Milliseconds that one run may take.
---@field elevated? boolean false takes its parent's elevation from it.

---What spawn_child answers.
---@class orcs.SpawnChildAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field child_id string The child's path.
---@field capabilities orcs.Capability[] What it may do.
---@field skipped? any What a hook answered in place of the child.

---In the runtime: starts a child; child_id, capabilities, or skipped.
---@param options orcs.SpawnChildOptions What the child is made of.
---@return orcs.SpawnChildAnswer # ok says whether it worked.
function orcs.spawn_child(options) end

---The table that send_to_child takes.
---@class orcs.SendToChildOptions
---@field wait? boolean false: do not wait for its answer.

---What send_to_child answers.
---@class orcs.SendToChildAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field result any What it answered, when it was waited for.

---In the runtime: runs a child; result if it waits.
---@param child_id string The child.
---@param input? any What it is given.
---@param options? orcs.SendToChildOptions Whether to wait.
---@return orcs.SendToChildAnswer # ok says whether it worked.
function orcs.send_to_child(child_id, input, options) end

---What stop_child answers.
---@class orcs.StopChildAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field stopped boolean Whether there was one.

---In the runtime: ends a child and its children; stopped.
---@param child_id string The child.
---@return orcs.StopChildAnswer # ok says whether it worked.
function orcs.stop_child(child_id) end

---What check_command answers.
---@class orcs.CheckCommandAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field status "allowed"|"denied"|"requires_approval" What the check came to.
---@field reason? string Why it is not allowed.
---@field grant_pattern? string What to grant so that it is.
---@field command string The command, which hooks may have rewritten.

---In the runtime: checks whether a command may run; status (allowed, denied, requires_approval), reason, grant_pattern; ok is true if it is allowed.
---@param command string The command line.
---@return orcs.CheckCommandAnswer # ok says whether it worked.
function orcs.check_command(command) end

---The table that grant_command takes.
---@class orcs.GrantCommandOptions
---@field kind? "persistent"|"one_time" How long it lasts; default persistent.

---What grant_command answers.
---@class orcs.GrantCommandAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.

---In the runtime: allows commands that start with these words; needs approval unless the session is elevated.
---@param pattern string The first words of the commands.
---@param options? orcs.GrantCommandOptions How long it lasts.
---@return orcs.GrantCommandAnswer # ok says whether it worked.
function orcs.grant_command(pattern, options) end

---The table that send_signal takes.
---@class orcs.SendSignalOptions
---@field reason? string Why.
---@field approval_id? string Which question approve and reject answer.

---What send_signal answers.
---@class orcs.SendSignalAnswer : orcs.ToolAnswer
---@field code? string Code of the error, such as ORCS6001.
---@field response orcs.SignalResponse What it answered.

---In the runtime: sends a signal; the kind is veto, cancel, pause, resume, approve or reject; response.
---@param target string The component, namespace::name.
---@param kind orcs.SignalKind The signal.
---@param options? orcs.SendSignalOptions What goes with it.
---@return orcs.SendSignalAnswer # ok says whether it worked.
function orcs.send_signal(target, kind, options) end

---Load a module: a/b.lua for a.b, from the script directories or from what ships.
---@param name string The module.
---@return any # What it returned.
function require(name) end
