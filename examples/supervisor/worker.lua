-- A worker: does one task and answers. What it may use is up to who spawned it.

local TASKS = {
  -- How many files match a pattern.
  count = function(job)
    local found = orcs.glob(job.pattern)
    return found.ok and #found.files .. " files" or found.error
  end,

  -- What a command writes.
  run = function(job)
    local answer = orcs.exec(job.command)
    if not answer.ok then return answer.error or answer.stderr end
    return (answer.stdout:gsub("%s+$", ""))
  end,

  -- The sum of the numbers from 1 to `to`. There is a mistake in it: without `to` it never ends.
  sum = function(job)
    local sum, n = 0, 0
    repeat
      n = n + 1
      sum = sum + n
    until n == job.to
    return "the sum is " .. sum
  end,
}

return function(job)
  return TASKS[job.task](job)
end
