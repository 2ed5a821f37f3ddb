-- Rules for programs that shut down the machine, erase disks, end processes or wipe histories, and
-- for version control systems other than git. The format is that of shell_guard.rule.

local words = require "shell_guard.words"

local TO_USER = "Let the user do it"
local LOST = "destroys what is on a disk"
local MKFS = { id = "disk.mkfs", because = LOST, instead = TO_USER }
local PARTITION = { id = "disk.partition", because = LOST, instead = TO_USER }
local ERASE = { id = "disk.erase", because = LOST, instead = TO_USER }
local VOLUME = { id = "disk.volume", because = LOST, instead = TO_USER }
local DOWN = { id = "system.shutdown", because = "shuts the machine down or restarts it", instead = TO_USER }
local PROCESSES = { id = "processes.kill-all", because = "ends everything that runs", instead = "Name the process by its id" }
local JOBS = { id = "system.crontab-remove", because = "removes all scheduled jobs", instead = "Edit the one that is meant; crontab -l lists them" }
local REPLACED_JOBS = { id = "system.crontab-replace", because = "replaces all scheduled jobs", instead = "Let the user do it; crontab -l lists what is there" }
local FIREWALL = { id = "system.firewall", because = "opens the machine, or locks everybody out", instead = TO_USER }
local NO_HISTORY = { id = "history.off", because = "keeps commands out of the history", instead = "Leave it as it is" }
local HISTORY = { id = "history.wipe", because = "keeps commands out of the history, or wipes it", instead = "Leave it as it is" }
local function uncommitted(id)
  return { id = id, because = "throws away changes that are not committed", instead = "Commit or shelve them first" }
end

-- Makes a rule. kind: { id, because, instead }; what: the name in the reason; when: its conditions.
local function refused(kind, what, when)
  local one = { id = kind.id, what = what, because = kind.because, instead = kind.instead }
  for key, value in pairs(when or {}) do one[key] = value end
  return one
end

-- An entry with options, in the format of flags.spec, and rules.
local function program(options, ...) return { options = options, rules = { ... } } end

-- A program that is denied with any arguments except --help, --version and --wtmp-only.
local function always(kind, what)
  return program(",help ,version ,wtmp-only", refused(kind, what, { unless = "help version wtmp-only" }))
end

local function none(parsed) return #parsed.operands == 0 end

-- Returns a condition: an operand matches a Lua pattern.
local function operand(pattern)
  return function(parsed, command)
    for _, at in ipairs(parsed.operands) do
      if command.argv[at]:find(pattern) then return true end
    end
    return false
  end
end

-- Returns a condition: the first operand, in lower case, is one of these words.
local function first(names)
  local wanted = words.set(names)
  return function(parsed, command) return wanted[(command.argv[parsed.operands[1]] or ""):lower()] == true end
end

-- Whether an operand is, or may be, a device. Disk images in ordinary files are allowed.
local function of_a_device(parsed, command)
  for _, at in ipairs(parsed.operands) do
    if command.unknown[at] or command.argv[at]:find("^/dev/") then return true end
  end
  return false
end

local function makes_a_file_system(what)
  return program(
    ",help ,version V t,type= F L= n= m= b= O= U= E= T= I= N= i=",
    refused(MKFS, what, { unless = "help version V", test = of_a_device })
  )
end

local function removes_volumes(what)
  return program(",help ,version t,test f,force y,yes", refused(VOLUME, what, { unless = "help version test" }))
end

local SHELL = { id = "code.reverse-shell", because = "gives whoever is at the other end a shell on this machine", instead = TO_USER }

-- Programs in front of another one.
local CARRIES = words.set "env exec nice nohup setsid stdbuf sudo doas busybox timeout command"

-- Interpreters that run what they read.
local INTERPRETERS = words.set "python perl ruby node php lua"

-- Whether a command line starts a shell, or an interpreter without a script, also behind others: `env -u X sh`.
local function starts_shell(line)
  local name, carried
  for word in line:gmatch("%S+") do
    -- Behind any other program, the words are its own.
    if name and not carried then return false end
    if word:find("^[%w/_.-]*sh$") or (not name and word:find("^[%w/_.-]*sh%f[%A]")) then return true end
    name = word:match("[^/]*$")
    carried = carried or CARRIES[name]
  end
  return name ~= nil and INTERPRETERS[name:match("^%a*")] == true
