-- All rules of shell-guard that are not in `shell_guard/packs/`: pack, name, the lowest level that switches a rule on,
-- and what it denies. The id of a rule is `pack.name`.

local rules = {}

--- Packs, in the order of the documentation: { name, what it is about, rules }. A rule is a line: name, level, what it
--- denies.
rules.packs = {
  { "git", "changes that only git had, here or at the remote", [[
    push-force            default   push --force, which overwrites what others may have pushed
    push-mirror           default   push --mirror or --prune, which remove branches of the remote
    push-delete-shared    default   removing main, master, release and the like from the remote
    push-delete           strict    removing any branch or tag from the remote
    reset-hard            default   reset --hard or --merge, which throw away uncommitted changes
    clean                 default   clean -f, which removes files that git does not have
    checkout-force        default   checkout --force
    checkout-files        default   checkout of files, which overwrites their uncommitted changes
    restore-files         default   restore of files, which overwrites their uncommitted changes
    switch-discard        default   switch --force or --discard-changes
    branch-delete         default   branch -D, which removes commits that are nowhere else
    branch-overwrite      strict    branch -f, checkout -B and switch -C, which move a branch
    stash-drop            default   stash drop
    stash-clear           default   stash clear
    fetch-force           strict    fetch +branch, which may write over a branch here
    rm-force              default   rm --force, which removes files with uncommitted changes
    tag-delete            strict    tag --delete
    tag-force             strict    tag --force, which moves a tag
    rewrite-history       default   filter-branch, filter-repo and bfg
    reflog-expire         default   reflog expire and reflog delete
    prune                 default   prune, and gc --prune=now, which destroy unreachable commits
    update-ref-delete     default   update-ref -d
    worktree-remove       default   worktree remove --force
    checkout-index        default   checkout-index --force
    read-tree             default   read-tree --reset -u
    submodule-deinit      default   submodule deinit --force
    submodule-update      strict    submodule update --force
    lfs-prune             strict    lfs prune
    remote-remove         strict    remote remove
    symbolic-ref-delete   strict    symbolic-ref --delete
  ]] },
  { "vcs", "changes that only Mercurial or Subversion had", [[
    hg-update-clean       default   hg update --clean
    hg-revert             default   hg revert
    hg-purge              default   hg purge
    hg-strip              default   hg strip
    hg-push-force         default   hg push --force
    svn-revert            default   svn revert
    svn-cleanup           default   svn cleanup --remove-unversioned
  ]] },
  { "files", "files and folders that are removed, moved or opened to others", [[
    rm-root               default   removing all files of the machine
    rm-top-level          default   removing a top-level folder
    rm-home               default   removing a home
    rm-working-directory  default   removing the working directory
    rm-parent             default   removing a folder that the working directory is in
    rm-git                default   removing .git
    write-accounts        default   writing over the accounts of the machine: /etc/passwd, /etc/shadow, /etc/sudoers
    write-login           default   in a file that is run: writing what lets somebody in (authorized_keys), or over what logins read
    write-git             default   writing over commits, refs and the index in .git
    rm-temp               default   removing all temporary files
    rm-outside-roots      default   removing folders outside the roots
    rm-after-cd           default   rm -r * after a cd that may fail
    rm-file-outside-roots strict    removing single files outside the roots or in .git
    rm-recursive          paranoid  rm -r inside the project
    rm-system-file        default   removing a file that the machine needs: /etc/passwd, /boot
    find-outside-roots    default   find -delete and the like outside the roots
    find-delete           default   find -delete and the like, except of build artefacts
    find-any              paranoid  find -delete and the like, of anything
    move-away             default   moving away a home, a top-level folder, the working directory or .git
    move-to-null          default   moving files to /dev/null
    rsync-delete          default   rsync --delete into a home, a top-level folder or the working directory
    permissions-tree      default   chmod -R, chown -R and the like on trees that are not the project's
    permissions-open      default   chmod -R that lets everybody write
    permissions-project   strict    chmod -R that lets everybody write, inside the project
    shred                 default   shred of files outside the project
    shred-project         default   shred of files of the project, and of what is linked to them
    empty                 paranoid  emptying or cutting a file
  ]] },
  { "disk", "disks, partitions and devices", [[
    write-device          default   writing to a device
    mkfs                  default   making a file system or a swap area
    partition             default   changing partitions: fdisk, parted, sgdisk, diskutil and the like
    erase                 default   wiping a disk: wipefs, blkdiscard, hdparm, nvme format, cryptsetup and the like
    volume                default   removing volumes, pools and subvolumes: lvremove, zpool, zfs, btrfs, mdadm
  ]] },
  { "system", "the machine, its services and its scheduled jobs", [[
    shutdown              default   shutting down or restarting the machine
    crontab-remove        default   removing all scheduled jobs
    crontab-replace       default   replacing all scheduled jobs: crontab FILE
    firewall              strict    switching a firewall off, or removing its rules
    accounts              default   adding, changing or removing accounts and groups: useradd, usermod, chpasswd
    privileges            default   setcap, which lets a program do what only the superuser may
    setuid                default   in a file that is run: chmod u+s or setcap of a program of the machine
    kernel                default   loading or removing modules of the kernel
    later                 default   running something later or for good: at, batch, systemd-run, systemctl --user enable
    tunnel                default   letting others in through another machine: ssh -R, ngrok, cloudflared tunnel
    sudo                  paranoid  sudo, doas, su, pkexec
  ]] },
  { "processes", "running processes", [[
    kill-all              default   ending everything that runs
    fork-bomb             default   starting processes without end
  ]] },
  { "code", "code that nobody has seen, or that acts inside a program", [[
    run-download          default   running what was downloaded: curl … | sh
    send-secrets          default   sending a home to another machine, or, in a file that is run, keys and credentials
    send-outside          default   curl -F and the like of files that are not of the project
    cloud-metadata        default   asking a cloud for the credentials of the machine: 169.254.169.254
    reverse-shell         default   giving a shell to the other end of a connection: nc -e sh
    remove-tree           default   code that removes folders outside the project
    remove-home           default   code that may remove a home
    remove-files          strict    code that removes files
    inline                paranoid  code in the command line: python -c
  ]] },
  { "history", "histories of shells", [[
    wipe                  default   wiping or changing the history of a shell
    off                   strict    keeping commands out of the history
  ]] },
  { "windows", "commands of PowerShell and cmd", [[
    disk                  default   Format-Volume, Clear-Disk, diskpart, format and the like
    destroy               default   deleting for good: Clear-RecycleBin, cipher /w, wmic … delete and the like
    backups               default   deleting backups and restore points: vssadmin, wbadmin
    eventlog              default   wiping a log of the system
    history               default   Clear-History
    shutdown              default   Stop-Computer, Restart-Computer, shutdown
    accounts              default   removing users or the machine's membership
    defender              default   switching the virus scanner off, or exempting files
    boot                  default   bcdedit, which changes how the machine starts
    registry              default   reg delete of settings of the machine
    permissions           default   takeown and icacls on whole drives
    mirror                default   robocopy /mir and /purge
    vm                    strict    removing a virtual machine
    execution-policy      strict    letting unsigned scripts run
    tasks                 strict    deleting scheduled tasks
    services              default   stopping or removing services: net stop, Stop-Service
    clear-content         paranoid  emptying a file
  ]] },
}

