-- A supervisor: spawns two workers that may do less than itself, gives them tasks, asks before it lets them run
-- a command that nobody has granted, and starts a worker again that was killed. See supervisor.toml.

local WORKERS = {
  reader = { "READ" },
  runner = { "EXECUTE" },
}

local function say(mark, who, what)
  orcs.emit_output(("%s %-10s  %s"):format(mark, who, what))
end

local function start(id)
  local spawned = orcs.spawn_child({ id = id, script = "worker.lua", capabilities = WORKERS[id] })
  if not spawned.ok then error("no worker " .. id .. ": " .. spawned.error) end
  say("+", id, "started, may " .. table.concat(spawned.capabilities, ", "))
end

-- Gives a worker a task and says what came of it. One that failed is started again; whether it did not fail.
local function give(id, job)
  local answer = orcs.send_to_child(id, job)
  if answer.ok then
    say("·", id, answer.result)
    return true
  end
  say("!", id, answer.error)
  orcs.stop_child(id)
  start(id)
  return false
end

-- Lets the workers run a command once, if need be by asking; whether they may.
local function permit(command)
  local permission = orcs.check_command(command)
  if permission.status == "requires_approval" then
    say("?", "supervisor", "may they run " .. command .. "?")
    local granted = orcs.grant_command(permission.grant_pattern, { kind = "one_time" })
    if not granted.ok then
      say("-", "supervisor", "without it, then: " .. granted.error)
      return false
    end
  end
  return permission.status ~= "denied"
end

return {
  id = "supervisor",

  on_request = function()
    start("reader")
    start("runner")

    -- Each may do its own work, and not the other's.
    give("reader", { task = "count", pattern = "*.md" })
    give("reader", { task = "run", command = "echo hello" })

    -- A command that is granted, one that a hook refuses, and one that somebody has to allow.
    give("runner", { task = "run", command = "echo hello" })
    give("runner", { task = "run", command = "rm -rf dist" })
    if permit("uname -s") then give("runner", { task = "run", command = "uname -s" }) end

    -- A worker that hangs is killed by its limit. The new one has the same id, and gets a task that ends.
    if not give("reader", { task = "sum" }) then give("reader", { task = "sum", to = 100 }) end
    say("=", "supervisor", "all is done")
  end,
}
