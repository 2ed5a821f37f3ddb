-- mask-secrets: masks secrets (with orcs.redact) in what a model reads and, if configured, in what
-- tools send out.
--
--   [[hooks]]
--   script = "orcs:mask-secrets"
--   options = { prompts = "refuse", args = "refuse", except = ["mcp__vault__*"] }
--
-- docs/reference/redaction.md describes what counts as a secret; `keys` and `patterns` of [redact] in the
-- configuration extend it.
--
-- Options:
--   results    results of tools, including those that hooks call: "mask" (default) or "off"
--   prompts    what users write, and what is sent to the model (prompt, instructions, messages):
--              "mask" (default), "refuse" (the user's prompt is denied; what is sent to the model
--              is masked) or "off"
--   args       arguments of tools that leave the machine: "mask" (sent with [redacted]), "refuse"
--              or "off" (default). Secrets in URLs, such as signatures, count as well
--   outgoing   tools whose arguments leave the machine, for `args`: names or globs; default:
--              "http", "WebFetch", "web_fetch", "WebSearch", "web_search", "google_web_search" and
--              "mcp__*". Tools with an argument `url` always count
--   writes     edits and writes of files that would replace a secret by its mask: "refuse" (default) or
--              "off"
--   responses  responses of components (request.post_dispatch): "mask" or "off" (default)
--   except     tools whose results and arguments are not masked, names or globs; default: none
--   notice     whether the model is informed that something was masked; default true
--   name       prefix of the hook ids; default "mask-secrets". A second one needs its own
--
-- It fails closed: if it fails, the operation is denied or the result is withheld (on_error is
-- "closed" by default; the configuration can override it). Parts of a result that hooks cannot read
-- are replaced with [redacted]. A result above about 4 MB takes longer than a script may run
-- (lua.max_run_ms), and is withheld.
--
-- It does not mask
--   - secrets that redaction does not recognise, or that are encoded or in an image
--   - prompts of Claude Code and Codex, which cannot replace a prompt, and of Cursor, which refuses
--     a changed one: these pass unchanged with a warning in the log, or are denied. For Gemini CLI
--     and programs of your own, prompts are masked on their way to the model
--   - results that a coding agent does not let hooks change: those of Cursor's own tools, errors at
--     tool.on_failure, what is shown to the user or stored in a transcript, what a tool streams
--     while it runs, and what is read without a tool (files that a user mentions). Codex and Gemini
--     CLI give a masked result to the model as another text
--   - what commands send (`curl -H "…"`), unless `exec` is in `outgoing`: then commands run with
--     masked arguments, and rarely work
--   - what the model writes
-- A model that reads a masked file may write [redacted] back. The notice says not to, and `writes`
-- denies it: a text with more masks than the text that it replaces, in a file that has a secret. A
-- file without a secret may say [redacted]. It does not detect what a shell writes (sed -i), and of
-- files outside the sandbox root only edits that name the text that they replace.

local checks = require "policy.options"

local options = checks.read("mask-secrets", {
  results = { of = { "mask", "off" } }, prompts = { of = { "mask", "refuse", "off" } },
  args = { of = { "off", "mask", "refuse" } }, responses = { of = { "off", "mask" } }, writes = { of = { "refuse", "off" } },
  outgoing = {
    kind = "tools", default = { "http", "WebFetch", "web_fetch", "WebSearch", "web_search", "google_web_search", "mcp__*" },
  },
  except = { kind = "tools", default = {} }, notice = { kind = "boolean", default = true },
  name = { kind = "name", default = "mask-secrets" },
})
local outgoing = orcs.options.outgoing
local is_sensible = outgoing == nil or options.args ~= "off"
checks.expect_of("mask-secrets")(is_sensible, "outgoing", outgoing, 'args = "mask" or "refuse" with it')

local is_excepted, is_outgoing = checks.tool_test(options.except), checks.tool_test(options.outgoing)

local MASK = "[redacted]"

-- Whether keys of a table may have been masked.
local function is_renamed(masked)
  for name in pairs(masked) do
    if type(name) == "string" and name:find(MASK, 1, true) then return true end
  end
  return false
end

-- Writes only the values that were masked. Returns whether there were any.
local function put(owner, key, masked)
  local now = owner[key]
  if type(masked) ~= "table" or is_renamed(masked) then
    -- A null in the payload is read as nil; there is nothing to mask.
    if masked == now or masked == orcs.null then return false end
    owner[key] = masked
    return true
  end
  local changed = false
  for name, value in pairs(masked) do changed = put(now, name, value) or changed end
  return changed
end

-- Masks the values of the given keys of a payload. Returns whether there was anything to mask.
local function mask(payload, ...)
  local changed = false
  for _, key in ipairs({ ... }) do
    changed = put(payload, key, orcs.redact(payload[key])) or changed
  end
  return changed
end

