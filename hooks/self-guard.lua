-- self-guard: prevents an agent from switching orcs off. It is part of every installation of orcs
-- into a coding agent and runs before all other hooks; only the user's own configuration
-- (~/.config/orcs/orcs.toml) can disable it: self_guard = false.
--
-- It denies, for every tool that runs or writes
--   - changing, removing or moving the files of orcs: the trust store, seals and state, the audit
--     log, the program itself, the folder of the service's socket and token, and folders, links and globs that contain
--     them or lead there
--   - commands that loosen protection (orcs trust, uninstall, …), however orcs is started; removing the program, and
--     ending the service by name
-- It asks for approval (a coding agent that cannot ask denies) before
--   - changes of the user's own configuration, of the settings of a coding agent (unless a tool that edits files
--     provides a text that parses, keeps every entry of orcs and every existing hook, and disables nothing), of any
--     file beside the hooks of Copilot CLI, where a new one may run after orcs, and of hook files in a dev-trusted
--     project, because they would be active at once
--   - operations that may change any of these: words known only to the shell in a command that also
--     contains such a path, code that contains one and writes, folders that are copied or unpacked
--     over one, unknown programs
--   - replacing orcs with another one, and starting a coding agent without its hooks or with other settings
--   - a command of orcs that is known only to the shell, and a line that cannot be parsed and contains orcs
-- Reading is allowed: cat, ls, grep, git diff, cp of these files to other places; orcs list, check,
-- test, eval, audit show, trust --show.
--
-- orcs sets the options itself, independently of the environment of an agent's command. A program
-- whose configuration lists the policy can set more:
--   state, program, runtime   protected folders: absolute
--   package                   the folder of orcs, protected or not: what is started there is orcs
--   config                    folders of the user's own configuration
--   settings                  settings of coding agents: paths of which the last names are
--                             compared, or absolute paths; a folder with a slash at its end is
--                             all that is in it
--   dev                       list of { folder, files }: dev-trusted projects, and more hook files
--                             of theirs
--   verbs                     commands that loosen protection: true, or { flags = … } (with one of
--                             these flags), { unless = … } (without any of them), or { below = … } (by the next
--                             word)
--   routes                    paths of the service that loosen protection
--   variables                 values of variables in targets, such as XDG_STATE_HOME
--   agents                    coding agents: { program, unhooked = options, variable = of its settings folder }
--
-- It does not detect code that computes names, and other machines and containers.
-- docs/explanation/trust.md describes what such a program can still do.

local judge = require "self_guard.judge"
local set = require("file_guard.words").set

local KNOWN = set "state program package runtime config settings dev verbs routes variables agents"
local opted = { verbs = {}, variables = {} }
for name in ("state program package runtime config settings dev routes agents"):gmatch("%a+") do opted[name] = {} end
for name, value in pairs(orcs.options or {}) do
  if not KNOWN[name] then error("self-guard: unknown option " .. orcs.json_encode(name), 0) end
  if type(value) ~= "table" then error("self-guard: option " .. name .. " is not a table", 0) end
  local copy = {}
  for key, one in pairs(value) do copy[key] = name == "settings" and one:lower() or one end
  opted[name] = copy
end

local refusal, looked_at = judge(opted)
local only_reads = orcs.only_reads(looked_at)

-- Options of the tests.
local OPTIONS = {
  state = { "/home/me/.local/state/orcs" },
  program = { "/opt/orcs" },
  config = { "/home/me/.config/orcs" },
  settings = { ".claude/settings.json", ".opencode/plugin/orcs.js", "/home/me/.config/opencode/plugin/orcs.js" },
  dev = { { folder = "/dev/mine", files = { "/dev/mine/checks/a.lua" } } },
  verbs = { trust = { unless = { "--show" } }, uninstall = true, install = { flags = { "--config" } } },
  routes = { "/loosen/" },
  variables = { STATES = "/home/me/.local/state" },
  agents = { { program = "claude", unhooked = { "--bare", "--settings" }, variable = "CLAUDE_CONFIG_DIR" } },
}

