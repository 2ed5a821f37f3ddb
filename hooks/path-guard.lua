-- path-guard: limits writes to the intended folders, and denies writes to files that tools generate
-- or that configure tools: lock files, CI, .git, commands that git, direnv or an editor runs (.husky,
-- .gitattributes, lefthook.yml, .envrc, .vscode/tasks.json, .devcontainer), the configuration and the
-- hooks of orcs, settings of coding agents, startup files of shells. It asks for approval before a
-- change of the instructions of agents (AGENTS.md, CLAUDE.md). It checks every tool that writes (by its arguments or its
-- name), and what a shell, PowerShell, cmd or code would write: orcs.effects.
--
--   [[hooks]]
--   script = "orcs:path-guard"
--   [hooks.options]
--   roots = ["src", "test", "/tmp"]
--   protect = ["migrations/**"]
--   allow = ["package-lock.json"]
--
-- Options:
--   roots     folders that may be written to, absolute or relative to the working directory;
--             default: the working directory and the temporary folders (/tmp, /var/tmp, …). A value
--             replaces all of them
--   protect   globs of additional files that must not be written, as in match.path; default none
--   allow     globs of files that may be written nevertheless, below the roots; default none
--   dynamic   decision about a target that is known only to the shell (> "$OUT"), and about a folder
--             that may contain protected files (mv x .github): "ask" (default), "allow" or "abort"
--
-- The protected files are listed in lua/file_guard/protected.lua, and so are the instructions of agents;
-- to change those without a question, list them in `allow`. A folder that contains a protected one must not be removed
-- (rm -r .github), nor a whole root. Links are resolved, in written
-- paths and in roots. Case is ignored, and so is what some file systems drop from a name
-- (`orcs.toml.`, invisible characters). A letter with two forms in Unicode (é) gives two different
-- names here, but one name on a Mac: list both.
--
-- It does not detect
--   - what programs write themselves: npm install changes the lock file, git checkout changes files
--     (both are intended); make, npm --prefix, scripts, and code that computes a name may write
--     anywhere
--   - the files of a patch, of an archive, or of a folder that is copied into the project, if the line
--     does not name them (patch -p1 < x.patch, cp -r template/. .), and scripts that an editor reads
--     from a file; words from a pipe,
--     except those that find, ls and echo print (git ls-files | xargs rm); what find -name finds in
--     protected folders
--   - what runs on another machine or in a container (ssh, docker exec), which may have access to
--     folders of this one
--   - protected files in temporary folders outside the working directory: these are not protected
-- The working directory is the one that the coding agent reports; if an agent can change it, use
-- absolute paths for the roots.

local globs = require "file_guard.globs"
local options = require "policy.options"
local path = require "file_guard.path"
local write_calls = require "file_guard.write_calls"

local opted = options.read("path-guard", {
  roots = { kind = "folders" },
  protect = { kind = "globs", default = {} },
  allow = { kind = "globs", default = {} },
  dynamic = { of = { "ask", "allow", "abort" } },
})
local look = write_calls({
  roots = opted.roots or { "." },
  temporary = opted.roots and {} or path.TEMPORARY,
  allowed = globs(opted.allow),
  protected = globs(opted.protect),
})

local only_reads = orcs.only_reads({})

-- For tests: calls in /work, and what becomes of them.
local function call(tool, args, expect) return { tool = tool, cwd = "/work", args = args, expect = expect } end
local function line(command, expect) return call("exec", { command = command }, expect) end
local DENIED, PASSES = { action = "abort" }, { action = "continue", decision = "none" }
local ASKED = { action = "continue", decision = "ask" }

return {
  id = "path-guard",
  point = "tool.pre_execute",
  priority = 5,
  handler = function(ctx)
    if only_reads(ctx) then return nil end
    local refused, unknown, question = look(ctx.payload)
    unknown = opted.dynamic ~= "allow" and unknown or nil
    refused = refused or (opted.dynamic == "abort" and unknown)
    if refused then return orcs.deny("path-guard: " .. refused) end
    question = question or unknown
    return question and orcs.ask("path-guard: " .. question)
  end,
  tests = {
    {
      "refuses what is outside or protected, by a tool and by a shell",
      events = {
        call("write", { path = "/etc/passwd", content = "" }, { action = "abort", reason = { matches = "^path%-guard: " } }),
        call("edit", { path = "orcs.toml", edits = {} }, DENIED),
        line("rm -r .github", DENIED),
      },
    },
    {
      "asks about the instructions of agents, and about folders that may contain what is protected",
      events = {
        call("write", { path = "web/AGENTS.md", content = "" }, {
          action = "continue",
          decision = "ask",
          reason = 'path-guard: "web/AGENTS.md" instructs coding agents (AGENTS.md). May it be changed?',
        }),
        line("mv x .github", { decision = "ask", reason = { matches = "may get files that are protected" } }),
        line("touch CLAUDE.md /x", { action = "abort", reason = { matches = "outside the writable folders" } }),
      },
    },
    {
      "lets everyday work be",
      events = {
        call("write", { path = "src/a.ts", content = "" }, PASSES),
        call("read", { path = "/etc/hosts" }, PASSES),
        line("npm i && cp a /tmp/b", PASSES),
      },
    },
    {
      "keeps to the roots that it is given",
      options = { roots = { "src" }, protect = { "*.sql" }, allow = { "yarn.lock" } },
      events = {
        call("write", { path = "src/a.ts", content = "" }, PASSES),
        call("write", { path = "a.ts", content = "" }, DENIED),
        call("write", { path = "src/a.sql", content = "" }, DENIED),
        call("mkdir", { path = "src/yarn.lock" }, PASSES),
        call("mkdir", { path = "/tmp/x" }, DENIED),
      },
    },
    {
      "asks about what is not known",
      events = {
        line('echo x > "$OUT"', ASKED),
        {
          tool = "edit", cwd = "/work", args = { path = {}, patch = "" },
          unread = "the patch is not in the line",
          expect = ASKED,
        },
      },
    },
    {
      "allows it when it is told to, and still asks about instructions",
      options = { dynamic = "allow" },
      events = { line('rm "$1"', PASSES), line('rm "$1" CLAUDE.md', ASKED) },
    },
    {
      "refuses it when it is told to",
      options = { dynamic = "abort" },
      event = line('rm "$1"; touch CLAUDE.md'),
      expect = { action = "abort", reason = { matches = "it is unknown where" } },
    },
  },
}
