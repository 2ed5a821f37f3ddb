-- Databases. Source: the manual of each program: postgresql.org/docs, dev.mysql.com/doc, sqlite.org/cli.html,
-- mongodb.com/docs/mongodb-shell, redis.io/docs/latest/commands, cassandra.apache.org/doc, and those of the frameworks.

return [[
databases and their statements: psql, mysql, sqlite3, mongosh, redis-cli, cqlsh, prisma, rails and others
SQL = psql|pgcli|mysql|mariadb|mycli|sqlite3|sqlite|litecli|sqlcmd|cockroach|clickhouse-client|clickhouse|duckdb|
  snowsql|usql|cqlsh|bq|sqlplus|trino|presto|impala-shell|beeline|vsql|isql|db2|influx|spanner-cli|turso|tursodb|
  wrangler|prisma|supabase|pscale|planetscale|heroku|dolt|osqueryi|ksql|pg_cli|hive|spark-sql
MONGO = mongosh|mongo
BY_USER = Let the user do it
values * = -h --host -p --port -U -u --user --username -d --dbname --schema --maintenance-db
values dbmate = -u --url -e --env -d --migrations-dir -s --schema-file --migrations-table
values migrate = -source -database -path -lock-timeout -prefetch
values mysqladmin = -u --user -h --host -P --port -p --password -S --socket
values redis-cli = -h -p -a -n -u --user --pass -s -r -i --tls --cacert --cert --key
drop! | $SQL ; @sql drop | removes what is in a database | $BY_USER
truncate! | $SQL ; @sql truncate | removes what is in a database | $BY_USER
delete-all! | $SQL ; @sql delete-all | removes all rows of a table | Add a WHERE, and count the rows with a SELECT
  first
update-all! | $SQL ; @sql update-all | changes all rows of a table | Add a WHERE, and count the rows with a SELECT
  first
grant-all | $SQL ; @sql grant-all | gives all rights to an account | Grant only the rights that are needed
purge-logs | $SQL ; @sql purge-logs | removes the logs that a restore needs
# For tools that take SQL itself as the command.
statement-drop | drop database|schema|table|keyspace|user|role|view|index|sequence|tablespace ; alter table ** drop ;
  truncate ; @unless -s --size -c --no-create -r --reference -o | removes what is in a database | $BY_USER
statement-delete | delete from ; @without where | removes all rows of a table | Add a WHERE
statement-grant | grant all | gives all rights to an account | Grant only the rights that are needed
postgresql-drop! | dropdb ; dropuser ; pg_dropcluster ; @without test|test_*|*_test|*-test | removes a database
  | pg_dump saves it first
postgresql-restore | pg_restore --clean|-c | removes what is there before it restores | Restore into a new database
postgresql-damage! | pg_resetwal ; pg_resetxlog ; @unless -n | damages a database
postgresql-server | pg_ctl stop ; pg_ctlcluster ** stop ; pg_archivecleanup ; @unless -n | stops a server, or changes
  its files | $BY_USER
mysqladmin! | mysqladmin|mariadb-admin drop | removes a database | mysqldump saves it first
mysql-server | mysqladmin|mariadb-admin shutdown|flush-logs|kill|reload ; mysqlimport --delete|-D ; mysql_install_db ;
  mysqldump --add-drop-database | stops a server, or writes statements that remove what is there
mongo! | $MONGO ; @says dropdatabase( ; @says .drop( ; @says deletemany({}) ; @says deletemany( {} ; @says remove({})
  ; @says remove( {} ; @says .dropindexes( ; @says .dropuser( ; @says .droprole( ; @says dropallusers ; @says
  .shutdownserver( | removes what is in a database | $BY_USER
mongorestore | mongorestore --drop ; mongoimport --drop | removes what is there before it restores | Restore without
  --drop
redis! | redis-cli|valkey-cli|keydb-cli flushall|flushdb | empties a database
redis-input | redis-cli|valkey-cli|keydb-cli ; @reads flushall ; @reads flushdb | empties a database
redis-script | redis-cli|valkey-cli|keydb-cli eval ; @says flushall ; @says flushdb ; @says 'del' ; @says 'unlink'
  | removes keys from within a script
redis-server | redis-cli|valkey-cli|keydb-cli shutdown|swapdb|debug|replicaof|slaveof ; redis-cli|valkey-cli|keydb-cli
  config set|rewrite ; redis-cli|valkey-cli|keydb-cli cluster|script|function reset|flush|forget|failover|flushslots ;
  redis-cli|valkey-cli|keydb-cli acl deluser ; redis-cli|valkey-cli --cluster del-node|reshard | stops a server, or
  changes how it keeps its data
redis-keys | redis-cli|valkey-cli|keydb-cli del|unlink | removes keys | Use SCAN or TYPE to see what they are
cassandra | nodetool decommission|removenode|assassinate|drain|clearsnapshot|stopdaemon|truncatehints|disablegossip|
  disablebinary | removes a node, or what it keeps
rails! | rails|rake|bin/rails|bin/rake db:drop|db:drop:*|db:reset|db:purge|db:schema:load|db:migrate:reset|
  db:truncate_all|db:seed:replant | empties a database
rails-rollback | rails|rake db:rollback|db:migrate:down | undoes migrations with their data
prisma! | prisma migrate reset ; prisma db push --force-reset|--accept-data-loss | empties tables | prisma migrate
  diff shows the change
frameworks! | php|artisan migrate:fresh|migrate:reset|db:wipe|migrate:refresh ; php artisan|bin/console
  migrate:fresh|migrate:reset|migrate:refresh|db:wipe|doctrine:database:drop|doctrine:schema:drop ; supabase db reset
  | empties a database
orm | sequelize|sequelize-cli db:drop|db:migrate:undo:all ; knex migrate:rollback --all ; typeorm schema:drop ;
  mikro-orm schema:drop|schema:fresh|migration:fresh ; alembic downgrade ; flyway clean ; liquibase
  drop-all|dropall|rollback ; goose ** down|down-to|reset ; dbmate drop|down|rollback ; migrate drop|down ;
  django-admin flush ; manage.py flush|reset_db ; mix ecto.drop|ecto.reset ; drizzle-kit drop ; drizzle-kit push
  --force ; dotnet ef database drop ; diesel database reset|drop ; sqlx database drop|reset ; atlas schema clean ;
  hasura migrate|metadata delete|clear | empties a database, or undoes migrations
django | python|python3 manage.py|./manage.py flush|reset_db ; python|python3 manage.py migrate ** zero | empties a
  database
managed | supabase projects|branches|functions|secrets|orgs delete|unset ; pscale|planetscale database|branch|
  password|backup delete ; turso db|group|org destroy|delete ; neonctl|neon projects|branches|databases|roles
  delete|reset ; atlas|mongocli clusters|projects|dbusers|backups delete|rm ; cockroach node drain|decommission ;
  influx bucket|org delete ; influx delete | removes a database or a branch of it
]]