-- Arguments of tools that write, in lower case and without _: the text, what it replaces, and the file.
local NEW = { "content", "contents", "filetext", "newstring", "newstr", "newtext", "newsource", "inserttext", "codeedit", "text" }
local OLD = { "oldstring", "oldstr", "oldtext" }
local FILE = { "path", "filepath", "absolutepath", "targetfile", "notebookpath", "file", "filename" }

local function one_of(names, args)
  local by_name = {}
  for name, value in pairs(args) do
    if type(name) == "string" and type(value) == "string" then by_name[name:lower():gsub("_", "")] = value end
  end
  for _, name in ipairs(names) do
    if by_name[name] then return by_name[name] end
  end
end

-- How often a text says [redacted].
local function masks(text)
  local _, count = text:gsub("%[redacted%]", "")
  return count
end

-- The texts that a call writes with more masks than what they replace, and the text replaced, if the
-- call has it.
local function masked_edits(args)
  local found = {}
  local lists = { args }
  for _, name in ipairs({ "edits", "changes", "replacements" }) do
    if type(args[name]) == "table" then
      for _, edit in ipairs(args[name]) do
        if type(edit) == "table" then lists[#lists + 1] = edit end
      end
    end
  end
  for _, edit in ipairs(lists) do
    local new, old = one_of(NEW, edit), one_of(OLD, edit)
    if new and masks(new) > (old and masks(old) or 0) then found[#found + 1] = { new = new, old = old } end
  end
  return found
end

local function has_secret(text) return orcs.redact(text) ~= text end

-- Marks the calls of this file, whose results it does not mask: only hooks can set it.
local OWN = "compares a file"

-- Whether the edits put a mask where a file has a secret.
local function replaces_secret(edits, file)
  local now = orcs.read(file, { metadata = { mask_secrets = OWN } })
  for _, edit in ipairs(edits) do
    if not now.ok then
      if edit.old and has_secret(edit.old) then return true end
    elseif has_secret(now.content) and (edit.old or masks(edit.new) > masks(now.content)) then
      return true
    end
  end
  return false
end

local MASKED_WRITE = "mask-secrets: this would replace a secret in %s with [redacted]: the file holds the secret, and [redacted] is "
  .. "only what you were shown. Edit the other lines only, with an edit that leaves the line with the secret out."

local MASKED_RESULT = "mask-secrets: secrets in this result were replaced by [redacted]. Work without them, and do not "
  .. "write [redacted] back: where a secret is needed, use the variable or the file that holds it."
local MASKED_ARGS = "mask-secrets: secrets in the arguments of this call were replaced by [redacted]."
local MASKED_PROMPT = "mask-secrets: secrets in the user's prompt were replaced by [redacted]."
local REFUSED_ARGS = "mask-secrets: the arguments of %s contain a secret that would leave the machine. Omit it, "
  .. "or let the user make this call."
local REFUSED_PROMPT = "mask-secrets: the prompt contains what looks like a secret. Rewrite it without the secret, and say where it is "
  .. "stored: the name of a variable or a file."
local PASSED_PROMPT = "mask-secrets: a prompt contains a secret, but the coding agent does not accept a replaced prompt; "
  .. 'prompts = "refuse" denies it'

local function told(text, strategy)
  if not options.notice then return nil end
  return { inject = { content = text, strategy = strategy } }
end

-- Coding agents whose prompts are masked on their way to the model.
local LATER = { ["agent::gemini"] = true }

-- Whether the model reads the original result whatever hooks do, as with Cursor's own tools. No
-- notice is injected then; the log reports that the result was not replaced.
local function is_kept(ctx)
  return ctx.component_id == "agent::cursor" and not orcs.starts_with(ctx.payload.tool_name, "mcp__")
end

return {
  {
    id = options.name .. "-results",
    point = "tool.post_execute",
    priority = 990, -- after hooks that may change the result
    on_error = "closed",
    handler = function(ctx)
      if options.results ~= "mask" or is_excepted(ctx.payload) then return nil end
      if ctx.metadata.mask_secrets == OWN then return nil end
      if not mask(ctx.payload, "result") or is_kept(ctx) then return nil end
      return told(MASKED_RESULT, "tool_result")
    end,
    tests = {
      {
        "masks secrets in a text, and says so",
        event = { tool = "read", result = "user = bob\npassword = hunter2\n" },
        expect = {
          result = "user = bob\npassword = [redacted]\n",
          inject = { { content = { matches = "do not write %[redacted%] back" }, strategy = "tool_result" } },
        },
      },
      {
        "says nothing where nothing was masked",
        event = { tool = "read", result = { content = "the password is asked for" } },
        expect = { result = { content = "the password is asked for" }, inject = {} },
      },
    },
  },
  {
    id = options.name .. "-writes",
    point = "tool.pre_execute",
    priority = 6, -- before `args` puts masks in
    handler = function(ctx)
      local args = ctx.payload.args
      if options.writes ~= "refuse" or type(args) ~= "table" then return nil end
      local file = one_of(FILE, args)
      local edits = file and masked_edits(args) or {}
      if #edits == 0 then return nil end
      local cwd = ctx.payload.cwd
      local is_absolute = file:find("^[/\\]") or file:find("^%a:[/\\]")
      if not is_absolute and type(cwd) == "string" then file = cwd .. "/" .. file end
      if replaces_secret(edits, file) then return orcs.deny(MASKED_WRITE:format(file)) end
    end,
    tests = {
      {
        "refuses a mask in the place of a secret",
        event = { tool = "edit", args = { path = "/none/.env", old_string = "PASSWORD=hunter2", new_string = "PASSWORD=[redacted]\nA=1" } },
        calls = { { "read", answers = { content = "PASSWORD=hunter2\nB=2" } } },
        expect = { action = "abort", reason = { matches = "^mask%-secrets: this would replace a secret in /none/%.env" } },
      },
    },
  },
  {
    id = options.name .. "-args",
    point = "tool.pre_execute",
    priority = 990, -- after rewrites, and after guards, which check the original
    handler = function(ctx)
      local payload = ctx.payload
      if options.args == "off" or is_excepted(payload) then return nil end
      if payload.args.url == nil and not is_outgoing(payload) then return nil end
      if not mask(payload, "args") then return nil end
      if options.args == "mask" then
        return told(MASKED_ARGS)
      end
      return orcs.deny(REFUSED_ARGS:format(payload.tool_name))
    end,
    tests = {
      {
        "masks what leaves the machine",
        options = { args = "mask" },
        events = {
          {
            tool = "mcp__a__b",
            args = { text = "PASSWORD=hunter2" },
            expect = { payload = { args = { text = "PASSWORD=[redacted]" } }, inject = { { matches = "arguments of this call" } } },
          },
          {
            tool = "browse",
            args = { url = "https://bob:hunter2@example.com/" },
            expect = { payload = { args = { url = "https://bob:[redacted]@example.com/" } } },
          },
          {
            tool = "exec",
            args = { command = "login --password hunter2" },
            expect = { payload = { args = { command = "login --password hunter2" } }, inject = {} },
          },
          { tool = "http", args = { url = "https://example.com/" }, expect = { inject = {} } },
        },
      },
      {
        "refuses it when told so",
        options = { args = "refuse" },
        event = { tool = "http", args = { headers = { Authorization = "Bearer abcdefgh12345678" } } },
        expect = { action = "abort", reason = { matches = "^mask%-secrets: the arguments of http contain a secret" } },
      },
    },
  },
  {
    id = options.name .. "-prompts",
    point = "prompt.pre_submit",
    priority = 990,
    handler = function(ctx)
      local payload = ctx.payload
      if options.prompts == "off" then return nil end
      if options.prompts == "mask" and type(payload.host) == "table" then
        if not LATER[ctx.component_id] and orcs.redact(payload.prompt) ~= payload.prompt then
          orcs.log("warn", PASSED_PROMPT)
        end
        return nil
      end
      if not mask(payload, "prompt") then return nil end
      if options.prompts == "mask" then
        return told(MASKED_PROMPT)
      end
      return orcs.deny(REFUSED_PROMPT)
    end,
    tests = {
      {
        "masks what a user writes",
        event = { prompt = "use --token abc123 now" },
        expect = { payload = { prompt = "use --token [redacted] now" }, inject = { { matches = "the user's prompt" } } },
      },
    },
  },
  {
    id = options.name .. "-model",
    point = "llm.pre_generate",
    priority = 990,
    handler = function(ctx)
      if options.prompts ~= "off" then mask(ctx.payload, "prompt", "system_prompt", "messages") end
    end,
    tests = {
      {
        "masks what goes to the model",
        event = {
          prompt = "--token abc123",
          system_prompt = "PASSWORD=hunter2",
          messages = { { role = "user", content = { { type = "text", text = "PASSWORD=hunter2" } } } },
        },
        expect = {
          payload = {
            prompt = "--token [redacted]",
            system_prompt = "PASSWORD=[redacted]",
            messages = { { role = "user", content = { { type = "text", text = "PASSWORD=[redacted]" } } } },
          },
        },
      },
    },
  },
  {
    id = options.name .. "-responses",
    point = "request.post_dispatch",
    priority = 990,
    on_error = "closed",
    handler = function(ctx)
      if options.responses == "mask" then mask(ctx.payload, "response", "error") end
    end,
    tests = {
      {
        "masks what components answer, when told so",
        options = { responses = "mask" },
        event = { id = "1", operation = "get", response = { password = "a" }, error = "no token=abc123" },
        expect = { payload = { response = { password = "[redacted]" }, error = "no token=[redacted]" } },
      },
    },
  },
}
