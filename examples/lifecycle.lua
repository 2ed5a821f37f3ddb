-- One life of a component, from its channel's creation to its last snapshot. See it step by step with
--
--   orcs run examples/lifecycle.lua --json
--
-- which prints a line for each of the 25 points that hooks can stand at.

-- What it remembers from one life to the next, if its program passes the snapshot on.
local known = { lives = 0 }

-- A child runs on its own, with what it is allowed of what its parent may. This one greets by a command.
local GREETER = [[
  return function(name)
    local answer = orcs.exec("echo hello, " .. name)
    return answer.ok and answer.stdout:gsub("\n$", "") or answer.error
  end
]]

local function greet()
  local spawned = orcs.spawn_child({ id = "greeter", code = GREETER, capabilities = { "EXECUTE" } })
  if not spawned.ok then error("no child: " .. spawned.error) end
  local greeting = orcs.send_to_child("greeter", "world")
  orcs.emit_output("the child says: " .. (greeting.result or greeting.error))
  orcs.stop_child("greeter")
end

-- May it run a command, and if not without asking: may it from now on?
local function permit(command, pattern)
  local permission = orcs.check_command(command)
  orcs.emit_output(("%s: %s"):format(command, permission.status))
  local granted = orcs.grant_command(pattern)
  if not granted.ok then orcs.emit_output("not granted: " .. granted.error) end
end

return {
  id = "lifecycle",
  subscriptions = { "Lifecycle" },

  -- Called first when there is a snapshot, with what `snapshot` returned in the life before.
  restore = function(snapshot)
    known = snapshot
  end,

  init = function()
    known.lives = known.lives + 1
    return { lives = known.lives }
  end,

  -- `orcs run` asks a component for the operation "run".
  on_request = function(request)
    if request.operation ~= "run" then error("there is no operation " .. request.operation) end
    greet()
    permit("git status --short", "git status")
    -- Whoever subscribes to Lifecycle is told, save for itself.
    orcs.emit_event("Lifecycle", "greeted", { lives = known.lives })
    -- Signals overtake requests: nothing new is begun between these two.
    orcs.send_signal("lua::lifecycle", "pause", { reason = "to show it" })
    orcs.send_signal("lua::lifecycle", "resume")
    return { lives = known.lives }
  end,

  on_signal = function(signal)
    orcs.emit_output("signal: " .. signal.kind)
    return "handled"
  end,

  shutdown = function(status)
    orcs.emit_output("it was " .. status)
  end,

  snapshot = function()
    return known
  end,
}