end

local function gives_shell(what)
  local function is_shell(value) return type(value) == "string" and starts_shell(value) end
  return program("e,exec= c,sh-exec= l p= v n z w= u k s=", refused(SHELL, what, {
    test = function(parsed) return is_shell(parsed.on.exec) or is_shell(parsed.on["sh-exec"]) end,
  }))
end

-- Options with which kill ends nothing, and those with a signal.
local ENDS_NOTHING, SIGNAL = words.set "-0 -l -L", words.set "-s -n --signal"

-- Whether kill ends all processes (-1) or init (1). A first argument such as `-9` is the signal.
local function kills_all(_, command)
  local argv, at = command.argv, 2
  local word = argv[at]
  if not word then return false end
  if ENDS_NOTHING[word] then return false end
  if SIGNAL[word] then
    at = at + 2
  elseif word ~= "--" and word:find("^%-") then
    at = at + 1
  end
  for rest = at, #argv do
    if argv[rest] == "-1" or argv[rest] == "1" then return true end
  end
  return false
end

local function reads_nothing(_, command)
  local first = command.redirects[1]
  return first ~= nil and first.op == "<" and first.target == "/dev/null"
end

local function reads_file(command)
  for _, redirect in ipairs(command.redirects) do
    if redirect.op == "<" then return true end
  end
  return false
end

-- Whether crontab reads the jobs from a file or its input, on a line that does not list those there are:
-- `(crontab -l; …) | crontab -`.
local function replaces_jobs(parsed, command)
  if parsed.on.l or parsed.on.e or parsed.on.V then return false end
  if not parsed.operands[1] and #command.from == 0 and not reads_file(command) then return false end
  for _, other in ipairs(command.all) do
    if other.program == "crontab" then
      for at = 2, #other.argv do
        if other.argv[at] == "-l" then return false end
      end
    end
  end
  return true
end

local function fits_all(parsed, command)
  local pattern = command.argv[parsed.operands[1]]
  return pattern ~= nil and pattern:find("^%^?%.?[*+]?%$?$") ~= nil
end

local function is_no_print(parsed, command)
  return #parsed.operands > 0 and command.argv[parsed.operands[2]] ~= "print"
end

local machine = {}

local FIREWALL_TABLE = program(
  "F,flush X,delete-chain P,policy= t,table= L,list S,list-rules n v,verbose w,wait?",
  refused(FIREWALL, "iptables -F", { any = "flush delete-chain policy" })
)

