-- What ends the machine or its disks, or what others run on it: a table of programs.

local TO_USER = "Let the user do it"
local DISKS = "destroys what is on a disk"
local DOWN = "shuts the machine down or restarts it"

local machine = {}

-- Whether a kill is of everything: the first word may be the signal, -1 behind it is all processes.
local function kills_all(_, command)
  local argv, at = command.argv, 2
  local word = argv[at] or ""
  if word == "-s" or word == "-n" or word == "--signal" then
    at = at + 2
  elseif word ~= "--" and word:find("^%-") then
    at = at + 1
  end
  for rest = at, #argv do
    if argv[rest] == "-1" or (argv[rest] == "1" and word ~= "-0" and word ~= "-l") then return true end
  end
  return false
end

local function no_operands(parsed) return #parsed.operands == 0 end
local function operand(pattern)
  return function(parsed, command)
    for _, at in ipairs(parsed.operands) do
      if command.argv[at]:find(pattern) then return true end
    end
    return false
  end
end
local function first_word(...)
  local wanted = {}
  for _, name in ipairs({ ... }) do wanted[name] = true end
  return function(parsed, command) return wanted[command.argv[parsed.operands[1]] or ""] == true end
end
local function matches_all(parsed, command)
  local pattern = command.argv[parsed.operands[1]]
  return pattern ~= nil and pattern:find("^%^?%.?[*+]?%$?$") ~= nil
end

local function always(what, because)
  return { options = ",help ,version", rules = { { what = what, unless = "help version", because = because, instead = TO_USER } } }
end