-- Builds a test of the decision about a command line.
local function becomes(verdict, command, more)
  local expected = { action = verdict == "deny" and "abort" or "continue" }
  if verdict ~= "deny" then expected.decision = verdict == "ask" and "ask" or "none" end
  for key, value in pairs(more or {}) do expected[key] = value end
  return { command, options = OPTIONS, event = { tool = "exec", args = { command = command } }, expect = expected }
end

return {
  id = "self-guard",
  point = "tool.pre_execute",
  priority = 1,
  handler = function(ctx)
    -- A tool that changes settings of the coding agent may be any.
    local tool = ctx.payload.tool_name:lower()
    if not tool:find("config") and not tool:find("setting") and only_reads(ctx) then return nil end
    local said = ctx.metadata["orcs:self-guard"]
    local refused, asked = refusal(ctx, said and said.kept or {})
    if refused then return orcs.deny("self-guard: " .. refused) end
    if asked then return orcs.ask("self-guard: " .. asked) end
  end,
  tests = {
    becomes("deny", "rm -rf /home/me/.local/state/orcs", { reason = { matches = "^self%-guard: .*may not change it" } }),
    becomes("deny", "sudo npx orcs trust --yes", { reason = { matches = "weakens" } }),
    becomes("deny", "npm rm -g orcs", { reason = { matches = "removes orcs" } }),
    becomes("deny", "pkill -f 'orcs serve'", { reason = { matches = "stops the service" } }),
    becomes("deny", "curl -X POST localhost:8787/loosen/all", { reason = { matches = "weakens its protection" } }),
    becomes("deny", "rm -rf $STATES/orcs"),
    becomes("ask", "orcs $X", { reason = { matches = "only known to the shell" } }),
    becomes("ask", "claude --bare -p hi", { reason = { matches = "without the hooks" } }),
    becomes("ask", "claude --settings=x.json -p hi"),
    becomes("ask", "CLAUDE_CONFIG_DIR=/tmp/x claude -p hi"),
    becomes("ask", "export HOME=/tmp/x; claude -p hi"),
    becomes("ask", "env -i claude -p hi"),
    becomes("ask", "claude -c features.hooks=false"),
    becomes("pass", "claude -p 'mend the hooks'; claude --resume; HOMEPAGE=x claude -p hi"),
    becomes("ask", "rm -rf .claude", { reason = { matches = "settings of a coding agent" } }),
    becomes("ask", "rm -rf .opencode/plugin/", { reason = { matches = "settings of a coding agent" } }),
    becomes("ask", "rm -rf .opencode"),
    becomes("ask", "mv .opencode x"),
    becomes("ask", "cd .opencode && rm plugin/*"),
    becomes("ask", "echo > ../a/.opencode/plugin/orcs.js"),
    becomes("ask", "rm -rf /home/me/.config/opencode"),
    becomes("pass", "rm -rf plugin; echo > .opencode/plugin/mine.js; rm opencode/plugin/x.js; rm src/plugin/orcs.js"),
    becomes("ask", "echo > /home/me/.config/orcs/orcs.toml"),
    becomes("ask", "rm -rf /dev/mine/hooks"),
    becomes("ask", "cat .claude/settings.json\nfi", { reason = { matches = "could not parse" } }),
    becomes("pass", "orcs trust --show && orcs list"),
    becomes("pass", "cat /home/me/.local/state/orcs/trust.json"),
    {
      "keeps tools that write, and code, from it",
      options = OPTIONS,
      events = {
        {
          tool = "write",
          args = { path = "/home/me/.local/state/orcs/trust.json", content = "" },
          expect = { action = "abort" },
        },
        { tool = "run_code", args = { code = "os.system('orcs trust')" }, expect = { action = "abort" } },
        { tool = "run_code", args = { code = "print(1)" }, expect = { action = "continue" } },
        { tool = "edit", args = { path = ".claude/settings.json", edits = {} }, expect = { decision = "ask" } },
        { tool = "agent", args = {}, expect = { action = "continue" } },
      },
    },
    {
      "does not ask about a change that was seen to keep what matters",
      options = OPTIONS,
      event = {
        tool = "write",
        args = { path = "/home/me/.config/orcs/orcs.toml", content = "" },
        metadata = { ["orcs:self-guard"] = { kept = { "/other", "/home/me/.config/orcs/orcs.toml" } } },
      },
      expect = { action = "continue", decision = "none" },
    },
  },
}
