-- Which rules hold for the commands of files that a line runs: scripts, Makefiles, package.json. What a project's own scripts
-- do in the project is fine; these are about harm outside of it, code that nobody has seen, and history that is lost.

local words = require "shell_guard.words"

local files_run = {}

local COUNTS = words.set [[
  git.push-force git.push-mirror git.push-delete-shared git.rewrite-history git.reflog-expire git.prune git.update-ref-delete
  git.stash-clear vcs.hg-strip vcs.hg-push-force
  files.rm-root files.rm-top-level files.rm-home files.rm-parent files.rm-git files.write-accounts files.write-git
  files.rm-outside-roots files.rm-system-file files.find-outside-roots files.move-away files.rsync-delete
  files.permissions-tree files.shred files.rm-temp
  disk.write-device disk.mkfs disk.partition disk.erase disk.volume
  system.shutdown system.crontab-remove processes.kill-all processes.fork-bomb
  code.run-download code.reverse-shell code.remove-tree code.remove-home code.send-secrets
  history.wipe windows.disk windows.destroy windows.backups windows.boot windows.registry windows.defender
]]

--- Splits the commands of a line from those of the files that it runs. Returns the former, and the latter as a list of lists,
--- one a file, in the order of the line.
function files_run.split(list)
  local own, files, by_name = {}, {}, {}
  for _, command in ipairs(list) do
    local name = command.file
    if not name then
      own[#own + 1] = command
    else
      local of_file = by_name[name]
      if not of_file then
        of_file = {}
        by_name[name] = of_file
        files[#files + 1] = of_file
      end
      of_file[#of_file + 1] = command
    end
  end
  return own, files
end

--- Returns a reason with the place in the file, if its rule holds for files; else nil.
--- @param start folder that the line starts in, or nil
function files_run.reason(reason, command, start)
  local id, text = reason:match("^shell%-guard %(([%w.-]+)%): (.*)$")
  if not id or not COUNTS[id] then return nil end
  local file = command.file
  if start and file:sub(1, #start + 1) == start .. "/" then file = file:sub(#start + 2) end
  return ("shell-guard (%s): in %s, line %d: %s"):format(id, file, command.in_file, text)
end

return files_run