machine.programs = {
  shutdown = { options = "c k h r P H ,help ,show", rules = { { unless = "c k help show", what = "shutdown", because = DOWN, instead = TO_USER } } },
  reboot = always("reboot", DOWN),
  halt = always("halt", DOWN),
  poweroff = always("poweroff", DOWN),
  init = { rules = { { test = first_word("0", "6"), what = "init 0|6", because = DOWN, instead = TO_USER } } },
  telinit = { rules = { { test = first_word("0", "6"), what = "telinit 0|6", because = DOWN, instead = TO_USER } } },
  systemctl = {
    options = "f,force i q,quiet n,lines= t,type= H,host= ,user ,system ,no-wall ,now ,message=",
    rules = {
      { sub = "poweroff reboot halt kexec soft-reboot suspend hibernate hybrid-sleep rescue emergency exit", what = "systemctl poweroff|reboot|…", because = DOWN, instead = TO_USER },
      { sub = "isolate", what = "systemctl isolate", because = "stops what runs on the machine", instead = TO_USER },
    },
  },
  loginctl = { rules = { { sub = "poweroff reboot halt suspend hibernate terminate-user", what = "loginctl poweroff|reboot|…", because = DOWN, instead = TO_USER } } },
  kill = { rules = { { test = kills_all, what = "kill … -1", because = "ends everything that runs", instead = "Name the process by its id" } } },
  killall5 = always("killall5", "ends everything that runs"),
  pkill = { options = "f,full x,exact u,euid= U,uid= g,pgroup= G,group= P,parent= s,session= t,terminal= o,oldest n,newest ,signal=", rules = {
    { test = matches_all, what = "pkill .", because = "ends everything that runs", instead = "Name what to end" },
    { level = 2, any = "u U euid uid", test = no_operands, what = "pkill -u", because = "ends all that somebody runs", instead = "Name what to end" },
  } },
  crontab = { options = "u= l e r i", rules = { { any = "r", what = "crontab -r", because = "removes all scheduled jobs", instead = "Edit the one that is meant; crontab -l lists them" } } },
  history = { options = "c d= a n r w p s", rules = { { any = "c", what = "history -c", because = "wipes the history of the shell", instead = "Leave it as it is" } } },
  unset = { options = "f v n", rules = { { level = 2, test = operand("^HISTFILE$"), what = "unset HISTFILE", because = "keeps commands out of the history", instead = "Leave it as it is" } } },
  export = { rules = { { level = 2, test = operand("^HIST%a*=?$"), what = "export HISTFILE=", because = "keeps commands out of the history", instead = "Leave it as it is" },
    { level = 2, test = operand("^HISTFILE=/dev/null$"), what = "export HISTFILE=/dev/null", because = "keeps commands out of the history", instead = "Leave it as it is" },
    { level = 2, test = operand("^HIST%a*SIZE=0$"), what = "export HISTSIZE=0", because = "keeps commands out of the history", instead = "Leave it as it is" } } },
  wipefs = { options = "a,all n,no-act f,force b,backup? o,offset= t,types= p,parsable J,json O,output= i,noheadings q,quiet l,lock?",
    rules = { { any = "all offset types", unless = "no-act", what = "wipefs", because = DISKS, instead = TO_USER } } },
  blkdiscard = always("blkdiscard", DISKS),
  badblocks = { options = "w n s v b= c= o= t=", rules = { { any = "w", what = "badblocks -w", because = DISKS, instead = TO_USER } } },
  fdisk = { options = "l,list x,list-details s,getsz b= L,color? t,type= u,units? B ,bytes o,output= V,version h,help",
    rules = { { unless = "list list-details getsz version help", test = operand("."), what = "fdisk", because = DISKS, instead = TO_USER } } },
  sfdisk = { options = "l,list d,dump J,json s,show-size F,list-free V,verify n,no-act g,show-geometry T,list-types v,version h,help",
    rules = { { unless = "list dump json show-size list-free verify no-act show-geometry list-types version help", what = "sfdisk", because = DISKS, instead = TO_USER } } },
  gdisk = { options = "l", rules = { { unless = "l", what = "gdisk", because = DISKS, instead = TO_USER } } },
  cfdisk = always("cfdisk", DISKS),
  sgdisk = { options = "p,print i,info= v,verify V,version h,help b,backup= Z,zap-all z,zap o,clear d,delete= n,new=",
    rules = { { any = "zap-all zap clear delete new", what = "sgdisk", because = DISKS, instead = TO_USER } } },
  parted = { options = "l,list s,script m,machine h,help v,version a,align=",
    rules = { { unless = "list help version", test = operand("^m?k?rm$"), what = "parted rm", because = DISKS, instead = TO_USER },
      { unless = "list help version", test = operand("^mk[lpt]%a*"), what = "parted mklabel|mkpart", because = DISKS, instead = TO_USER },
      { unless = "list help version", test = function(parsed, command)
        return #parsed.operands > 0 and not first_word("print")({ operands = { parsed.operands[2] } }, command)
      end, what = "parted", because = DISKS, instead = TO_USER } } },
  mkswap = always("mkswap", DISKS),
  hdparm = { options = ",security-erase= ,security-erase-enhanced= ,trim-sector-ranges ,make-bad-sector=",
    rules = { { any = "security-erase security-erase-enhanced trim-sector-ranges make-bad-sector", what = "hdparm --security-erase", because = DISKS, instead = TO_USER } } },
  nvme = { rules = { { sub = "format sanitize", what = "nvme format", because = DISKS, instead = TO_USER } } },
  cryptsetup = { rules = { { test = operand("^luksFormat$"), what = "cryptsetup luksFormat", because = DISKS, instead = TO_USER }, { sub = "erase luksErase reencrypt", what = "cryptsetup erase", because = DISKS, instead = TO_USER } } },
  lvremove = always("lvremove", DISKS),
  vgremove = always("vgremove", DISKS),
  pvremove = always("pvremove", DISKS),
  zpool = { rules = { { sub = "destroy labelclear", what = "zpool destroy", because = DISKS, instead = TO_USER } } },
  zfs = { rules = { { sub = "destroy", what = "zfs destroy", because = DISKS, instead = TO_USER } } },
  mdadm = { options = ",zero-superblock ,stop", rules = { { any = "zero-superblock", what = "mdadm --zero-superblock", because = DISKS, instead = TO_USER } } },
  diskutil = { rules = { { test = first_word("eraseDisk", "eraseVolume", "zeroDisk", "secureErase", "partitionDisk", "reformat", "apfs", "eraseall", "erasedisk", "erasevolume", "zerodisk", "randomDisk"), what = "diskutil erase…", because = DISKS, instead = TO_USER } } },
  hg = { options = "C,clean f,force a,all n,dry-run p,print r,rev= R,repository= ,config=", rules = {
    { sub = "update up checkout co merge", any = "clean", what = "hg update --clean", because = "throws away changes that are not committed", instead = "Commit or hg shelve first" },
    { sub = "revert", unless = "dry-run", what = "hg revert", because = "writes over changes that are not committed", instead = "Commit or hg shelve first" },
    { sub = "purge clean", unless = "print", what = "hg purge", because = "removes files that Mercurial does not have", instead = "hg purge --print shows what would go" },
    { sub = "strip", what = "hg strip", because = "removes commits", instead = "Leave it, or ask" },
    { sub = "push", any = "force", what = "hg push --force", because = "pushes new heads over what is there", instead = "Pull and merge first" },
  } },
  svn = { options = "R,recursive q,quiet ,depth= ,remove-unversioned ,remove-ignored ,force", rules = {
    { sub = "revert", what = "svn revert", because = "throws away changes that are not committed", instead = "svn diff > changes.patch keeps them" },
    { sub = "cleanup", any = "remove-unversioned remove-ignored", what = "svn cleanup --remove-unversioned", because = "removes files that Subversion does not have", instead = "List them with svn status" },
  } },
}

--- Programs that come in many kinds: mkfs.ext4.
machine.families = {
  { "^mkfs%f[.%z]", always("mkfs", DISKS) },
  { "^newfs", always("newfs", DISKS) },
  { "^mke2fs$", always("mke2fs", DISKS) },
  { "^mkdosfs$", always("mkdosfs", DISKS) },
  { "^mkntfs$", always("mkntfs", DISKS) },
}

return machine
