-- undo: keeps what a call may remove or overwrite, so that `orcs undo` can give it back.
--
--   [[hooks]]
--   script = "orcs:undo"
--
-- Before a call that removes or overwrites files, or a git command that discards something, it takes an undo point of
-- what the call may change: the files that it names, or the folder of a name that only the shell knows; for git, the
-- work tree and the repository without its objects; for code that may lose files, the work tree. It decides nothing.
-- orcs:shell-guard lets a call pass that it would deny for such a loss alone, if all of it is in the point; a point
-- that fails or is skipped changes no decision. `orcs undo --list` shows the points, `orcs undo` restores the newest.
--
-- Not kept is what is outside of the project, what is elsewhere (a remote, a container), objects of git (git gc), more
-- than 100,000 files of a call, and a work tree that takes longer than 0.3 s to look at.
--
-- Options:
--   point_mb    what a point may add, in megabytes; default 256. Of a larger call nothing is kept
--   project_mb  what all points of a project may have, in megabytes; default 1024. Beyond, no more are taken
--   days        how long points are kept; default 7. Those of the last day and of running sessions stay in any case

local must = require("policy.options").expect_of("undo")
local LIMITS = { point_mb = 256, project_mb = 1024, days = 7 }
for name, value in pairs(orcs.options) do
  must(LIMITS[name], name, value, "days, point_mb or project_mb")
  must(type(value) == "number" and value > 0, name, value, "a number above 0")
  LIMITS[name] = value
end

-- Programs whose words say what they lose: git, and languages.
local LOOKED_AT = { git = true, hub = true, node = true, deno = true, bun = true, php = true, ruby = true, perl = true }
local function is_looked_at(program)
  return LOOKED_AT[program] or program:find("^python[%d.]*$") or program:find("awk$")
end

-- Whether a call may lose something, as far as its effects say; orcs.snapshot looks closer.
local function may_lose(call)
  for _, effect in ipairs((orcs.effects(call))) do
    local runs = effect.kind == "run" and is_looked_at(effect.target or "")
    if effect.kind == "remove" or effect.kind == "write" or runs then return true end
  end
  return false
end

local function before(ctx)
  local payload = ctx.payload
  local call = payload.tool_name and payload
    or { tool_name = payload.command, args = payload.args or { command = payload.command }, cwd = payload.cwd }
  if not may_lose(call) then return nil end
  local point = orcs.snapshot(nil, LIMITS)
  if point.id then ctx.metadata.undo_point = point.id end
end

local function after(ctx)
  if may_lose(ctx.payload) then orcs.snapshot() end
end

local TESTS = {
  {
    "notes the point",
    options = { days = 1 },
    event = { tool = "exec", args = { command = "rm -rf src" }, cwd = "/work/project" },
    calls = { { "orcs:snapshot", { days = 1, point_mb = 256, project_mb = 1024 }, answers = { id = "3f2a91bc" } } },
    expect = { action = "continue", metadata = { undo_point = "3f2a91bc" } },
  },
  {
    "decides nothing",
    event = { tool = "exec", args = { command = "rm -rf src" }, cwd = "/work/project" },
    expect = { action = "continue" },
  },
  { "leaves others alone", event = { tool = "exec", args = { command = "ls" } }, expect = { action = "continue", metadata = {} } },
}

return {
  { id = "undo", point = "tool.pre_execute", priority = 9, on_error = "open", handler = before, tests = TESTS },
  {
    id = "undo-permission", point = "auth.pre_check", priority = 9, on_error = "open", handler = before,
    tests = { { "decides nothing", event = { command = "rm -rf src" }, expect = { action = "continue" } } },
  },
  {
    id = "undo-after", point = "tool.post_execute", handler = after,
    tests = { { "changes no result", event = { tool = "exec", args = { command = "rm x" }, result = 1 }, expect = { action = "continue" } } },
  },
  {
    id = "undo-failed", point = "tool.on_failure", handler = after,
    tests = { { "changes nothing", event = { tool = "exec", args = { command = "rm x" } }, expect = { action = "continue" } } },
  },
  -- The work tree is read in the background, so that the first point is a fast one.
  {
    id = "undo-start", point = "session.on_start", async = true, handler = function() orcs.snapshot(nil, LIMITS) end,
    tests = { { "decides nothing", event = { session_id = "s" }, expect = { action = "continue" } } },
  },
  {
    id = "undo-end", point = "session.on_end",
    handler = function(ctx)
      local count = orcs.snapshot().points or 0
      -- The agent's user is told.
      if count > 0 then ctx.metadata.undo_points = count end
    end,
    tests = {
      { "decides nothing", event = { session_id = "s" }, expect = { action = "continue" } },
      {
        "says how many points there are",
        event = { session_id = "s" }, calls = { { "orcs:snapshot", answers = { points = 1 } } },
        expect = { action = "continue", metadata = { undo_points = 1 } },
      },
    },
  },
}