--- Ids of the questions that are asked about a line that is not understood, and when. They are not rules: the option
--- `dynamic` decides about them.
rules.questions = {
  ["shell.unreadable"] = "the line, or a part of it, cannot be read",
  ["shell.unknown"] = "it is unknown what a command runs, or what its operands are",
}

--- Level → number, in the order of strictness.
rules.levels = { default = 1, strict = 2, paranoid = 3 }

--- Calls a function with the id, the level and the description of each rule of a pack.
function rules.each(pack, call)
  for name, level, what in pack[3]:gmatch("(%S+) +(%a+) +([^\n]+)") do call(pack[1] .. "." .. name, level, what) end
end

-- Id → whether the rule is on. A script has a Lua state of its own, so these are the rules of one hook.
local active = {}

-- Rules about what an undo point can give back: it has the files, the index, the references and their logs.
local GIVEN_BACK = require("file_guard.words").set [[
  git.reset-hard git.clean git.checkout-force git.checkout-files git.restore-files git.switch-discard git.branch-delete
  git.branch-overwrite git.stash-drop git.stash-clear git.fetch-force git.rm-force git.tag-delete git.tag-force
  git.rewrite-history git.update-ref-delete git.checkout-index git.read-tree git.submodule-deinit
  git.submodule-update git.remote-remove git.symbolic-ref-delete files.rm-recursive files.find-delete files.find-any
  files.empty ]]
local is_kept = false

--- Whether what a rule is about can be given back.
function rules.can_give_back(id) return GIVEN_BACK[id] == true end

--- Calls a function as if the rules were off about what the undo point of this call gives back.
function rules.without_kept(call)
  is_kept = true
  local _ <close> = setmetatable({}, { __close = function() is_kept = false end })
  return call()
end

--- Whether a rule says nothing because an undo point gives back what it is about.
function rules.is_waived(id) return is_kept and GIVEN_BACK[id] == true end

--- Sets which rules are on: id → true or false for every rule.
function rules.use(set) active = set end

--- Whether a rule is on. Raises an error for an id that is not listed.
function rules.on(id)
  local on = active[id]
  if on == nil then error("shell-guard: the rule " .. id .. " is not listed", 2) end
  return on and not rules.is_waived(id)
end

return rules
