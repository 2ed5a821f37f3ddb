-- Judges the scheduled jobs that a line writes for crontab: `(crontab -l; echo '@daily …') | crontab -`.

local jobs = {}

-- When a job runs: five fields, or a name such as `@daily`.
local FIELDS, NAME = ("[%d%a*/,-]+%s+"):rep(5) .. "(.+)$", "@%a+%s+(.+)$"

--- Judges the commands of jobs in the words of the commands that crontab reads. Returns a reason to deny it, or nil.
--- @param judge_line function(line, command) that judges a command line
function jobs.judge(command, judge_line)
  for at = 1, #command.from > 0 and command.at - 1 or 0 do
    for n, word in ipairs(command.all[at].argv) do
      local text = n > 1 and word:gsub("\\n", "\n") or ""
      -- A script of sed has an instruction in front of the job: `$a @daily …`.
      for line in text:gmatch("[^\n]+") do
        local job = line:match(NAME) or line:match(FIELDS)
        local reason = job and judge_line(job, command)
        if reason then return reason end
      end
    end
  end
end

return jobs
