-- path-guard: keeps writes below the folders that are meant for them, and away from files that are made by tools or
-- that steer tools: lock files, CI, .git, the configuration and the hooks of orcs, settings of agents, startup files
-- of shells. By any tool that writes, and by what a shell would run.
--
--   [[hooks]]
--   script = "orcs:path-guard"
--   options = { roots = ["src", "test", "/tmp"], protect = ["migrations/**"], allow = ["package-lock.json"] }
--
-- Options:
--   roots     folders, from the working directory or absolute, that may be written to; default the working directory
--             and the temporary folders (/tmp, /var/tmp, …). What is given takes the place of all of them
--   protect   globs of more files that are not to be written, as in match.path; default none
--   allow     globs of files that may be written after all, below the roots; default none
--   dynamic   what becomes of a target that only the shell will know (> "$OUT"): "ask" (default), "allow" or "abort"
--
-- What is protected is in lua/file_guard/protected.lua. Links are followed, in what is written and in roots; case does
-- not count, nor what some disks leave out of a name (`orcs.toml.`, characters that are not seen). A letter that
-- Unicode writes in two ways (é) makes two names here, and one on a Mac: give both.
--
-- It refuses
--   - tools that write, by their arguments (a path, and content, edits or a patch) or by their name (write, edit,
--     create, remove, move, mkdir, …): whatever a host calls them
--   - redirects (> orcs.toml, >>, &>), and the operands of what writes them: tee, cp, mv, ln, install, rm, touch,
--     mkdir, truncate, chmod, dd of=, sed -i, perl -i, rsync, tar -x and -f, unzip, curl -o, wget, find -delete, patch
--   - removing a folder that a protected one is in (rm -r .github), or all of one that may be written to (rm -r .)
--   - formatters (prettier --write ../x), and git: clone, init, worktree add, -C with what changes files, archive -o,
--     config of others than this repository, and keys that make git run something (core.hooksPath)
--   - pieces of programs that name what they write (python -c "open('go.sum', 'w')"), also by a pipe, in a
--     here-document and in what a tool runs
--
-- It does not see
--   - what programs write by themselves: npm install changes the lock file, git checkout changes files, and both are
--     meant to; make, npm --prefix, scripts and code that makes up a name may write anywhere
--   - the files of a patch that a shell reads from a file (patch -p1 < x.patch), and words that come by a pipe, but for
--     those that find, ls and echo print (git ls-files | xargs rm); what find -name finds in protected folders
--   - what runs on another machine or in a container (ssh, docker exec), which may see folders of this one
--   - protected files in temporary folders outside of the working directory: it leaves them alone there
-- The working directory is what the host says; where an agent may change it, name the roots as absolute paths.

local call = require "file_guard.call"
local globs = require "file_guard.globs"
local options = require "file_guard.options"
local write_calls = require "file_guard.write_calls"

local TEMPORARY = {
  "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm",
}

local opted = options("path-guard", {
  roots = { kind = "folders" },
  protect = { kind = "globs", default = {} },
  allow = { kind = "globs", default = {} },
  dynamic = { kind = "choice", of = { "allow", "ask", "abort" }, default = "ask" },
})
local look = write_calls({
  roots = opted.roots or { "." },
  temporary = opted.roots and {} or TEMPORARY,
  allowed = globs(opted.allow),
  protected = globs(opted.protect),
})

return {
  id = "path-guard",
  point = "tool.pre_execute",
  priority = 5,
  handler = function(ctx)
    local refused, unknown = look(call.read(ctx.payload))
    if refused then return orcs.deny("path-guard: " .. refused) end
    if not unknown or opted.dynamic == "allow" then return end
    local answer = opted.dynamic == "ask" and orcs.ask or orcs.deny
    return answer("path-guard: " .. unknown)
  end,
  tests = {
    {
      "refuses what is outside or protected, by a tool and by a shell",
      events = {
        {
          tool = "write",
          cwd = "/work",
          args = { path = "/etc/passwd", content = "" },
          expect = { action = "abort", reason = { matches = "^path%-guard: " } },
        },
        { tool = "edit", cwd = "/work", args = { path = "orcs.toml", edits = {} }, expect = { action = "abort" } },
        { tool = "exec", cwd = "/work", args = { command = "echo x > ../x" }, expect = { action = "abort" } },
        { tool = "exec", cwd = "/work", args = { command = "sh -c 'cp a go.sum'" }, expect = { action = "abort" } },
        { tool = "exec", cwd = "/work", args = { command = "rm -r .github" }, expect = { action = "abort" } },
      },
    },
    {
      "lets everyday work be",
      events = {
        { tool = "write", cwd = "/work", args = { path = "src/a.ts", content = "" }, expect = { action = "continue" } },
        { tool = "read", cwd = "/work", args = { path = "/etc/hosts" }, expect = { action = "continue" } },
        { tool = "exec", cwd = "/work", args = { command = "npm i && cp a /tmp/b" }, expect = { action = "continue" } },
      },
    },
    {
      "keeps to the roots that it is given",
      options = { roots = { "src" }, protect = { "*.sql" }, allow = { "yarn.lock" } },
      events = {
        { tool = "write", cwd = "/work", args = { path = "src/a.ts", content = "" }, expect = { action = "continue" } },
        { tool = "write", cwd = "/work", args = { path = "a.ts", content = "" }, expect = { action = "abort" } },
        { tool = "write", cwd = "/work", args = { path = "src/a.sql", content = "" }, expect = { action = "abort" } },
        { tool = "mkdir", cwd = "/work", args = { path = "src/yarn.lock" }, expect = { action = "continue" } },
      },
    },
    {
      "asks about what is not known",
      event = { tool = "exec", cwd = "/work", args = { command = 'echo x > "$OUT"' } },
      expect = { action = "continue", decision = "ask" },
    },
    {
      "allows it when it is told to",
      options = { dynamic = "allow" },
      event = { tool = "exec", cwd = "/work", args = { command = 'rm "$1"' } },
      expect = { action = "continue" },
    },
    {
      "refuses it when it is told to",
      options = { dynamic = "abort" },
      event = { tool = "exec", cwd = "/work", args = { command = 'rm "$1"' } },
      expect = { action = "abort" },
    },
  },
}
