-- The packs in `shell_guard/packs/`: tables of commands of other programs that cannot be undone. A table is loaded when one of
-- its rules is switched on. It has the fields
--   about    what the pack is about
--   values   program → its options whose value is the next word, separated by spaces ("*": all programs of the pack)
--   rules    a list of rules: { name, because, instead, and conditions }; several may have the same name. Conditions:
--     runs     command words in their order, or a list of them: `a|b` is either, `!a|b` neither, `*` in a word is any text,
--              `*` alone is one word, `**` any words, and `-x|--long` an option at any position
--     unless   options, separated by spaces, with which the rule does not apply
--     without  operands with which the rule does not apply, as alternatives
--     last     whether the last word of `runs` must be the last operand
--     strict   whether level "strict" switches the rule on
--     http     { method, URL patterns }: a request of curl, wget, http or xh; `*` is any text, "ANY" any method that writes
--     sql      kind of a statement of shell_guard.sql, for the programs in `runs`
--     says     texts in the arguments or the input, in lower case, with single spaces, for the programs in `runs`
--     reads    the same in the input only
-- Help, versions and `--dry-run` never match.

local packs = {}

--- Name → function that loads the pack.
packs.load = {
  ["api-gateways"] = function() return require "shell_guard.packs.api_gateways" end,
  aws = function() return require "shell_guard.packs.aws" end,
  azure = function() return require "shell_guard.packs.azure" end,
  backup = function() return require "shell_guard.packs.backup" end,
  cdn = function() return require "shell_guard.packs.cdn" end,
  ci = function() return require "shell_guard.packs.ci" end,
  databases = function() return require "shell_guard.packs.databases" end,
  devices = function() return require "shell_guard.packs.devices" end,
  dns = function() return require "shell_guard.packs.dns" end,
  docker = function() return require "shell_guard.packs.docker" end,
  email = function() return require "shell_guard.packs.email" end,
  ["feature-flags"] = function() return require "shell_guard.packs.feature_flags" end,
  gcloud = function() return require "shell_guard.packs.gcloud" end,
  github = function() return require "shell_guard.packs.github" end,
  gitlab = function() return require "shell_guard.packs.gitlab" end,
  helm = function() return require "shell_guard.packs.helm" end,
  hosting = function() return require "shell_guard.packs.hosting" end,
  infrastructure = function() return require "shell_guard.packs.infrastructure" end,
  kubernetes = function() return require "shell_guard.packs.kubernetes" end,
  ["load-balancers"] = function() return require "shell_guard.packs.load_balancers" end,
  messaging = function() return require "shell_guard.packs.messaging" end,
  monitoring = function() return require "shell_guard.packs.monitoring" end,
  payment = function() return require "shell_guard.packs.payment" end,
  registries = function() return require "shell_guard.packs.registries" end,
  remote = function() return require "shell_guard.packs.remote" end,
  search = function() return require "shell_guard.packs.search" end,
  secrets = function() return require "shell_guard.packs.secrets" end,
  server = function() return require "shell_guard.packs.server" end,
  storage = function() return require "shell_guard.packs.storage" end,
  terraform = function() return require "shell_guard.packs.terraform" end,
}

--- Calls a function with each rule of a pack and its id.
function packs.each(name, call)
  for _, rule in ipairs(packs.load[name]().rules) do call(name .. "." .. rule[1], rule) end
end

return packs