machine.programs = {
  -- Shutdown and restart.
  shutdown = program("c k h r P H ,help ,show", refused(DOWN, "shutdown", { unless = "c k help show" })),
  reboot = always(DOWN, "reboot"),
  halt = always(DOWN, "halt"),
  poweroff = always(DOWN, "poweroff"),
  init = program(nil, refused(DOWN, "init 0|6", { test = first("0 6") })),
  telinit = program(nil, refused(DOWN, "telinit 0|6", { test = first("0 6") })),
  systemctl = program(
    "f,force i q,quiet n,lines= t,type= H,host= ,user ,system ,no-wall ,now ,message=",
    refused(DOWN, "systemctl poweroff|reboot|…", {
      sub = "poweroff reboot halt kexec soft-reboot suspend hibernate hybrid-sleep rescue emergency exit isolate",
    })
  ),
  loginctl = program(nil, refused(DOWN, "loginctl poweroff|reboot|…", { sub = "poweroff reboot halt suspend hibernate" }),
    refused(PROCESSES, "loginctl terminate-user|…", { sub = "terminate-user kill-user terminate-seat terminate-session kill-session" })),

  -- Processes and scheduled jobs.
  kill = program(nil, refused(PROCESSES, "kill … -1", { test = kills_all })),
  killall5 = always(PROCESSES, "killall5"),
  fuser = program(
    "k,kill m,mount M,ismountpoint c n,namespace= s,silent v,verbose i,interactive u,user a,all l,list-signals w,write 4 6",
    refused(PROCESSES, "fuser -km /", { all = "kill mount", unless = "interactive", test = operand("^/[^/]*$") }),
    -- Every process has / as its root.
    refused(PROCESSES, "fuser -k /", { all = "kill", unless = "interactive", test = operand("^/$") })
  ),
  pkill = program(
    "f,full x,exact u,euid= U,uid= g,pgroup= G,group= P,parent= s,session= t,terminal= o,oldest n,newest ,signal=",
    refused(PROCESSES, "pkill .", { test = fits_all }),
    refused(PROCESSES, "pkill -u", { any = "euid uid", test = none })
  ),
  killall = program(
    "u,user= s,signal= e,exact i I,ignore-case q,quiet r,regexp w,wait Z,context= o,older-than= y,younger-than= n,ns=",
    refused(PROCESSES, "killall -u", { any = "user", test = none })
  ),
  crontab = program(
    "u= l e r i V",
    refused(JOBS, "crontab -r", { any = "r" }),
    refused(JOBS, "crontab /dev/null", { sub = "/dev/null" }),
    refused(JOBS, "crontab < /dev/null", { test = reads_nothing, unless = "l e" }),
    refused(REPLACED_JOBS, "crontab FILE", { test = replaces_jobs })
  ),

  -- Firewalls.
  iptables = FIREWALL_TABLE, ip6tables = FIREWALL_TABLE,
  nft = program("f=", refused(FIREWALL, "nft flush ruleset", { sub = "flush" })),
  ufw = program(",force", refused(FIREWALL, "ufw disable", { sub = "disable reset" })),

  -- Shell history.
  history = program("c d= a n r w p s", refused(HISTORY, "history -c", { any = "c" })),
  unset = program("f v n", refused(NO_HISTORY, "unset HISTFILE", { test = operand("^HISTFILE$") })),
  set = program(nil, refused(NO_HISTORY, "set +o history", { test = operand("^history$") })),
  export = program(
    nil,
    refused(NO_HISTORY, "export HISTFILE=", { test = operand("^HISTFILE=") }),
    refused(NO_HISTORY, "export HISTSIZE=0", { test = operand("^HIST%a*SIZE=0?$") })
  ),

  -- Disks.
  wipefs = program(
    "a,all n,no-act f,force b,backup? o,offset= t,types= p,parsable J,json O,output= i,noheadings q,quiet l,lock?",
    refused(ERASE, "wipefs", { any = "all offset types", unless = "no-act" })
  ),
  blkdiscard = always(ERASE, "blkdiscard"),
  badblocks = program("w n s v b= c= o= t=", refused(ERASE, "badblocks -w", { any = "w" })),
  fdisk = program(
    "l,list x,list-details s,getsz b= L,color? t,type= u,units? B ,bytes o,output= V,version h,help",
    refused(PARTITION, "fdisk", { unless = "list list-details getsz version help", test = operand(".") })
  ),
  sfdisk = program(
    "l,list d,dump J,json s,show-size F,list-free V,verify n,no-act g,show-geometry T,list-types v,version h,help",
    refused(PARTITION, "sfdisk", {
      unless = "list dump json show-size list-free verify no-act show-geometry list-types version help",
    })
  ),
  gdisk = program("l,list", refused(PARTITION, "gdisk", { unless = "list" })),
  btrfs = program(nil, refused(VOLUME, "btrfs subvolume delete", { sub = "subvolume subvolum subvolu subvol subvo subv sub su", test = operand("^del?e?t?e?$") })),
  cfdisk = always(PARTITION, "cfdisk"),
  sgdisk = program(
    "p,print i,info= v,verify V,version h,help b,backup= Z,zap-all z,zap o,clear d,delete= n,new=",
    refused(PARTITION, "sgdisk", { any = "zap-all zap clear delete new" })
  ),
  parted = program(
    "l,list s,script m,machine h,help v,version a,align=",
    refused(PARTITION, "parted", { unless = "list help version", test = is_no_print })
  ),
  mkswap = makes_a_file_system("mkswap"),
  hdparm = program(
    ",security-erase= ,security-erase-enhanced= ,trim-sector-ranges ,make-bad-sector=",
    refused(ERASE, "hdparm --security-erase", {
      any = "security-erase security-erase-enhanced trim-sector-ranges make-bad-sector",
    })
  ),
  nvme = program(nil, refused(ERASE, "nvme format", { sub = "format sanitize" })),
  cryptsetup = program(
    nil,
    refused(ERASE, "cryptsetup luksFormat|erase", { sub = "luksFormat format erase luksErase reencrypt" })
  ),
  lvremove = removes_volumes("lvremove"),
  vgremove = removes_volumes("vgremove"),
  pvremove = removes_volumes("pvremove"),
  zpool = program(nil, refused(VOLUME, "zpool destroy", { sub = "destroy labelclear" })),
  zfs = program(
    "r R f n",
    refused(VOLUME, "zfs destroy", { sub = "destroy" }),
    refused(VOLUME, "zfs rollback -r", { sub = "rollback", any = "r R" })
  ),
  mdadm = program(",zero-superblock ,stop", refused(VOLUME, "mdadm --zero-superblock", { any = "zero-superblock" })),
  diskutil = program(
    nil,
    refused(PARTITION, "diskutil erase…", {
      test = first "erasedisk erasevolume zerodisk randomdisk secureerase partitiondisk reformat",
    }),
    refused(VOLUME, "diskutil apfs delete…", { test = operand "^delete%u" })
  ),
  format = program(nil, refused(MKFS, "format C:", { test = operand "^%a:$" })),
  nwipe = always(ERASE, "nwipe"),
  scrub = always(ERASE, "scrub"),

  -- Remote shells.
  nc = gives_shell("nc -e"),
  ncat = gives_shell("ncat -e"),
  netcat = gives_shell("netcat -e"),
  ["nc.traditional"] = gives_shell("nc -e"),
  ["nc.openbsd"] = gives_shell("nc -e"),
  socat = program(nil, refused(SHELL, "socat EXEC:sh", { test = operand "[EeSs][XxYy][EeSs][CcTt]%a*:[^,]*sh%f[%A]" }),
    refused(SHELL, "socat SHELL", { test = operand "^[Ss][Hh][Ee][Ll][Ll]%f[,%z]" })),

  -- Version control.
  bfg = program(nil, { id = "git.rewrite-history", what = "bfg", because = "rewrites the whole history", instead = "Let the user do it, on a fresh clone" }),
  hg = program(
    "C,clean f,force a,all n,dry-run p,print r,rev= R,repository= ,config=",
    refused(uncommitted "vcs.hg-update-clean", "hg update --clean", { sub = "update up checkout co merge", any = "clean" }),
    refused(uncommitted "vcs.hg-revert", "hg revert", { sub = "revert", unless = "dry-run" }),
    {
      sub = "purge clean", unless = "print", id = "vcs.hg-purge", what = "hg purge", because = "removes files that Mercurial does not have",
      instead = "hg purge --print shows what would go",
    },
    { sub = "strip", id = "vcs.hg-strip", what = "hg strip", because = "removes commits", instead = "Leave it, or ask the user" },
    {
      sub = "push", any = "force", id = "vcs.hg-push-force", what = "hg push --force", because = "pushes new heads over what is there",
      instead = "Pull and merge first",
    }
  ),
  svn = program(
    "R,recursive q,quiet ,depth= ,remove-unversioned ,remove-ignored ,force",
    refused(uncommitted "vcs.svn-revert", "svn revert", { sub = "revert" }),
    {
      sub = "cleanup", any = "remove-unversioned remove-ignored", id = "vcs.svn-cleanup", what = "svn cleanup --remove-unversioned",
      because = "removes files that Subversion does not have", instead = "svn status lists them",
    }
  ),
}

--- Entries for programs with many variants, such as mkfs.ext4: { Lua pattern for the name, entry }.
machine.families = {
  { "^mkfs%f[.%z]", makes_a_file_system("mkfs") },
  { "^newfs", makes_a_file_system("newfs") },
  { "^mke2fs$", makes_a_file_system("mke2fs") },
  { "^mkdosfs$", makes_a_file_system("mkdosfs") },
  { "^mkntfs$", makes_a_file_system("mkntfs") },
}

return machine
