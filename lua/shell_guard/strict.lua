-- Commands with irreversible effects on shared resources: denied at "strict" and "paranoid". A row
-- has the words of a command in their order (other words may stand between them; `a|b` is either,
-- `--x` is a required option at any position), and what the command does.

local words = require "shell_guard.words"

local strict = {}

strict.rows = {
  { "docker|podman system prune", "removes containers, networks and images" },
  { "docker|podman volume|image|container|network|builder prune", "removes what nothing uses just now" },
  { "docker|podman volume rm|remove", "removes a volume with its contents" },
  { "docker|podman rm --force|-f", "ends and removes containers" },
  { "docker|podman rmi --force|-f", "removes images that are in use" },
  { "docker compose down --volumes|-v", "removes volumes with their contents" },
  { "docker-compose down --volumes|-v", "removes volumes with their contents" },
  { "kubectl|oc delete", "removes what others may use" },
  { "kubectl|oc drain", "ends what runs on a node" },
  { "kubectl|oc replace --force", "removes and makes again" },
  { "helm uninstall|delete|un", "removes what others may use" },
  { "terraform|tofu|terragrunt destroy", "removes infrastructure" },
  { "terraform|tofu|terragrunt apply --destroy|-destroy", "removes infrastructure" },
  { "terraform|tofu|terragrunt apply --auto-approve|-auto-approve", "changes infrastructure unseen" },
  { "terraform|tofu|terragrunt state rm", "forgets infrastructure" },
  { "pulumi destroy", "removes infrastructure" },
  { "cdk destroy", "removes infrastructure" },
  { "serverless|sls remove", "removes infrastructure" },
  { "aws s3 rm --recursive", "removes all objects below a prefix" },
  { "aws s3 rb", "removes a bucket" },
  { "aws s3 sync --delete", "removes what is not in the source" },
  { "aws * delete-*|terminate-*|remove-*|purge-*", "removes what others may use" },
  { "gcloud delete", "removes what others may use" },
  { "gsutil rm|rb", "removes objects" },
  { "gcloud storage rm", "removes objects" },
  { "az delete", "removes what others may use" },
  { "az storage * delete-batch", "removes objects" },
  { "doctl delete", "removes what others may use" },
  { "flyctl|fly destroy", "removes an app" },
  { "heroku apps:destroy|pg:reset|addons:destroy", "removes an app or its database" },
  { "vercel|netlify|wrangler|firebase remove|rm|delete|sites:delete|projects:delete", "removes what is deployed" },
  { "gh repo delete|archive", "removes a repository" },
  { "gh release|gist|secret|variable|label|cache|issue|run|workflow delete|disable", "removes what others may use" },
  { "gh api -XDELETE", "removes what others may use" },
  { "gh api --method=DELETE", "removes what others may use" },
  { "gh api --method|-X DELETE", "removes what others may use" },
  { "glab repo|release|issue|mr delete", "removes what others may use" },
  { "npm|pnpm unpublish", "takes a published package away from those who use it" },
  { "npm|pnpm deprecate", "tells all users of a package to leave it" },
  { "npm owner|access rm|revoke", "takes rights away" },
  { "cargo yank", "takes a published version away" },
  { "gem yank", "takes a published version away" },
  { "twine|poetry|flit upload|publish", "publishes for good" },
  { "rsync --del|--delete|--delete-*|--remove-source-files", "removes what is not in the source" },
  { "rclone purge|delete|sync|deletefile|rmdirs", "removes what is not in the source" },
  { "redis-cli flushall|flushdb|FLUSHALL|FLUSHDB", "empties a database" },
  { "dropdb", "removes a database" },
  { "mysqladmin drop", "removes a database" },
  { "rails|rake|bin/rails db:drop|db:reset|db:purge", "empties a database" },
  { "prisma migrate reset", "empties a database" },
  { "prisma db push --force-reset|--accept-data-loss", "empties tables" },
  { "php|artisan migrate:fresh|migrate:reset|db:wipe", "empties a database" },
  { "supabase db reset", "empties a database" },
  { "pg_resetwal", "damages a database" },
  { "apt|apt-get|dnf|yum|zypper purge|remove|autoremove|erase", "removes programs of the machine" },
  { "brew uninstall|remove|rm --force", "removes programs of the machine" },
  { "userdel|deluser|groupdel|delgroup", "removes an account" },
  { "iptables|ip6tables|nft -F|--flush|flush", "opens the machine's firewall" },
  { "ufw disable|reset", "opens the machine's firewall" },
  { "tmutil delete|deletelocalsnapshots", "removes backups" },
  { "restic|borg forget|prune|delete", "removes backups" },
  { "vagrant destroy", "removes a machine" },
  { "virsh undefine|destroy", "removes a machine" },
  { "tmux kill-server", "ends all sessions" },
  { "adb shell rm|wipe", "removes files of a device" },
  { "fastboot erase|flashall", "removes files of a device" },
}

-- Database clients: their arguments may be statements.
strict.databases = words.set [[
  psql mysql mariadb sqlite3 sqlite sqlcmd mongosh mongo cockroach clickhouse-client clickhouse duckdb bq snowsql usql pgcli
  mycli cqlsh
]]

--- Parts of statements with irreversible effects. They are searched for in the arguments in lower
--- case, with single spaces.
strict.statements = {
  "drop database", "drop schema", "drop table", "drop keyspace", "drop user", "drop role", "drop column", "truncate ",
  "dropdatabase(", ".drop(", "deletemany({})", "remove({})",
}
--- Patterns for statements that are denied unless they have a `where`.
strict.unfiltered = { "^.*delete from ", "^.*update .* set " }

return strict
