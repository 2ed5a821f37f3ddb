-- Databases. Source: the manual of each program: postgresql.org/docs, dev.mysql.com/doc, sqlite.org/cli.html,
-- mongodb.com/docs/mongodb-shell, redis.io/docs/latest/commands, cassandra.apache.org/doc, and those of the frameworks.

-- Clients of SQL: their arguments and their input are statements.
local SQL = "psql|pgcli|mysql|mariadb|mycli|sqlite3|sqlite|litecli|sqlcmd|cockroach|clickhouse-client|clickhouse|duckdb|snowsql|usql|cqlsh|bq|"
  .. "sqlplus|trino|presto|impala-shell|beeline|vsql|isql|db2|influx|spanner-cli|turso|tursodb|wrangler|prisma|supabase|pscale|planetscale|"
  .. "heroku|dolt|osqueryi|ksql|pg_cli|hive|spark-sql"
local MONGO = "mongosh|mongo"
local BY_USER = "Let the user do it"

return {
  about = "databases and their statements: psql, mysql, sqlite3, mongosh, redis-cli, cqlsh, prisma, rails and others",
  values = {
    ["redis-cli"] = "-h -p -a -n -u --user --pass -s -r -i --tls --cacert --cert --key",
    mysqladmin = "-u --user -h --host -P --port -p --password -S --socket",
    migrate = "-source -database -path -lock-timeout -prefetch",
    dbmate = "-u --url -e --env -d --migrations-dir -s --schema-file --migrations-table",
    ["*"] = "-h --host -p --port -U -u --user --username -d --dbname --schema --maintenance-db",
  },
  rules = {
    { "drop", runs = SQL, sql = "drop", strict = true, because = "removes what is in a database", instead = BY_USER },
    { "truncate", runs = SQL, sql = "truncate", strict = true, because = "removes what is in a database", instead = BY_USER },
    { "delete-all", runs = SQL, sql = "delete-all", strict = true, because = "removes all rows of a table", instead = "Add a WHERE, and count the rows with a SELECT first" },
    { "update-all", runs = SQL, sql = "update-all", strict = true, because = "changes all rows of a table", instead = "Add a WHERE, and count the rows with a SELECT first" },
    { "grant-all", runs = SQL, sql = "grant-all", because = "gives all rights to an account", instead = "Grant only the rights that are needed" },
    { "purge-logs", runs = SQL, sql = "purge-logs", because = "removes the logs that a restore needs" },
    -- For tools that take SQL itself as the command.
    { "statement-drop", runs = { "drop database|schema|table|keyspace|user|role|view|index|sequence|tablespace", "alter table ** drop", "truncate" }, unless = "-s --size -c --no-create -r --reference -o", because = "removes what is in a database", instead = BY_USER },
    { "statement-delete", runs = "delete from", without = "where", because = "removes all rows of a table", instead = "Add a WHERE" },
    { "statement-grant", runs = "grant all", because = "gives all rights to an account", instead = "Grant only the rights that are needed" },
    { "postgresql-drop", runs = { "dropdb", "dropuser", "pg_dropcluster" }, without = "test|test_*|*_test|*-test", strict = true, because = "removes a database", instead = "pg_dump saves it first" },
    { "postgresql-restore", runs = "pg_restore --clean|-c", because = "removes what is there before it restores", instead = "Restore into a new database" },
    { "postgresql-damage", runs = { "pg_resetwal", "pg_resetxlog" }, unless = "-n", strict = true, because = "damages a database" },
    { "postgresql-server", runs = { "pg_ctl stop", "pg_ctlcluster ** stop", "pg_archivecleanup" }, unless = "-n", because = "stops a server, or changes its files", instead = BY_USER },
    { "mysqladmin", runs = { "mysqladmin|mariadb-admin drop" }, strict = true, because = "removes a database", instead = "mysqldump saves it first" },
    { "mysql-server", runs = { "mysqladmin|mariadb-admin shutdown|flush-logs|kill|reload", "mysqlimport --delete|-D", "mysql_install_db", "mysqldump --add-drop-database" }, because = "stops a server, or writes statements that remove what is there" },
    { "mongo", runs = MONGO, says = { "dropdatabase(", ".drop(", "deletemany({})", "deletemany( {}", "remove({})", "remove( {}", ".dropindexes(", ".dropuser(", ".droprole(", "dropallusers", ".shutdownserver(" }, strict = true, because = "removes what is in a database", instead = BY_USER },
    { "mongorestore", runs = { "mongorestore --drop", "mongoimport --drop" }, because = "removes what is there before it restores", instead = "Restore without --drop" },
    { "redis", runs = { "redis-cli|valkey-cli|keydb-cli flushall|flushdb" }, strict = true, because = "empties a database" },
    { "redis-input", runs = "redis-cli|valkey-cli|keydb-cli", reads = { "flushall", "flushdb" }, because = "empties a database" },
    { "redis-script", runs = "redis-cli|valkey-cli|keydb-cli eval", says = { "flushall", "flushdb", "'del'", "'unlink'" }, because = "removes keys from within a script" },
    { "redis-server", runs = { "redis-cli|valkey-cli|keydb-cli shutdown|swapdb|debug|replicaof|slaveof", "redis-cli|valkey-cli|keydb-cli config set|rewrite", "redis-cli|valkey-cli|keydb-cli cluster|script|function reset|flush|forget|failover|flushslots", "redis-cli|valkey-cli|keydb-cli acl deluser", "redis-cli|valkey-cli --cluster del-node|reshard" }, because = "stops a server, or changes how it keeps its data" },
    { "redis-keys", runs = { "redis-cli|valkey-cli|keydb-cli del|unlink" }, because = "removes keys", instead = "Use SCAN or TYPE to see what they are" },
    { "cassandra", runs = { "nodetool decommission|removenode|assassinate|drain|clearsnapshot|stopdaemon|truncatehints|disablegossip|disablebinary" }, because = "removes a node, or what it keeps" },
    { "rails", runs = { "rails|rake|bin/rails|bin/rake db:drop|db:drop:*|db:reset|db:purge|db:schema:load|db:migrate:reset|db:truncate_all|db:seed:replant" }, strict = true, because = "empties a database" },
    { "rails-rollback", runs = { "rails|rake db:rollback|db:migrate:down" }, because = "undoes migrations with their data" },
    { "prisma", runs = { "prisma migrate reset", "prisma db push --force-reset|--accept-data-loss" }, strict = true, because = "empties tables", instead = "prisma migrate diff shows the change" },
    { "frameworks", runs = { "php|artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh", "php artisan|bin/console migrate:fresh|migrate:reset|migrate:refresh|db:wipe|doctrine:database:drop|doctrine:schema:drop", "supabase db reset" }, strict = true, because = "empties a database" },
    { "orm", runs = { "sequelize|sequelize-cli db:drop|db:migrate:undo:all", "knex migrate:rollback --all", "typeorm schema:drop", "mikro-orm schema:drop|schema:fresh|migration:fresh", "alembic downgrade", "flyway clean", "liquibase drop-all|dropall|rollback", "goose ** down|down-to|reset", "dbmate drop|down|rollback", "migrate drop|down", "django-admin flush", "manage.py flush|reset_db", "mix ecto.drop|ecto.reset", "drizzle-kit drop", "drizzle-kit push --force", "dotnet ef database drop", "diesel database reset|drop", "sqlx database drop|reset", "atlas schema clean", "hasura migrate|metadata delete|clear" }, because = "empties a database, or undoes migrations" },
    { "django", runs = { "python|python3 manage.py|./manage.py flush|reset_db", "python|python3 manage.py migrate ** zero" }, because = "empties a database" },
    { "managed", runs = { "supabase projects|branches|functions|secrets|orgs delete|unset", "pscale|planetscale database|branch|password|backup delete", "turso db|group|org destroy|delete", "neonctl|neon projects|branches|databases|roles delete|reset", "atlas|mongocli clusters|projects|dbusers|backups delete|rm", "cockroach node drain|decommission", "influx bucket|org delete", "influx delete" }, because = "removes a database or a branch of it" },
  },
}
