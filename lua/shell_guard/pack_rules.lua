-- Rules for commands of other programs that cannot be undone, in packs: a line with its name and what it is about, and
-- its rows: see shell_guard.packs.

return [[
== api-gateways | API gateways: Kong, Apigee, AWS API Gateway, Tyk
# Source: developer.konghq.com/deck, docs.konghq.com/gateway/api/admin-oss, cloud.google.com/apigee,
# docs.aws.amazon.com/cli.
values aws = --profile --region --output --endpoint-url --query
values deck = --kong-addr --headers --config
values gcloud = --project --account --organization
kong-reset | deck reset ; deck gateway reset | removes the whole configuration of a gateway | deck gateway dump saves
  it first
kong-sync | deck sync ; deck gateway sync | removes what is not in the file | deck gateway diff shows the change; deck
  gateway apply removes nothing
kong-delete | @http DELETE *:8001/* *:8444/* | removes what requests pass through | A GET of the same address shows
  what it is
kong-stop | kong stop|quit ; kong migrations reset | stops a gateway, or empties its database
apigee | gcloud apigee ** delete|undeploy ; apigeecli ** delete|undeploy|clean|del | removes an API or what it needs
  | Use list to see what there is
aws | aws apigateway|apigatewayv2 delete-*|flush-*|reset-* | removes an API or a part of it | aws apigateway
  get-rest-apis shows what there is
tyk | @http DELETE */tyk/* | removes an API, a key or a policy
== aws | resources of AWS: aws
# Source: docs.aws.amazon.com/cli/latest/reference: the verbs of operations are the same in all services.
VALUES = --profile --region --output --endpoint-url --query --ca-bundle --color --cli-read-timeout
  --cli-connect-timeout
values * = $VALUES
s3-rm-recursive! | aws s3 rm --recursive | removes all objects below a prefix | --dryrun shows what would go
s3-rm | aws s3 rm | removes an object | --dryrun shows what would go
s3-rb! | aws s3 rb | removes a bucket | aws s3 ls shows what is in it
s3-sync-delete! | aws s3 sync --delete | removes what is not in the source | --dryrun shows what would go
s3-mv | aws s3 mv --recursive | moves all objects below a prefix | --dryrun shows what would move
delete! | aws * delete-*|terminate-*|remove-*|purge-*|batch-delete-*|deregister-*|release-* ; @unless
  --generate-cli-skeleton | removes what others may use | Use describe or get to see what it is, and let the user
  remove it
stop | aws * stop-*|disable-*|detach-*|revoke-*|cancel-*|disassociate-*|deactivate-*|unsubscribe|reset-*|
  schedule-key-deletion|reboot-*|failover-*|untag-* ; @unless --generate-cli-skeleton | stops or detaches what others
  may use | Let the user do it
change-batch | aws route53 change-resource-record-sets --change-batch=*DELETE*|--change-batch=*delete* | removes DNS
  records | aws route53 list-resource-record-sets shows them
invalidate | aws cloudfront create-invalidation | empties caches, so that all requests go to the origin
put-secret | aws secretsmanager put-secret-value|update-secret|rotate-secret | replaces a secret that programs use
  | Let the user set it
public | aws s3api put-bucket-acl|put-object-acl --acl=public-* ; aws * put-bucket-policy|put-public-access-block|
  put-lifecycle-configuration|put-bucket-lifecycle-configuration | changes who reaches a bucket, or how long its
  objects live
iam | aws iam attach-*|put-*-policy|create-access-key|create-login-profile|update-login-profile|
  update-assume-role-policy|add-user-to-group|create-policy-version|set-default-policy-version | changes who may do
  what | Let the user do it
ecr | aws ecr put-lifecycle-policy | has images removed
scale-to-zero | aws ecs update-service --desired-count=0 ; aws autoscaling * --desired-capacity=0 ; aws autoscaling
  update-auto-scaling-group --max-size=0 | ends everything that a service runs
== azure | resources of Azure: az, azcopy, azd
# Source: learn.microsoft.com/cli/azure/reference-index, learn.microsoft.com/azure/storage/common/storage-ref-azcopy.
VALUES = --subscription -g --resource-group -n --name -o --output --query
values * = $VALUES
group-delete! | az group delete | removes a resource group with all that is in it | az resource list -g NAME shows
  what is in it
delete! | az ** delete|delete-batch|purge|remove|destroy | removes what others may use | Use show to see what it is,
  and let the user remove it
untag | az acr repository untag ; az ** deallocate|stop|restart|revoke|disable|regenerate|renew | stops what others
  may use, or takes it away from them
azcopy-remove | azcopy remove|rm | removes blobs | --dry-run shows what would go
azcopy-sync-delete | azcopy sync --delete-destination | removes what is not in the source | --dry-run shows what would
  go
azd-down | azd down | removes infrastructure
== backup | backups: borg, restic, velero, kopia, duplicity, tmutil, snapper, pgbackrest, wal-g
# Source: borgbackup.readthedocs.io, restic.readthedocs.io, velero.io/docs, kopia.io/docs, duplicity's manual.
values borg = --remote-path --rsh
values restic = -r --repo -p --password-file --repository-file
values snapper = -c --config
values velero = -n --namespace --kubeconfig --kubecontext
borg! | borg|borg2 delete|prune|repo-delete|rdelete ; @unless -n | removes backups | --dry-run --list shows what would
  go
borg-change | borg|borg2 compact|recreate|break-lock|config|rename|repo-compress|transfer ; borg|borg2 key !export|key
  ; @unless -n | changes or frees what backups consist of | borg list shows what there is
restic! | restic forget|prune ; @unless -n | removes backups | --dry-run shows what would go
restic-change | restic key remove ; restic unlock --remove-all ; restic cache --cleanup ; restic rewrite --forget ;
  restic repair|rebuild-index|recover | removes keys, locks or data of a repository
velero | velero backup|schedule|restore|backup-location|snapshot-location|snapshot|repo delete ; velero delete ;
  velero uninstall | removes backups | velero backup get shows what there is
kopia | kopia snapshot|snapshots delete ; kopia snapshot|snapshots expire --delete ; kopia repository change-password
  ; kopia policy|manifest delete|remove|rm ; kopia blob|content|index delete|gc|recover | removes backups
duplicity | duplicity remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup --force ;
  duplicati-cli delete|purge ; rdiff-backup remove ; rdiff-backup --remove-older-than | removes backups
macos! | tmutil delete|deletelocalsnapshots|deleteinprogress | removes backups | tmutil listbackups shows them
snapshots | snapper delete|remove|rm|rollback|undochange ; timeshift --delete|--delete-all|--restore ; tarsnap -d ;
  tarsnap --nuke | removes or restores snapshots
databases | pgbackrest expire|stanza-delete|restore ; wal-g|wal-e delete ; barman delete ; xtrabackup
  --copy-back|--move-back ; proxmox-backup-client prune ; proxmox-backup-client snapshot|group forget | removes
  backups of a database, or writes them over it
== cdn | content delivery: Cloudflare Workers, CloudFront, Fastly, Akamai, Bunny
# Source: developers.cloudflare.com/workers/wrangler/commands, fastly.com/documentation/reference/cli,
# docs.aws.amazon.com/cli/latest/reference/cloudfront.
values aws = --profile --region --output --query
values fastly = --token -t --profile
values wrangler = -c --config -e --env --env-file
wrangler-delete | wrangler delete ; wrangler deployments rollback ; wrangler rollback ; wrangler
  kv:key|kv:namespace|kv:bulk delete ; wrangler kv key|namespace|bulk delete ; wrangler r2 object|bucket delete ;
  wrangler r2 bucket ** delete|remove ; wrangler d1 delete ; wrangler d1 time-travel restore ; wrangler
  queues|hyperdrive|vectorize|workflows|dispatch-namespace|pipelines|containers|mtls-certificate|cert delete ;
  wrangler queues purge ; wrangler queues consumer ** remove ; wrangler vectorize delete-vectors|delete-metadata-index
  ; wrangler workflows instances terminate ; wrangler secrets-store store|secret delete ; wrangler containers images
  delete ; wrangler pages project|deployment|secret delete ; wrangler secret delete ; wrangler versions secret delete
  | removes a worker or what it stores
cloudfront | aws cloudfront delete-*|create-invalidation|disassociate-* ; aws cloudfront-keyvaluestore delete-key
  | removes a distribution, or empties its caches
fastly | fastly ** delete|deactivate|purge ; fastly purge ; fastly service-version activate|deactivate ; fastly
  service version activate|deactivate | removes a service or a part of it, or changes what is in use | Use describe or
  list to see what there is
http-delete | @http DELETE api.fastly.com/* api.bunny.net/* | removes a service or a part of it
http-purge | @http POST api.cloudflare.com/*/purge_cache api.fastly.com/*/purge_all api.bunny.net/*/purgeCache
  | empties caches, so that all requests go to the origin
== ci | CI: Jenkins, CircleCI, Travis, Buildkite, Drone, Woodpecker
# Source: circleci.com/docs/local-cli, www.jenkins.io/doc/book/managing/cli, buildkite.com/docs/platform/cli, and the
# reference of each program.
JENKINS = delete-*|remove-*|safe-shutdown|shutdown|safe-restart|restart|disable-job|disable-plugin|quiet-down|
  clear-queue|offline-node|disconnect-node|stop-builds
values circleci = --host --token
values java = -jar -s -cp -auth -i -user
values jenkins-cli = -s -auth -i -user
circleci-delete | circleci context delete|remove-secret ; circleci orb|namespace|pipeline|runner|project|policy|
  trigger delete ; circleci orb unlist ; circleci runner resource-class|token|instance delete|rm | removes what
  pipelines use
circleci-http-delete | @http DELETE circleci.com/api/* | removes what pipelines use
jenkins-cli | jenkins-cli ** $JENKINS | removes or stops what Jenkins builds
jenkins-delete | java ** $JENKINS ; @says jenkins | removes or stops what Jenkins builds
jenkins-http-delete | @http POST */dodelete */doDelete */doWipeOutWorkspace */safeExit */exit */kill */scriptText
  */script | removes or stops what Jenkins builds
travis-delete | travis cache --delete|-d ; travis env unset|clear ; travis disable ; travis cancel | removes or stops
  what pipelines use
drone-delete | drone|woodpecker-cli ** secret|orgsecret|cron|template|registry|repo rm|remove|disable ;
  drone|woodpecker-cli server destroy ; drone build stop ; woodpecker-cli pipeline stop|kill|purge | removes or stops
  what pipelines use
buildkite-delete | bk secret delete ; bk build|job cancel ; bk agent stop ; buildkite-agent build cancel | removes or
  stops what pipelines use
== databases | databases and their statements: psql, mysql, sqlite3, mongosh, redis-cli, cqlsh, prisma, rails and
  others
# Source: the manual of each program: postgresql.org/docs, dev.mysql.com/doc, sqlite.org/cli.html,
# mongodb.com/docs/mongodb-shell, redis.io/docs/latest/commands, cassandra.apache.org/doc, and those of the
# frameworks.
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
== devices | phones and boards: adb, fastboot, simctl, esptool, probe-rs, nrfjprog
# Source: developer.android.com/tools/adb, android.googlesource.com (fastboot), esptool's documentation.
values adb = -s -t -H -P
values fastboot = -s
adb-rm! | adb shell rm -r|-R|--recursive ; adb shell wipe | removes folders of a device | adb shell ls shows what
  there is
adb-uninstall | adb uninstall ; adb shell pm|cmd uninstall|clear ; adb shell recovery|reboot|mkfs*|dd ; adb
  reboot|sideload|root|remount|disable-verity | removes programs or data of a device
adb-shell | adb shell ; @says pm clear ; @says pm uninstall ; @says cmd package uninstall ; @says --wipe_data
  | removes programs or data of a device
fastboot! | fastboot erase|flashall|flash|format|format:*|update|wipe-super|delete-logical-partition ; fastboot
  oem|flashing lock*|unlock*|erase*|format* | removes files of a device
fastboot-wipe | fastboot -w | removes all data of a device
simulators | xcrun simctl delete|erase ; simctl delete|erase ; avdmanager delete | removes simulators with their data
boards | esptool|esptool.py ** erase_flash|erase-flash|erase_region|erase-region ; espefuse|espefuse.py **
  burn_*|burn-* ; avrdude -e ; st-flash erase ; dfu-util -s=*mass-erase*|--dfuse-address=*mass-erase* ; probe-rs erase
  ; nrfjprog -e|--eraseall|--recover | erases a board
== dns | DNS: Route 53, Cloudflare, nsupdate, rndc, PowerDNS
# Source: docs.aws.amazon.com/cli/latest/reference/route53, developers.cloudflare.com/api, bind9.readthedocs.io,
# doc.powerdns.com.
values aws = --profile --region --output --query
route53 | aws route53|route53domains|route53resolver delete-*|disassociate-* | removes a zone or what watches it
route53-records | aws route53 change-resource-record-sets --change-batch=*DELETE* | removes records | aws route53
  list-resource-record-sets shows them
cloudflare | wrangler dns-records|dns delete ; flarectl dns|zone|firewall delete|d | removes records or a zone
cloudflare-http | @http DELETE api.cloudflare.com/* | removes records, a zone or its settings | A GET of the same
  address shows what it is
nsupdate | nsupdate ; @says "update delete " ; @says "delete " | removes records | dig shows them
nsupdate-local | nsupdate -l | changes the zones of this machine's server unseen
transfer | dig ** axfr|ixfr | lists a whole zone | Ask for single names
servers | rndc stop|halt|delzone|flush|freeze|nta ; pdnsutil delete-zone|delete-rrset|clear-zone ; unbound-control
  stop|flush_*|local_zone_remove ; knotc zone-purge|stop|conf-unset ; doctl compute domain delete ; gcloud dns **
  delete | removes a zone, or stops a server
domains | @http DELETE api.godaddy.com/* api.dnsimple.com/* api.digitalocean.com/v2/domains/* api.gandi.net/*
  dns.hetzner.com/* | removes records or a domain
== docker | containers, images and volumes: docker, podman, nerdctl, docker compose
# Source: docs.docker.com/reference/cli, docs.podman.io.
VALUES = --context -H --host -c --config -f --file -p --project-name --profile --log-level --env-file
  --project-directory
FIRST = docker system df and docker ps -a show what there is
values docker = --context -H --host -c --config -l --log-level
values docker-compose = $VALUES
values podman = --connection -c --url --root --log-level
system-prune! | docker|podman|nerdctl system prune | removes containers, networks and images | $FIRST
system-reset | podman system reset ; podman machine rm|reset ; colima delete | removes everything that it holds
  | $FIRST
prune! | docker|podman|nerdctl volume|image|container|network|builder|buildx|pod prune ; docker buildx prune | removes
  what nothing uses just now | $FIRST
volume-rm! | docker|podman|nerdctl volume rm|remove | removes a volume with its contents | docker volume inspect shows
  what it is
rm-force! | docker|podman|nerdctl rm --force|-f ; docker|podman|nerdctl container rm|remove --force|-f ; podman pod rm
  --force|-f ; podman rm --all|-a | ends and removes containers | Stop and remove it by name, without --force
rmi-force! | docker|podman|nerdctl rmi --force|-f ; docker|podman|nerdctl image rm|remove --force|-f ; podman rmi
  --all|-a | removes images that are in use | Remove it without --force
rm-volumes | docker|podman|nerdctl rm --volumes|-v ; docker|podman|nerdctl container rm --volumes|-v | removes
  containers with their volumes | Remove them without -v
compose-down-volumes! | docker|podman compose ** down --volumes|-v ; docker-compose|podman-compose down --volumes|-v ;
  docker compose ** rm --volumes|-v ; docker-compose rm --volumes|-v | removes volumes with their contents | Use down
  alone, which keeps volumes
compose-down-images | docker|podman compose ** down --rmi ; docker-compose|podman-compose down --rmi | removes images
  | Use down alone
swarm | docker swarm leave --force|-f ; docker stack rm|remove|down ; docker service rm|remove ; docker node
  rm|remove|demote ; docker secret|config|context|network rm|remove | removes services or nodes of a swarm
stop-all | docker|podman kill ; docker|podman stop --all|-a | ends containers at once | docker stop NAME lets it end
  by itself
== email | email: SES, SendGrid, Mailgun, Postmark, Mailchimp, Resend, Postfix
# Source: the API reference of each service; docs.aws.amazon.com/cli/latest/reference/ses and sesv2.
SHOW = A GET of the same address shows what it is
values aws = --profile --region --output --query
ses | aws ses|sesv2 delete-*|remove-*|put-account-sending-attributes|update-account-sending-enabled | removes a
  sender, a template or settings | Use get or list to see what there is
sendgrid | @http DELETE api.sendgrid.com/* | removes templates, keys, senders or their settings | $SHOW
mailgun | @http DELETE api.mailgun.net/* api.eu.mailgun.net/* | removes domains, lists or their settings | $SHOW
postmark | @http DELETE api.postmarkapp.com/* | removes servers, templates or senders | $SHOW
others | @http DELETE *.api.mailchimp.com/* mandrillapp.com/* api.resend.com/* api.sparkpost.com/* api.brevo.com/*
  api.mailjet.com/* | removes lists, keys or senders | $SHOW
postfix | postsuper -d ; exim -Mrm | removes mail that waits to be sent | postqueue -p lists it
== feature-flags | feature flags: LaunchDarkly, Flipt, Split, Unleash, Flagsmith
# Source: the reference of ldcli, flipt, unleash and Split's Admin API.
launchdarkly | ldcli * delete|archive|toggle-off | removes a flag or what depends on it | ldcli flags get shows what
  it is
launchdarkly-http | @http DELETE app.launchdarkly.com/* | removes a flag or what depends on it
flipt | flipt * delete | removes a flag or what depends on it
flipt-http | @http DELETE *flipt*/* */api/v1/namespaces/* | removes a flag or what depends on it
split | split splits|environments|segments|traffic-types|workspaces delete|kill | removes a split or what depends on
  it
split-http | @http DELETE api.split.io/* | removes a split or what depends on it
unleash | unleash features|projects|environments|strategies|api-keys|segments delete|archive | removes a flag or what
  depends on it
unleash-http | @http DELETE *unleash*/* */api/admin/* | removes a flag or what depends on it
flagsmith-http | @http DELETE api.flagsmith.com/* */api/v1/environments/* | removes a flag or what depends on it
== gcloud | resources of Google Cloud: gcloud, gsutil, bq, firebase
# Source: cloud.google.com/sdk/gcloud/reference, cloud.google.com/storage/docs/gsutil.
VALUES = --project --account --configuration --zone --region --location --format --filter
  --impersonate-service-account --verbosity
values * = $VALUES
values bq = --project_id --dataset_id --location --format
values gsutil = -o -h -u -i
delete! | gcloud ** delete|delete-*|remove-*|undeploy|destroy|purge | removes what others may use | Use describe to
  see what it is, and let the user remove it
storage-rm! | gcloud storage rm | removes objects | gcloud storage ls shows what there is
# There, `-n` is `--no-clobber`.
storage-rsync-delete | gcloud storage rsync --delete-unmatched-destination-objects | removes what is not in the source
  | --dry-run shows what would go
gsutil-rsync-delete | gsutil rsync -d ; @unless -n | removes what is not in the source | -n shows what would go
gsutil-rm! | gsutil rm|rb | removes objects | gsutil ls shows what there is
gsutil-acl | gsutil iam|acl|defacl set|ch|remove ; gsutil lifecycle|retention set|clear | changes who reaches a
  bucket, or how long its objects live
bq-rm | bq rm ; bq remove | removes a dataset or a table | bq show shows what it is
stop | gcloud ** stop|reset|suspend|disable|set-iam-policy|untag|abandon-instances | stops what others may use, or
  changes who may use it
iam | gcloud ** add-iam-policy-binding ; gcloud iam service-accounts keys create | changes who may do what
firebase | firebase *:delete|*:remove|*:destroy|*:uninstall|hosting:disable|remoteconfig:rollback|database:set
  | removes what an app uses
== github | repositories, releases and settings of GitHub: gh, its API
# Source: cli.github.com/manual, docs.github.com/rest.
values * = -R --repo -h --hostname
repo-delete! | gh repo delete|archive | removes a repository | Let the user do it
delete! | gh release|gist|secret|variable|label|cache|issue|run|codespace|project delete ; gh secret|variable remove ;
  gh workflow disable ; gh release delete-asset ; gh codespace|cs delete ; gh project item-delete|field-delete
  | removes what others may use
keys-delete | gh ssh-key|gpg-key delete ; gh repo deploy-key|autolink delete ; gh auth logout | takes access away
api-delete! | gh api --method=DELETE|-X=DELETE|-XDELETE ; gh api --method=delete|-X=delete | removes what others may
  use | A GET of the same path shows what it is
api-write | gh api --method=PUT|-X=PUT|-XPUT ; gh api graphql --field=*delete*|-f=*delete*|--raw-field=*delete*|
  -F=*delete* | replaces what others may use
run-cancel | gh run cancel ; gh pr close --delete-branch|-d ; gh issue transfer ; gh repo rename ; gh repo edit
  --visibility ; gh repo sync --force | ends or changes what others may use
http-delete | @http DELETE api.github.com/* | removes what others may use | A GET of the same address shows what it is
== gitlab | projects, releases and pipelines of GitLab: glab, gitlab-runner, gitlab-rake, its API
# Source: gitlab.com/gitlab-org/cli (docs), docs.gitlab.com/api, docs.gitlab.com/runner/commands.
values * = -R --repo -g --group
delete! | glab repo|project|release|issue|mr delete ; glab repo|project transfer | removes what others may use
settings-delete | glab variable|label|milestone|schedule|token|ssh-key|deploy-key|snippet|securefile|iteration|cluster
  delete|remove|rm|revoke ; glab opentofu|terraform|tf state delete ; glab repo members remove ; glab auth logout
  | removes settings that pipelines and people use
ci-delete | glab ci|pipeline|pipe|job delete|cancel | removes a pipeline with its jobs and artefacts
api-delete | glab api --method=DELETE|-X=DELETE|-XDELETE ; glab api --method=delete|-X=delete | removes what others
  may use | A GET of the same path shows what it is
runner-unregister | gitlab-runner unregister ; gitlab-runner verify --delete ; gitlab-runner reset-token | takes a
  runner away from pipelines | gitlab-runner list shows the runners
http-delete | @http DELETE */api/v4/* | removes what others may use | A GET of the same address shows what it is
server | gitlab-rake gitlab:backup:restore|gitlab:cleanup:*|gitlab:setup|gitlab:db:* ; gitlab-ctl
  cleanse|uninstall|remove-accounts|deploy-page ; gitlab-backup restore | replaces or removes data of the server
rails | gitlab-rails runner|r ; gitlab-rails console ; @says destroy ; @says delete ; @says drop ; @says truncate
  | removes data of the server from within a program
== helm | releases of Helm: helm, helmfile
# Source: helm.sh/docs/helm, helmfile.readthedocs.io.
values * = -n --namespace --kube-context --kubeconfig -f --file -e --environment -l --selector
uninstall! | helm uninstall|delete|un|del ; helm3 uninstall|delete|un|del | removes what others may use | --dry-run
  shows what would go; let the user do it
rollback | helm|helm3 rollback | puts an earlier version into use | helm history shows the versions; --dry-run shows
  the change
upgrade-force | helm|helm3 upgrade --force|--force-replace|--reset-values | removes objects and makes them again
  | Upgrade without --force
helmfile-destroy | helmfile destroy|delete | removes all releases of a file | helmfile list shows them
== hosting | apps at hosting services: Heroku, Vercel, Netlify, Fly, Cloudflare, Firebase, DigitalOcean, Railway,
  Render
# Source: the reference of each program: devcenter.heroku.com, vercel.com/docs/cli, docs.netlify.com/cli,
# fly.io/docs/flyctl, docs.digitalocean.com/reference/doctl, docs.railway.com, render.com/docs/cli.
values * = -a --app -c --config -r --remote -t --token -s --scope --access-token --context --site
doctl! | doctl ** delete|del|rm|d|destroy | removes what others may use
fly! | flyctl|fly destroy ; flyctl|fly apps|app|machine|machines|m|volumes|volume|vol|redis|postgres|pg|mpg|ips|certs|
  extensions|storage|wireguard|tokens destroy|delete|remove|rm|release|kill|revoke|detach | removes an app
fly-scale | flyctl|fly scale count 0 ; flyctl|fly secrets unset ; flyctl|fly suspend | ends an app, or takes its
  settings away
heroku! | heroku apps:destroy|pg:reset|addons:destroy|destroy|apps:delete|pg:cred*:destroy|redis:*reset|
  domains:remove|domains:clear|pipelines:destroy|certs:remove|spaces:destroy|access:remove|container:rm|repo:reset|
  pg:killall|pg:copy|pg:restore|pg:push|pg:backups:restore|pg:backups:delete|ps:kill|config:unset|drains:remove|
  addons:detach|ps:stop|members:remove|rollback|releases:rollback|keys:clear|keys:remove | removes an app or its
  database
deployments! | vercel|vc|netlify|wrangler|firebase remove|rm|delete|sites:delete|projects:delete|blobs:delete|
  env:unset | removes what is deployed
vercel-settings | vercel|vc|now env|domains|dns|alias|secrets|certs|project|projects|teams|blob|integration|
  integration-resource rm|remove|delete|del|delete-store ; vercel|vc rollback | removes settings of what is deployed
railway | railway down|delete ; railway environment|volume|service|variables delete|remove ; surge teardown ; dokku
  apps:destroy|*:destroy|*:unlink|cleanup ; cf d|delete|delete-*|unbind-*|purge-* ; scalingo destroy ; clever delete ;
  gigalixir apps:destroy|pg:destroy ; deployctl projects|deployments delete ; ibmcloud ** delete|rm ; oci **
  delete|terminate ; linode-cli * delete|rm|rebuild ; hcloud * delete|rebuild|reset|poweroff ; vultr-cli **
  delete|destroy ; scw ** delete|terminate ; exo ** delete|rm ; openstack ** delete|rebuild ; civo ** remove|delete
  | removes what is deployed
http-delete | @http DELETE api.heroku.com/* api.vercel.com/* api.netlify.com/* api.digitalocean.com/* api.render.com/*
  api.machines.dev/* api.hetzner.cloud/* api.linode.com/* | removes what is deployed
== infrastructure | infrastructure and machines: pulumi, cdk, sam, sst, serverless, ansible, vagrant, virsh, packer,
  nomad, consul
# Source: the reference of each program: pulumi.com/docs/iac/cli, docs.aws.amazon.com/cdk, docs.ansible.com,
# serverless.com/framework/docs, developer.hashicorp.com/vagrant, libvirt.org.
values * = -s --stack -C --cwd -i --inventory -m --module-name -a --args -c --connect -e --extra-vars
pulumi-destroy! | pulumi destroy|down|dn ; @unless --preview-only | removes infrastructure | pulumi preview --diff
  shows changes; let the user do it
pulumi-apply-unseen | pulumi up|update --yes|-y --skip-preview|-f | changes infrastructure unseen | pulumi preview
  shows the change
pulumi-state | pulumi stack rm ; pulumi state delete|unprotect ; pulumi stack import ; pulumi cancel | forgets
  infrastructure, or its history | pulumi stack export saves it first
cdk-destroy! | cdk|cdktf destroy | removes infrastructure | cdk list shows the stacks
cdk-deploy-unseen | cdk deploy --require-approval=never ; cdktf deploy|apply --auto-approve | changes infrastructure
  unseen | cdk diff shows the change
serverless-remove! | serverless|sls remove | removes infrastructure | serverless info shows what there is
stack-delete | sam delete ; sst remove ; copilot app|env|svc|job|pipeline|task delete ; chalice delete ; zappa
  undeploy ; amplify delete ; eb terminate | removes infrastructure
ansible-absent | ansible --args=*state=absent*|-a=*state=absent* ; ansible-galaxy collection|role remove|delete ;
  @unless --check -C | removes files, packages or users of all hosts | --check shows what would change
vagrant-destroy! | vagrant destroy ; vagrant box remove|prune ; vagrant snapshot delete|restore|pop | removes a
  machine | vagrant halt only stops it
virsh-destroy! | virsh undefine|destroy ; virsh vol-delete|pool-delete|snapshot-delete|net-destroy|net-undefine|
  vol-wipe | removes a machine | virsh shutdown only stops it
vm-delete | VBoxManage unregistervm --delete|--delete-all ; multipass delete|purge ; lxc|incus delete|rm ; limactl
  delete|remove|rm|factory-reset ; qm|pct destroy | removes a machine | Stop it only
nomad | nomad stop --purge|-purge ; nomad job stop --purge|-purge ; nomad namespace|volume|node-pool delete ; nomad
  var purge ; nomad acl token|policy|role delete ; nomad system gc ; nomad node drain | ends and removes what runs
consul | consul kv|config delete ; consul leave ; consul force-leave ; consul snapshot restore ; consul acl
  token|policy|role delete | removes what services depend on
== kubernetes | objects in clusters of Kubernetes: kubectl, oc, kind, eksctl, argocd, flux
# Source: the references of kubectl, oc (kubernetes.io/docs/reference/kubectl).
VALUES = -n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout
  -f --filename -k --kustomize -l --selector --field-selector -o --output
KUBECTL = kubectl|oc|k|kubecolor|microk8s.kubectl
POD = pod|pods|po
POD_BY_NAME = pod/*|pods/*|po/*
values * = $VALUES
delete-namespace! | $KUBECTL delete ns|namespace|namespaces|project|projects|ns/*|namespace/*|namespaces/* | removes a
  namespace with all that is in it | kubectl get all -n NAME shows what is in it; let the user remove it
# A pod by its name is made anew by what it belongs to: this is how one restarts it.
delete! | $KUBECTL delete !$POD|$POD_BY_NAME ; $KUBECTL delete -f|--filename|-k|--kustomize ; $KUBECTL delete
  $POD|$POD_BY_NAME --all|-l|--selector|--field-selector|-A|--all-namespaces|--force ; $KUBECTL delete $POD_BY_NAME **
  !$POD_BY_NAME ; microk8s|k3s kubectl delete ; minikube kubectl ** delete | removes what others may use
  | --dry-run=client shows what would go; let the user do it
drain! | $KUBECTL drain ; oc adm drain | ends what runs on a node | kubectl cordon only keeps new pods away
cordon | $KUBECTL cordon|taint ; oc adm cordon|taint | keeps pods away from a node
replace! | $KUBECTL replace --force | removes and makes again | Use kubectl apply
prune | $KUBECTL apply --prune | removes what is not in the files | --dry-run=server shows what would go
scale-to-zero | $KUBECTL scale --replicas=0 | ends everything that a workload runs | Scale to at least one
rollout-undo | $KUBECTL rollout undo | puts an earlier version into use | kubectl rollout history shows the versions
replace-cluster | kind|k3d delete cluster|clusters ; k3d cluster delete|del|rm ; minikube delete ; kops delete
  cluster|instancegroup|instancegroups|ig ; eksctl delete ; kubeadm reset ; k3s-uninstall.sh ; rke remove ;
  rke2-uninstall.sh | removes a cluster or a part of it
argocd-delete | argocd app|appset|proj|repo|cluster delete|rm ; argocd app terminate-op | removes an application with
  what it has deployed | argocd app diff shows what it has
argocd-prune | argocd app sync --prune | removes what is not in the repository | Sync without --prune
flux-delete | flux delete ; flux uninstall | removes what keeps a cluster in step with its repository | flux suspend
  pauses it
etcdctl-delete | etcdctl del ; etcdctl member remove ; etcdctl snapshot restore | removes keys of the cluster's store
== load-balancers | load balancers and proxies: ELB, HAProxy, nginx, Traefik, Caddy, Apache, Envoy
# Source: docs.haproxy.org, nginx.org/en/docs, doc.traefik.io, docs.aws.amazon.com/cli.
STOPS = ends what all requests pass through
CONFIG = removes the configuration of what all requests pass through
RELOAD = Use reload, which keeps connections
values aws = --profile --region --output --query
elb | aws elb|elbv2 delete-*|deregister-*|remove-*|detach-* | $STOPS | Use describe to see what it is
haproxy | haproxy -sf ; haproxy -st | ends the running proxy | haproxy -c checks a configuration; use reload, which
  keeps connections
haproxy-socket | socat|nc ; @says disable server ; @says disable frontend ; @says shutdown sessions ; @says shutdown
  frontend ; @says del server ; @says set server ; @says clear table ; @says disable agent | takes servers out of use
  | show servers state lists them
nginx | nginx -s=stop|-s=quit ; apachectl|apache2ctl|httpd -k=stop|-k=graceful-stop ; apachectl|apache2ctl
  stop|graceful-stop ; caddy stop ; varnishadm stop|ban | $STOPS | $RELOAD
service-stop | systemctl stop|disable|mask|kill nginx|haproxy|traefik|caddy|apache2|httpd|envoy|varnish|nginx.service|
  haproxy.service|traefik.service|keepalived ; service nginx|haproxy|traefik|caddy|apache2|httpd|envoy|varnish stop
  | $STOPS | $RELOAD
config | rm|unlink */etc/haproxy/*|*/etc/nginx/*|*/etc/traefik/*|*/etc/caddy/*|*/etc/apache2/*|*/etc/httpd/*|
  */etc/envoy/* | $CONFIG | Move it to another name
traefik | docker|podman stop|kill|rm traefik*|haproxy*|nginx*|caddy*|envoy* ; kubectl|oc delete ingressroute|ingress|
  gateway|httproute|middleware|ingressroutes ; kubectl|oc delete pod|deployment|deploy|daemonset|service|svc
  traefik*|nginx*|ingress-nginx*|haproxy* | $STOPS | Restart it instead
cloud | gcloud compute forwarding-rules|backend-services|url-maps|target-http-proxies|target-https-proxies|
  target-pools delete ; az network lb|application-gateway|front-door|traffic-manager ** delete ; doctl compute
  load-balancer delete ; hcloud load-balancer delete | $STOPS
http-delete | @http DELETE *:2019/* */v2/services/haproxy/* */v3/services/haproxy/* | $CONFIG
== messaging | topics and queues: Kafka, Redpanda, RabbitMQ, NATS, Pulsar, SQS, SNS, Pub/Sub, Mosquitto
# Source: kafka.apache.org/documentation, docs.redpanda.com, rabbitmq.com/docs/cli, docs.nats.io,
# pulsar.apache.org/docs.
KAFKA = kafka-topics|kafka-topics.sh
values aws = --profile --region --output --endpoint-url --query
values nats = -s --server --context --creds --user --password
values rabbitmqadmin = -H --host -P --port -u --username -p --password -V --vhost -N --node -c --config
values rabbitmqctl = -n --node -p --vhost -t --timeout
values rpk = --brokers -X --profile --config
kafka-delete-topic | $KAFKA --delete | removes a topic with its messages | --describe shows what it is
kafka-consumer-groups | kafka-consumer-groups|kafka-consumer-groups.sh --delete ; kafka-consumer-groups|
  kafka-consumer-groups.sh --delete-offsets | removes what a group has read | --describe shows the group
kafka-reset-offsets | kafka-consumer-groups|kafka-consumer-groups.sh --reset-offsets --execute | lets a group read
  again, or leave out messages | Without --execute, it only shows the new offsets
kafka-configs | kafka-configs|kafka-configs.sh --delete-config | removes settings, so that messages may be removed
  | --describe shows them
kafka-acls | kafka-acls|kafka-acls.sh --remove | takes rights away | --list shows them
kafka-delete-records | kafka-delete-records|kafka-delete-records.sh ; kafka-storage|kafka-storage.sh format ;
  kafka-server-stop|kafka-server-stop.sh ; zookeeper-shell|zookeeper-shell.sh|zkcli.sh ** deleteall|delete|rmr ;
  kafka-streams-application-reset|kafka-streams-application-reset.sh | removes messages
kafka-kcat | kafkactl delete ; confluent ** delete ; kaf topic|group delete | removes a topic, a cluster or a key
redpanda | rpk topic delete|trim-prefix ; rpk group delete|seek|offset-delete ; rpk cluster|redpanda|security|acl|
  wasm|transform ** delete ; rpk topic alter-config --delete ; rpk container purge | removes a topic, a group or
  settings
rabbitmq-delete | rabbitmqadmin ** delete|delete_*|purge|close|close_*|clear|clear_* ; rabbitmqctl
  delete_*|purge_queue|clear_*|remove_*|close_* | removes a queue, an exchange, a user or rights | Use list to see
  what there is
rabbitmq-node | rabbitmqctl forget_cluster_node|reset|force_reset|force_boot|stop|stop_app|shutdown|
  rename_cluster_node ; rabbitmq-plugins disable ; rabbitmq-queues delete_member ; rabbitmq-upgrade drain | takes a
  node out of its cluster, or empties it
nats-delete | nats stream|str|consumer|con|kv|object|obj|account|bucket|context|service|auth
  delete|del|rm|remove|purge ; nats kv|bucket|object purge|del|delete|rm|revert|compact|seal ; nats stream|str
  rmm|seal|restore | removes messages or what keeps them | nats stream info shows what there is
nsc-delete | nsc delete | removes accounts or users
pulsar | pulsar-admin topics|namespaces|tenants|subscriptions|clusters|functions|schemas delete|delete-*|
  clear-backlog|unload|terminate|truncate|skip-all|unsubscribe | removes topics or what is in them
sqs | aws sqs delete-*|purge-*|remove-* | removes messages or a queue | aws sqs get-queue-attributes shows the queue
sns | aws sns delete-*|unsubscribe|remove-* | removes a topic or its subscriptions | aws sns get-topic-attributes
  shows the topic
pubsub | gcloud pubsub topics|subscriptions|snapshots|schemas delete ; gcloud pubsub subscriptions seek | removes a
  topic, a subscription or messages
mosquitto | mosquitto_ctrl dynsec deleteclient|deletegroup|deleterole ; mosquitto_passwd -D | removes clients of a
  broker
== monitoring | monitoring: Datadog, New Relic, PagerDuty, Prometheus, Grafana, Splunk, Sentry
# Source: docs.datadoghq.com/api, docs.newrelic.com, prometheus.io/docs/prometheus/latest/querying/api,
# grafana.com/docs, github.com/martindstone/pagerduty-cli (README), docs.splunk.com.
SHOW = A GET of the same address shows what it is
datadog | datadog-ci monitors|dashboards|synthetics|slos delete ; dog monitor|timeboard|screenboard|dashboard|downtime
  delete|cancel_downtime ; dog monitor mute_all | removes monitors or dashboards
datadog-http | @http DELETE api.datadoghq.com/* api.datadoghq.eu/* api.*.datadoghq.com/* | removes monitors or
  dashboards | $SHOW
newrelic | newrelic ** delete | removes what is watched, or what watches it
newrelic-http | @http DELETE api.newrelic.com/* api.eu.newrelic.com/* | removes what is watched, or what watches it
  | $SHOW
newrelic-graphql | curl|http|wget|xh ; @says mutation { delete ; @says mutation{delete ; @says mutation {delete
  | removes what is watched, or what watches it
pagerduty | pd service|schedule|escalation-policy|user|team|tag|automation|ep ** delete|remove | removes who is called
  and when
pagerduty-http | @http DELETE api.pagerduty.com/* api.opsgenie.com/* api.victorops.com/* | removes who is called and
  when | $SHOW
prometheus-http | @http ANY */api/v1/admin/tsdb/delete_series* */api/v1/admin/tsdb/clean_tombstones* | removes what
  was measured | Query the same series first
prometheus-files | rm|unlink */etc/prometheus/*|*/etc/alertmanager/*|*/etc/grafana/*|*/var/lib/prometheus/*|
  */var/lib/grafana/* | removes rules or data of the monitoring
prometheus-kubernetes | kubectl|oc delete prometheusrule|prometheusrules|servicemonitor|servicemonitors|podmonitor|
  prometheus|alertmanager|alertmanagerconfig|grafanadashboard | removes what is watched
grafana | grafana-cli plugins uninstall|remove ; grafana-cli admin reset-admin-password ; grafana cli plugins
  uninstall|remove | removes a plugin that dashboards may need
grafana-http | @http DELETE *grafana*/api/* *:3000/api/dashboards/* *:3000/api/datasources/* */api/dashboards/uid/*
  */api/datasources/* */api/alert-notifications/* | removes dashboards, data sources or alerts | $SHOW
splunk | splunk remove|delete|clean|disable ; splunk stop|offline | removes what was logged, or who reads it
splunk-http | @http DELETE *:8089/* | removes what was logged, or who reads it
sentry | sentry-cli releases ** delete | removes releases or their files
sentry-http | @http DELETE sentry.io/api/* *.sentry.io/api/* logs.*.amazonaws.com/* api.honeycomb.io/*
  api.betterstack.com/* uptime.betterstack.com/* | removes projects, issues or monitors
== payment | payment: Stripe, Square, Braintree, PayPal, Adyen
# Source: docs.stripe.com/cli, docs.stripe.com/api, developer.squareup.com/reference, developer.paypal.com/braintree.
stripe | stripe * delete ; stripe delete ; stripe api_keys roll ; stripe subscriptions|payment_intents|payouts|
  transfers cancel|reverse ; stripe refunds|payouts|transfers|charges create | removes or moves what customers pay
  with | Use retrieve to see what it is
stripe-http | @http DELETE api.stripe.com/* | removes what customers pay with
square | square * delete|disable|cancel ; square catalog batch-delete | removes what customers pay with
square-http | @http DELETE connect.squareup.com/* api.squareup.com/* | removes what customers pay with
braintree-http | @http DELETE api.braintreegateway.com/* *.braintreegateway.com/* | removes what customers pay with
others-http | @http DELETE api.paypal.com/* api-m.paypal.com/* *.adyen.com/* api.mollie.com/* api.razorpay.com/*
  api.paddle.com/* api.chargebee.com/* | removes what customers pay with
code | node|nodejs|python|python3|ruby|php|java ; @says braintree.customer.delete ; @says gateway.customer.delete ;
  @says gateway.merchant_account.delete ; @says gateway.payment_method.delete ; @says gateway.subscription.cancel ;
  @says gateway.transaction.refund ; @says stripe.customers.del ; @says stripe.customer.delete ; @says
  stripe.subscriptions.cancel ; @says stripe.products.del | removes what customers pay with from within a program
== registries | publishing to and removing from package registries: npm, cargo, gem, twine, poetry, maven, gradle,
  skopeo
# Source: the reference of each package manager: docs.npmjs.com/cli, doc.rust-lang.org/cargo, guides.rubygems.org,
# twine.readthedocs.io, maven.apache.org, docs.gradle.org, github.com/containers/skopeo.
GOOD = publishes for good
values cargo = --registry --index --token -Z --manifest-path -p --package
values npm = --registry --otp --tag -w --workspace
npm-unpublish! | npm|pnpm unpublish | takes a published package away from those who use it | Publish a fixed version
npm-deprecate! | npm|pnpm deprecate | tells all users of a package to leave it
npm-owner! | npm owner|access|team|org rm|revoke|remove|destroy ; npm dist-tag|token|hook rm|revoke|remove|delete ;
  npm owner add | takes rights away
npm-publish | npm|pnpm|bun publish ; pnpm ** publish ; yarn publish ; yarn npm publish ; lerna publish ; changeset
  publish ; nx release ** publish ; jsr|deno publish ; vsce|ovsx publish|unpublish | $GOOD | npm pack shows what would
  be in it
cargo-yank! | cargo yank ; @unless --undo | takes a published version away
cargo-publish | cargo publish ; cargo owner --remove|-r ; cargo release ; @unless -n | $GOOD | cargo package shows
  what would be in it
gem-yank! | gem yank | takes a published version away
gem-push | gem push ; gem owner --remove|-r ; pod trunk push|delete|deprecate | $GOOD
pypi! | twine|poetry|flit|hatch|pdm|uv upload|publish | $GOOD | Build it and look at the archive first
pypi-build | python|python3 setup.py upload ; python|python3 setup.py ** upload ; python|python3 twine upload | $GOOD
java | mvn|./mvnw|mvnw ** deploy|release:*|deploy:*|*:publish ; gradle|./gradlew|gradlew ** publish|publish*|
  *:publish*|uploadarchives|closeandreleaserepository ; sbt publish|publishsigned|release ; @without
  *publishtomavenlocal|publishlocal | $GOOD | Use install or publishToMavenLocal, which stay here
dotnet | dotnet nuget push|delete ; nuget push|delete ; dart|flutter pub publish ; dart|flutter pub uploader ; mix
  hex.publish|hex.retire ; cabal|stack upload ; luarocks upload ; opam publish ; anaconda upload|remove ; conan upload
  ; conan remove -r|--remote ; helm push ; helm cm-push | $GOOD
# A push puts a new image beside the earlier ones, which their digests still name, as a push of git does.
images | skopeo delete|sync ; crane delete ; regctl ** delete|rm ; oras manifest|blob delete ;
  docker|podman|nerdctl|buildah push --all-tags|-a ; docker|podman image|manifest push --all-tags|-a | removes or
  replaces what others get from a registry
uninstall | conda|mamba|micromamba env remove ; conda|mamba|micromamba remove|uninstall --all ; pipx uninstall-all ;
  poetry env remove | removes an environment with all that is in it | Let the user do it
== remote | copies to and commands on other machines: rsync, scp, ssh
# Source: the manuals of rsync, scp, ssh-keygen and ssh-add.
values rsync = -e --rsh --exclude --include --filter --files-from --rsync-path --log-file -f -T -M
values scp = -P -i -F -o -c -J -l -S -D -X
values ssh = -i -p -l -o -F -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B
rsync-delete! | rsync --del|--delete|--delete-*|--remove-source-files ; @unless -n --list-only | removes what is not
  in the source | -n shows what would go
scp-system | scp ** *:/|*:/etc/*|*:/etc|*:/var/lib/*|*:/boot/*|*:/usr/*|*:/bin/*|*:/sbin/*|*:/lib/*|*:/lib64/*|
  *:*/.ssh/* ; @last | writes over files of another machine's system | Copy it to a folder of its own
ssh-rm | ssh ; @says rm -r ; @says rm -f ; @says " rm " ; @says "rmdir " ; @says git reset --hard ; @says git clean -
  ; @says mkfs ; @says dd if= ; @says shutdown ; @says reboot | removes files of another machine, or stops it | Look
  at what is there first: ssh HOST ls
known-hosts | ssh-keygen -R | forgets which key a machine has | ssh-keygen -F shows it
ssh-agent | ssh-add -d ; ssh-add -D | takes keys away from the agent | ssh-add -l lists them
clusters | pdsh|pssh|parallel-ssh|clush|fab|cap ; @says rm -r ; @says rm -f ; @says reboot ; @says shutdown ; @says
  destroy ; @says rollback | acts on many machines at once
== search | indexes of Elasticsearch, OpenSearch, Algolia, Meilisearch, Typesense and Solr
# Source: elastic.co/guide/en/elasticsearch/reference, docs.opensearch.org, meilisearch.com/docs/reference/api,
# algolia.com/doc/rest-api, typesense.org/docs.
SHOW = A GET of the same address shows what it is
elasticsearch-delete | @http DELETE *:9200/* *elastic*/* *opensearch*/* *.es.amazonaws.com/* */_all */_snapshot/*
  */_data_stream/* | removes an index or what is in it | $SHOW
elasticsearch-delete-by-query | @http POST */_delete_by_query* | removes all documents that a query matches | Use
  _count with the same query first
elasticsearch-close | @http POST */_close *:9200/*/_flush/synced */_forcemerge* *:9200/_cluster/reroute* | takes an
  index out of use
elasticsearch-settings | @http PUT */_cluster/settings* *:9200/*/_settings* | changes settings of a whole cluster
  | Let the user do it
meilisearch-delete | @http DELETE *:7700/* *meilisearch*/* | removes an index, its documents or a key | $SHOW
meilisearch-delete-batch | @http POST */documents/delete-batch* */documents/delete | removes documents | $SHOW
algolia-delete | @http DELETE *.algolia.net/* *.algolianet.com/* | removes an index, its records or a key | $SHOW
algolia-clear | @http POST *.algolia.net/*/clear *.algolia.net/*/deletebyquery *.algolia.net/*/deleteByQuery | removes
  records of an index | $SHOW
algolia-cli | algolia indices|index delete|clear ; algolia objects|rules|synonyms|apikeys|profile|dictionary
  delete|remove|clear ; algolia objects delete | removes an index, its records or a key
algolia-code | node|nodejs|python|python3|ruby|php ; @says .deleteindex( ; @says .clearobjects( ; @says .deleteby( ;
  @says .delete_index( ; @says .clear_objects( ; @says .deletealiases( ; @says .indices.delete( ; @says
  .delete_by_query( | removes an index or its records from within a program
typesense-delete | @http DELETE *:8108/* *typesense*/* | removes a collection or its documents | $SHOW
solr-delete | solr delete | removes a core or a collection
elasticsearch-tools | curator_cli delete-indices|delete-snapshots|delete_indices|delete_snapshots ; elasticsearch-node
  detach-cluster|unsafe-bootstrap|repurpose|override-version ; elasticsearch-shard remove-corrupted-data ;
  elasticsearch-keystore remove ; elasticsearch-users userdel | removes data or settings of a node
== secrets | stores of secrets: Vault, 1Password, Doppler, AWS Secrets Manager and SSM, Infisical, Bitwarden, pass,
  keychains
# Source: developer.hashicorp.com/vault/docs/commands, developer.1password.com/docs/cli, docs.doppler.com,
# docs.aws.amazon.com/cli/latest/reference/secretsmanager, infisical.com/docs/cli.
values aws = --profile --region --output --endpoint-url --query
values doppler = -p --project -c --config -t --token --scope
values op = --account --config --vault --format --session
values vault = -namespace --namespace -address --address -ca-cert -mount
vault-disable | vault secrets|auth|audit|plugin disable|deregister|move | removes all secrets of an engine | vault
  secrets list shows the engines
vault-delete | vault delete ; vault kv delete|destroy ; vault kv metadata delete ; vault policy|namespace delete ;
  vault kv rollback | removes secrets or policies | vault kv get shows what it is
vault-revoke | vault token|lease revoke ; vault operator seal|rekey|rotate|step-down|init ; vault operator raft
  remove-peer | takes access away from programs
vault-http | @http DELETE *:8200/* *vault*/v1/* | removes secrets or policies
onepassword | op item|document|vault|group|user delete|remove|rm|suspend ; op connect token|server|vault|group
  delete|revoke ; op user|group|vault ** revoke ; op account forget ; op item edit | removes or changes what people
  sign in with | op item get shows what it is
doppler | doppler secrets|configs|projects|environments|groups delete ; doppler configs tokens|logs revoke|rollback ;
  doppler configs unlock|reset | removes what programs sign in with | doppler secrets shows what there is
aws | aws secretsmanager delete-*|remove-*|stop-*|cancel-* ; aws ssm delete-* ; aws kms schedule-key-deletion|
  disable-key|delete-* | removes what programs sign in with | Use describe to see what it is
aws-overwrite | aws secretsmanager update-secret|put-secret-value|rotate-secret ; aws ssm put-parameter --overwrite
  | replaces what programs sign in with | Let the user set it
cloud | gcloud secrets delete ; gcloud secrets versions destroy|disable ; gcloud kms keys versions destroy ; az
  keyvault ** delete|purge ; az keyvault delete|purge | removes what programs sign in with
infisical | infisical secrets|folders delete ; infisical secrets folders delete ; bw delete ; bws secret|project
  delete ; bws delete secret|secrets|project|projects ; lpass rm ; pass rm|delete|remove ; gopass rm|delete|remove ;
  keeper rm ; akeyless delete-* | removes what people and programs sign in with
keychain | security delete-* ; secret-tool clear ; gpg|gpg2 --delete-keys|--delete-secret-keys|
  --delete-secret-and-public-key|--delete-key|--delete-secret-key | removes keys
github | gh secret|variable delete|remove ; glab variable delete | changes what pipelines sign in with
== server | packages, firewall and services of a machine: apt, brew, iptables, ufw, systemctl stop, tmux
# Source: the manual of each program.
values apt = -o -t
values apt-get = -o -t -c
values ip6tables = -t
values iptables = -t
values systemctl = -H -M -t -p -n
packages! | apt|apt-get|dnf|yum|zypper|aptitude purge|remove|erase ; apt|apt-get|dnf|yum autoremove|autopurge * ; apk
  del ; snap|flatpak remove|uninstall ; dpkg -r ; dpkg -P ; dpkg --purge|--remove ; rpm -e ; rpm --erase ; @unless -s
  --simulate --just-print --no-act | removes programs of the machine | --simulate shows what would go
pacman! | pacman -R*|--remove ; @unless -p --print | removes programs of the machine | -p shows what would go
brew! | brew uninstall|remove|rm --force|-f | removes programs of the machine
brew-cleanup | brew uninstall|remove|rm --zap|--ignore-dependencies ; brew untap --force ; port uninstall ;
  nix-collect-garbage -d ; nix-env --delete-generations|-e | removes programs of the machine, or earlier versions
firewall! | iptables|ip6tables|nft --flush|-F ; nft flush ; iptables|ip6tables flush | opens the machine's firewall
  | iptables -S lists the rules
firewall-off! | ufw disable|reset ; ufw --force disable|reset | opens the machine's firewall | ufw status lists the
  rules
services | systemctl stop|disable|mask|kill ; service * stop ; launchctl unload|bootout|disable|remove ; rc-service *
  stop ; sc stop|delete ; supervisorctl stop|shutdown|remove ; pm2 delete|kill | stops services of the machine | Let
  the user do it
tmux! | tmux kill-server ; screen -X=quit|-wipe | ends all sessions
logs | journalctl --vacuum-time|--vacuum-size|--vacuum-files ; logrotate --force|-f ; dmesg --clear|-C|-c | removes
  logs of the machine
network | ip link set ** down ; ip addr|route|address flush|del|delete ; ifdown ; ifconfig ** down ; nmcli
  connection|con|networking delete|down|off ; route del|delete|flush | may cut the machine off
== storage | object storage: S3, MinIO, Google Cloud Storage, Azure Blobs, s3cmd, s5cmd, rclone
# Source: docs.aws.amazon.com/cli/latest/reference/s3 and s3api, min.io/docs/minio/linux/reference/minio-mc.html,
# learn.microsoft.com/cli/azure/storage, cloud.google.com/storage/docs, s3tools.org, github.com/peak/s5cmd.
SHOW = --dryrun shows what would go
values aws = --profile --region --output --endpoint-url --query
values az = --subscription -g --resource-group -o --output --query
values gsutil = -o -h -u -i
values mc = --config-dir -C --limit-upload --limit-download
values s3cmd = -c --config --host --host-bucket
values s5cmd = --endpoint-url --numworkers
values gcloud = --project --account --configuration --zone --region --location --format --filter
  --impersonate-service-account --verbosity
values azcopy = --subscription -g --resource-group -n --name -o --output --query
s3 | aws s3 rm|rb ; aws s3 sync --delete ; aws s3 mv --recursive | removes objects or a bucket | $SHOW
s3api | aws s3api delete-* | removes objects, a bucket or its settings
s3-lifecycle | aws s3api put-bucket-lifecycle-configuration|put-bucket-versioning|put-bucket-policy|put-bucket-acl ;
  aws s3control delete-* | changes who reaches a bucket, or how long its objects live
minio | mc rb|rm ; mc admin bucket|user|policy|group|service remove|delete|rm|disable|unset|detach|stop|restart ; mc
  ilm remove|rm ; mc ilm rule remove|rm ; mc admin config reset ; mc mirror --remove ; mc mv|undo ; mc
  alias|replicate|version|event|tag|quota|retention remove|rm|clear|suspend ; mcli rb|rm | removes objects, a bucket,
  or who reaches it | mc ls shows what there is
gcs | gsutil rm|rb|mv ; gcloud storage rm ; gcloud storage buckets|objects|managed-folders|folders delete ; gcloud
  storage rsync --delete-unmatched-destination-objects | removes objects or a bucket | gsutil ls shows what there is
gcs-rsync | gsutil rsync -d ; @unless -n | removes what is not in the source | -n shows what would go
azure-blob | az storage account|container|blob|share|file|directory|queue|table|fs|message|entity
  delete|delete-batch|clear|remove ; az storage fs * delete ; azcopy remove|rm ; azcopy sync --delete-destination
  | removes blobs or what holds them | $SHOW
s3cmd | s3cmd del|rm|rb|expire|delpolicy|dellifecycle ; s3cmd sync --delete-removed ; @unless -n | removes objects or
  a bucket | -n shows what would go
s3-clients | s5cmd rm|rb|mv ; s5cmd sync --delete ; s4cmd del ; b2 rm ; b2 bucket|file|key delete|delete-* ; b2
  delete-* ; b2 sync --delete ; swift delete ; ossutil rm ; coscli rm ; tigris bucket|objects delete | removes objects
  or a bucket
rclone! | rclone purge|delete|deletefile|sync|rmdirs|rmdir|cleanup|move|moveto|dedupe|bisync|settier ; @unless -n
  | removes what is not in the source | --dry-run shows what would go; rclone copy removes nothing
ceph | rados rm|purge|rmpool ; rbd rm|remove ; rbd snap rm|purge|rollback ; ceph osd purge|destroy|rm|out ; ceph osd
  pool|crush rm|delete|remove ; ceph fs rm|fail ; radosgw-admin user|bucket|object rm|unlink|purge | removes objects,
  images or a pool
hdfs | hdfs|hadoop dfs|fs -rm|-rmr|-rmdir|-expunge|-truncate ; hdfs namenode -format ; hdfs dfsadmin -deleteBlockPool
  | removes files of a cluster | hdfs dfs -ls shows what there is
http-delete | @http DELETE *.s3.amazonaws.com/* s3.*.amazonaws.com/* *.s3.*.amazonaws.com/* storage.googleapis.com/*
  *.blob.core.windows.net/* *.r2.cloudflarestorage.com/* | removes an object
== terraform | infrastructure of Terraform: terraform, tofu, terragrunt
# Source: developer.hashicorp.com/terraform/cli/commands, opentofu.org/docs/cli.
VALUES = -chdir --chdir --terragrunt-working-dir --working-dir
values * = $VALUES
destroy! | terraform|tofu|terragrunt destroy|destroy-all ; terragrunt run-all|run|stack ** destroy | removes
  infrastructure | terraform plan -destroy shows what would go; let the user do it
apply-destroy! | terraform|tofu|terragrunt apply --destroy|-destroy | removes infrastructure | terraform plan -destroy
  shows what would go; let the user do it
apply-unseen! | terraform|tofu|terragrunt apply --auto-approve|-auto-approve ; terragrunt run-all|run|stack ** apply
  --terragrunt-non-interactive|--non-interactive|--auto-approve|-auto-approve ; terragrunt apply-all
  --terragrunt-non-interactive|--non-interactive | changes infrastructure unseen | Write the plan to a file with plan
  -out, and let the user apply it
state-rm! | terraform|tofu|terragrunt state rm ; @unless -dry-run | forgets infrastructure | terraform state list
  shows what there is; -dry-run shows what would be forgotten
state-write | terraform|tofu|terragrunt state push|mv|replace-provider ; @unless -dry-run | changes what is known
  about the infrastructure | terraform state pull saves the state first
force-unlock | terraform|tofu|terragrunt force-unlock | ends the lock of somebody who may be changing the
  infrastructure
taint | terraform|tofu|terragrunt taint ; terraform|tofu|terragrunt apply -replace|--replace | has a resource removed
  and made again | terraform plan -replace shows the change
workspace-delete | terraform|tofu|terragrunt workspace delete | removes a workspace with its state
]]
