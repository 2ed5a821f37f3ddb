-- The packs of the guard itself, and their rules that are code: name, the lowest level that switches a rule on, and what
-- it denies. The id of a rule is `pack.name`. Rules that are rows say this themselves: shell_guard.packs.

local packs = require "shell_guard.packs"

local rules = {}

--- Packs, in the order of the documentation: { name, what it is about, rules that are code }. For the marks behind a
--- name, see shell_guard.packs.
rules.packs = {
  { "git", "changes that only git had, here or at the remote", "" },
  { "vcs", "changes that only Mercurial or Subversion had", "" },
  { "files", "files and folders that are removed, moved or opened to others", [[
    rm-root*              default   removing all files of the machine
    rm-top-level*         default   removing a top-level folder
    rm-home*              default   removing a home
    rm-working-directory  default   removing the working directory
    rm-parent*            default   removing a folder that the working directory is in
    rm-git*               default   removing .git
    write-accounts*       default   writing over the accounts of the machine: /etc/passwd, /etc/shadow, /etc/sudoers
    write-login*          default   in a file that is run: writing what lets somebody in (authorized_keys), or over what logins read
    write-git*            default   writing over commits, refs and the index in .git
    rm-temp*              default   removing all temporary files
    rm-outside-roots*     default   removing folders outside the roots
    rm-after-cd           default   rm -r * after a cd that may fail
    rm-file-outside-roots strict    removing single files outside the roots or in .git
    rm-recursive^         paranoid  rm -r inside the project
    rm-system-file*       default   removing a file that the machine needs: /etc/passwd, /boot
    find-outside-roots*   default   find -delete and the like outside the roots
    find-delete^          default   find -delete and the like, except of build artefacts
    find-any^             paranoid  find -delete and the like, of anything
    move-away*            default   moving away a home, a top-level folder, the working directory or .git
    rsync-delete*         default   rsync --delete into a home, a top-level folder or the working directory
    permissions-tree*     default   chmod -R, chown -R and the like on trees that are not the project's
    permissions-open      default   chmod -R that lets everybody write
    permissions-project   strict    chmod -R that lets everybody write, inside the project
    shred*                default   shred of files outside the project
    shred-project         default   shred of files of the project, and of what is linked to them
    empty^                paranoid  emptying or cutting a file
  ]] },
  { "disk", "disks, partitions and devices", [[
    write-device*         default   writing to a device
  ]] },
  { "system", "the machine, its services and its scheduled jobs", [[
    setuid*               default   in a file that is run: chmod u+s or setcap of a program of the machine
    sudo                  paranoid  sudo, doas, su, pkexec
  ]] },
  { "processes", "running processes", [[
    kill-all*             default   ending everything that runs
    fork-bomb*            default   starting processes without end
  ]] },
  { "code", "code that nobody has seen, or that acts inside a program", [[
    run-download*         default   running what was downloaded: curl … | sh
    send-secrets*         default   sending a home to another machine, or, in a file that is run, keys and credentials
    send-outside          default   curl -F and the like of files that are not of the project
    cloud-metadata        default   asking a cloud for the credentials of the machine: 169.254.169.254
    reverse-shell*        default   giving a shell to the other end of a connection: nc -e sh
    remove-tree*          default   code that removes folders outside the project
    remove-home*          default   code that may remove a home
    remove-files          strict    code that removes files
    inline                paranoid  code in the command line: python -c
  ]] },
  { "history", "histories of shells", [[
    wipe*                 default   wiping or changing the history of a shell
  ]] },
  { "windows", "commands of PowerShell and cmd", "" },
}

--- Level → number, in the order of strictness.
rules.levels = { default = 1, strict = 2, paranoid = 3 }

-- Pack of the guard itself → its rules that are code.
local code = {}
for _, pack in ipairs(rules.packs) do code[pack[1]] = pack[3] end

--- Whether a pack is of the guard itself: its rules are on from level "default", unless they say something else.
function rules.are_own(pack) return code[pack] ~= nil end

-- Id → its marks, of the rules of the guard itself.
local marks = {}

--- Calls a function for the rules of a pack: with the id, the lowest level that switches it on or "off", what it denies,
--- and the row. A rule of several rows comes several times.
function rules.each(pack, call)
  local levels = {}
  for name, marked, level, what in (code[pack] or ""):gmatch("([%w-]+)([*^]*) +(%a+) +([^\n]+)") do
    local id = pack .. "." .. name
    levels[id], marks[id] = level, marked
    call(id, level, what)
  end
  for _, row in ipairs(code[pack] and (packs.own().by_pack[pack] or {}) or packs.load(pack).rules) do
    local id = row[1]
    levels[id] = row.level or levels[id] or code[pack] and "default" or "off"
    marks[id] = (marks[id] or "") .. row.marks
    call(id, levels[id], row.because, row)
  end
end

-- Id → whether the rule is on. A script has a Lua state of its own, so these are the rules of one hook.
local active = {}

local is_kept = false

--- Whether a rule holds for the commands of files that a line runs.
function rules.are_of_files(id) return (marks[id] or ""):find("*", 1, true) ~= nil end

--- Whether an undo point can give back what a rule is about.
function rules.can_give_back(id) return (marks[id] or ""):find("^", 1, true) ~= nil end

--- Calls a function as if the rules were off about what the undo point of this call gives back.
function rules.without_kept(call)
  is_kept = true
  local _ <close> = setmetatable({}, { __close = function() is_kept = false end })
  return call()
end

--- Whether a rule says nothing because an undo point gives back what it is about.
function rules.is_waived(id) return is_kept and rules.can_give_back(id) end

--- Sets which rules are on: id → true or false for every rule.
function rules.use(set) active = set end

--- Whether a rule is on. Raises an error for an id that is not listed.
function rules.on(id)
  local on = active[id]
  if on == nil then error("shell-guard: the rule " .. id .. " is not listed", 2) end
  return on and not rules.is_waived(id)
end

return rules
